#include "rooflens/readers/gguf_header.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "rooflens/readers/json_text.h"

namespace rooflens {
namespace {

constexpr std::size_t kMaxKeys = 65536, kMaxGgufTensors = 65536;
constexpr std::size_t kKeptString = 1024;                // of a value; what is beyond is skipped
constexpr std::size_t kKeptText = std::size_t{8} << 20;  // names and strings of one header
constexpr std::uint64_t kLongestTensorName = 65535;      // what the format allows a key
constexpr int kMaxNesting = 4;
constexpr std::uint32_t kMaxGgufDims = 4;
constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 30;

enum class Kind : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64,
};
constexpr std::uint32_t kKinds = 13;

std::size_t width(Kind kind) {
  constexpr std::array<std::size_t, kKinds> widths{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return widths[static_cast<std::size_t>(kind)];
}

// Reads numbers and strings from the prefix. What is past it asks for more; what is past the file,
// or past what a header may have, is an error. Both stop everything that follows.
class Cursor {
 public:
  Cursor(std::string_view prefix, std::uint64_t size, std::string_view where)
      : prefix_(prefix), size_(size), where_(where) {}

  bool big_endian = false;
  bool wide = true;  // 64-bit counts, from version 2 on

  [[nodiscard]] bool stopped() const { return need_ > 0 || error_.has_value(); }
  [[nodiscard]] std::uint64_t at() const { return at_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t need() const { return need_; }
  [[nodiscard]] Error take_error() { return error_.value_or(Error{}); }
  [[nodiscard]] bool failed() const { return error_.has_value(); }

  void fail(ErrorCode code, const std::string& message, std::uint64_t offset,
            const std::string& hint) {
    if (stopped()) return;
    error_ = Error{code, message, where_ + ": offset " + std::to_string(offset), hint};
  }
  void malformed(const std::string& message, std::uint64_t offset) {
    fail(ErrorCode::malformed, message, offset, "the file is damaged; fetch it again");
  }

  // True when `n` more bytes can be looked at.
  bool have(std::uint64_t n, std::string_view what) {
    if (stopped()) return false;
    if (n > size_ - at_) {
      fail(ErrorCode::malformed,
           "the file ends in the middle of " + std::string(what) + ": " + std::to_string(n) +
               " bytes are wanted, " + std::to_string(size_ - at_) + " are left",
           at_, "the file is cut off or damaged; fetch it again");
      return false;
    }
    if (n > kGgufHeaderBytes || at_ + n > kGgufHeaderBytes) {
      fail(ErrorCode::out_of_range,
           "the header is larger than " + std::to_string(kGgufHeaderBytes >> 20) + " MiB", at_,
           "no model needs this; check where the file comes from");
      return false;
    }
    if (at_ + n <= prefix_.size()) return true;
    need_ = std::max(at_ + n, 4 * static_cast<std::uint64_t>(prefix_.size()));
    need_ = std::min({need_, size_, kGgufHeaderBytes});
    return false;
  }

  std::uint64_t integer(std::size_t bytes, std::string_view what) {
    if (!have(bytes, what)) return 0;
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t from = big_endian ? i : bytes - 1 - i;
      v = v << 8 | static_cast<unsigned char>(prefix_[static_cast<std::size_t>(at_) + from]);
    }
    at_ += bytes;
    return v;
  }
  std::uint32_t word(std::string_view what) { return static_cast<std::uint32_t>(integer(4, what)); }
  std::uint64_t count(std::string_view what) { return integer(wide ? 8 : 4, what); }

  double number(Kind kind, std::string_view what) {
    const std::uint64_t v = integer(width(kind), what);
    switch (kind) {
      case Kind::i8:
        return static_cast<std::int8_t>(v);
      case Kind::i16:
        return static_cast<std::int16_t>(v);
      case Kind::i32:
        return static_cast<std::int32_t>(v);
      case Kind::i64:
        return static_cast<double>(static_cast<std::int64_t>(v));
      case Kind::f32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(v));
      case Kind::f64:
        return std::bit_cast<double>(v);
      default:
        return static_cast<double>(v);
    }
  }

  // Keeps the first `most` bytes.
  std::string string(std::string_view what, std::size_t most, std::uint64_t longest) {
    const std::uint64_t start = at_;
    const std::uint64_t length = count(what);
    if (length > longest) {
      malformed(std::string(what) + " of " + std::to_string(length) + " bytes", start);
    }
    if (!have(length, what)) return {};
    const std::size_t kept = std::min(most, static_cast<std::size_t>(length));
    kept_ += kept;
    if (kept_ > kKeptText) {
      fail(ErrorCode::out_of_range,
           "names and strings of more than " + std::to_string(kKeptText >> 20) + " MiB", start,
           "no model needs this; check where the file comes from");
      return {};
    }
    std::string text(prefix_.substr(static_cast<std::size_t>(at_), kept));
    at_ += length;
    return text;
  }
  void skip(std::uint64_t n, std::string_view what) {
    if (have(n, what)) at_ += n;
  }

 private:
  std::string_view prefix_;
  std::uint64_t size_ = 0, at_ = 0, need_ = 0;
  std::size_t kept_ = 0;
  std::string where_;
  std::optional<Error> error_;
};

GgufArray read_array(Cursor& c, const std::string& what, int depth) {
  const std::uint64_t start = c.at();
  const std::uint32_t raw = c.word(what);
  GgufArray array;
  array.count = c.count(what);
  if (c.stopped()) return array;
  if (raw >= kKinds) {
    c.malformed(what + " is an array of values of unknown type " + std::to_string(raw), start);
    return array;
  }
  const Kind kind = static_cast<Kind>(raw);
  const std::uint64_t least = kind == Kind::string  ? (c.wide ? 8 : 4)
                              : kind == Kind::array ? (c.wide ? 12 : 8)
                                                    : width(kind);
  if (array.count > (c.size() - c.at()) / least) {
    c.malformed(what + " has " + std::to_string(array.count) + " entries, more than the file holds",
                start);
    return array;
  }
  if (kind == Kind::string) {
    for (std::uint64_t i = 0; i < array.count && !c.stopped(); ++i) {
      c.skip(c.count(what), what);
    }
    return array;
  }
  if (kind == Kind::array) {
    if (depth >= kMaxNesting) {
      c.malformed(what + " nests arrays more than " + std::to_string(kMaxNesting) + " deep", start);
    }
    for (std::uint64_t i = 0; i < array.count && !c.stopped(); ++i) read_array(c, what, depth + 1);
    return array;
  }
  array.complete = array.count <= GgufArray::kKept;
  if (!array.complete) {
    c.skip(array.count * width(kind), what);
    return array;
  }
  if (!c.have(array.count * width(kind), what)) return array;
  for (std::uint64_t i = 0; i < array.count; ++i) array.numbers.push_back(c.number(kind, what));
  return array;
}

void read_key(Cursor& c, GgufHeader& header) {
  GgufKey key;
  key.offset = c.at();
  key.name = c.string("the name of a key", kKeptString, kLongestTensorName);
  const std::string what = "key " + key.name;
  const std::uint64_t start = c.at();
  const std::uint32_t raw = c.word(what);
  if (c.stopped()) return;
  if (raw >= kKinds) {
    c.malformed(what + " is of unknown type " + std::to_string(raw), start);
    return;
  }
  const Kind kind = static_cast<Kind>(raw);
  if (kind == Kind::string) {
    key.value = c.string(what, kKeptString, c.size());
  } else if (kind == Kind::array) {
    key.value = read_array(c, what, 0);
  } else if (kind == Kind::boolean) {
    key.value = c.integer(1, what) != 0;
  } else {
    key.value = c.number(kind, what);
  }
  if (!c.stopped()) header.keys.push_back(std::move(key));
}

struct Placed {
  Tensor tensor;
  std::uint64_t offset = 0, told_at = 0;
  bool sized = false;
};

// The bytes of a tensor whose type is in the table of formats.
void size_tensor(Cursor& c, const NamedStorage& format, const std::uint64_t* ne, Placed& p) {
  const Storage& s = format.storage;
  const std::uint64_t block = s.packing == Packing::rows ? s.block : 1;
  const double block_bytes = s.packing == Packing::rows ? s.block_bytes : s.bits / 8.0;
  if (ne[0] % block != 0) {
    c.malformed("tensor " + p.tensor.name + " has rows of " + std::to_string(ne[0]) +
                    " values, not whole blocks of " + std::to_string(block),
                p.told_at);
  }
  p.tensor.storage = s;
  p.tensor.bytes = p.tensor.elements / static_cast<double>(block) * block_bytes;
  p.sized = true;
}

Placed read_tensor(Cursor& c) {
  Placed p;
  p.told_at = c.at();
  p.tensor.name = c.string("the name of a tensor", kKeptString, kLongestTensorName);
  const std::string what = "tensor " + p.tensor.name;
  const std::uint32_t dims = c.word(what);
  if (!c.stopped() && dims > kMaxGgufDims) {
    c.malformed(what + " has " + std::to_string(dims) + " dimensions", p.told_at);
  }
  std::array<std::uint64_t, kMaxGgufDims> ne{1, 1, 1, 1};
  p.tensor.elements = 1;
  for (std::uint32_t i = 0; i < dims && !c.stopped(); ++i) {
    ne[i] = c.count(what);
    p.tensor.shape[dims - 1 - i] = ne[i];
    p.tensor.elements *= static_cast<double>(ne[i]);
  }
  const std::uint32_t type = c.word(what);
  p.offset = c.integer(8, what);
  if (c.stopped()) return p;
  p.tensor.dims = static_cast<std::uint8_t>(dims);
  if (p.tensor.elements > kMaxElements) {
    c.malformed(what + " has more values than any file can hold", p.told_at);
    return p;
  }
  if (const NamedStorage* known = find_ggml_type(static_cast<int>(std::min(type, 1U << 20)))) {
    p.tensor.format = ggml_name(*known);
    size_tensor(c, *known, ne.data(), p);
  } else {
    p.tensor.format = "type " + std::to_string(type);
  }
  return p;
}

// Offsets, overlaps, and the sizes of tensors whose type is unknown.
void settle(Cursor& c, GgufHeader& header, std::vector<Placed>& placed) {
  std::vector<std::size_t> order(placed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return placed[a].offset < placed[b].offset; });
  const double data =
      static_cast<double>(c.size()) -
      std::min(static_cast<double>(header.header_bytes), static_cast<double>(c.size()));
  for (std::size_t i = 0; i < order.size() && !c.stopped(); ++i) {
    Placed& p = placed[order[i]];
    const auto begin = static_cast<double>(p.offset);
    const bool last = i + 1 == order.size();
    const double next = last ? data : static_cast<double>(placed[order[i + 1]].offset);
    const std::string what = "tensor " + p.tensor.name;
    if (p.offset % header.alignment != 0) {
      c.malformed(what + " begins at " + std::to_string(p.offset) +
                      " of the data, which is no multiple of the alignment " +
                      std::to_string(header.alignment),
                  p.told_at);
    } else if (begin > data || (p.sized && begin + p.tensor.bytes > data)) {
      c.fail(ErrorCode::malformed,
             what + " lies past the end of the file: the data section has " + number_text(data) +
                 " bytes, it needs those up to " + number_text(begin + p.tensor.bytes),
             p.told_at, "the file is cut off or damaged; fetch it again");
    } else if (!last && begin + p.tensor.bytes > next) {
      c.malformed(what + " overlaps tensor " + placed[order[i + 1]].tensor.name, p.told_at);
    } else if (!p.sized) {
      p.tensor.bytes = next - begin;
    }
  }
  std::unordered_set<std::string_view> names;
  for (const Placed& p : placed) {
    if (!names.insert(p.tensor.name).second) {
      c.malformed("tensor " + p.tensor.name + " is there twice", p.told_at);
    }
  }
  if (c.stopped()) return;
  for (Placed& p : placed) header.tensors.push_back(std::move(p.tensor));
}

