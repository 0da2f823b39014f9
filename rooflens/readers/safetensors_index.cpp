#include "rooflens/readers/safetensors_index.h"

#include <optional>
#include <unordered_set>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/json_scan.h"
#include "rooflens/readers/json_text.h"
#include "rooflens/readers/tensor_table.h"

namespace rooflens {
namespace {

constexpr std::size_t kMaxFiles = 10000;
constexpr std::size_t kLongestFile = 255;

// A name that stays in its folder.
bool plain_file(std::string_view name) {
  return !name.empty() && name.size() <= kLongestFile && name != "." && name != ".." &&
         name.find_first_of("/\\") == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

struct Reading {
  SafetensorsIndex index;
  std::unordered_set<std::string> seen;
  bool has_map = false;
  std::optional<Error> error;
};

bool read_map(JsonScan& json, Reading& r, const std::string& where) {
  const auto stop = [&](ErrorCode code, std::string message) {
    r.error = Error{code, std::move(message), where, "fetch the index again"};
    return false;
  };
  r.has_map = true;
  return json.object([&](std::string_view) {
    std::string_view name;
    if (!json.string(name)) return false;
    if (++r.index.tensors > kMaxTensors) {
      return stop(ErrorCode::out_of_range, "more than " + std::to_string(kMaxTensors) + " tensors");
    }
    if (!r.index.files.empty() && r.index.files.back() == name) return true;
    if (!plain_file(name)) {
      return stop(ErrorCode::malformed, "weight_map names a file that is no plain name: \"" +
                                            std::string(name.substr(0, 60)) + "\"");
    }
    if (!r.seen.insert(std::string(name)).second) return true;
    if (r.index.files.size() == kMaxFiles) {
      return stop(ErrorCode::out_of_range, "more than " + std::to_string(kMaxFiles) + " files");
    }
    r.index.files.emplace_back(name);
    return true;
  });
}

bool read_metadata(JsonScan& json, Reading& r) {
  return json.object([&](std::string_view key) {
    std::uint64_t size = 0;
    if (key != "total_size" || !is_digit(json.peek())) return json.skip();
    if (!json.whole_part(size)) return false;
    r.index.total_size = static_cast<double>(size);
    return true;
  });
}

}  // namespace

Result<SafetensorsIndex> read_safetensors_index(std::string_view text, std::string_view where) {
  const std::string at(where);
  if (const double pointer = lfs_pointer_size(text); pointer >= 0) {
    return fail(ErrorCode::malformed, "a Git LFS pointer stands for the index", at,
                "fetch the file itself: git lfs pull");
  }
  JsonScan json(text);
  Reading r;
  json.object([&](std::string_view key) {
    if (key == "weight_map" && json.peek() == '{') return read_map(json, r, at);
    if (key == "metadata" && json.peek() == '{') return read_metadata(json, r);
    return json.skip();
  });
  if (r.error) return Failure(std::move(*r.error));
  if (json.trouble().empty()) json.end();
  if (!json.trouble().empty()) {
    return fail(ErrorCode::malformed, json.trouble(), at + ": offset " + std::to_string(json.at()),
                "fetch the index again");
  }
  if (!r.has_map) {
    return fail(ErrorCode::malformed, "the index has no weight_map", at, "fetch the index again");
  }
  return std::move(r.index);
}

}  // namespace rooflens
