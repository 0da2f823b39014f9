// Storage formats: how a weight matrix (or a cached vector) lies in memory, exact to the byte, and
// which arithmetic it leads to. docs/model.md section 2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rooflens {

// What one stored value is. Only this decides the compute type; scales and blocks only cost bytes.
enum class Element : std::uint8_t {
  fp32, fp16, bf16, fp8, fp6, fp4, int8, int6, int5, int4, int3, int2, int1,
};
inline constexpr int kElements = 13;

// Arithmetic a device can have a peak for.
enum class Compute : std::uint8_t { fp4, fp6, fp8, bf16, fp16, fp32, int4, int8 };
inline constexpr int kComputes = 8;

[[nodiscard]] int element_bits(Element e);
[[nodiscard]] bool is_float(Element e);
[[nodiscard]] const char* name_of(Element e);
[[nodiscard]] const char* name_of(Compute c);

enum class Packing : std::uint8_t {
  plain,    // n*k values, nothing else
  tensor,   // plain, one scale for the matrix
  channel,  // plain, one scale per output row
  tiled,    // one scale per tile of tile_n x tile_k
  grouped,  // one scale (and zero point) per `block` values along k
  flat,     // one scale per `block` values of the flattened matrix (bitsandbytes)
  rows,     // each row is k/block blocks of block_bytes (GGUF)
  latent,   // a cached latent vector of fixed size (fp8_ds_mla): block_bytes a token
};

struct Storage {
  Element element = Element::bf16;
  Packing packing = Packing::plain;
  std::uint8_t bits = 16;            // stored bits of one value, without scales
  std::uint8_t scale_bits = 0;       // of one scale
  std::uint8_t zero_bits = 0;        // of one zero point
  std::uint8_t super_scale_bits = 0; // flat: scale of the scales ...
  std::uint16_t super_block = 0;     // ... per so many scales
  std::uint16_t block = 1;           // values per group, per block, per tile row (k)
  std::uint16_t tile_n = 1;          // tile height (n)
  std::uint16_t block_bytes = 0;     // rows, latent: bytes of one block
  std::uint8_t tensor_bytes = 0;     // once a matrix (a global scale)
  std::uint8_t index_bytes = 0;      // per k, once a matrix (GPTQ g_idx)

  friend bool operator==(const Storage&, const Storage&) = default;
};

// Exact bytes of a matrix with n outputs and k inputs. n and k may be fractions (a rank's share
// when the dimension does not divide); groups, tiles and blocks are counted by ceil. O(1).
[[nodiscard]] double storage_bytes(const Storage& s, double n, double k);

// Bytes of one cached vector of `length` values.
[[nodiscard]] double vector_bytes(const Storage& s, double length);

// Average bits per value of a large matrix.
[[nodiscard]] double bits_per_weight(const Storage& s);

// True when the values are stored as they are computed with (fp32, fp16, bf16 without scales).
[[nodiscard]] bool is_plain(const Storage& s);

// A plain storage of this element.
[[nodiscard]] Storage plain(Element e);

// One row of the format table. `ggml` is the type's number in a GGUF file, or -1; `note` is what is
// to be known of it, of a GGUF type the name it has there when that is another.
struct NamedStorage {
  const char* name;
  Storage storage;
  int ggml = -1;
  const char* note = "";
};

// The table of named formats: the one place where a block size is written down.
[[nodiscard]] const NamedStorage* storage_table(std::size_t* count);

// Case-insensitive look-up of a format name or alias ("q4_k_m" is no format: files that are called
// so mix several; see readers). Null when unknown.
[[nodiscard]] const NamedStorage* find_storage(std::string_view name);

// The row of a GGUF tensor type, or nullptr, and its name there ("F16", "Q4_K").
[[nodiscard]] const NamedStorage* find_ggml_type(int id);
[[nodiscard]] const char* ggml_name(const NamedStorage& row);

// The table's name, or a made one ("int4 g64", "fp8 128x128") for a format outside the table.
[[nodiscard]] std::string storage_name(const Storage& s);

// The arithmetic a GEMM uses before the device is asked: the wider of weight element and input
// type; narrower weights are dequantised to the input; an integer against a float of the same
// width goes to bf16. docs/model.md section 2.
[[nodiscard]] Element gemm_element(Element weight, Element input);

}  // namespace rooflens
