#include <algorithm>
#include <cmath>

#include "rooflens/readers/hf_layers.h"

namespace rooflens {
namespace {

QkNorm qk_norm(Fields& f) {
  const std::string kind = f.text("norm of queries and keys", {"qk_norm"});
  if (kind.empty() || !f.flag_or("norm of queries and keys", {"use_qk_norm"}, true)) {
    return QkNorm::none;
  }
  return kind == "full" ? QkNorm::full : QkNorm::head;
}

// Share of the head that RoPE turns. Newer files keep it in rope_parameters.
double rope_fraction(Fields& f) {
  double fraction = f.real_or("rotary share of a head", {"partial_rotary_factor", "rotary_pct"}, 1);
  if (const Json* rope = f.text_keys().get("rope_parameters")) {
    const Json* value = rope->get("partial_rotary_factor");
    if (value != nullptr && value->is(Json::Kind::number)) {
      f.fact("rotary share of a head", "rope_parameters.partial_rotary_factor", *value, true);
      fraction = value->number;
    }
  }
  if (!(fraction >= 0 && fraction <= 1)) {
    f.error(ErrorCode::invalid,
            "partial_rotary_factor = " + number_text(fraction) + " cannot be; it is a share 0 to 1",
            "partial_rotary_factor", "check the file against the model's own config.json");
  }
  return fraction;
}

// Rotary embedding layer by layer: 1 = turned, 0 = no position (SmolLM3, Llama 4).
bool has_rope(const std::vector<bool>& rope_layers, double every, std::size_t layer) {
  if (layer < rope_layers.size()) return rope_layers[layer];
  return every == 0 || std::fmod(static_cast<double>(layer) + 1, every) != 0;
}

// Gemma 4: full layers have their own head size and head count, and no value projection.
Attention global_attention(Fields& f, Attention a) {
  const double dim = f.count("head size of full layers", {"global_head_dim"});
  const double kv = f.count("key/value heads of full layers", {"num_global_key_value_heads"});
  if (dim > 0) a.key_dim = a.value_dim = dim;
  const Json* rope = f.text_keys().get("rope_parameters");
  rope = rope != nullptr ? rope->get("full_attention") : nullptr;
  const Json* fraction = rope != nullptr ? rope->get("partial_rotary_factor") : nullptr;
  if (fraction != nullptr && fraction->number >= 0 && fraction->number <= 1) {
    a.rope_fraction = fraction->number;
  }
  if (f.flag_or("full layers use keys as values", {"attention_k_eq_v"}, false)) {
    a.value_is_key = true;
    if (kv > 0) a.kv_heads = kv;
  }
  return a;
}

// Key/value heads; GPT-BigCode, Falcon and ChatGLM say with a flag that queries share them.
double kv_heads(Fields& f, double query_heads) {
  if (f.find({"multi_query_attention"}).value != nullptr) {
    return f.flag_or("shared key/value heads", {"multi_query_attention"}, false)
               ? f.size("key/value heads", {"multi_query_group_num"})
               : query_heads;
  }
  const bool grouped = f.flag_or("groups of queries", {"new_decoder_architecture"}, false);
  if (!grouped && f.flag_or("one shared key/value head", {"multi_query"}, false)) {
    f.derived("key/value heads", "1", "derived: multi_query");
    return 1;
  }
  return f.size_or("key/value heads",
                   {"num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads"}, query_heads,
                   "derived: as many as query heads");
}

// MiMo V2: windowed layers have their own head counts and sizes, sinks and value size.
Attention windowed_attention(Fields& f, Attention a) {
  a.query_heads = f.size_or("heads of windowed layers", {"swa_num_attention_heads"}, a.query_heads,
                            "derived: as in full layers");
  a.kv_heads = f.size_or("key/value heads of windowed layers", {"swa_num_key_value_heads"},
                         a.kv_heads, "derived: as in full layers");
  a.key_dim = f.size_or("head size of windowed layers", {"swa_head_dim"}, a.key_dim,
                        "derived: as in full layers");
  a.value_dim = f.size_or("value head size of windowed layers", {"swa_v_head_dim"}, a.value_dim,
                          "derived: as in full layers");
  a.sink_params = f.flag_or("sinks of windowed layers", {"add_swa_attention_sink_bias"}, false)
                      ? a.query_heads
                      : 0;
  return a;
}

}  // namespace

std::vector<Mixer> attention_mixers(Fields& f, const std::vector<LayerKind>& kinds, double hidden) {
  Attention a;
  a.query_heads =
      f.size("attention heads", {"num_attention_heads", "n_head", "n_heads", "num_heads"});
  a.kv_heads = kv_heads(f, a.query_heads);
  const bool given = f.find({"head_dim", "kv_channels", "attention_head_dim"}).value != nullptr;
  if (!given && std::fmod(hidden, a.query_heads) != 0) {
    f.error(ErrorCode::invalid,
            "hidden size " + number_text(hidden) + " is not a multiple of " +
                number_text(a.query_heads) + " heads and head_dim is missing",
            "head_dim", "add head_dim, or check num_attention_heads");
  }
  a.key_dim = a.value_dim =
      f.size_or("head size", {"head_dim", "kv_channels", "attention_head_dim"},
                given ? 1 : hidden / a.query_heads, "derived: hidden size / heads");
  const bool own_values =
      f.flag_or("values have a size of their own", {"separate_value_dim"}, false);
  if (own_values) {
    a.value_dim = f.size_or("value head size", {"v_head_dim"}, a.key_dim, "derived: head size");
    if (f.flag_or("sinks of full layers", {"add_full_attention_sink_bias"}, false)) {
      a.sink_params = a.query_heads;
    }
  }
  if (!f.failed() && std::fmod(a.query_heads, a.kv_heads) != 0) {
    f.error(ErrorCode::invalid,
            number_text(a.query_heads) + " attention heads cannot share " +
                number_text(a.kv_heads) + " key/value heads evenly",
            "num_key_value_heads", "it must divide num_attention_heads");
  }
  const bool bias =
      f.flag_told("bias of the projections",
                  {"attention_bias", "bias", "use_qkv_bias", "qkv_bias", "add_qkv_bias"}, false);
  a.qkv_bias = bias;
  const bool all = f.text("attention bias covers", {"bias_covers"}) != "qkv";
  a.out_bias = f.flag_or("bias of the output projection", {"attention_out_bias"}, bias && all);
  a.qk_norm = qk_norm(f);
  a.gated = f.flag_or("output gate", {"attn_output_gate"}, false);
  if (f.flag_or("learned sinks", {"sinks"}, false)) a.sink_params = a.query_heads;
  a.rope_fraction = rope_fraction(f);
  if (f.find({"rotary_dim"}).value != nullptr) {
    const double turned = f.count("rotary part of a head", {"rotary_dim"});
    a.rope_fraction = std::fmin(1, turned / a.key_dim);
  }

  const bool any_window = std::count(kinds.begin(), kinds.end(), LayerKind::sliding) > 0;
  const bool any_chunk = std::count(kinds.begin(), kinds.end(), LayerKind::chunked) > 0;
  const double window =
      any_window ? f.size("window", {"sliding_window", "sliding_window_size"}, kMaxContext) : 0;
  const double chunk = any_chunk ? f.size("chunk", {"attention_chunk_size"}, kMaxContext) : 0;
  const bool no_rope_full =
      f.flag_or("full layers without RoPE", {"full_layers_without_rope"}, false);
  const std::vector<bool> rope_layers = f.layer_flags("no_rope_layers", kinds.size());
  const bool some = f.find({"no_rope_layer_interval"}).value != nullptr;
  const double every =
      some ? f.count("layers without RoPE every", {"no_rope_layer_interval"}, kMaxLayers) : 0;
  const Attention global = f.family().feeding == Feeding::gemma4 ? global_attention(f, a) : a;

  const Attention local = f.family().windows == Windows::list ? windowed_attention(f, a) : a;

  std::vector<Mixer> mixers(kinds.size());
  for (std::size_t l = 0; l < kinds.size() && !f.failed(); ++l) {
    if (kinds[l] == LayerKind::linear || kinds[l] == LayerKind::conv) continue;
    Attention one = kinds[l] == LayerKind::full ? global : local;
    if (kinds[l] == LayerKind::cross) {
      one.cross = true;
      one.qk_norm = QkNorm::head;
    }
    one.window = kinds[l] == LayerKind::sliding ? window : 0;
    one.chunk = kinds[l] == LayerKind::chunked ? chunk : 0;
    if (one.cross || !has_rope(rope_layers, every, l)) one.rope_fraction = 0;
    if (no_rope_full && kinds[l] == LayerKind::full) one.rope_fraction = 0;
    mixers[l] = one;
  }
  return mixers;
}

}  // namespace rooflens
