// What a model is: layers of one mixer and one feed-forward each, equal layers told once with their
// count, and how every matrix is stored. Plain values; readers make them, the core trusts them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rooflens/core/storage.h"

namespace rooflens {

// ---- mixers -------------------------------------------------------------------------------------

enum class QkNorm : std::uint8_t {
  none,
  head,  // one weight vector of head size for queries, one for keys (Qwen3, Gemma 3)
  full,  // weights for every head (OLMo 2, Command R+)
};

// Softmax attention over cached keys and values: MHA, MQA, GQA. Head sizes are given, never
// hidden/heads.
struct Attention {
  double query_heads = 0, kv_heads = 0;
  double key_dim = 0, value_dim = 0;
  double window = 0;       // sliding window in tokens, 0 = full
  double chunk = 0;        // chunked-local attention (Llama 4), 0 = full
  double sink_tokens = 0;  // real tokens kept beside the window (StreamingLLM)
  double sink_params = 0;  // learned scalars (gpt-oss), no cache
  double rope_fraction = 1;
  QkNorm qk_norm = QkNorm::none;
  bool gated = false;      // output gate: the query projection is twice as wide
  bool qkv_bias = false, out_bias = false;
  bool shares_kv = false;  // reads an earlier layer's cache: no k/v projection, no cache of its own
  bool value_is_key = false;  // no v projection (Gemma 4 full layers); both are cached
  bool cross = false;  // keys and values are an image's, made once: a step of text reads none
  friend bool operator==(const Attention&, const Attention&) = default;
};

// Top-k selection of the tokens a query attends to (DeepSeek sparse attention).
struct SparseIndex {
  // top_k 0 = none; dim 0 = the choice of an earlier layer is used: no projections, no cache
  double heads = 0, dim = 0, top_k = 0;
  friend bool operator==(const SparseIndex&, const SparseIndex&) = default;
};

// Multi-head latent attention: one compressed vector of kv_rank + rope_dim per token is cached.
struct LatentAttention {
  double heads = 0;
  double query_rank = 0;  // 0 = queries projected directly
  double kv_rank = 0, nope_dim = 0, rope_dim = 0, value_dim = 0;
  SparseIndex index;
  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

struct GatedDeltaNet {
  double key_heads = 0, value_heads = 0, key_dim = 0, value_dim = 0, conv = 4;
  friend bool operator==(const GatedDeltaNet&, const GatedDeltaNet&) = default;
};

struct KimiDelta {
  double heads = 0, key_dim = 0, value_dim = 0, conv = 4;
  friend bool operator==(const KimiDelta&, const KimiDelta&) = default;
};

// Linear attention with one constant decay a head, no convolution (MiniMax).
struct LightningAttention {
  double heads = 0, head_dim = 0;
  friend bool operator==(const LightningAttention&, const LightningAttention&) = default;
};

struct Mamba2 {
  double inner = 0, head_dim = 64, state = 128, groups = 1, conv = 4;
  bool gate_norm = true;  // a norm of inner size behind the gate
  friend bool operator==(const Mamba2&, const Mamba2&) = default;
};

struct Mamba1 {
  double inner = 0, state = 16, dt_rank = 0, conv = 4;
  bool inner_norms = false;  // norms over dt, B and C (Jamba)
  friend bool operator==(const Mamba1&, const Mamba1&) = default;
};

// Gated short convolution (LFM2): no cache, a state of conv-1 columns.
struct ShortConv {
  double conv = 3;
  bool bias = false;
  friend bool operator==(const ShortConv&, const ShortConv&) = default;
};

struct NoMixer {
  friend bool operator==(const NoMixer&, const NoMixer&) = default;
};

using Mixer = std::variant<NoMixer, Attention, LatentAttention, GatedDeltaNet, KimiDelta,
                           LightningAttention, Mamba2, Mamba1, ShortConv>;

// ---- feed-forward -------------------------------------------------------------------------------

struct Dense {
  double width = 0;
  double matrices = 3;  // 3 = gated (gate, up, down), 2 = up, down
  bool bias = false;
  friend bool operator==(const Dense&, const Dense&) = default;
};

struct MixtureOfExperts {
  double experts = 0, active = 0, width = 0;
  double shared_width = 0;  // one fused shared expert, 0 = none
  double matrices = 3;
  double latent = 0;        // experts work in a narrower space (Nemotron 3), 0 = hidden size
  bool shared_gate = false; // one-output gate on the shared expert
  bool bias = false;        // of the experts
  bool router_bias = false; // or a score-correction vector
  friend bool operator==(const MixtureOfExperts&, const MixtureOfExperts&) = default;
};

struct NoFeedForward {
  friend bool operator==(const NoFeedForward&, const NoFeedForward&) = default;
};

using FeedForward = std::variant<NoFeedForward, Dense, MixtureOfExperts>;

// ---- weights ------------------------------------------------------------------------------------

// How the matrices of one slot are stored. `bytes` is the exact total read from a file's tensor
// table for one layer (all experts included); 0 = computed from storage and shape.
struct Weight {
  Storage storage;
  double bytes = 0;
  friend bool operator==(const Weight&, const Weight&) = default;
};

// The matrices of a layer, by what they do. One slot is one GEMM as engines run it (q, k and v
// merged, gate and up merged).
enum class Slot : std::uint8_t {
  mix_in,   // qkv | q_a+kv_a or q | in_qkvz | in_qkv | in_proj
  mix_in2,  // kv_a when q is direct | in_ba | fg_a | output gate | x_proj
  mix_in3,  // q_b | fg_b | dt_proj
  mix_in4,  // kv_b | b_proj
  mix_out,  // o_proj, out_proj
  index_q,
  index_k,
  index_w,
  router,
  up,  // gate_up of a dense FFN
  down,
  experts_up,
  experts_down,
  shared_up,
  shared_down,
  latent_in,
  latent_out,
};
inline constexpr int kSlots = 17;

struct Layer {
  Mixer mixer;
  FeedForward ffn;
  double count = 1;        // layers that are exactly like this one
  double mixer_norms = 1;  // norms around the mixer: 1, or 2 (before and after, Gemma)
  double ffn_norms = 1;
  std::array<Weight, kSlots> weights{};

