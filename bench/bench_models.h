// Models and a device for the benchmarks, written out (sizes from their published configs).
#pragma once

#include "rooflens/core/scenario.h"

namespace rooflens::bench {

inline System h100() {
  System s;
  s.device.bytes_per_s = 3.35e12;
  s.device.vector_flops_per_s = 66.9e12;
  s.device.peak[static_cast<std::size_t>(Compute::bf16)] = 989.4e12;
  s.device.peak[static_cast<std::size_t>(Compute::fp16)] = 989.4e12;
  s.device.peak[static_cast<std::size_t>(Compute::fp8)] = 1978.9e12;
  return s;
}

inline void add(Model& m, Mixer mixer, FeedForward ffn, double count) {
  Layer layer;
  layer.mixer = mixer;
  layer.ffn = ffn;
  layer.count = count;
  m.layers.push_back(layer);
}

inline Model llama_3_8b() {
  Model m;
  m.hidden = 4096;
  m.vocabulary = 128256;
  add(m, Attention{.query_heads = 32, .kv_heads = 8, .key_dim = 128, .value_dim = 128},
      Dense{14336, 3, false}, 32);
  return m;
}

inline Model deepseek_v3() {
  Model m;
  m.hidden = 7168;
  m.vocabulary = 129280;
  const LatentAttention mla{128, 1536, 512, 128, 64, 128, {}};
  MixtureOfExperts moe;
  moe.experts = 256;
  moe.active = 8;
  moe.width = moe.shared_width = 2048;
  moe.router_bias = true;
  add(m, mla, Dense{18432, 3, false}, 3);
  add(m, mla, moe, 58);
  return m;
}

inline Model qwen3_6_27b() {
  Model m;
  m.hidden = 5120;
  m.vocabulary = 248320;
  add(m, GatedDeltaNet{16, 48, 128, 128, 4}, Dense{17408, 3, false}, 48);
  Attention a{.query_heads = 24, .kv_heads = 4, .key_dim = 256, .value_dim = 256};
  a.gated = true;
  a.qk_norm = QkNorm::head;
  add(m, a, Dense{17408, 3, false}, 16);
  return m;
}

}  // namespace rooflens::bench
