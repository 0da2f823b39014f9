// Options without effect are told, each for every reason it can have.
#include <gtest/gtest.h>

#include <set>

#include "cli/command.h"
#include "cli/idle_options.h"

namespace rooflens::cli {
namespace {

constexpr const char* kDense = "Qwen3-8B --on h100-sxm ";
constexpr const char* kExperts = "Qwen3-30B-A3B --on h100-sxm ";
constexpr const char* kLatent = "deepseek-ai/DeepSeek-V2-Lite --on h200 ";
constexpr const char* kMamba = "state-spaces/mamba-2.8b-hf --on h100-sxm ";
constexpr const char* kFigures = "Qwen3-8B --on bw=2TB/s,bf16=400T ";

struct Case {
  std::string line;
  const char* option;
  const char* reason;
};

const Case kCases[] = {
    {std::string(kDense) + "--experts fp8", "--experts", "the model has no experts"},
    {std::string(kDense) + "--ep 2 --tp 2", "--ep", "the model has no experts"},
    {std::string(kDense) + "--tp 2 --enable-expert-parallel", "--enable-expert-parallel",
     "the model has no experts"},
    {std::string(kExperts) + "--enable-expert-parallel", "--enable-expert-parallel",
     "there is one expert rank, as tp x dp is 1"},
    {std::string(kDense) + "--skew 1", "--skew", "the model has no experts"},
    {std::string(kDense) + "--imbalance 2", "--imbalance", "the model has no experts"},
    {std::string(kExperts) + "--imbalance 2", "--imbalance", "there is one expert rank (--ep)"},
    {std::string(kDense) + "--acceptance 0.5", "--acceptance", "no drafts are made (--drafts)"},
    {std::string(kDense) + "--state-bytes 2", "--state-bytes", "the model has no recurrent state"},
    {std::string(kDense) + "--mla absorb", "--mla", "the model has no latent attention"},
    {std::string(kLatent) + "--mla absorb --mla-cache expanded", "--mla",
     "--mla-cache expanded leaves nothing to absorb"},
    {std::string(kDense) + "--mla-cache expanded", "--mla-cache",
     "the model has no latent attention"},
    {std::string(kDense) + "--window-cells full", "--window-cells",
     "no layer of the model has a window"},
    {std::string(kMamba) + "--attention naive", "--attention", "the model has no attention"},
    {std::string(kMamba) + "--causal full", "--causal", "the model has no attention"},
    {std::string(kDense) + "--attention naive --causal full", "--causal",
     "--attention naive computes the whole square"},
    {std::string(kMamba) + "--kv-cache-dtype fp8", "--kv-cache-dtype",
     "the model has no attention, so it caches no tokens"},
    {std::string(kMamba) + "--cache-type-k q8_0", "--cache-type-k",
     "the model has no attention, so it caches no tokens"},
    {std::string(kMamba) + "--cache-type-v q8_0", "--cache-type-v",
     "the model has no attention, so it caches no tokens"},
    {std::string(kLatent) + "--cache-type-v fp8", "--cache-type-v",
     "latent attention caches one vector, --cache-type-k stores it"},
    {std::string(kMamba) + "--context 4k", "--context",
     "the model has no attention, so it caches no tokens"},
    {std::string(kMamba) + "--page 32", "--page",
     "the model has no attention, so it caches no tokens"},
    {std::string(kDense) + "--page hybrid", "--page",
     "no layer has a state to share its pages with"},
    {"model Qwen3-8B-FP8 --gemm-input fp8", "--gemm-input",
     "it is how a machine computes, and none is given"},
    {std::string(kDense) + "--gemm-input fp8", "--gemm-input",
     "no weights of the layers are quantised"},
    {std::string(kDense) + "--chunk 4096", "--chunk", "the whole prompt is one chunk"},
    {std::string(kDense) + "--link 64GB/s", "--link", "the ranks exchange nothing"},
    {std::string(kDense) + "--link-latency 5us", "--link-latency", "the ranks exchange nothing"},
    {std::string(kFigures) + "--utilisation 0.8", "--utilisation",
     "how much memory the device has is not known"},
    {std::string(kFigures) + "--overhead 1GB", "--overhead",
     "how much memory the device has is not known"},
    {"check Qwen3-8B --on h100-sxm --claim '50 tok/s decode' --n-gpu-layers 36", "--n-gpu-layers",
     "the model has no more layers"},
    {"Qwen3-8B --on bw=2TB/s,bf16=400T,mem=80GB --fp16-accumulate", "--fp16-accumulate",
     "no peak with FP16 accumulation is known"},
};

TEST(CliIdle, every_reason_is_told) {
  for (const Case& c : kCases) {
    const Outcome r = command(c.line);
    EXPECT_LE(r.code, 1) << c.line << '\n' << r.err;
    const std::string note = std::string(c.option) + " has no effect: " + c.reason + "\n";
    EXPECT_NE(r.err.find(note), std::string::npos) << c.line << '\n' << r.err;
    EXPECT_EQ(r.err.find(note), r.err.rfind(note)) << c.line << '\n' << r.err;
  }
}

TEST(CliIdle, no_rule_is_without_a_case) { EXPECT_EQ(idle_rules().size(), std::size(kCases)); }

TEST(CliIdle, what_has_an_effect_is_not_told) {
  for (const std::string& line :
       {std::string(kExperts) +
            "--tp 2 --ep 2 --experts fp8 --zipf 1 --imbalance 2 --drafts 2 --acceptance 0.5 "
            "--attention naive --kv fp8 --page 32 --link-latency 5us",
        std::string(kLatent) + "--mla absorb --cache-type-k fp8 --causal full",
        std::string(kMamba) + "--state-bytes 2 --chunk 256",
        std::string("model Qwen3-8B --kv fp8 --weights fp8"),
        // of two models one has experts
        std::string("Qwen3-8B --compare Qwen3-30B-A3B --on h100-sxm --zipf 1 --experts fp8")}) {
    EXPECT_EQ(command(line).err.find("has no effect"), std::string::npos) << line << '\n'
                                                                          << command(line).err;
  }
}

// The title does not claim what did not happen.
TEST(CliIdle, a_dense_model_is_not_changed_by_its_experts) {
  const Outcome r = command(std::string(kDense) + "--experts fp8 --no-chart");
  EXPECT_EQ(r.out.find("with experts"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace rooflens::cli
