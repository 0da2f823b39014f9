#include "rooflens/readers/safetensors_index.h"

#include <unordered_set>

#define JSON_NOEXCEPTION 1
#include <nlohmann/json.hpp>

#include "rooflens/readers/json_text.h"
#include "rooflens/readers/tensor_table.h"

namespace rooflens {
namespace {

constexpr std::size_t kMaxFiles = 10000;
constexpr std::size_t kLongestFile = 255;

class IndexCollector : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsIndex index;
  std::string trouble;
  ErrorCode code = ErrorCode::malformed;
  bool has_map = false;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t value) override { return size(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return size(value); }
  bool string(std::string& value) override {
    if (depth_ != 2 || member_ != "weight_map") return true;
    if (++index.tensors > kMaxTensors) {
      return stop(ErrorCode::out_of_range, "more than " + std::to_string(kMaxTensors) + " tensors");
    }
    if (seen_.count(value) > 0) return true;
    if (value.empty() || value.size() > kLongestFile || value == ".." ||
        value.find_first_of("/\\") != std::string::npos || value.find('\0') != std::string::npos) {
      return stop(ErrorCode::malformed,
                  "weight_map names a file that is no plain name: \"" + value.substr(0, 60) + "\"");
    }
    if (index.files.size() == kMaxFiles) {
      return stop(ErrorCode::out_of_range, "more than " + std::to_string(kMaxFiles) + " files");
    }
    seen_.insert(value);
    index.files.push_back(value);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool key(std::string& name) override {
    if (depth_ == 1) member_ = name.substr(0, kLongestFile);
    if (depth_ == 2) inner_ = name.substr(0, kLongestFile);
    if (depth_ == 1 && name == "weight_map") has_map = true;
    return true;
  }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    trouble = "no valid JSON at byte " + std::to_string(position);
    return false;
  }

 private:
  bool enter() { return ++depth_ <= kJsonDepth || stop(ErrorCode::malformed, "nested too deep"); }
  bool size(double value) {
    if (depth_ == 2 && member_ == "metadata" && inner_ == "total_size") index.total_size = value;
    return true;
  }
  bool stop(ErrorCode why, std::string text) {
    code = why;
    trouble = std::move(text);
    return false;
  }

  int depth_ = 0;
  std::string member_, inner_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Result<SafetensorsIndex> read_safetensors_index(std::string_view text, std::string_view where) {
  const std::string at(where);
  if (const double pointer = lfs_pointer_size(text); pointer >= 0) {
    return fail(ErrorCode::malformed, "a Git LFS pointer stands for the index", at,
                "fetch the file itself: git lfs pull");
  }
  IndexCollector collector;
  if (!nlohmann::json::sax_parse(text, &collector)) {
    return fail(collector.code, collector.trouble, at, "fetch the index again");
  }
  if (!collector.has_map) {
    return fail(ErrorCode::malformed, "the index has no weight_map", at, "fetch the index again");
  }
  return std::move(collector.index);
}

}  // namespace rooflens
