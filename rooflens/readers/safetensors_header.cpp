#include "rooflens/readers/safetensors_header.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_set>

#define JSON_NOEXCEPTION 1
#include <nlohmann/json.hpp>

#include "rooflens/readers/json_text.h"

namespace rooflens {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kKeptNames = std::size_t{16} << 20;  // names of one header

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

struct Entry {
  Tensor tensor;
  std::vector<std::uint64_t> shape, offsets;
  std::string dtype;
  bool has_shape = false;
};

// Collects {"name": {"dtype": "F16", "shape": [1, 2], "data_offsets": [0, 4]}, ...} and passes over
// "__metadata__" and members it does not know.
class TensorCollector : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Entry> entries;
  std::string trouble;  // what is not as it must be, "" = nothing
  std::size_t error_at = 0;

  bool null() override { return plain(); }
  bool boolean(bool) override { return plain(); }
  bool number_integer(std::int64_t value) override {
    if (value < 0 && list_ != nullptr) return stop("has a negative number in its " + member_);
    return plain();
  }
  bool number_unsigned(std::uint64_t value) override {
    if (list_ == nullptr) return plain();
    if (list_->size() == kMaxTensorDims) return stop("has too many numbers in its " + member_);
    list_->push_back(value);
    return true;
  }
  bool number_float(double, const std::string&) override {
    return list_ == nullptr || stop("has a number that is not whole in its " + member_);
  }
  bool string(std::string& value) override {
    if (list_ != nullptr) return stop("has a text in its " + member_);
    if (depth_ == 2 && !metadata_ && member_ == "dtype") entries.back().dtype = value;
    return plain();
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool key(std::string& name) override {
    if (depth_ == 1) return begin_tensor(name);
    if (depth_ == 2) member_ = name.substr(0, kShown);
    return true;
  }
  bool start_object(std::size_t) override {
    if (list_ != nullptr) return stop("has an object in its " + member_);
    return ++depth_ <= kJsonDepth || stop("is nested too deep");
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (list_ != nullptr) return stop("has a list in its " + member_);
    if (depth_ == 0) return stop("is a list");
    if (depth_ == 1) return stop("is no object");
    if (depth_ == 2 && !metadata_ && (member_ == "shape" || member_ == "data_offsets")) {
      Entry& e = entries.back();
      if (member_ == "shape") e.has_shape = true;
      list_ = member_ == "shape" ? &e.shape : &e.offsets;
      if (!list_->empty()) return stop("has two of " + member_);
    }
    return ++depth_ <= kJsonDepth || stop("is nested too deep");
  }
  bool end_array() override {
    --depth_;
    list_ = nullptr;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    error_at = position;
    return false;
  }

 private:
  static constexpr std::size_t kShown = 64;

  bool plain() { return depth_ != 1 || metadata_ || stop("is no object"); }
  bool stop(const std::string& why) {
    trouble = (entries.empty() || depth_ == 0 ? std::string("the header ")
                                              : "tensor " + entries.back().tensor.name + " ") +
              why;
    return false;
  }
  bool begin_tensor(const std::string& name) {
    metadata_ = name == "__metadata__";
    if (metadata_) return true;
    if (entries.size() == kMaxTensors) return stop("has too many tensors before it");
    text_ += name.size();
    if (text_ > kKeptNames) return stop("has too many long names before it");
    entries.emplace_back().tensor.name = name;
    member_.clear();
    return true;
  }

  int depth_ = 0;
  bool metadata_ = false;
  std::size_t text_ = 0;
  std::string member_;
  std::vector<std::uint64_t>* list_ = nullptr;
};

// The entry as a tensor, or what is wrong with it.
std::string finish(Entry& e, double data) {
  Tensor& t = e.tensor;
  const DataType* type = nullptr;
  for (const DataType& known : kDataTypes) {
    if (known.name == e.dtype) type = &known;
  }
  if (e.dtype.empty()) return "has no dtype";
  if (!e.has_shape) return "has no shape";
  if (e.offsets.size() != 2) return "has no two data_offsets";
  t.elements = 1;
  for (std::size_t i = 0; i < e.shape.size(); ++i) {
    t.shape[i] = e.shape[i];
    t.elements *= static_cast<double>(e.shape[i]);
  }
  t.dims = static_cast<std::uint8_t>(e.shape.size());
  if (t.elements > kMaxElements) return "has more values than any file can hold";
  const auto begin = static_cast<double>(e.offsets[0]);
  const auto end = static_cast<double>(e.offsets[1]);
  if (end < begin) return "ends before it begins";
  if (end > data) {
    return "lies past the end of the file: the data section has " + number_text(data) +
           " bytes, it needs those up to " + number_text(end);
  }
  t.bytes = end - begin;
  t.format = e.dtype;
  if (type == nullptr) return "";  // a type of a later day: its offsets tell its size
  if (std::ceil(t.elements * type->bits / 8.0) != t.bytes) {
    return "has " + number_text(t.elements) + " values of " + e.dtype + " in " +
           number_text(t.bytes) + " bytes";
  }
  if (type->element) t.storage = plain(*type->element);
  return "";
}

// Two entries that share bytes, or share a name; "" = none do.
std::string clash(const std::vector<Entry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return entries[a].offsets < entries[b].offsets; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Entry& a = entries[order[i - 1]];
    const Entry& b = entries[order[i]];
    if (a.offsets[1] > b.offsets[0]) {
      return "tensor " + a.tensor.name + " overlaps tensor " + b.tensor.name;
    }
  }
  std::unordered_set<std::string_view> names;
  for (const Entry& e : entries) {
    if (!names.insert(e.tensor.name).second) return "tensor " + e.tensor.name + " is there twice";
  }
  return "";
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
  TensorCollector collector;
  const std::string_view text = prefix.substr(kLengthBytes, length);
  if (!nlohmann::json::sax_parse(text, &collector)) {
    if (!collector.trouble.empty()) {
      return fail(ErrorCode::malformed, collector.trouble, at, kFetch);
    }
    return fail(ErrorCode::malformed, "the header is no valid JSON",
                at + ": offset " +
                    std::to_string(kLengthBytes + std::max(collector.error_at, std::size_t{1}) - 1),
                kFetch);
  }
  const double data = static_cast<double>(size - kLengthBytes - length);
  std::vector<Tensor> tensors;
  for (Entry& e : collector.entries) {
    const std::string wrong = finish(e, data);
    if (!wrong.empty()) {
      return fail(ErrorCode::malformed, "tensor " + e.tensor.name + " " + wrong, at, kFetch);
    }
  }
  if (const std::string wrong = clash(collector.entries); !wrong.empty()) {
    return fail(ErrorCode::malformed, wrong, at, kFetch);
  }
  for (Entry& e : collector.entries) tensors.push_back(std::move(e.tensor));
  return tensors;
}

}  // namespace rooflens
