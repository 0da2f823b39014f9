// Closed forms against enumeration: attention's pairs and spans, distinct experts, GEMM intensity.
// arithmetic.md sections 3, 4.1, 5, 10 and 18.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/closed_formulas.h"
#include "rooflens/core/experts.h"
#include "rooflens/core/lowering.h"

namespace rooflens {
namespace {

// ---- pairs and span -----------------------------------------------------------------------------

// Every (query, key) pair looked at one by one. `sees(j, i)`: the query at j attends to the key i.
Reach enumerated(int t, int p, const std::function<bool(int, int)>& sees) {
  Reach r;
  std::vector<bool> read(static_cast<std::size_t>(p + t));
  for (int j = p; j < p + t; ++j) {
    for (int i = 0; i <= j; ++i) {
      if (!sees(j, i)) continue;
      ++r.pairs;
      read[static_cast<std::size_t>(i)] = true;
    }
  }
  r.span = static_cast<double>(std::count(read.begin(), read.end(), true));
  return r;
}

void expect_same(const Reach& got, const Reach& want, const char* what, int t, int p, int size,
                 int sinks = 0) {
  EXPECT_TRUE(got.pairs == want.pairs && got.span == want.span)
      << what << " t=" << t << " p=" << p << " size=" << size << " sinks=" << sinks << ": pairs "
      << got.pairs << " for " << want.pairs << ", span " << got.span << " for " << want.span;
}

TEST(Reach, FullAttentionSeesEverythingBefore) {
  for (int t = 1; t <= 20; ++t) {
    for (int p = 0; p <= 25; ++p) {
      expect_same(reach_full(t, p), enumerated(t, p, [](int, int) { return true; }), "full", t, p,
                  0);
    }
  }
}

// The token itself and W-1 before it, and the first s tokens of the sequence.
TEST(Reach, WindowWithAndWithoutSinkTokens) {
  for (int t = 1; t <= 14; ++t) {
    for (int p = 0; p <= 18; ++p) {
      for (int w = 1; w <= 9; ++w) {
        for (int s = 0; s <= 3; ++s) {
          expect_same(reach_window(t, p, w, s),
                      enumerated(t, p, [=](int j, int i) { return i > j - w || i < s; }), "window",
                      t, p, w, s);
        }
      }
    }
  }
}

TEST(Reach, ChunkedAttentionStaysInItsChunk) {
  for (int t = 1; t <= 20; ++t) {
    for (int p = 0; p <= 20; ++p) {
      for (int c = 1; c <= 9; ++c) {
        expect_same(reach_chunk(t, p, c),
                    enumerated(t, p, [=](int j, int i) { return i / c == j / c; }), "chunk", t, p,
                    c);
      }
    }
  }
}

// Each query gathers its own min(k, visible) keys; nothing read is shared.
TEST(Reach, TopKGathersForEachQuery) {
  for (int t = 1; t <= 20; ++t) {
    for (int p = 0; p <= 20; ++p) {
      for (int k = 1; k <= 12; ++k) {
        Reach want;
        for (int j = p; j < p + t; ++j) want.pairs += std::min(j + 1, k);
        want.span = want.pairs;
        expect_same(reach_top_k(t, p, k), want, "top-k", t, p, k);
      }
    }
  }
}

TEST(Reach, LargeCountsStayWhole) {
  const double n = 16777216;  // 2^24 new tokens on 2^24 cached: n*n + n(n+1)/2
  EXPECT_EQ(reach_full(n, n).pairs, 281474976710656.0 + 140737496743936.0);
}

// ---- experts ------------------------------------------------------------------------------------

TEST(Experts, BetweenOneTokensChoiceAndAllOfThem) {
  struct Case {
    double experts, active;
  };
  for (const auto [e, k] : {Case{8, 2}, Case{128, 8}, Case{256, 8}, Case{16, 1}, Case{32, 32}}) {
    for (const double skew : {0.0, 0.5, 1.0, 2.0}) {
      EXPECT_NEAR(distinct_experts(e, k, 1, skew), k, 1e-9 * k) << "one token picks its k";
      double before = 0;
      for (double t = 1; t <= 4096; t *= 2) {
        const double d = distinct_experts(e, k, t, skew);
        EXPECT_GE(d, before) << "more tokens touch no fewer experts";
        EXPECT_GE(d, k * (1 - 1e-12));
        EXPECT_LE(d, std::min(e, k * t) * (1 + 1e-12));
        if (t > 1 && k < e) {
          EXPECT_LE(d, distinct_experts(e, k, t, 0) * (1 + 1e-12)) << "skew touches fewer";
        }
        before = d;
      }
    }
  }
  EXPECT_LT(distinct_experts(256, 8, 64, 1), 0.9 * distinct_experts(256, 8, 64, 0));
}

// Tokens really drawn: k different experts each, uniformly (partial Fisher-Yates, fixed seed).
TEST(Experts, UniformChoiceAgreesWithDrawing) {
  struct Case {
    unsigned experts, active, tokens;
  };
  std::mt19937_64 random(20240229);
  for (const auto [e, k, t] : {Case{8, 2, 3}, Case{64, 6, 8}, Case{256, 8, 8}, Case{128, 4, 64}}) {
    constexpr int kTrials = 4000;
    double sum = 0, squares = 0;
    std::vector<unsigned> deck(e);
    for (unsigned i = 0; i < e; ++i) deck[i] = i;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<bool> touched(e);
      for (unsigned token = 0; token < t; ++token) {
        for (unsigned i = 0; i < k; ++i) {
          std::swap(deck[i], deck[i + random() % (e - i)]);
          touched[deck[i]] = true;
        }
      }
      const auto n = static_cast<double>(std::count(touched.begin(), touched.end(), true));
      sum += n;
      squares += n * n;
    }
    const double mean = sum / kTrials;
    const double error = std::sqrt((squares / kTrials - mean * mean) / kTrials);
    EXPECT_NEAR(distinct_experts(e, k, t, 0), mean, 4 * error) << e << " " << k << " " << t;
  }
}

TEST(Experts, SkewByHand) {
  // Four experts, two active, p ~ 1/rank: 1, 1/2, 1/3, 1/4 of 25/12 times 2 = .96 .48 .32 .24.
  // Two tokens: 4 - (.04^2 + .52^2 + .68^2 + .76^2) = 4 - 1.312.
  EXPECT_NEAR(distinct_experts(4, 2, 2, 1), 2.688, 1e-12);
  // Three experts: 12/11 is capped at 1, the rest share 1 as .6 and .4: 1 + (1-.16) + (1-.36).
  EXPECT_NEAR(distinct_experts(3, 2, 2, 1), 2.48, 1e-12);
}

// arithmetic.md section 5: 256 experts, 8 active, 8 tokens touch 57.4; 1.115 tokens each, so FP8
// experts work at 2.23 FLOP/byte and not at 16.
TEST(Experts, TheSpecsExample) {
  const double d = distinct_experts(256, 8, 8, 0);
  EXPECT_NEAR(d, 57.4, 0.05);
  EXPECT_NEAR(textbook_intensity(8 * 8 / d, 1), 2.23, 0.005);
}

// Every set of k experts looked at: on how many ranks do they lie?
TEST(Experts, RanksThatHoldATokensExperts) {
  for (int e = 2; e <= 9; ++e) {
    for (int ranks = 1; ranks <= e; ++ranks) {
      const int fewer = e / ranks, with_more = e % ranks;
      const auto rank_of = [&](int expert) {
        const int in_large = with_more * (fewer + 1);
        return expert < in_large ? expert / (fewer + 1) : with_more + (expert - in_large) / fewer;
      };
      for (int k = 1; k <= e; ++k) {
        double sets = 0, held = 0;
        for (unsigned set = 0; set < 1U << e; ++set) {
          unsigned chosen = 0, on = 0;
          for (int i = 0; i < e; ++i) {
            if ((set >> i & 1U) == 0) continue;
            ++chosen;
            on |= 1U << rank_of(i);
          }
          if (chosen != static_cast<unsigned>(k)) continue;
          ++sets;
          for (; on != 0; on &= on - 1) ++held;
        }
        EXPECT_NEAR(expert_holders(e, k, ranks), held / sets, 1e-12)
            << e << " " << k << " " << ranks;
      }
    }
  }
}

// ---- GEMM ---------------------------------------------------------------------------------------

TEST(Gemm, IntensityGrowsToItsLimit) {
  const double n = 14336, k = 4096;
  const double limit = 2 / (2 / n + 2 / k);
  double before = 0;
  for (double t = 1; t <= 1e7; t *= 1.7) {
    const double i = gemm_intensity(t, n, k, 2, 2, 2);
    EXPECT_GT(i, before);
    EXPECT_LT(i, limit);
    EXPECT_LT(i, textbook_intensity(t, 2));
    before = i;
  }
  EXPECT_NEAR(gemm_intensity(1e15, n, k, 2, 2, 2), limit, 1e-6 * limit);
}

// arithmetic.md section 3: tokens at which a GEMM crosses, exact beside the textbook's.
TEST(Gemm, CrossingsOfTheSpec) {
  struct Case {
    double ridge, n, k, weight, in, out, exact, textbook;
  };
  for (const Case& c :
       {Case{329.7, 14336, 4096, 2, 2, 2, 368, 330}, Case{428, 17408, 5120, 1, 1, 2, 237, 214},
        Case{1978.9 / 3.35, 512, 2048, 1, 1, 2, 2193, 295}}) {
    const auto tokens = gemm_crossing(c.ridge, c.n, c.k, c.weight, c.in, c.out);
    ASSERT_TRUE(tokens.has_value());
    EXPECT_NEAR(*tokens, c.exact, 1);
    EXPECT_NEAR(textbook_crossing(c.ridge, c.weight), c.textbook, 0.5);
    EXPECT_NEAR(gemm_intensity(*tokens, c.n, c.k, c.weight, c.in, c.out), c.ridge, 1e-9 * c.ridge);
  }
  EXPECT_EQ(gemm_crossing(1978.9 / 3.35, 512, 1024, 1, 2, 2), std::nullopt) << "never";
}

// Section 4.4: with a long past absorbing wins below 170.7 new tokens. Section 8: the closed form.
TEST(Formulas, PublishedThresholds) {
  EXPECT_NEAR(latent_crossover(512, 128, 128), 170.7, 0.05);
  EXPECT_NEAR(attention_intensity(128, 1, 576, 512, 576, 2), 241.8, 0.05);
  EXPECT_EQ(attention_intensity(32, 8, 128, 128, 256, 2), 4);  // 2 G / b: G 4, b 2
  EXPECT_NEAR(moe_crossing(256, 8, 428.2, 1), 6851, 1);
}

TEST(Formulas, ExpectedTokensIsTheGeometricSum) {
  for (const double a : {0.0, 0.3, 0.8, 1.0}) {
    double sum = 0;
    for (int drafts = 0; drafts <= 6; ++drafts) {
      sum += std::pow(a, drafts);
      EXPECT_NEAR(expected_tokens(a, drafts), sum, 1e-12) << a << " " << drafts;
    }
  }
}

}  // namespace
}  // namespace rooflens
