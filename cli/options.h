// What the user wrote, option by option and uninterpreted: args.cpp fills it, the verbs and
// scenario_options.cpp read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rooflens::cli {

// A value and the spelling of the option it came with ("--max-num-seqs"), for messages.
struct Given {
  std::string text, option;
};
using Maybe = std::optional<Given>;

struct Options {
  std::vector<std::string> words;  // what is not an option: the model, a filter, a term

  // the model
  std::vector<Given> compare, set;
  Maybe assume;
  Maybe endpoint;
  bool online = false;

  // the machine
  std::vector<Given> on;
  Maybe gpus, devices, link, link_latency, launch, efficiency;
  // the work
  Maybe batch, prompt, output_tokens, context, cached_prefix, chunk, batched_tokens, prefill_batch,
      drafts, acceptance;
  // number formats
  Maybe weights, experts, head, embed, kv, cache_type_k, cache_type_v, dtype, gemm_input,
      state_bytes;
  // ranks, kernels, memory
  Maybe tp, pp, dp, ep, fusion, attention, mla, mla_cache, window_cells, causal, utilisation,
      overhead, page, zipf, imbalance;
  bool expert_parallel = false, fp16_accumulate = false;
  // check
  std::vector<Given> claims;
  Maybe model;
  // output
  Maybe format, output, plot, plot_size, plot_scale, theme, color, width;
  bool json = false, no_chart = false, explain = false, operators = false, ascii = false,
       quiet = false, help = false, version = false;
};

enum class VerbId : std::uint8_t { analyze, check, devices, model, explain, help, complete, bare };

// One option: its spellings (the first long one is its name), what its value is called (null for a
// flag), the verbs that take it, and where it is kept.
struct OptionSpec {
  std::string_view names;  // "--batch,-b,--max-num-seqs"
  const char* value;
  unsigned verbs;
  std::variant<Maybe Options::*, std::vector<Given> Options::*, bool Options::*> field;

  [[nodiscard]] bool takes(VerbId v) const { return (verbs >> static_cast<unsigned>(v) & 1) != 0; }
  [[nodiscard]] std::string_view name() const { return names.substr(0, names.find(',')); }
};

[[nodiscard]] std::span<const OptionSpec> option_table();

// The spellings of an option, one by one.
[[nodiscard]] std::vector<std::string_view> spellings(const OptionSpec& spec);

}  // namespace rooflens::cli