void read_all(Cursor& c, GgufHeader& header) {
  if (c.integer(4, "the file's mark") != 0x46554747) {  // "GGUF"
    c.fail(ErrorCode::malformed, "the file does not begin with GGUF", 0,
           "give a .gguf file, a .safetensors file or a config.json");
    return;
  }
  header.version = c.word("the version");
  if (!c.stopped() && (header.version & 0xFFFF) == 0) {
    header.big_endian = c.big_endian = true;
    header.version = header.version >> 24 | (header.version >> 8 & 0xFF00);
  }
  if (!c.stopped() && (header.version < 1 || header.version > 3)) {
    c.fail(ErrorCode::unsupported, "GGUF version " + std::to_string(header.version), 4,
           "versions 1, 2 and 3 are read");
  }
  c.wide = header.version > 1;
  const std::uint64_t tensors_at = c.at();
  const std::uint64_t tensors = c.count("the number of tensors");
  const std::uint64_t keys_at = c.at();
  const std::uint64_t keys = c.count("the number of keys");
  if (tensors > kMaxGgufTensors) {
    c.fail(ErrorCode::out_of_range,
           "the header claims " + std::to_string(tensors) + " tensors; at most " +
               std::to_string(kMaxGgufTensors) + " are read",
           tensors_at, "the file is damaged; fetch it again");
  }
  if (keys > kMaxKeys) {
    c.fail(ErrorCode::out_of_range,
           "the header claims " + std::to_string(keys) + " keys; at most " +
               std::to_string(kMaxKeys) + " are read",
           keys_at, "the file is damaged; fetch it again");
  }
  for (std::uint64_t i = 0; i < keys && !c.stopped(); ++i) read_key(c, header);
  std::unordered_set<std::string_view> names;
  for (const GgufKey& key : header.keys) {
    if (!names.insert(key.name).second) {
      c.malformed("key " + key.name + " is there twice", key.offset);
    }
  }
  std::vector<Placed> placed;
  for (std::uint64_t i = 0; i < tensors && !c.stopped(); ++i) placed.push_back(read_tensor(c));
  if (c.stopped()) return;
  const GgufKey* key = header.find("general.alignment");
  const double alignment = header.number("general.alignment", 32);
  if (!(alignment >= 1 && alignment <= static_cast<double>(kMaxAlignment)) ||
      !std::has_single_bit(static_cast<std::uint64_t>(alignment)) ||
      alignment != std::floor(alignment)) {
    c.malformed("key general.alignment is no power of two", key != nullptr ? key->offset : 0);
    return;
  }
  header.alignment = static_cast<std::uint64_t>(alignment);
  header.header_bytes = (c.at() + header.alignment - 1) / header.alignment * header.alignment;
  settle(c, header, placed);
}

}  // namespace

