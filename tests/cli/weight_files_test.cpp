// Weight files as a user has them: on the disk, split, beside a config, in the stores of other
// programs, and far larger than memory.
#include "cli/weight_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/command.h"
#include "corpus.h"
#include "readers/gguf_writer.h"
#include "readers/safetensors_writer.h"

namespace rooflens::cli {
namespace {

using test::GgufWriter;
using test::SafetensorsWriter;

constexpr std::uint32_t kF32 = 0;

void keys(GgufWriter& w) {
  w.text("general.architecture", "llama");
  w.text("general.name", "Tiny");
  for (auto [key, value] : {std::pair{"block_count", 2U},
                            {"context_length", 64U},
                            {"embedding_length", 32U},
                            {"feed_forward_length", 64U},
                            {"attention.head_count", 2U},
                            {"attention.head_count_kv", 1U}}) {
    w.u32("llama." + std::string(key), value);
  }
}

void tensor(GgufWriter& w, const std::string& name, const std::vector<std::uint64_t>& ne) {
  std::uint64_t n = 1;
  for (std::uint64_t d : ne) n *= d;
  w.tensor(name, ne, kF32, 4 * n);
}

// A block: 2 norms of 32; q and o 32 x 32, k and v 32 x 16; gate, up and down 32 x 64.
constexpr double kBlock = 2 * 32 + 2 * 32 * 32 + 2 * 32 * 16 + 3 * 32 * 64;
void block(GgufWriter& w, int l) {
  const std::string at = "blk." + std::to_string(l) + ".";
  tensor(w, at + "attn_norm.weight", {32});
  tensor(w, at + "ffn_norm.weight", {32});
  tensor(w, at + "attn_q.weight", {32, 32});
  tensor(w, at + "attn_k.weight", {32, 16});
  tensor(w, at + "attn_v.weight", {32, 16});
  tensor(w, at + "attn_output.weight", {32, 32});
  tensor(w, at + "ffn_gate.weight", {32, 64});
  tensor(w, at + "ffn_up.weight", {32, 64});
  tensor(w, at + "ffn_down.weight", {64, 32});
}

void ends(GgufWriter& w) {
  tensor(w, "token_embd.weight", {32, 100});
  tensor(w, "output_norm.weight", {32});
}

GgufWriter tiny() {
  GgufWriter w;
  keys(w);
  ends(w);
  block(w, 0);
  block(w, 1);
  return w;
}
constexpr double kTiny = 2 * kBlock + 100 * 32 + 32;

double parameters(const std::string& what, const World& world = {}) {
  const Outcome o = command("model " + what + " --json", world);
  EXPECT_EQ(o.code, 0) << o.err;
  return number_at(o.out, "/results/parameters");
}

TEST(CliWeightFiles, a_gguf_file_is_a_model) {
  const Folder f;
  const std::string path = f.file("tiny.gguf", tiny().file());
  EXPECT_EQ(parameters(path), kTiny);
  EXPECT_EQ(parameters(f.path("")), kTiny) << "the only one of its folder";
  const Outcome o = command("model " + path + " --json");
  EXPECT_EQ(text_at(o.out, "/results/tensors_read_from"), "GGUF");
  EXPECT_EQ(number_at(o.out, "/results/weight_bytes"), 4 * kTiny);
  EXPECT_EQ(command(path + " --on h100-sxm").code, 0);
}

TEST(CliWeightFiles, a_folder_of_several_is_asked_about) {
  const Folder f;
  f.file("a.gguf", tiny().file());
  f.file("b.gguf", tiny().file());
  f.file("mmproj-a.gguf", "GGUF");
  const Outcome o = command("model " + f.path(""));
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("holds 2 GGUF models"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("a.gguf, b.gguf"), std::string::npos) << o.err;
}

TEST(CliWeightFiles, a_split_model_is_read_from_any_of_its_parts) {
  const Folder f;
  GgufWriter first, second;
  keys(first);
  for (GgufWriter* w : {&first, &second}) {
    w->scalar("split.no", 2, w == &first ? 0 : 1, 2);
    w->scalar("split.count", 2, 2, 2);
    w->i32("split.tensors.count", 20);
  }
  ends(first);
  block(first, 0);
  block(second, 1);
  const std::string one = f.file("m-00001-of-00002.gguf", first.file());
  const Outcome alone = command("model " + one);
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("m-00002-of-00002.gguf"), std::string::npos) << alone.err;
  const std::string two = f.file("m-00002-of-00002.gguf", second.file());
  EXPECT_EQ(parameters(one), kTiny);
  EXPECT_EQ(parameters(two), kTiny);
  EXPECT_EQ(parameters(f.path("")), kTiny);
}

constexpr const char* kConfig =
    R"({"model_type":"llama","hidden_size":32,"num_hidden_layers":2,"num_attention_heads":2,
        "num_key_value_heads":1,"intermediate_size":64,"vocab_size":100,"torch_dtype":"bfloat16",
        "tie_word_embeddings":false,"max_position_embeddings":64})";

