// What engines cache of latent and windowed attention. Expected bytes are those of their logs, or
// worked out beside the test.
#include <gtest/gtest.h>

#include "rooflens/core/capacity.h"
#include "rooflens/core/kv_pool.h"
#include "rooflens/readers/builtin_models.h"

namespace rooflens {
namespace {

constexpr double kMiB = 1024 * 1024;

Model model(const char* name) {
  auto m = builtin_model(name);
  EXPECT_TRUE(m) << (m ? "" : m.error().message);
  return m ? std::move(*m) : Model{};
}

double cache_of(const Model& m, const Deployment& d, double tokens) {
  return kv_bytes_of_sequence(m, d, tokens, 1);
}

TEST(CacheOptions, LatentAttentionIsCachedAsTheEngineDoes) {
  const Model m = model("deepseek-ai/DeepSeek-R1");
  Deployment d;
  d.key_cache = d.value_cache = plain(Element::fp16);
  // ik_llama.cpp, 2048 cells: 137.25 MiB with latents, 9760.00 MiB without.
  EXPECT_EQ(cache_of(m, d, 2048), 137.25 * kMiB);
  d.latent_cache = LatentCache::expanded;
  EXPECT_EQ(cache_of(m, d, 2048), 9760.0 * kMiB);
  // The latent is on every rank of a tensor group unless it is divided.
  d.tensor = 8;
  EXPECT_EQ(cache_of(m, d, 2048), 9760.0 / 8 * kMiB);
  d.latent_cache = LatentCache::replicated;
  EXPECT_EQ(cache_of(m, d, 2048), 137.25 * kMiB);
  d.latent_cache = LatentCache::sharded;
  EXPECT_EQ(cache_of(m, d, 2048), 137.25 / 8 * kMiB);
}

TEST(CacheOptions, WindowedLayersHoldWhatTheRuntimeAllocates) {
  const Model m = model("google/gemma-3-27b-it");
  Deployment d;
  d.key_cache = d.value_cache = plain(Element::fp16);
  // A layer and token: 2 x 16 heads x 128 x 2 bytes = 8 KiB. 62 layers, every 6th full: 10 full and
  // 52 of window 1024.
  const double cell = 8192;
  EXPECT_EQ(cache_of(m, d, 131072), cell * (10 * 131072.0 + 52 * 1024.0));
  d.window_cells = WindowCells::padded;  // 1024 + 512 is a multiple of 256 already
  EXPECT_EQ(cache_of(m, d, 131072), cell * (10 * 131072.0 + 52 * 1536.0));
  d.window_cells = WindowCells::full;  // ik_llama.cpp's log: 63488.00 MiB
  EXPECT_EQ(cache_of(m, d, 131072), 63488.0 * kMiB);
}

// vLLM's log of this model (TP 2, fp8 cache): attention block 1568 tokens; a page of it holds the
// state of one layer, 1,603,584 bytes, in 1568 x 1024 bytes.
TEST(CacheOptions, PagesOfAHybridHoldAState) {
  const Model m = model("Qwen/Qwen3.6-27B");
  Deployment d;
  d.tensor = 2;
  d.key_cache = d.value_cache = plain(Element::fp8);
  d.hybrid_pages = true;
  EXPECT_EQ(hybrid_page(m, d), 1568);
  const double page = 1568 * 1024;
  // 262,144 tokens are ceil(262144 / 1568) = 168 blocks in 16 layers; 48 layers keep a state.
  EXPECT_EQ(sequence_bytes(m, d, 262144), page * (168 * 16 + 48));
  d.hybrid_pages = false;
  EXPECT_EQ(sequence_bytes(m, d, 262144), 262144.0 * 1024 * 16 + 1603584.0 * 48);
}

}  // namespace
}  // namespace rooflens
