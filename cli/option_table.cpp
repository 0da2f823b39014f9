// Every option of every verb. docs/cli.md describes them; a test holds the two against each other.
#include "cli/options.h"

namespace rooflens::cli {
namespace {

constexpr unsigned bit(VerbId v) { return 1U << static_cast<unsigned>(v); }

constexpr unsigned kScenario = bit(VerbId::analyze) | bit(VerbId::check);
constexpr unsigned kAnalyze = bit(VerbId::analyze), kCheck = bit(VerbId::check);
constexpr unsigned kFormats = kScenario | bit(VerbId::model);
constexpr unsigned kTables =
    kScenario | bit(VerbId::validate) | bit(VerbId::devices) | bit(VerbId::bare);
constexpr unsigned kAll = ~0U;
using O = Options;

constexpr OptionSpec kOptions[] = {
    // the model
    {"--compare", "MODEL", kAnalyze, &O::compare},
    {"--set", "KEY=VALUE", kFormats, &O::set},
    {"--assume", "FAMILY", kFormats, &O::assume},
    {"--online", nullptr, kFormats, &O::online},
    {"--endpoint", "URL", kFormats, &O::endpoint},
    // the machine
    {"--on,--device", "DEVICE", kScenario, &O::on},
    {"--gpus,-n,--num-gpus,--gpu-count", "N", kScenario, &O::gpus},
    {"--devices", "FILE", kTables, &O::devices},
    {"--link", "RATE", kScenario, &O::link},
    {"--link-latency", "TIME", kScenario, &O::link_latency},
    {"--launch", "TIME", kScenario, &O::launch},
    {"--efficiency", "SHARES", kScenario, &O::efficiency},
    // the work
    {"--batch,-b,--max-num-seqs,--max-running-requests,--concurrency,--max-concurrency,"
     "--max-batch-size,--parallel",
     "N", kScenario, &O::batch},
    {"--prompt,--isl,--input-len,--random-input-len,--n-prompt", "N", kScenario, &O::prompt},
    {"--output-tokens,--osl,--output-len,--random-output-len,--n-gen", "N", kScenario,
     &O::output_tokens},
    {"--context,-c", "N", kScenario, &O::context},
    {"--cached-prefix", "N", kScenario, &O::cached_prefix},
    {"--chunk,--chunked-prefill-size,--ubatch-size", "N", kScenario, &O::chunk},
    {"--max-num-batched-tokens,--max-num-tokens", "N", kScenario, &O::batched_tokens},
    {"--prefill-batch", "N", kScenario, &O::prefill_batch},
    {"--drafts,--num-speculative-tokens", "N", kScenario, &O::drafts},
    {"--acceptance", "SHARE", kScenario, &O::acceptance},
    // number formats
    {"--weights,--requantise,--requantize,--quantization", "FORMAT", kFormats, &O::weights},
    {"--experts", "FORMAT", kFormats, &O::experts},
    {"--head", "FORMAT", kFormats, &O::head},
    {"--embed", "FORMAT", kFormats, &O::embed},
    {"--kv,--kv-cache-dtype", "FORMAT", kFormats, &O::kv},
    {"--cache-type-k", "FORMAT", kFormats, &O::cache_type_k},
    {"--cache-type-v", "FORMAT", kFormats, &O::cache_type_v},
    {"--dtype,--act", "TYPE", kFormats, &O::dtype},
    {"--gemm-input", "TYPE", kFormats, &O::gemm_input},
    {"--state-bytes,--mamba-ssm-cache-dtype", "TYPE", kFormats, &O::state_bytes},
    // ranks
    {"--tp,--tensor-parallel-size,--tp-size,--tensor-parallel", "N", kScenario, &O::tp},
    {"--pp,--pipeline-parallel-size,--pp-size", "N", kScenario, &O::pp},
    {"--dp,--data-parallel-size,--dp-size", "N", kScenario, &O::dp},
    {"--ep,--expert-parallel-size,--ep-size", "N", kScenario, &O::ep},
    {"--enable-expert-parallel", nullptr, kScenario, &O::expert_parallel},
    {"--zipf,--skew", "S", kScenario, &O::zipf},
    {"--imbalance", "RATIO", kScenario, &O::imbalance},
    // kernels
    {"--fusion", "MODE", kScenario, &O::fusion},
    {"--attention", "MODE", kScenario, &O::attention},
    {"--mla", "MODE", kScenario, &O::mla},
    {"--mla-cache", "WHAT", kScenario, &O::mla_cache},
    {"--window-cells", "HOW", kScenario, &O::window_cells},
    {"--causal", "MODE", kScenario, &O::causal},
    {"--fp16-accumulate", nullptr, kScenario, &O::fp16_accumulate},
    // memory
    {"--utilisation,--utilization,--gpu-memory-utilization,--mem-fraction-static", "SHARE",
     kScenario, &O::utilisation},
    {"--overhead", "BYTES", kScenario, &O::overhead},
    {"--page,--block-size,--page-size", "N", kScenario, &O::page},
    // claims
    {"--claim", "TEXT", kCheck, &O::claims},
    {"--model", "MODEL", kCheck, &O::model},
    {"--gpu-layers,--n-gpu-layers", "N", kCheck, &O::gpu_layers},
    {"--host-memory", "RATE", kCheck, &O::host_memory},
    // published measurements
    {"--fit", nullptr, bit(VerbId::validate), &O::fit},
    // output
    {"--format", "FORMAT", kAll, &O::format},
    {"--json", nullptr, kAll, &O::json},
    {"--output,-o", "FILE", kAll, &O::output},
    {"--plot", "FILE", kScenario, &O::plot},
    {"--plot-size", "WxH", kScenario, &O::plot_size},
    {"--plot-scale", "NUMBER", kScenario, &O::plot_scale},
    {"--theme", "THEME", kScenario, &O::theme},
    {"--no-chart", nullptr, kScenario, &O::no_chart},
    {"--explain", nullptr, kAnalyze, &O::explain},
    {"--operators", nullptr, kAnalyze, &O::operators},
    {"--color,--colour", "WHEN", kAll, &O::color},
    {"--width", "N", kAll, &O::width},
    {"--ascii", nullptr, kAll, &O::ascii},
    {"--quiet,-q", nullptr, kAll, &O::quiet},
    {"--help,-h", nullptr, kAll, &O::help},
    {"--version", nullptr, kAll, &O::version},
};

}  // namespace

std::span<const OptionSpec> option_table() { return kOptions; }

std::vector<std::string_view> spellings(const OptionSpec& spec) {
  std::vector<std::string_view> list;
  std::string_view rest = spec.names;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    list.push_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return list;
}

}  // namespace rooflens::cli