SafetensorsWriter part(int l, const char* dtype = "BF16", int bits = 16) {
  SafetensorsWriter w;
  const std::string at = "model.layers." + std::to_string(l) + ".";
  w.tensor(at + "input_layernorm.weight", dtype, {32}, bits);
  w.tensor(at + "post_attention_layernorm.weight", dtype, {32}, bits);
  w.tensor(at + "self_attn.q_proj.weight", dtype, {32, 32}, bits);
  w.tensor(at + "self_attn.k_proj.weight", dtype, {16, 32}, bits);
  w.tensor(at + "self_attn.v_proj.weight", dtype, {16, 32}, bits);
  w.tensor(at + "self_attn.o_proj.weight", dtype, {32, 32}, bits);
  w.tensor(at + "mlp.gate_proj.weight", dtype, {64, 32}, bits);
  w.tensor(at + "mlp.up_proj.weight", dtype, {64, 32}, bits);
  w.tensor(at + "mlp.down_proj.weight", dtype, {32, 64}, bits);
  return w;
}

// A folder of a config and two shards; the head is not stored.
struct Shards {
  Folder f;
  Shards() {
    f.file("config.json", kConfig);
    SafetensorsWriter first = part(0);
    first.tensor("model.embed_tokens.weight", "BF16", {100, 32}, 16);
    first.tensor("model.norm.weight", "BF16", {32}, 16);
    f.file("model-00001-of-00002.safetensors", first.file());
    f.file("model-00002-of-00002.safetensors", part(1).file());
  }
};

TEST(CliWeightFiles, shards_without_an_index_are_read_together) {
  const Shards s;
  for (const char* what : {"", "config.json", "model-00001-of-00002.safetensors"}) {
    const Outcome o = command("model " + s.f.path(what) + " --json");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(number_at(o.out, "/results/parameters"), kTiny) << what;
    EXPECT_EQ(number_at(o.out, "/results/weight_bytes"), 2 * kTiny) << what;
    EXPECT_EQ(text_at(o.out, "/results/tensors_read_from"), "safetensors");
    EXPECT_NE(o.err.find("no head of their own"), std::string::npos) << o.err;
  }
}

TEST(CliWeightFiles, a_second_copy_counts_once) {
  const Shards s;
  s.f.file("model-copy.safetensors", part(1).file());
  s.f.file("consolidated.safetensors", part(1).file());
  const Outcome o = command("model " + s.f.path("") + " --json");
  EXPECT_EQ(number_at(o.out, "/results/weight_bytes"), 2 * kTiny);
  EXPECT_NE(o.err.find("model-copy.safetensors holds the same tensors"), std::string::npos)
      << o.err;
}

TEST(CliWeightFiles, the_index_says_which_files_count) {
  const Shards s;
  s.f.file("model.safetensors.index.json",
           R"({"metadata":{"total_size":123},"weight_map":{"a":"model-00001-of-00002.safetensors",
               "b":"model-00002-of-00002.safetensors","c":"model-00003.safetensors"}})");
  const Outcome missing = command("model " + s.f.path("") + " --json");
  EXPECT_EQ(missing.code, 0);
  EXPECT_NE(missing.err.find("1 of 3 weight files are not here"), std::string::npos) << missing.err;
  EXPECT_EQ(text_at(missing.out, "/results/tensors_read_from"), "config");
  s.f.file("model.safetensors.index.json",
           R"({"metadata":{"total_size":123},"weight_map":{"a":"model-00001-of-00002.safetensors",
               "b":"model-00002-of-00002.safetensors"}})");
  const Outcome all = command("model " + s.f.path("") + " --json");
  EXPECT_EQ(text_at(all.out, "/results/tensors_read_from"), "safetensors");
  EXPECT_NE(all.err.find("the index says 123 bytes of tensors"), std::string::npos) << all.err;
}

TEST(CliWeightFiles, weights_that_cannot_be_used_are_told) {
  const Shards s;
  s.f.file("model-00002-of-00002.safetensors",
           "version https://git-lfs.github.com/spec/v1\noid sha256:"
           "0000000000000000000000000000000000000000000000000000000000000000\nsize 999\n");
  const Outcome o = command("model " + s.f.path("") + " --json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(text_at(o.out, "/results/tensors_read_from"), "config");
  EXPECT_NE(o.err.find("the weights are not used: a Git LFS pointer"), std::string::npos) << o.err;
  // The file itself is asked for: that is an error.
  EXPECT_EQ(command("model " + s.f.path("model-00002-of-00002.safetensors")).code, 2);
}

TEST(CliWeightFiles, a_what_if_keeps_the_formats) {
  const Shards s;
  s.f.file("model-00002-of-00002.safetensors", part(1, "F32", 32).file());
  const Outcome o = command("model " + s.f.path("") + " --set intermediate_size=128 --json");
  EXPECT_EQ(o.code, 0) << o.err;
  // 2 layers x 3 x 32 x 64 weights more, one layer in 2 bytes, the other in 4.
  const Outcome before = command("model " + s.f.path("") + " --json");
  EXPECT_NEAR(
      number_at(o.out, "/results/weight_bytes") - number_at(before.out, "/results/weight_bytes"),
      3 * 32 * 64 * (2 + 4), 1);
}

// ---- stores of other programs -------------------------------------------------------------------

TEST(CliWeightFiles, ollama_keeps_models_by_name) {
  const Folder f;
  const std::string manifest =
      R"({"layers":[{"mediaType":"application/vnd.ollama.image.license","digest":"sha256:00"},
          {"mediaType":"application/vnd.ollama.image.model","digest":"sha256:abc"}]})";
  f.file("manifests/host/library/tiny/latest", manifest);
  f.file("manifests/host/me/tiny/q4", manifest);
  World world;
  world.env["OLLAMA_MODELS"] = f.path("");
  const Outcome gone = command("model tiny", world);
  EXPECT_EQ(gone.code, 2);
  EXPECT_NE(gone.err.find("not in the store"), std::string::npos) << gone.err;
  f.file("blobs/sha256-abc", tiny().file());
  EXPECT_EQ(parameters("tiny", world), kTiny);
  EXPECT_EQ(parameters("tiny:latest", world), kTiny);
  EXPECT_EQ(parameters("me/tiny:q4", world), kTiny);
  EXPECT_NE(command("model tiny:other", world).code, 0);
}