const GgufKey* GgufHeader::find(std::string_view name) const {
  for (const GgufKey& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

double GgufHeader::number(std::string_view name, double fallback) const {
  const GgufKey* key = find(name);
  const double* value = key != nullptr ? std::get_if<double>(&key->value) : nullptr;
  return value != nullptr ? *value : fallback;
}

std::string_view GgufHeader::text(std::string_view name) const {
  const GgufKey* key = find(name);
  const std::string* value = key != nullptr ? std::get_if<std::string>(&key->value) : nullptr;
  return value != nullptr ? std::string_view(*value) : std::string_view();
}

Partial<GgufHeader> read_gguf_header(std::string_view prefix, std::uint64_t size,
                                     std::string_view where) {
  if (const double pointer = lfs_pointer_size(prefix); pointer >= 0) {
    return fail(
        ErrorCode::malformed,
        "a Git LFS pointer stands for the file, which has " + number_text(pointer) + " bytes",
        std::string(where), "fetch the file itself: git lfs pull");
  }
  GgufHeader header;
  Cursor c(prefix, std::max(size, static_cast<std::uint64_t>(prefix.size())), where);
  read_all(c, header);
  if (c.failed()) return Failure(c.take_error());
  if (c.need() > 0) return NeedMore{c.need()};
  return header;
}

}  // namespace rooflens
