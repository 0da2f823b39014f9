// Causes of differences between a start-up log and the arithmetic, on models small enough to count
// by hand.
#include "rooflens/check/startup.h"

#include <gtest/gtest.h>

#include <limits>

#include "rooflens/core/kv_pool.h"
#include "rooflens/core/parameters.h"

namespace rooflens {
namespace {

Printed whole(const char* name, double value) {
  Printed p;
  p.name = name;
  p.value = value;
  p.text = std::to_string(static_cast<long long>(value));
  return p;
}

Model three_layers(Mixer mixer) {
  Model m;
  m.hidden = 64;
  m.vocabulary = 100;
  Layer layer;
  layer.mixer = std::move(mixer);
  layer.ffn = Dense{.width = 16};
  layer.count = 3;
  m.layers = {layer};
  m.order = {0, 0, 0};
  return m;
}

// kv_b of a layer: 8 x 2 x (4 + 4) = 128.
Model latent() {
  return three_layers(
      LatentAttention{.heads = 2, .kv_rank = 8, .nope_dim = 4, .rope_dim = 4, .value_dim = 4});
}

// One full layer, two that look back 8 tokens; 16 bytes a token and layer in fp16.
Model windowed() {
  Model m = three_layers(Attention{.query_heads = 2, .kv_heads = 1, .key_dim = 4, .value_dim = 4});
  m.layers.push_back(m.layers[0]);
  m.layers[0].count = 1;
  m.layers[1].count = 2;
  std::get<Attention>(m.layers[1].mixer).window = 8;
  m.order = {0, 1, 1};
  return m;
}

StartupRow first(const Startup& log, const Model& m) {
  const auto rows = check_startup(log, &m);
  return rows.empty() ? StartupRow() : rows[0];
}

StartupRow parameters(const Model& m, double printed, double prediction_layers = 0) {
  Startup log;
  log.engine = Engine::llama_cpp;
  log.prediction_layers = prediction_layers;
  log.fields = {whole("params", printed)};
  return first(log, m);
}

StartupRow cache(const Model& m, StartupCache c, double bytes, double context = 10) {
  Startup log;
  log.engine = Engine::llama_cpp;
  log.fields = {whole("n_ctx", context), whole("n_ubatch", 512)};
  c.size = whole("size", bytes);
  log.caches = {c};
  return first(log, m);
}

TEST(StartupCheck, parameters_and_what_may_be_more) {
  const Model m = latent();
  const double p = count_parameters(m).total;
  EXPECT_EQ(parameters(m, p).verdict, Agreement::agrees);
  const StartupRow split = parameters(m, p + 384);
  EXPECT_EQ(split.verdict, Agreement::differs);
  EXPECT_NE(split.cause.find("kv_b is stored a second time as k_b and v_b: 384"),
            std::string::npos);
  const StartupRow tied = parameters(m, p - 6400);  // 100 x 64
  EXPECT_EQ(tied.verdict, Agreement::agrees);
  EXPECT_NE(tied.cause.find("the head is the embedding table"), std::string::npos);
  EXPECT_EQ(tied.predicted, p - 6400);
  Model longer = m;
  longer.layers[0].count = 4;
  const double block = count_parameters(longer).total - p + 2 * 64 * 64 + 3 * 64;
  EXPECT_NE(parameters(m, p + block, 1).cause.find("1 prediction block is counted"),
            std::string::npos);
  EXPECT_NE(parameters(m, p + block + 6400, 1).cause.find("prediction block"), std::string::npos);
  EXPECT_EQ(parameters(m, p + block).cause, "");  // the log tells of none
  EXPECT_EQ(parameters(m, p + 1).verdict, Agreement::differs);
  EXPECT_TRUE(unexplained({parameters(m, p + 1)}));
  EXPECT_FALSE(unexplained({split}));
}

TEST(StartupCheck, latent_caches_as_the_log_names_them) {
  const Model m = latent();
  StartupCache c;
  EXPECT_EQ(cache(m, c, 1440).verdict, Agreement::agrees);  // 3 x 10 x (16 + 8) x 2
  EXPECT_NE(cache(m, c, 1440).cause.find("alone would take 720"), std::string::npos);
  EXPECT_EQ(cache(m, c, 720).verdict, Agreement::agrees);   // 3 x 10 x 12 x 2
  EXPECT_EQ(cache(m, c, 1200).verdict, Agreement::agrees);  // and 8 more
  c.latent = true;
  EXPECT_EQ(cache(m, c, 720).verdict, Agreement::agrees);
  EXPECT_EQ(cache(m, c, 1440).verdict, Agreement::differs);
  c.transposed = true;
  EXPECT_EQ(cache(m, c, 1200).verdict, Agreement::agrees);
  EXPECT_EQ(cache(m, c, 720).verdict, Agreement::differs);
}

TEST(StartupCheck, windows_used_or_not) {
  const Model m = windowed();
  const StartupRow used = cache(m, {}, 1000 * 16 + 2 * 768 * 16, 1000);
  EXPECT_EQ(used.verdict, Agreement::agrees);
  const StartupRow unused = cache(m, {}, 3 * 1000 * 16, 1000);
  EXPECT_EQ(unused.verdict, Agreement::differs);
  EXPECT_NE(unused.cause.find("makes no use of the window: all 3 layers"), std::string::npos);
  StartupCache window;
  window.kind = CacheKind::window;
  window.cells = 520;
  window.layers = 2;
  EXPECT_EQ(cache(m, window, 2 * 768 * 16, 1000).verdict, Agreement::agrees);
  const StartupRow other = cache(m, window, 2 * 520 * 16, 1000);
  EXPECT_EQ(other.verdict, Agreement::differs);
  EXPECT_EQ(other.cause, "the cache has 520 cells, not 768");
}

TEST(StartupCheck, what_cannot_be_said) {
  Startup log;
  log.engine = Engine::llama_cpp;
  log.fields = {whole("params", 5), whole("size", 5)};
  StartupCache c;
  c.size = whole("size", 5);
  log.caches = {c};
  for (const StartupRow& r : check_startup(log, nullptr)) {
    EXPECT_EQ(r.verdict, Agreement::unknown) << r.what;
    EXPECT_FALSE(r.cause.empty());
  }
  const Model m = latent();
  EXPECT_EQ(check_startup(log, &m).back().cause, "n_ctx is not in the log");
}

TEST(StartupCheck, printed_figures) {
  Printed p = whole("size", 17.28 * 1073741824);
  p.scale = 1073741824;
  p.decimals = 2;
  p.unit = "GiB";
  p.text = "17.28 GiB";
  EXPECT_EQ(written_like(p, 17.284 * 1073741824), "17.28 GiB");
  EXPECT_EQ(written_like(p, 5.625 * 1073741824), "5.62 GiB");  // as printf rounds
  EXPECT_EQ(written_like(p, 0), "0.00 GiB");
  EXPECT_EQ(written_like(Printed{}, 1234567), "1,234,567");
  EXPECT_EQ(written_like(p, std::numeric_limits<double>::quiet_NaN()), "unknown");
  EXPECT_TRUE(p.rounds_to(17.2849 * 1073741824));
  EXPECT_FALSE(p.rounds_to(17.2851 * 1073741824));
}

TEST(StartupCheck, pools) {
  EXPECT_EQ(pool_tokens(1000, 10, 16), 96);
  EXPECT_EQ(pool_tokens(1000, 0, 16), 0);
  EXPECT_EQ(window_cells(65536, 128, 4, 512, 256), 1024);
  EXPECT_EQ(window_cells(600, 128, 4, 512, 256), 768);
  EXPECT_EQ(hybrid_block({1603584, 1024}, 16), 1568);
}

}  // namespace
}  // namespace rooflens