TEST(CliWeightFiles, caches_of_llama_cpp_and_lm_studio) {
  const Folder f;
  f.file(".cache/llama.cpp/org_repo-GGUF_tiny-Q4_K_M.gguf", tiny().file());
  f.file(".cache/llama.cpp/org_repo-GGUF_tiny-Q8_0.gguf", tiny().file());
  f.file(".lmstudio/models/org/other-GGUF/tiny.gguf", tiny().file());
  World world;
  world.env["HOME"] = f.path("");
  const Outcome both = command("model org/repo-GGUF", world);
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("tiny-Q4_K_M.gguf, tiny-Q8_0.gguf"), std::string::npos) << both.err;
  EXPECT_EQ(parameters("org/repo-GGUF:q8_0", world), kTiny);
  EXPECT_EQ(parameters("org/repo-GGUF/tiny-Q4_K_M.gguf", world), kTiny);
  EXPECT_EQ(parameters("org/other-GGUF", world), kTiny);
}

// ---- real files of others, where they are -------------------------------------------------------

// tiny-random-Phi: two shards that are the same, and no index. Summing both counts twice.
TEST(CliWeightFiles, real_shards_that_are_one) {
  const std::filesystem::path folder_of_others = test::in_corpus("safetensors");
  if (folder_of_others.empty()) GTEST_SKIP() << "no corpus";
  const std::string base = folder_of_others.string() + "/";
  const Folder f;
  f.file("model-1-of-2.safetensors", content_of(base + "model-1-of-2.safetensors"));
  f.file("model-2-of-2.safetensors", content_of(base + "model-2-of-2.safetensors"));
  std::ostringstream out, err;
  Io io{.out = out, .err = err, .env = {}};
  const auto one = safetensors_file(f.path("model-1-of-2.safetensors"), io);
  ASSERT_TRUE(one) << one.error().message;
  std::string folder = f.path("");
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  const auto both = safetensors_of(folder, io);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(one->tensors.size(), 31U);
  EXPECT_EQ(both->table.tensors.size(), 31U);
  ASSERT_EQ(both->notes.size(), 1U);
  EXPECT_NE(both->notes[0].find("holds the same tensors"), std::string::npos);
}

// ---- far larger than memory ---------------------------------------------------------------------

// The disk, with every byte that is read counted.
class Counted final : public Files {
 public:
  mutable std::uint64_t bytes = 0;
  FileKind kind(const std::string& path) const override { return disk().kind(path); }
  std::uint64_t size(const std::string& path) const override { return disk().size(path); }
  std::vector<std::string> list(const std::string& folder) const override {
    return disk().list(folder);
  }
  Result<std::string> read(const std::string& path, std::size_t most) const override {
    auto text = disk().read(path, most);
    if (text) bytes += text->size();
    return text;
  }
  Result<void> can_write(const std::string& path) override { return disk().can_write(path); }
  Result<void> write(const std::string& path, std::string_view text) override {
    return disk().write(path, text);
  }
};

TEST(CliWeightFiles, of_a_file_of_700_gb_only_the_header_is_read) {
  const Folder f;
  GgufWriter w;
  keys(w);
  w.texts("tokenizer.ggml.tokens", std::vector<std::string>(50000, "token"));
  ends(w);
  block(w, 0);
  block(w, 1);
  w.tensor("blk.0.more.weight", {1ULL << 20, 175000}, kF32, (175000ULL << 20) * 4);
  const std::string path = f.file("large.gguf", w.header());
  std::filesystem::resize_file(path, w.size());  // sparse
  Counted files;
  std::ostringstream out, err;
  Io io{.out = out, .err = err, .env = {}};
  io.files = &files;
  const auto header = gguf_file(path, io);
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->tensors.size(), 21U);
  EXPECT_GT(disk().size(path), 700e9);
  // The header, and what was read of it before more was asked for.
  EXPECT_LT(files.bytes, 2.5 * static_cast<double>(w.header().size()) + 400000);
}

}  // namespace
}  // namespace rooflens::cli
