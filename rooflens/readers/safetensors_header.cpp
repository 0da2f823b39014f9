#include "rooflens/readers/safetensors_header.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "rooflens/readers/json_scan.h"
#include "rooflens/readers/json_text.h"

namespace rooflens {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kKeptNames = std::size_t{16} << 20;  // names of one header

constexpr std::size_t kMaxFileTensors = 100000;
constexpr std::size_t kShownName = 200;

struct DataType {
  std::string_view name;
  int bits;
  std::optional<Element> element;
};

constexpr std::array kDataTypes{
    DataType{"F64", 64, std::nullopt},    DataType{"F32", 32, Element::fp32},
    DataType{"F16", 16, Element::fp16},   DataType{"BF16", 16, Element::bf16},
    DataType{"F8_E4M3", 8, Element::fp8}, DataType{"F8_E5M2", 8, Element::fp8},
    DataType{"F8_E8M0", 8, std::nullopt}, DataType{"F6_E2M3", 6, Element::fp6},
    DataType{"F6_E3M2", 6, Element::fp6}, DataType{"F4", 4, Element::fp4},
    DataType{"I8", 8, Element::int8},     DataType{"U8", 8, std::nullopt},
    DataType{"I16", 16, std::nullopt},    DataType{"U16", 16, std::nullopt},
    DataType{"I32", 32, std::nullopt},    DataType{"U32", 32, std::nullopt},
    DataType{"I64", 64, std::nullopt},    DataType{"U64", 64, std::nullopt},
    DataType{"BOOL", 8, std::nullopt},    DataType{"C64", 64, std::nullopt},
};

std::uint64_t header_length(std::string_view prefix) {
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(prefix[i]);
  }
  return length;
}

struct Span {
  std::uint64_t begin = 0, end = 0;
};

struct Header {
  std::vector<Tensor> tensors;
  std::vector<Span> spans;  // one for each
};

const DataType* data_type(std::string_view name) {
  for (const DataType& known : kDataTypes) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

// {"dtype": "F16", "shape": [1, 2], "data_offsets": [0, 4]}, members in any order, unknown ones
// passed over. What is wrong with it, "" = nothing (or the scan stopped).
std::string read_tensor(JsonScan& json, Tensor& t, Span& span) {
  bool shaped = false;
  std::size_t offsets = 0;
  std::string wrong;
  const auto numbers = [&](std::string_view key, auto keep) {
    if (json.peek() != '[') {
      wrong = "has no list as its " + std::string(key);
      return false;
    }
    return json.array([&] {
      std::uint64_t n = 0;
      if (!json.whole(n)) {
        wrong = "has " + json.trouble() + " in its " + std::string(key);
        return false;
      }
      if (keep(n)) return true;
      wrong = "has too many numbers in its " + std::string(key);
      return false;
    });
  };
  if (json.peek() != '{') return "is no object";
  json.object([&](std::string_view key) {
    if (key == "dtype" && json.peek() == '"') {
      std::string_view name;
      if (!json.string(name)) return false;
      t.format = name.substr(0, kShownName);
      return true;
    }
    if (key == "shape") {
      shaped = true;
      t.dims = 0;
      return numbers(key, [&](std::uint64_t n) {
        if (t.dims == kMaxTensorDims) return false;
        t.shape[t.dims++] = n;
        return true;
      });
    }
    if (key == "data_offsets") {
      offsets = 0;
      return numbers(key, [&](std::uint64_t n) {
        if (offsets == 2) return false;
        (offsets++ == 0 ? span.begin : span.end) = n;
        return true;
      });
    }
    return json.skip();
  });
  if (!wrong.empty() || !json.trouble().empty()) return wrong;
  if (t.format.empty()) return "has no dtype";
  if (!shaped) return "has no shape";
  return offsets == 2 ? "" : "has no two data_offsets";
}

// Sizes that follow from what was read, or what is wrong with them.
std::string finish(Tensor& t, const Span& span, double data) {
  t.elements = 1;
  for (std::size_t i = 0; i < t.dims; ++i) t.elements *= static_cast<double>(t.shape[i]);
  if (t.elements > kMaxElements) return "has more values than any file can hold";
  if (span.end < span.begin) return "ends before it begins";
  const auto end = static_cast<double>(span.end);
  if (end > data) {
    return "lies past the end of the file: the data section has " + number_text(data) +
           " bytes, it needs those up to " + number_text(end);
  }
  t.bytes = static_cast<double>(span.end - span.begin);
  const DataType* type = data_type(t.format);
  if (type == nullptr) return "";  // a type of a later day: its offsets tell its size
  if (std::ceil(t.elements * type->bits / 8.0) != t.bytes) {
    return "has " + number_text(t.elements) + " values of " + t.format + " in " +
           number_text(t.bytes) + " bytes";
  }
  if (type->element) t.storage = plain(*type->element);
  return "";
}

// Two tensors that share bytes, or share a name; "" = none do.
std::string clash(const Header& h) {
  std::vector<std::uint32_t> order(h.spans.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return h.spans[a].begin != h.spans[b].begin ? h.spans[a].begin < h.spans[b].begin
                                                : h.spans[a].end < h.spans[b].end;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::sort(order.begin(), order.end(), before);
  }
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::uint32_t a = order[i - 1], b = order[i];
    if (h.spans[a].end > h.spans[b].begin) {
      return "tensor " + h.tensors[a].name + " overlaps tensor " + h.tensors[b].name;
    }
  }
  std::unordered_set<std::string_view> names;
  names.reserve(h.tensors.size());
  for (const Tensor& t : h.tensors) {
    if (!names.insert(t.name).second) return "tensor " + t.name + " is there twice";
  }
  return "";
}

