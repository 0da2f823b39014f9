#include "rooflens/readers/gguf_header.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "rooflens/readers/gguf_cursor.h"
#include "rooflens/readers/json_text.h"

namespace rooflens {
namespace {

constexpr std::size_t kMaxKeys = 65536, kMaxGgufTensors = 65536;
constexpr std::size_t kKeptString = 1024;            // of a value; what is beyond is skipped
constexpr std::uint64_t kLongestTensorName = 65535;  // what the format allows a key
constexpr int kMaxNesting = 4;
constexpr std::uint32_t kMaxGgufDims = 4;
constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 30;

GgufArray read_array(GgufCursor& c, const std::string& what, int depth) {
  const std::uint64_t start = c.at();
  const std::uint32_t raw = c.word(what);
  GgufArray array;
  array.count = c.count(what);
  if (c.stopped()) return array;
  if (raw >= kGgufKinds) {
    c.malformed(what + " is an array of values of unknown type " + std::to_string(raw), start);
    return array;
  }
  const GgufKind kind = static_cast<GgufKind>(raw);
  const std::uint64_t least = kind == GgufKind::string  ? (c.wide ? 8 : 4)
                              : kind == GgufKind::array ? (c.wide ? 12 : 8)
                                                        : width(kind);
  if (array.count > (c.size() - c.at()) / least) {
    c.malformed(what + " has " + std::to_string(array.count) + " entries, more than the file holds",
                start);
    return array;
  }
  if (kind == GgufKind::string) {
    for (std::uint64_t i = 0; i < array.count && !c.stopped(); ++i) {
      c.skip(c.count(what), what);
    }
    return array;
  }
  if (kind == GgufKind::array) {
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

void read_key(GgufCursor& c, GgufHeader& header) {
  GgufKey key;
  key.offset = c.at();
  key.name = c.string("the name of a key", kKeptString, kLongestTensorName);
  const std::string what = "key " + key.name;
  const std::uint64_t start = c.at();
  const std::uint32_t raw = c.word(what);
  if (c.stopped()) return;
  if (raw >= kGgufKinds) {
    c.malformed(what + " is of unknown type " + std::to_string(raw), start);
    return;
  }
  const GgufKind kind = static_cast<GgufKind>(raw);
  if (kind == GgufKind::string) {
    key.value = c.string(what, kKeptString, c.size());
  } else if (kind == GgufKind::array) {
    key.value = read_array(c, what, 0);
  } else if (kind == GgufKind::boolean) {
    key.value = c.integer(1, what) != 0;
  } else {
    key.value = c.number(kind, what);
  }
  if (!c.stopped()) header.keys.push_back(std::move(key));
}

struct Placed {
  Tensor tensor;
  std::uint64_t offset = 0, info_offset = 0;
  bool sized = false;
};

// The bytes of a tensor whose type is in the table of formats.
void size_tensor(GgufCursor& c, const NamedStorage& format, const std::uint64_t* ne, Placed& p) {
  const Storage& s = format.storage;
  const std::uint64_t block = s.packing == Packing::rows ? s.block : 1;
  const double block_bytes = s.packing == Packing::rows ? s.block_bytes : s.bits / 8.0;
  if (ne[0] % block != 0) {
    c.malformed("tensor " + p.tensor.name + " has rows of " + std::to_string(ne[0]) +
                    " values, not whole blocks of " + std::to_string(block),
                p.info_offset);
  }
  p.tensor.storage = s;
  p.tensor.bytes = p.tensor.elements / static_cast<double>(block) * block_bytes;
  p.sized = true;
}

Placed read_tensor(GgufCursor& c) {
  Placed p;
  p.info_offset = c.at();
  p.tensor.name = c.string("the name of a tensor", kKeptString, kLongestTensorName);
  const std::string what = "tensor " + p.tensor.name;
  const std::uint32_t dims = c.word(what);
  if (!c.stopped() && dims > kMaxGgufDims) {
    c.malformed(what + " has " + std::to_string(dims) + " dimensions", p.info_offset);
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
    c.malformed(what + " has more values than any file can hold", p.info_offset);
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
void settle(GgufCursor& c, GgufHeader& header, std::vector<Placed>& placed) {
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
                  p.info_offset);
    } else if (begin > data || (p.sized && begin + p.tensor.bytes > data)) {
      c.fail(ErrorCode::malformed,
             what + " lies past the end of the file: the data section has " + number_text(data) +
                 " bytes, it needs those up to " + number_text(begin + p.tensor.bytes),
             p.info_offset, "the file is cut off or damaged; fetch it again");
    } else if (!last && begin + p.tensor.bytes > next) {
      c.malformed(what + " overlaps tensor " + placed[order[i + 1]].tensor.name, p.info_offset);
    } else if (!p.sized) {
      p.tensor.bytes = next - begin;
    }
  }
  std::unordered_set<std::string_view> names;
  for (const Placed& p : placed) {
    if (!names.insert(p.tensor.name).second) {
      c.malformed("tensor " + p.tensor.name + " is there twice", p.info_offset);
    }
  }
  if (c.stopped()) return;
  for (Placed& p : placed) header.tensors.push_back(std::move(p.tensor));
}

void read_all(GgufCursor& c, GgufHeader& header) {
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
  GgufCursor c(prefix, std::max(size, static_cast<std::uint64_t>(prefix.size())), where);
  read_all(c, header);
  if (c.failed()) return Failure(c.take_error());
  if (c.need() > 0) return NeedMore{c.need()};
  return header;
}

}  // namespace rooflens
