// The founding documents' numbers (tests/seed-cases.json), each computed again by our functions: a
// case or a key without a computation here fails.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "core/closed_formulas.h"
#include "core/fixture.h"
#include "rooflens/core/analyze.h"
#include "rooflens/core/place.h"
#include "rooflens/core/quantity.h"
#include "vectors/vector_file.h"

namespace rooflens {
namespace {

using vectors::Json;

const Json& seed() {
  static const Json j = Json::parse(fixture::source_text("tests/seed-cases.json"));
  return j;
}

// The vectors' models on the machines of the seed cases.
const vectors::File& world() {
  static const vectors::File f = [] {
    Json both = Json::parse(fixture::source_text("tests/vectors.json"));
    both["hardware"] = seed()["hardware"];
    return vectors::load(both.dump()).file;
  }();
  return f;
}

const Device& device(const char* name) { return world().systems.at(name).device; }
double ridge_of(const char* name, Compute c) { return ridge(device(name), c); }

// The first number of a quotation as our reader of counts has it: "3,288 tok/s" is 3288.
double quoted_count(const Json& c) {
  std::string digits;
  for (const char ch : c["quote"].get<std::string>()) {
    if (ch >= '0' && ch <= '9') digits += ch;
    if (!digits.empty() && ch != ',' && (ch < '0' || ch > '9')) break;
  }
  const Result<double> n = parse_count(digits);
  EXPECT_TRUE(n.has_value()) << c["quote"];
  return n.value_or(-1);
}

// ---- the measured box ---------------------------------------------------------------------------

// The cases were computed with every kernel's activations (default fusion): position_of takes those
// bytes. The product's roof is the one of compulsory bytes, which is never lower.
struct OnBox {
  StepTotals totals;
  Position at;
  double bytes_per_s = 0;
};

vectors::Setup box(const std::string& model, int gpus) {
  return vectors::setup(world(), model, "h100-nvl-seed",
                        {{"linear", "fp8_block128b"}, {"gemm_in", "fp8"}, {"tp", gpus}});
}

OnBox on_box(const std::string& model, int gpus, const Group& g) {
  const vectors::Setup s = box(model, gpus);
  const fixture::Step r = fixture::run(s.model, s.system, s.deploy, {g});
  return {r.totals, position_of(r.totals, r.ceilings, r.totals.bytes), r.ceilings.bytes_per_s};
}

double measured(const char* id) {
  for (const Json& c : seed()["cases"]) {
    if (c["id"] == id) return quoted_count(c);
  }
  ADD_FAILURE() << id;
  return 0;
}
double measured_prefill() { return measured("s1.prefill"); }  // tok/s
double measured_decode() { return measured("s1.decode"); }

constexpr double kTokens = 1024, kBatch = 8;  // S = L = 1024 and --max-num-seqs 8

OnBox prefill(const Json& model, const Json& gpus, double sequences = 1) {
  return on_box(model, gpus, {sequences, kTokens, 0, 1});
}
OnBox decode(const Json& model, const Json& gpus) {
  return on_box(model, gpus, {kBatch, 1, kTokens, 1});
}

double prefill_share_of_compute(const Json& in) {
  const OnBox r = prefill(in["model"], in["gpus"]);
  return r.totals.flops * measured_prefill() / kTokens / r.totals.peak_flops_per_s;
}
double prefill_share_of_roof(const Json& in, double sequences) {
  const OnBox r = prefill(in["model"], in["gpus"], sequences);
  return measured_prefill() * r.at.roof_seconds / (sequences * kTokens);
}
double decode_bytes_per_s(const Json& in) {
  return decode(in["model"], in["gpus"]).totals.bytes * measured_decode() / kBatch;
}

double largest_batch(int gpus, double context) {
  const vectors::Setup s = box("qwen3.6-27b", gpus);
  return capacity(s.model, s.deploy, parse_bytes("94GB").value(), 1, context).max_batch;
}

// ---- the cases ----------------------------------------------------------------------------------

using Computation = std::function<double(const Json& c)>;

double in(const Json& c, const char* key) { return c["inputs"][key]; }
double bytes_of(const char* name) { return bits_per_weight(fixture::format(name)) / 8; }
double square_gemm(double tokens) { return gemm_intensity(tokens, 4096, 4096, 2, 2, 2); }

const std::map<std::string, Computation>& computations() {
  static const std::map<std::string, Computation> all{
      {"s1.bw", [](const Json&) { return device("h100-nvl-seed").bytes_per_s / 1e12; }},
      {"s1.peak.bf16",
       [](const Json& c) {
         const double dense = device("h100-nvl").peak_of(Compute::bf16) / 1e12;
         EXPECT_EQ(dense, in(c, "datasheet_sparse") / 2);
         return dense;
       }},
      {"s1.peak.fp8",
       [](const Json& c) {
         const double dense = device("h100-nvl").peak_of(Compute::fp8) / 1e12;
         EXPECT_EQ(dense, in(c, "datasheet_sparse") / 2);
         return dense;
       }},
      {"s1.ridge.bf16", [](const Json&) { return ridge_of("h100-nvl-seed", Compute::bf16); }},
      {"s1.ridge.fp8", [](const Json&) { return ridge_of("h100-nvl-seed", Compute::fp8); }},
      {"s1.bytes.fp8", [](const Json&) { return bytes_of("fp8"); }},
      {"s1.bytes.bf16", [](const Json&) { return bytes_of("bf16"); }},
      {"s1.maxnumseqs",
       [](const Json& c) {
         Workload w;
         w.batch = quoted_count(c);
         EXPECT_EQ(w.batch, kBatch);
         return decode_step(w).sequences;
       }},
      {"s1.fc.b8", [](const Json& c) { return textbook_intensity(in(c, "B"), in(c, "wb")); }},
      {"s1.fc.ridgefrac",
       [](const Json&) {
         return textbook_intensity(kBatch, bytes_of("fp8")) /
                ridge_of("h100-nvl-seed", Compute::fp8);
       }},
      {"s1.fc.ridgebatch.fp8",
       [](const Json& c) {
         return textbook_crossing(ridge_of("h100-nvl-seed", Compute::fp8), in(c, "wb"));
       }},
      {"s1.fc.ridgebatch.bf16",
       [](const Json& c) {
         return textbook_crossing(ridge_of("h100-nvl-seed", Compute::bf16), in(c, "wb"));
       }},
      {"s1.fc.ridgebatch.mixed",
       [](const Json& c) {  // FP8 weights, BF16 arithmetic
         return textbook_crossing(ridge_of("h100-nvl-seed", Compute::bf16), in(c, "wb"));
       }},
      {"s1.prefill", quoted_count},
      {"s1.decode", quoted_count},
      {"s1.gap", [](const Json&) { return measured_prefill() / measured_decode(); }},
      {"s1.gpus", quoted_count},
      {"s1.nearroof", [](const Json& c) { return prefill_share_of_roof(c["inputs"], 1); }},
      {"s1.decode.fraction",
       [](const Json& c) {
         return decode_bytes_per_s(c["inputs"]) / device("h100-nvl-seed").bytes_per_s;
       }},
      {"s1.prefill.35b", [](const Json& c) { return prefill_share_of_compute(c["inputs"]); }},
      {"s1.decode.35b",
       [](const Json& c) {
         return decode(c["inputs"]["model"], c["inputs"]["gpus"]).at.fraction_of_ridge;
       }},
      {"s1.decode.27b.ridge",
       [](const Json& c) {
         return decode(c["inputs"]["model"], c["inputs"]["gpus"]).at.fraction_of_ridge;
       }},
      {"s1.asymptote.27b",
       [](const Json& c) {
         const vectors::Setup s = box(c["inputs"]["model"], 1);
         return intensity_limit(s.model, s.deploy, ceilings(s.system, s.deploy), kTokens,
                                Fusion::ideal);
       }},
      {"s1.memfirst.1gpu.8k", [](const Json&) { return largest_batch(1, 8192); }},
      {"s1.memfirst.1gpu.1k", [](const Json&) { return largest_batch(1, 1024); }},
      {"s1.memfirst.4gpu.8k", [](const Json&) { return largest_batch(4, 8192); }},
      {"s2.bw", [](const Json&) { return device("h100-seed2").bytes_per_s / 1e12; }},
      {"s2.peak", [](const Json&) { return device("h100-seed2").peak_of(Compute::fp16) / 1e12; }},
      {"s2.ridge", [](const Json&) { return ridge_of("h100-seed2", Compute::fp16); }},
      {"s2.b1.intensity", [](const Json&) { return textbook_intensity(1, bytes_of("fp16")); }},
      {"s2.b1.fraction",
       [](const Json&) {
         return textbook_intensity(1, bytes_of("fp16")) / ridge_of("h100-seed2", Compute::fp16);
       }},
      {"s2.prefill.10", [](const Json& c) { return square_gemm(in(c, "T")); }},
      {"s2.prefill.100", [](const Json& c) { return square_gemm(in(c, "T")); }},
      {"s2.prefill.2048", [](const Json& c) { return square_gemm(in(c, "T")); }},
      {"s2.crossbatch",
       [](const Json&) {
         return textbook_crossing(ridge_of("h100-seed2", Compute::fp16), bytes_of("fp16"));
       }},
  };
  return all;
}

// `expect` is the figure to the last digit; abs_tol says how far the document's printed number (or
// the reference beside it) may lie from it, 0 = exactly there.
TEST(Seed, EveryCase) {
  std::size_t cases = 0;
  for (const Json& c : seed()["cases"]) {
    const std::string id = c["id"];
    const auto computation = computations().find(id);
    ASSERT_NE(computation, computations().end()) << id << " is computed by nothing";
    const double got = computation->second(c);
    const double want = c["expect"], tolerance = c["abs_tol"];
    if (tolerance == 0) {
      EXPECT_EQ(got, want) << id;
    } else {
      EXPECT_NEAR(got, want, tolerance) << id;
      EXPECT_TRUE(fixture::near(got, want, 1e-9)) << id << ": " << got << " for " << want;
    }
    for (const char* key : {"printed_in_seed", "reference"}) {
      if (!c[key].is_number()) continue;
      EXPECT_NEAR(got, c[key].get<double>(), tolerance) << id << " " << key;
    }
    ++cases;
  }
  EXPECT_EQ(cases, computations().size()) << "a computation without a case";
}

// ---- the pair 3,288 / 108, read four ways -------------------------------------------------------

TEST(Seed, EveryHypothesisForTheMeasuredPair) {
  int read = 0;
  for (const Json& h : seed()["hypotheses_for_measured_pair"]) {
    ASSERT_EQ(h["prompt"], kTokens);
    ASSERT_EQ(h["context"], kTokens);
    ASSERT_EQ(h["batch"], kBatch);
    const OnBox p = prefill(h["model"], h["gpus"]), d = decode(h["model"], h["gpus"]);
    const double prefill_roof = kTokens / p.at.roof_seconds;
    const double decode_roof = kBatch / d.at.roof_seconds;
    const Json ours{
        {"model", h["model"]},
        {"gpus", h["gpus"]},
        {"prompt", kTokens},
        {"context", kTokens},
        {"batch", kBatch},
        {"prefill_achieved_tflops_per_gpu", p.totals.flops * measured_prefill() / kTokens / 1e12},
        {"prefill_fraction_of_compute_roof", prefill_share_of_compute(h)},
        {"prefill_fraction_of_roof_B1", prefill_share_of_roof(h, 1)},
        {"prefill_fraction_of_roof_B8", prefill_share_of_roof(h, kBatch)},
        {"prefill_intensity", p.at.intensity},
        {"prefill_bound", name_of(p.at.bound)},
        {"prefill_roof_tok_s", prefill_roof},
        {"decode_achieved_GBps_per_gpu", decode_bytes_per_s(h) / 1e9},
        {"decode_fraction_of_bandwidth_roof", decode_bytes_per_s(h) / d.bytes_per_s},
        {"decode_step_ms", kBatch / measured_decode() * 1e3},
        {"decode_intensity", d.at.intensity},
        {"decode_ridge_fraction", d.at.fraction_of_ridge},
        {"decode_roof_tok_s", decode_roof},
        {"if_108_is_per_stream_fraction", kBatch * measured_decode() / decode_roof},
        {"mixed_run_fraction_of_roof",
         mixed_fraction(measured_prefill(), prefill_roof, measured_decode(), decode_roof)},
    };
    EXPECT_EQ(vectors::mismatch(h, ours, 1e-9), "") << h["model"] << " on " << h["gpus"];
    // The product's own roofs, of compulsory bytes: at least as fast, equal where compute limits.
    EXPECT_LE(d.totals.roof_seconds, d.at.roof_seconds);
    EXPECT_LE(p.totals.roof_seconds, p.at.roof_seconds);
    if (p.at.bound == Bound::compute) {
      EXPECT_EQ(p.totals.roof_seconds, p.at.roof_seconds);
    }
    ++read;
  }
  EXPECT_EQ(read, 4);
}

// ---- the exact thing beside what the documents round (`product_says`, arithmetic.md section 16)
// --

TEST(Seed, WhatTheProductSaysBesideIt) {
  // s1.fc.b8: 15.94 for 5120 x 17408 FP8 weights with bf16 activations.
  EXPECT_NEAR(gemm_intensity(8, 17408, 5120, 1, 2, 2), 15.94, 0.005);
  // s1.fc.ridgefrac: 3.74 % of the FP8 ridge, 7.47 % (of 214.36: 7.46) of the BF16 ridge.
  EXPECT_NEAR(16 / ridge_of("h100-nvl-seed", Compute::bf16), 0.0747, 0.0002);
  // s2.b1.intensity: exact GEMV 4096 x 4096 in fp16 0.9995; FP8 weights 2; int4 g128 3.85.
  EXPECT_NEAR(square_gemm(1), 0.9995, 0.00005);
  EXPECT_EQ(textbook_intensity(1, bytes_of("fp8")), 2);
  EXPECT_NEAR(textbook_intensity(1, bytes_of("awq4_g128")), 3.85, 0.005);
  // s2.prefill: 512 tokens 409.6. s2.ridge: 295.3 with the datasheet's 3.35 TB/s.
  EXPECT_NEAR(square_gemm(512), 409.6, 0.05);
  EXPECT_NEAR(ridge_of("h100-sxm", Compute::bf16), 295.3, 0.05);
  // s2.crossbatch: 368 tokens for 4096 x 14336; the whole step of Llama-3.1-8B never crosses above
  // about 265 tokens of context, at any batch.
  const auto exact = gemm_crossing(ridge_of("h100-seed2", Compute::fp16), 14336, 4096, 2, 2, 2);
  ASSERT_TRUE(exact.has_value());
  EXPECT_NEAR(*exact, 368, 0.5);
  const vectors::Setup s = vectors::setup(world(), "llama-3.1-8b", "h100-seed2", {});
  const auto never = never_above_context(s.model, s.deploy, ceilings(s.system, s.deploy));
  ASSERT_TRUE(never.has_value());
  EXPECT_NEAR(*never, 265, 1);
}

// The documents' figures typed as they print them mean the same machines.
TEST(Seed, QuotedFiguresAreReadAsTheyStand) {
  EXPECT_EQ(parse_bytes_per_s("3.9 TB/s").value(), device("h100-nvl-seed").bytes_per_s);
  EXPECT_EQ(parse_flops_per_s("836 TFLOPS").value(),
            device("h100-nvl-seed").peak_of(Compute::bf16));
  EXPECT_EQ(parse_flops_per_s("1670 TFLOPS").value(),
            device("h100-nvl-seed").peak_of(Compute::fp8));
  EXPECT_EQ(parse_bytes_per_s("3 TB/s").value(), device("h100-seed2").bytes_per_s);
  EXPECT_EQ(parse_flops_per_s("989 TFLOPs").value(), device("h100-seed2").peak_of(Compute::fp16));
  EXPECT_EQ(parse_bytes("94GB").value(), device("h100-nvl-seed").capacity_bytes);
}

}  // namespace
}  // namespace rooflens