// All tensors of the header's JSON; what is wrong, "" = nothing.
std::string read_all(JsonScan& json, double data, Header& h) {
  std::string wrong;
  std::size_t text = 0;
  if (json.peek() != '{') return "the header is no object";
  json.object([&](std::string_view name) {
    if (name == "__metadata__") return json.skip();
    text += name.size();
    if (h.tensors.size() == kMaxFileTensors || text > kKeptNames) {
      wrong = "the header has too many tensors or too long names";
      return false;
    }
    Tensor& t = h.tensors.emplace_back();
    t.name = name;
    std::string why = read_tensor(json, t, h.spans.emplace_back());
    if (why.empty() && json.trouble().empty()) why = finish(t, h.spans.back(), data);
    if (!why.empty()) wrong = "tensor " + t.name.substr(0, kShownName) + " " + why;
    return why.empty() && json.trouble().empty();
  });
  if (wrong.empty() && json.trouble().empty()) json.end();
  return wrong;
}

constexpr const char* kFetch = "the file is cut off or damaged; fetch it again";

}  // namespace

bool looks_like_safetensors(std::string_view prefix, std::uint64_t size) {
  if (prefix.size() <= kLengthBytes || prefix[kLengthBytes] != '{') return false;
  const std::uint64_t length = header_length(prefix);
  return length >= 2 && length <= std::max(size, kSafetensorsHeaderBytes);
}

Partial<std::vector<Tensor>> read_safetensors_header(std::string_view prefix, std::uint64_t size,
                                                     std::string_view where) {
  const std::string at(where);
  size = std::max(size, static_cast<std::uint64_t>(prefix.size()));
  if (const double pointer = lfs_pointer_size(prefix); pointer >= 0) {
    return fail(
        ErrorCode::malformed,
        "a Git LFS pointer stands for the file, which has " + number_text(pointer) + " bytes", at,
        "fetch the file itself: git lfs pull");
  }
  if (size < kLengthBytes + 2) {
    return fail(ErrorCode::malformed, "the file is too short for a header", at + ": offset 0",
                kFetch);
  }
  if (prefix.size() < kLengthBytes) return NeedMore{std::min(size, std::uint64_t{1} << 16)};
  const std::uint64_t length = header_length(prefix);
  if (length > size - kLengthBytes) {
    return fail(
        ErrorCode::malformed,
        "the header is said to have " + std::to_string(length) + " bytes, more than the file",
        at + ": offset 0", "this is no .safetensors file, or it is cut off");
  }
  if (length > kSafetensorsHeaderBytes) {
    return fail(
        ErrorCode::out_of_range,
        "the header is larger than " + std::to_string(kSafetensorsHeaderBytes >> 20) + " MiB",
        at + ": offset 0", "no model needs this; check where the file comes from");
  }
  if (prefix.size() < kLengthBytes + length) return NeedMore{kLengthBytes + length};
  const auto bytes = static_cast<std::size_t>(length);  // within the limit
  JsonScan json(prefix.substr(kLengthBytes, bytes));
  Header header;
  // An entry takes about a hundred bytes: room for those there can be, within bounds.
  header.tensors.reserve(std::min(bytes / 128, kMaxFileTensors));
  header.spans.reserve(header.tensors.capacity());
  std::string wrong = read_all(json, static_cast<double>(size - kLengthBytes - length), header);
  if (wrong.empty() && !json.trouble().empty()) {
    return fail(ErrorCode::malformed, json.trouble(),
                at + ": offset " + std::to_string(kLengthBytes + json.at()), kFetch);
  }
  if (wrong.empty()) wrong = clash(header);
  if (!wrong.empty()) return fail(ErrorCode::malformed, wrong, at, kFetch);
  return std::move(header.tensors);
}

}  // namespace rooflens
