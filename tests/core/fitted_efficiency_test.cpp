// Which fitted row serves a run, and what it puts on the prior.
#include "rooflens/core/fitted_efficiency.h"

#include <gtest/gtest.h>

namespace rooflens {
namespace {

FittedEfficiency row(DeviceClass device, ServedClass served, double memory, double compute = 0) {
  FittedEfficiency f;
  f.device = std::move(device);
  f.served = std::move(served);
  if (memory > 0) {
    f.memory = Range{memory - 0.1, memory, memory + 0.1};
    f.launch_s = Range{1e-6, 2e-6, 4e-6};
    f.fixed_s = Range{1e-4, 2e-4, 4e-4};
  }
  if (compute > 0) f.compute = Range{compute - 0.1, compute, compute + 0.1};
  return f;
}

const DeviceClass kCard{"GDDR6X", "NVIDIA"}, kOther{"HBM3", "NVIDIA"};

Efficiency prior() {
  Efficiency e;
  e.memory = {0.7, 0.85, 0.95};
  e.compute = {0.5, 0.7, 0.9};
  e.origin = "prior (GDDR6X)";
  return e;
}

TEST(FittedEfficiency, the_finest_row_that_covers_the_run_is_taken) {
  const std::vector<FittedEfficiency> rows{
      row(kCard, {}, 0.5), row(kCard, {"", "4-bit"}, 0.55), row(kCard, {"llama.cpp", ""}, 0.6),
      row(kCard, {"llama.cpp", "4-bit"}, 0.65), row({kAnyMemory, "NVIDIA"}, {"vLLM", ""}, 0.4)};
  const auto mid = [&](const ServedClass& s, const DeviceClass& d = kCard) {
    const FittedEfficiency* f = find_fitted(rows, d, s, FittedPart::memory);
    return f != nullptr ? f->memory->mid : 0;
  };
  EXPECT_EQ(mid({}), 0.5);
  EXPECT_EQ(mid({"", "4-bit"}), 0.55);
  EXPECT_EQ(mid({"llama.cpp", "8-bit"}), 0.6);
  EXPECT_EQ(mid({"llama.cpp", "4-bit"}), 0.65);
  EXPECT_EQ(mid({"vLLM", "4-bit"}), 0.4);  // on other devices of the maker
  EXPECT_EQ(mid({"SGLang", "8-bit"}), 0.5);
  EXPECT_EQ(mid({}, kOther), 0);  // nothing of all engines
}

TEST(FittedEfficiency, what_was_not_measured_stays_the_prior) {
  EXPECT_EQ(with_fitted(prior(), {}, kCard, {}).origin, "prior (GDDR6X)");
  const std::vector<FittedEfficiency> rows{row(kCard, {}, 0.6)};
  const Efficiency e = with_fitted(prior(), rows, kCard, {});
  EXPECT_EQ(e.memory.mid, 0.6);
  EXPECT_EQ(e.launch_s.mid, 2e-6);
  EXPECT_EQ(e.compute.mid, 0.7);
  EXPECT_EQ(e.origin, "memory fitted (GDDR6X, NVIDIA), compute prior (GDDR6X)");
}

TEST(FittedEfficiency, both_parts_say_where_they_are_from) {
  const ServedClass served{"llama.cpp", "4-bit"};
  const std::vector<FittedEfficiency> one{row(kCard, served, 0.6, 0.3)};
  EXPECT_EQ(with_fitted(prior(), one, kCard, served).origin,
            "fitted (GDDR6X, NVIDIA, llama.cpp, 4-bit)");
  const std::vector<FittedEfficiency> two{row(kCard, served, 0.6),
                                          row(kCard, {"llama.cpp", ""}, 0, 0.3)};
  EXPECT_EQ(with_fitted(prior(), two, kCard, served).origin,
            "fitted (memory GDDR6X, NVIDIA, llama.cpp, 4-bit; compute GDDR6X, NVIDIA, llama.cpp)");
}

// 0.85 stays; the range holds what all engines reached on all devices, 0.2 .. 0.4.
TEST(FittedEfficiency, an_engine_never_measured_there_gets_a_wider_range) {
  const std::vector<FittedEfficiency> rows{row({kAnyMemory, kAnyMaker}, {}, 0.3)};
  const Efficiency named = with_fitted(prior(), rows, kCard, {"SGLang", ""});
  EXPECT_DOUBLE_EQ(named.memory.low, 0.2);
  EXPECT_EQ(named.memory.mid, 0.85);
  EXPECT_EQ(named.memory.high, 0.95);
  EXPECT_NE(named.origin.find("SGLang was not measured"), std::string::npos) << named.origin;
  // Without an engine there is nothing to be unsure of.
  EXPECT_EQ(with_fitted(prior(), rows, kCard, {}).memory.low, 0.7);
}

TEST(ServedClass, engines_by_their_words) {
  EXPECT_EQ(engine_family("llama.cpp-vulkan_radv Vulkan"), "llama.cpp");
  EXPECT_EQ(engine_family("ollama"), "llama.cpp");
  EXPECT_EQ(engine_family("vllm-mlx"), "mlx");
  EXPECT_EQ(engine_family("vLLM 0.9.0"), "vLLM");
  EXPECT_EQ(engine_family("TensorRT 10.2.0, CUDA 12.4"), "TensorRT-LLM");
  EXPECT_EQ(engine_family("PyTorch"), "");
}

}  // namespace
}  // namespace rooflens
