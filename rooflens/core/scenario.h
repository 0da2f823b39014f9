// How a model is served and what it is asked to do.
#pragma once

#include <string>
#include <vector>

#include "rooflens/core/device.h"
#include "rooflens/core/model.h"

namespace rooflens {

// Identical sequences inside one forward pass. docs/model.md section 1.
struct Group {
  double sequences = 1;  // may be a fraction while a crossing is searched
  double tokens = 1;     // new tokens of each
  double cached = 0;     // tokens already in the cache of each
  double logits = 1;     // positions of each that go through the head
};

enum class Fusion { standard, ideal };        // ideal: weights, KV and state only
enum class AttentionIo { flash, naive };      // naive: scores written and read
enum class LatentMode { automatic, absorb, expand };
// What an engine caches of latent attention: the latent on every rank, the latent divided over the
// tensor ranks (decode context parallelism), or the expanded keys and values (engines without it).
enum class LatentCache { replicated, sharded, expanded };
// What an engine allocates for a windowed layer: the window, a padded one (llama.cpp), the whole
// context (runtimes that mask only).
enum class WindowCells { exact, padded, full };
enum class CausalMode { exact, full };        // full: published MFU conventions count the square

[[nodiscard]] const char* name_of(LatentMode m);    // as the command line has them
[[nodiscard]] const char* name_of(LatentCache c);
[[nodiscard]] const char* name_of(WindowCells c);

struct Deployment {
  // types
  Element activation = Element::bf16;
  Element gemm_input = Element::bf16;   // input of GEMMs whose weights are quantised
  Element attention = Element::bf16;    // attention core
  Storage key_cache, value_cache;
  double state_bytes = 4;               // recurrent state, per element
  double conv_state_bytes = 2;
  double logits_bytes = 2;
  bool fp16_accumulate = false;         // use the FP16-accumulate peaks
  // parallelism
  int tensor = 1, expert = 1, pipeline = 1, data = 1;
  double imbalance = 1;                 // busiest expert rank / mean
  double zipf = 0;                      // skew of the router, 0 = uniform
  // kernels
  Fusion fusion = Fusion::standard;
  AttentionIo attention_io = AttentionIo::flash;
  LatentMode latent = LatentMode::automatic;
  LatentCache latent_cache = LatentCache::replicated;
  WindowCells window_cells = WindowCells::exact;
  CausalMode causal = CausalMode::exact;
  double delta_chunk = 64, ssm_chunk = 256;
  double state_copies = 1;              // states kept per sequence (drafts + 1 while speculating)
  // memory
  double utilisation = 0.90;            // share of the device's memory that may be used
  double overhead_bytes = 1.5e9;        // context, graphs, communication buffers, per device
  double batched_tokens = 8192;         // tokens of the largest step, for activation memory
  double page_tokens = 16;              // KV page
  double layers_on_device = -1;         // the others lie in host memory, -1 = all; check alone looks
  bool hybrid_pages = false;            // a page holds a layer's state as well (vLLM's hybrids)
};

struct Workload {
  double batch = 1;
  double prompt = 1024;
  double output = 128;
  double context = -1;   // cached tokens at the decode step; -1 = prompt + output/2
  double cached_prefix = 0;    // prompt tokens already in the cache
  double prefill_batch = 1;    // prompts prefilled together
  double chunk = 0;      // prefill chunk, 0 = whole prompt in one step
  double drafts = 0;     // speculative tokens per step
  double acceptance = 0.8;
};

struct Scenario {
  Model model;
  System system;
  Deployment deployment;
  Workload workload;
};

}  // namespace rooflens