  [[nodiscard]] const Weight& weight(Slot s) const { return weights[static_cast<std::size_t>(s)]; }
  [[nodiscard]] Weight& weight(Slot s) { return weights[static_cast<std::size_t>(s)]; }
};

// Where a fact of the model was read, for `rooflens model`: the key as written, its value, and the
// place (file, "default for gemma3", "derived").
struct Fact {
  std::string what, key, value, origin;
};

// Part of a repository that is stored but not run in a text step (vision tower, MTP block).
struct Extra {
  std::string what;
  double parameters = 0, bytes = 0;
};

// What a file holds of one purpose in one format, counted from its tensor table.
struct StoredPart {
  std::string role, format;  // "attention", "Q4_K"
  double tensors = 0, parameters = 0, bytes = 0;
};

struct Model {
  std::string name;          // as the user would write it
  std::string architecture;  // model_type or general.architecture
  double hidden = 0, vocabulary = 0;
  bool tied = false;         // the head is the embedding table
  bool norm_bias = false;
  bool head_bias = false;
  bool final_norm = true;
  double position_rows = 0;  // learned position embedding rows
  double extra_rows = 0;     // embedding rows beside the vocabulary, never in the head (Molmo)
  double embedding_norm = 0; // norms right after the embedding (BLOOM)
  double extra_parameters = 0; // other text parameters read by row or once, stored in `small`
  double max_context = 0;    // 0 = not stated
  std::vector<Layer> layers;
  std::vector<std::uint16_t> order;  // index into layers, one entry per layer of the network
  int layers_per_block = 1;          // layers here that are one in the files (Falcon-H1: 2)
  Weight embedding, head;    // head unused when tied
  Storage small;             // norms, router, convolution, biases, decay
  double small_bytes = 0;    // of one small value, the mean of a file; 0 = as `small` says
  // What plain weights are computed in, when they are not stored so (GGUF: F32 norms, fp16 GEMMs).
  std::optional<Element> computes_in;
  Element gemm_input = Element::bf16;  // what the file's quantisation feeds quantised GEMMs
  Storage kv;                // cache type the file asks for (default bf16)
  std::string quantisation;  // in words, "" = none
  std::vector<std::string> changes;  // of a what-if: "num_key_value_heads=4", "weights q4_k"
  std::vector<Extra> extras;
  std::string read_from = "config";  // what the bytes are from: "config", "GGUF", "safetensors"
  std::vector<StoredPart> stored;    // empty when only a config was read
  std::vector<Fact> facts;
  std::vector<std::string> warnings;
};

}  // namespace rooflens
