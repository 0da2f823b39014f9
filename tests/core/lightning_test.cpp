// Lightning attention and cross attention in a step: numbers worked out by hand (docs/model.md
// sections 4 and 6).
#include <gtest/gtest.h>

#include "core/fixture.h"
#include "rooflens/core/parameters.h"

namespace rooflens {
namespace {

// Hidden 64, 4 heads of 32: 128 wide.
Model one_layer(Mixer mixer) {
  Model m;
  m.hidden = 64;
  m.vocabulary = 1000;
  Layer layer;
  layer.mixer = mixer;
  m.layers = {layer};
  m.order = {0};
  return m;
}

fixture::Step step(const Model& m, const Group& g) {
  return fixture::run(m, fixture::machine("h100-sxm"), Deployment{}, {g});
}

TEST(Lightning, ADecodedTokenReadsAndWritesTheState) {
  const Model m = one_layer(LightningAttention{4, 32});
  const fixture::Step s = step(m, {1, 1, 100, 1});
  const Operator* op = s.find("lightning");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->state_bytes, 2 * (4 * 32 * 32) * 4);
  EXPECT_EQ(op->flops, 0);
  EXPECT_EQ(op->vector_flops, 4 * (4 * 32 * 32) + 21 * 128);
  EXPECT_EQ(op->read_bytes, (3 + 1) * 128 * 2);
  EXPECT_EQ(op->write_bytes, 128 * 2);
  EXPECT_EQ(op->kv_read_bytes + op->kv_write_bytes, 0);
  EXPECT_EQ(s.find("qkv_proj")->weight_bytes, 64 * 384 * 2);
  EXPECT_EQ(s.find("gate_proj")->weight_bytes, 64 * 128 * 2);
  EXPECT_EQ(s.find("out_proj")->weight_bytes, 128 * 64 * 2);
}

// A prompt goes in blocks of 256: 4 d of the state and 4 x 256 of the block a value.
TEST(Lightning, APromptIsMatrixWork) {
  const fixture::Step s = step(one_layer(LightningAttention{4, 32}), {1, 8, 0, 1});
  const Operator* op = s.find("lightning");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->flops, 8 * 128 * (4 * 32 + 4 * 256));
  EXPECT_EQ(op->vector_flops, 8 * 21 * 128);
  EXPECT_EQ(op->state_bytes, 4 * 32 * 32 * 4);  // written only
}

TEST(Lightning, TensorRanksShareTheHeads) {
  const Model m = one_layer(LightningAttention{4, 32});
  Deployment d;
  EXPECT_EQ(state_bytes_per_sequence(m, d), 4 * 32 * 32 * 4);
  d.tensor = 2;
  EXPECT_EQ(state_bytes_per_sequence(m, d), 2 * 32 * 32 * 4);
}

// 4 query and 2 key/value heads of 16: no step of text reads the key and value matrices.
TEST(CrossAttention, ReadsQueryAndOutputMatricesAlone) {
  Attention a;
  a.query_heads = 4;
  a.kv_heads = 2;
  a.key_dim = a.value_dim = 16;
  a.qk_norm = QkNorm::head;
  a.cross = true;
  const Model m = one_layer(a);
  const fixture::Step s = step(m, {1, 1, 100, 1});
  EXPECT_EQ(s.find("q_proj")->weight_bytes, 64 * 64 * 2);
  EXPECT_EQ(s.find("o_proj")->weight_bytes, 64 * 64 * 2);
  EXPECT_EQ(s.find("cross_attn")->weight_bytes, (2 * 16 + 2) * 2);
  EXPECT_EQ(s.totals.kv_read_bytes + s.totals.kv_write_bytes, 0);
  EXPECT_EQ(kv_bytes_per_token(m, Deployment{}), 0);
  // queries, keys, values, output; two norms of a head, two gates; the norm; embedding, head, norm
  EXPECT_EQ(count_parameters(m).total,
            64 * (64 + 2 * 32) + 64 * 64 + 2 * 16 + 2 + 64 + 2 * 1000 * 64 + 64);
}

}  // namespace
}  // namespace rooflens
