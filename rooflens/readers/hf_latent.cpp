#include <cmath>
#include <string>

#include "rooflens/readers/hf_layers.h"

namespace rooflens {

LatentAttention latent_mixer(Fields& f, double hidden) {
  LatentAttention a;
  a.heads = f.size("attention heads", {"num_attention_heads", "n_heads"});
  a.query_rank = f.count("query rank", {"q_lora_rank"});
  a.kv_rank = f.size("latent size", {"kv_lora_rank"});
  a.nope_dim = f.size("head size without RoPE", {"qk_nope_head_dim"});
  a.rope_dim = f.size("head size with RoPE", {"qk_rope_head_dim"});
  a.value_dim = f.flag_or("values as wide as hidden / heads", {"value_dim_is_head"}, false)
                    ? f.size_or("value head size", {"v_head_dim"}, std::floor(hidden / a.heads),
                                "derived: hidden size / heads")
                    : f.size("value head size", {"v_head_dim"});
  if (f.find({"index_topk", "index_n_heads"}).value != nullptr) {
    a.index.heads = f.size("index heads", {"index_n_heads"});
    a.index.dim = f.size("index head size", {"index_head_dim"});
    a.index.top_k = f.size("tokens a query attends to", {"index_topk"}, kMaxContext);
  } else if (f.family().model_type == "deepseek_v32" || f.family().model_type == "glm_moe_dsa") {
    f.error(ErrorCode::invalid, "the sparse index of this family is missing (index_topk)",
            "index_topk", "give the model's own config.json");
  }
  if (f.flag_or("attention bias", {"attention_bias"}, false)) {
    f.error(ErrorCode::unsupported, "latent attention with attention_bias = true is not modelled",
            "attention_bias", "");
  }
  return a;
}

}  // namespace rooflens
