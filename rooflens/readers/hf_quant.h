// How the file says its matrices are quantised: which modules, in which format, with what input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflens/core/model.h"
#include "rooflens/core/result.h"
#include "rooflens/readers/hf_fields.h"
#include "rooflens/readers/hf_pattern.h"

namespace rooflens {

// The format of a module and the type its GEMM is fed with. No storage = stored plain.
struct Format {
  std::optional<Storage> storage;
  Element input = Element::bf16;
  friend bool operator==(const Format&, const Format&) = default;
};

struct FormatRule {
  PatternSet modules;
  Format format;
};

struct Quantisation {
  std::string words;                     // "fp8 128x128 (fp8)", empty = the file is not quantised
  std::vector<FormatRule> rules;         // the first that names a module decides
  Format linear;                         // every other linear layer
  bool experts_only = false;             // `linear` reaches the routed experts and nothing else
  bool embedding = false, head = false;  // `linear` reaches them too
  std::optional<Storage> kv;

  // The format of a module by its canonical name; `linear_layer` false = only a rule can reach it.
  [[nodiscard]] const Format& of(std::string_view module, bool linear_layer) const;
};

// Reads `quantization_config` (nested, then top), MLX's `quantization`, or the side files. An
// unknown method, format or width is an error that names it. Warnings go to `f`.
struct QuantFiles {
  const Json* hf_quant = nullptr;         // hf_quant_config.json
  const Json* quantize_config = nullptr;  // quantize_config.json or quant_config.json
};
[[nodiscard]] Quantisation read_quantisation(Fields& f, const QuantFiles& files);

// The methods, one function each (hf_quant_methods.cpp, hf_quant_groups.cpp).
[[nodiscard]] Quantisation read_fp8(Fields& f, const Json& q, bool bf16_scales);
[[nodiscard]] Quantisation read_gptq(Fields& f, const Json& q, bool awq);
[[nodiscard]] Quantisation read_bitsandbytes(Fields& f, const Json& q);
[[nodiscard]] Quantisation read_mxfp4(Fields& f, const Json& q);
[[nodiscard]] Quantisation read_mlx(Fields& f, const Json& q);
[[nodiscard]] Quantisation read_compressed_tensors(Fields& f, const Json& q);
[[nodiscard]] Quantisation read_modelopt(Fields& f, const Json& q);
[[nodiscard]] Quantisation read_quark(Fields& f, const Json& q);

// ---- shared by the methods
// --------------------------------------------------------------------------

// A named format of core's table; the name must exist.
[[nodiscard]] Storage named(std::string_view name);

// A group-wise integer format: `bits` wide, one scale (and zero) every `group` values, group <= 0 =
// one for the whole column.
[[nodiscard]] Storage integer_groups(int bits, double group, int zero_bits, bool index);

// Adds a rule that keeps the modules of the list of names at `key` of `block` plain. Anything but a
// list of names is an error.
void keep_plain(Fields& f, Quantisation& q, const Json& block, std::string_view key);

// The cache type of a kv_cache_scheme / kv_cache_quant_algo value, or nothing.
[[nodiscard]] std::optional<Storage> cache_storage(Fields& f, const Json* scheme);

[[nodiscard]] Quantisation unsupported_method(Fields& f, std::string_view what,
                                              std::string_view key);

}  // namespace rooflens
