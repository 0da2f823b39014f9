// Any bytes as a .safetensors file beside a config: read or refused, never more.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/hf_config.h"
#include "rooflens/readers/hf_pieces.h"
#include "rooflens/readers/safetensors_header.h"

namespace {

constexpr const char* kConfig =
    R"({"model_type":"qwen3_moe","hidden_size":8,"num_hidden_layers":2,"num_attention_heads":2,
        "num_key_value_heads":1,"head_dim":4,"intermediate_size":16,"moe_intermediate_size":4,
        "num_experts":2,"num_experts_per_tok":1,"mlp_only_layers":[0],"vocab_size":16,
        "tie_word_embeddings":false})";

}  // namespace

// The input is the JSON of the header; its length is put before it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflens;
  std::string file;
  for (int i = 0; i < 8; ++i) {
    file += static_cast<char>(static_cast<std::uint64_t>(size) >> (8 * i) & 0xFF);
  }
  file.append(reinterpret_cast<const char*>(data), size);
  (void)read_safetensors_header({reinterpret_cast<const char*>(data), size}, size, "m");
  auto read = read_safetensors_header(file, std::uint64_t{1} << 50, "m.safetensors");
  if (!read) {
    if (read.error().message.empty()) std::abort();
    return 0;
  }
  auto* tensors = std::get_if<std::vector<Tensor>>(&*read);
  if (tensors == nullptr) return 0;
  static const Model model = read_hf_config(kConfig, "config.json").value_or(Model{});
  if (model.layers.empty()) std::abort();
  TensorTable table;
  table.tensors = std::move(*tensors);
  const auto bound = bind_safetensors(model, table, "folder");
  if (bound && !(weight_bytes(*bound, Deployment{}) >= 0)) std::abort();
  return 0;
}
