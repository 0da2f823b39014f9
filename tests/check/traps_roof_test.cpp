// The traps of measured results that only the arithmetic shows, one test each, numbered as in
// docs/results.md.
#include <cmath>

#include "check/check_fixtures.h"
#include "rooflens/catalogue/catalogue.h"
#include "rooflens/views/check_report.h"

namespace rooflens::check_tests {
namespace {

Scenario at_batch_one(const std::string& model, const System& system, const vectors::Json& deploy) {
  Scenario s = scenario(model, "", deploy);
  s.system = system;
  s.workload.batch = 1;
  s.workload.context = 0;
  return s;
}

// Llama-3.1-8B bf16, 15.01 GB a token, one TB/s: 66.6 tok/s.
Scenario plain() { return at_batch_one("llama-3.1-8b", device(1e12, 312e12, 80e9), {}); }

Observation decode_rate(double value) {
  Observation o;
  o.phase = MeasuredPhase::decode;
  o.counting = Counting::aggregate;
  o.value = value;
  return o;
}

std::string notes_of(const Diagnosis& d) {
  std::string all;
  for (const Sentence& n : d.notes) all += text_of(n) + "\n";
  return all;
}

double bytes_of_group(const Phase& p, OperatorGroup group) {
  double bytes = 0;
  for (const Operator& op : p.operators) {
    if (op.group == group) bytes += op.count * op.weight_bytes;
  }
  return bytes;
}

// 3. Llama 70B FP8 on one H200, 2048/128, 442 output tok/s: 3.453 requests/s x 2048 x 2 x 68.5e9 =
// 969 TFLOP/s of 1,979 for the prompts, and attention adds 4 x 80 x 8192 x 1024 = 2.7 of 137 GFLOP
// a token: 0.50. Decode adds its bytes; 442 on a decode roof means nothing.
TEST(Traps, t03_a_mixed_run_has_a_roof_of_its_own) {
  Scenario s = scenario("llama-3.1-70b", "h200",
                        {{"linear", "fp8_channel"}, {"gemm_in", "fp8"}, {"kv", "fp8"}});
  s.workload.batch = 64;
  s.workload.prompt = 2048;
  s.workload.output = 128;
  Observation o = decode_rate(442);
  o.counting = Counting::same_wall;
  const Analysis a = analyze(s, Efficiency{});
  const Diagnosis d = diagnose(o, a);
  const double prompts = 442.0 / 128 * 2048 / a.prefill.roof_tokens_per_s;
  EXPECT_NEAR(prompts, 0.50, 0.01);
  EXPECT_NEAR(d.fraction_of_roof, prompts + 442 / a.decode.roof_tokens_per_s, 1e-9);
  EXPECT_EQ(d.roof_bound, Bound::compute);
  EXPECT_NE(d.verdict, Bound::above_roof);
}

// 5. 139,357 tok/s x 2 x 6.98e9 = 1,945 TFLOP/s of 165: 11.8 of the roof; attention over 1,024
// tokens adds 4 x 32 x 4,096 x 512 = 0.27 of 14 GFLOP a token: 12.0.
TEST(Traps, t05_above_the_roof_is_impossible_and_not_clipped) {
  Scenario s = at_batch_one("llama-3.1-8b", device(1008e9, 165e12, 24e9), {});
  const Diagnosis d = check_one("139357 tok/s prefill", s);
  EXPECT_NEAR(d.fraction_of_roof, 12.0, 0.05);
  EXPECT_EQ(d.standing, Standing::unreachable);
  ASSERT_FALSE(d.causes.empty());
  EXPECT_EQ(d.causes.front().tag, "cached_prefix");
  EXPECT_NE(cause(d, "timer"), nullptr);
  const std::string said = text_of(d.sentence);
  EXPECT_EQ(said.rfind("UNREACHABLE", 0), 0U) << said;
  EXPECT_NE(said.find("12.0x its roof"), std::string::npos) << said;
}

// 6. A pass yields 3.17 tokens: 1.82 of the roof is 0.574 of the roof of passes. Four positions
// instead of one read three more tokens of KV and the same weights.
TEST(Traps, t06_speculation_is_held_against_passes) {
  const Scenario s = plain();
  const Analysis a = analyze(s, Efficiency{});
  Observation o = decode_rate(1.82 * a.decode.roof_tokens_per_s);
  const Diagnosis apparent = diagnose(o, a);
  EXPECT_NEAR(apparent.fraction_of_roof, 1.82, 1e-9);
  ASSERT_NE(cause(apparent, "speculation"), nullptr);
  EXPECT_TRUE(cause(apparent, "speculation")->explains);
  o.tokens_per_pass = 3.17;
  const Diagnosis d = diagnose(o, a);
  EXPECT_NEAR(d.fraction_of_roof, 1.82 / 3.17, 1e-3);
  EXPECT_NE(d.verdict, Bound::above_roof);
  EXPECT_NE(notes_of(d).find("draft's own bytes"), std::string::npos) << notes_of(d);
}

// 7. Of 8,030,261,248 parameters the 128,256 x 4,096 of the input table are looked up, not read:
// 15.0098 GB of the file's 16.06.
TEST(Traps, t07_the_embedding_is_a_look_up) {
  const Analysis a = analyze(plain(), Efficiency{});
  const double read = (8030261248.0 - 128256.0 * 4096) * 2;
  EXPECT_NEAR(a.decode.totals.weight_bytes, read + 4096 * 2, 4096 * 4);  // and the row of the token
}

// 7. Qwen3-0.6B in FP8 is 0.6 GB: within the 1,152 MB of an EPYC 9684X, not within 96 MB.
TEST(Traps, t07_what_fits_the_cache_is_not_bound_by_memory) {
  Scenario s = at_batch_one("qwen3-0.6b", device(460.8e9, 15.67e12, 700e9),
                            {{"linear", "fp8"}, {"lm_head", "fp8"}, {"embed", "fp8"}});
  const double roof = analyze(s, Efficiency{}).decode.roof_tokens_per_s;
  const std::string claim = std::to_string(1.5 * roof) + " tok/s decode";
  s.system.device.cache_bytes = 96e6;
  EXPECT_EQ(check_one(claim, s).standing, Standing::unreachable);
  s.system.device.cache_bytes = 1152e6;
  const Diagnosis d = check_one(claim, s);
  EXPECT_EQ(d.standing, Standing::above_roof);
  EXPECT_EQ(d.causes.front().tag, "in_cache");
  EXPECT_NEAR(d.fraction_of_roof, 1.5, 1e-6);
  // The caches that matter, as the device table has them.
  for (const auto& [id, megabytes] : {std::pair{"h100-nvl", 50},
                                      {"rtx-4090", 72},
                                      {"rx-7900xtx", 96},
                                      {"m2-max", 48},
                                      {"ryzen-7800x3d", 96},
                                      {"epyc-9684x", 1152}}) {
    const auto m = find_machine(built_in_catalogue(), id);
    ASSERT_TRUE(m) << id;
    EXPECT_EQ(m->device.cache_bytes, megabytes * 1e6) << id;
  }
}

// 8. 8 of 128 experts a token: 64 tokens read 128 (1 - (1 - 8/128)^64) = 125.94 of them.
TEST(Traps, t08_experts_read_grow_with_the_batch) {
  Scenario s = at_batch_one("qwen3-30b-a3b", device(1e12, 312e12, 200e9), {});
  const double one = bytes_of_group(analyze(s, Efficiency{}).decode, OperatorGroup::experts);
  s.workload.batch = 64;
  const Analysis a = analyze(s, Efficiency{});
  const double distinct = 128 * (1 - std::pow(1 - 8.0 / 128, 64));
  EXPECT_NEAR(bytes_of_group(a.decode, OperatorGroup::experts) / one, distinct / 8, 1e-9);
  EXPECT_NEAR(bytes_of_group(a.prefill, OperatorGroup::experts) / one, 128.0 / 8, 1e-9);
}

// 9. LLaMA-2-7B caches 2 x 32 x 4,096 x 2 = 524,288 bytes a token: 17.2 GB at depth 32,768.
TEST(Traps, t09_the_depth_is_read_each_step) {
  const Scenario s = at_batch_one("llama-2-7b", device(256e9, 60e12, 128e9), {});
  const Diagnosis deep = check_one("tg32 @ d32768: 6.94 t/s", s);
  const Analysis a = analyze(s, Efficiency{});
  const double more = 524288.0 * (32768 + 16);
  EXPECT_NEAR(deep.roof_tokens_per_s, 256e9 / (a.decode.totals.ideal_bytes + more),
              1e-6 * deep.roof_tokens_per_s);
}

// 10. Llama-3-70B on two RTX 4090: layers one after the other are one card's bandwidth, 1,008 GB/s,
// for all bytes; as tensor ranks it would look like half of that.
TEST(Traps, t10_layers_over_two_cards_do_not_add_bandwidth) {
  Scenario s = scenario("llama-3.1-70b", "", {{"linear", "q4_k"}, {"lm_head", "q6_k"}, {"tp", 2}});
  s.system = device(1008e9, 165e12, 24e9, 2);
  s.system.device.links.push_back({"PCIe 4.0 x16", 0, 31.5e9, 0});
  s.workload.context = 0;
  Observation o = decode_rate(19.22);
  const Analysis a = analyze(s, Efficiency{});
  const Diagnosis ranks = diagnose(o, a);
  o.layers_split = true;
  const Diagnosis d = diagnose(o, a);
  Scenario one = s;
  one.deployment.tensor = one.system.count = 1;
  const double bytes = analyze(one, Efficiency{}).decode.totals.ideal_bytes;
  EXPECT_NEAR(d.fraction_of_roof, 19.22 * bytes / 1008e9, 0.002);
  EXPECT_NEAR(d.fraction_of_roof, 0.76, 0.02);  // 39.7 GB; the case's mix of 42.0 GB gives 0.80
  EXPECT_NEAR(ranks.fraction_of_roof, d.fraction_of_roof / 2, 0.01);
  EXPECT_NE(notes_of(d).find("do not add up"), std::string::npos);
}

// 11. 7,247 x 2 x 6.98e9 = 101 TFLOP/s: 1.04 of 97.5 with FP32 accumulation, 0.52 of 195 with FP16.
// Quantised weights may be computed in INT8: the roof is that of the fastest legal path.
TEST(Traps, t11_the_peak_depends_on_the_accumulator) {
  Scenario s = at_batch_one("llama-3.1-8b", device(717e9, 97.5e12, 16e9), {});
  s.deployment.activation = s.deployment.gemm_input = s.deployment.attention = Element::fp16;
  s.system.device.peak_fp16_acc16 = 195e12;
  const Diagnosis d = check_one("pp512 7247 t/s", s);
  EXPECT_NEAR(d.fraction_of_roof, 1.045, 0.01);
  EXPECT_EQ(d.causes.front().tag, "fp16_accumulate");
  s.system.device.peak_fp16_acc16 = 0;
  s.system.device.peak[static_cast<std::size_t>(Compute::int8)] = 390e12;
  const Diagnosis wide = check_one("pp512 14000 t/s", s);
  ASSERT_NE(cause(wide, "narrower_arithmetic"), nullptr);
  EXPECT_TRUE(cause(wide, "narrower_arithmetic")->explains);
  EXPECT_NEAR(cause(wide, "narrower_arithmetic")->factor, 4, 1e-9);
}

// 12. The head is computed for the last token of a prompt: 2 x 4,096 x 128,256, once.
TEST(Traps, t12_the_head_is_computed_once_a_prompt) {
  Scenario s = plain();
  s.workload.prompt = 512;
  double head = 0;
  for (const Operator& op : analyze(s, Efficiency{}).prefill.operators) {
    if (op.group == OperatorGroup::head) head += op.count * op.flops;
  }
  EXPECT_DOUBLE_EQ(head, 2.0 * 4096 * 128256);
}

// 13. Eight tokens are no evidence; 8/7 explains 14 % above the roof, and no more.
TEST(Traps, t13_few_tokens_are_no_evidence) {
  const Scenario s = plain();
  const Analysis a = analyze(s, Efficiency{});
  Observation o = decode_rate(0.8 * a.decode.roof_tokens_per_s);
  o.output = 8;
  o.context = 0;
  EXPECT_NE(notes_of(diagnose(o, a)).find("no evidence"), std::string::npos);
  o.value = 1.1 * a.decode.roof_tokens_per_s;
  const Diagnosis above = diagnose(o, a);
  ASSERT_NE(cause(above, "short_generation"), nullptr);
  EXPECT_TRUE(cause(above, "short_generation")->explains);
  o.value = 1.3 * a.decode.roof_tokens_per_s;
  const Diagnosis far_above = diagnose(o, a);
  ASSERT_NE(cause(far_above, "short_generation"), nullptr);
  EXPECT_FALSE(cause(far_above, "short_generation")->explains);
  o.output = 128;
  EXPECT_EQ(cause(diagnose(o, a), "short_generation"), nullptr);
  EXPECT_EQ(notes_of(diagnose(o, a)).find("no evidence"), std::string::npos);
}

// 15. 16 prompts that arrive together wait for 8.5 of them on average.
TEST(Traps, t15_a_wait_is_no_prefill_time) {
  Scenario s = plain();
  s.workload.batch = 16;
  s.workload.prompt = 1024;
  const double prompt = analyze(s, Efficiency{}).prefill.totals.step_seconds;
  const std::string ttft = "TTFT " + std::to_string(8.5 * prompt * 1e3) + " ms";
  EXPECT_EQ(check_one(ttft + " at concurrency 16", s).verdict, Bound::queue);
  EXPECT_NE(check_one(ttft + " at concurrency 1", s).verdict, Bound::queue);
}

// 22. "H100 80GB" may be 2.0 or 3.35 TB/s; what nvidia-smi prints tells.
TEST(Traps, t22_names_that_mean_several_devices_are_refused) {
  const Catalogue& c = built_in_catalogue();
  const auto open = find_machine(c, "H100 80GB");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, ErrorCode::ambiguous);
  EXPECT_NE(open.error().message.find("h100-pcie"), std::string::npos) << open.error().message;
  EXPECT_NE(open.error().message.find("h100-sxm"), std::string::npos) << open.error().message;
  for (const auto& [name, id] : {std::pair{"NVIDIA H100 NVL", "h100-nvl"},
                                 {"NVIDIA H100 PCIe", "h100-pcie"},
                                 {"NVIDIA H100 80GB HBM3", "h100-sxm"}}) {
    const auto m = find_machine(c, name);
    ASSERT_TRUE(m) << name;
    EXPECT_EQ(m->device.id, id);
  }
}

// 22. Prefill at half of its rate: a clock at half of the sheet's would be all of it.
TEST(Traps, t22_a_power_limit_is_named_where_arithmetic_binds) {
  const Scenario s = plain();
  const double rate = analyze(s, Efficiency{}).prefill.operator_tokens_per_s;
  const Diagnosis d = check_one(std::to_string(0.5 * rate) + " tok/s prefill", s);
  ASSERT_NE(cause(d, "clock"), nullptr);
  EXPECT_NEAR(cause(d, "clock")->text.amounts[0].value, 0.5, 1e-6);
  EXPECT_EQ(cause(check_one("30 tok/s decode", s), "clock"), nullptr);
}

// 23. LLaMA-2-7B Q4_0, 3.8 GB a token, 23.9 tok/s on the cores of an M2 Max: 90 of 400 GB/s.
TEST(Traps, t23_cores_do_not_reach_the_chips_bandwidth) {
  Scenario s = at_batch_one("llama-2-7b", device(400e9, 27e12, 96e9),
                            {{"linear", "q4_0"}, {"lm_head", "q6_k"}});
  s.system.device.kind = "soc";
  Observation o = decode_rate(23.9);
  const Analysis a = analyze(s, Efficiency{});
  EXPECT_EQ(cause(diagnose(o, a), "cpu_share"), nullptr);
  o.on_cpu = true;
  const Diagnosis d = diagnose(o, a);
  EXPECT_NEAR(d.fraction_of_roof, 0.226, 0.005);
  ASSERT_NE(cause(d, "cpu_share"), nullptr);
  EXPECT_TRUE(cause(d, "cpu_share")->explains);
  s.system.device.kind = "cpu";
  EXPECT_NE(cause(diagnose(o, analyze(s, Efficiency{})), "cores"), nullptr);
}

// 24. Llama-3.1-8B bf16, 20 of 32 layers on the device: the others are 12/32 of 13.96 GB, 5.235 GB,
// from 50 GB/s: 104.7 ms, and 9.775 GB from 1,008 GB/s: 9.7 ms. 7 tok/s take 142.9 ms: 0.80 of it.
TEST(Traps, t24_two_memories_add_their_times) {
  Scenario s = at_batch_one("llama-3.1-8b", device(1008e9, 165e12, 12e9), {});
  Observation o = decode_rate(7);
  o.layers_on_device = 20;
  const Diagnosis untold = diagnose(o, analyze(s, Efficiency{}));
  ASSERT_NE(cause(untold, "partial_offload"), nullptr);
  EXPECT_NE(cause(untold, "partial_offload")->text.text.find("--host-memory"), std::string::npos);
  s.system.host_bytes_per_s = 50e9;
  const Diagnosis d = diagnose(o, analyze(s, Efficiency{}));
  EXPECT_EQ(d.verdict, Bound::capacity);
  const Cause* both = cause(d, "partial_offload");
  ASSERT_NE(both, nullptr);
  EXPECT_TRUE(both->explains);
  const double host = 12.0 / 32 * (8030261248.0 - 2 * 128256.0 * 4096) * 2;
  const double rest = 15.0098e9 - host;
  const double seconds = host / 50e9 + rest / 1008e9;
  EXPECT_NEAR(both->text.amounts[2].value, host, 1e-3 * host);
  EXPECT_NEAR(both->text.amounts[4].value, seconds, 1e-3 * seconds);
  EXPECT_NEAR(both->text.amounts[5].value, 7 * seconds, 1e-3);
  o.layers_on_device = 33;  // llama.cpp counts the head as a layer
  EXPECT_EQ(cause(diagnose(o, analyze(s, Efficiency{})), "partial_offload"), nullptr);
}

// 24. Experts of all layers left on the host: Qwen3-30B-A3B reads 8 of 128 a token from there.
TEST(Traps, t24_experts_on_the_host) {
  Scenario s = at_batch_one("qwen3-30b-a3b", device(512e9, 23e12, 16e9), {});
  s.system.host_bytes_per_s = 50e9;
  Observation o = decode_rate(10);
  o.experts_on_host = 48;
  const Analysis a = analyze(s, Efficiency{});
  const double experts = bytes_of_group(a.decode, OperatorGroup::experts);
  const Diagnosis d = diagnose(o, a);
  const Cause* c = cause(d, "partial_offload");
  ASSERT_NE(c, nullptr);
  EXPECT_NEAR(c->text.amounts[2].value, experts, 1e-9 * experts);
}

// 27. Llama-3-8B F16 on an A100: 681 tok/s x 2 x 6.98e9 = 9.5 of 312 TFLOP/s, 3 %.
TEST(Traps, t27_a_very_low_fraction_is_doubted) {
  const Scenario s = at_batch_one("llama-3.1-8b", device(2039e9, 312e12, 80e9), {});
  const Diagnosis low = check_one("pp512 681 t/s", s);
  EXPECT_NEAR(low.fraction_of_roof, 0.031, 0.001);
  EXPECT_NE(notes_of(low).find("look at the figure itself"), std::string::npos) << notes_of(low);
  EXPECT_EQ(notes_of(check_one("pp512 7504 t/s", s)).find("look at the figure itself"),
            std::string::npos);
}

}  // namespace
}  // namespace rooflens::check_tests
