// Names looked up in the local Hugging Face cache.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "cli/command.h"
#include "cli/hub_id.h"

namespace rooflens::cli {
namespace {

namespace fs = std::filesystem;

std::string config(int layers) {
  return R"({"model_type": "qwen3", "hidden_size": 1024, "num_attention_heads": 8,
    "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 2048, "vocab_size": 32000,
    "torch_dtype": "bfloat16", "max_position_embeddings": 4096, "num_hidden_layers": )" +
         std::to_string(layers) + "}";
}

const std::string kOld(40, 'a'), kNew(40, 'b');

struct Cache {
  Folder folder;
  World world;
  std::string repository = "hub/models--acme--tiny/";

  Cache() { world.env["HF_HOME"] = folder.path(""); }
  // As the ecosystem lays a file down: a blob and a link to it.
  void put(const std::string& commit, const std::string& name, const std::string& text) const {
    const std::string blob = "blob-of-" + commit.substr(0, 1) + "-" + name;
    folder.file(repository + "blobs/" + blob, text);
    folder.folder(repository + "snapshots/" + commit);
    fs::create_symlink("../../blobs/" + blob,
                       folder.path(repository + "snapshots/" + commit + "/" + name));
  }
  void ref(const std::string& name, const std::string& commit) const {
    folder.file(repository + "refs/" + name, commit);
  }
  [[nodiscard]] Outcome model(const std::string& name = "acme/tiny") const {
    return command({"model", name, "--json"}, world);
  }
};

bool says(const Outcome& o, const std::string& text) {
  return o.err.find(text) != std::string::npos;
}

TEST(HubId, names) {
  EXPECT_EQ(parse_hub_id("Qwen/Qwen3-8B")->name, "Qwen/Qwen3-8B");
  EXPECT_EQ(parse_hub_id("a/b@refs/pr/1")->revision, "refs/pr/1");
  EXPECT_EQ(parse_hub_id("gpt2")->revision_or_main(), "main");
  for (const char* bad : {"", "a/b/c", "../b", "a/..", "a/b@", "a/b@../../x", "a/b@/x", "a b/c",
                          "a--b/c", "a/b@x//y", "a/.b", "a/b@x\ny"}) {
    EXPECT_FALSE(parse_hub_id(bad)) << bad;
  }
}

// The files that are served here go before what is built in, with and without the organisation.
TEST(HubCache, a_name_without_its_organisation_is_the_same_model) {
  Cache c;
  c.repository = "hub/models--Qwen--Qwen3-8B/";
  c.put(kOld, "config.json", config(4));
  c.ref("main", kOld);
  for (const char* name : {"Qwen/Qwen3-8B", "Qwen3-8B", "qwen3-8b"}) {
    const Outcome o = c.model(name);
    EXPECT_EQ(number_at(o.out, "/results/layers"), 4) << name << o.err;
  }
}

TEST(HubCache, a_ref_leads_to_the_commit) {
  const Cache c;
  c.put(kOld, "config.json", config(4));
  c.put(kNew, "config.json", config(6));
  c.put(kOld, "model.safetensors", "");
  c.ref("main", kOld);
  c.ref("refs/pr/7", kNew + "\n");
  const Outcome o = c.model();
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(number_at(o.out, "/results/layers"), 4);
  EXPECT_EQ(text_at(o.out, "/results/name"), "acme/tiny");
  EXPECT_EQ(text_at(o.out, "/results/facts/0/what"), "read from");
  EXPECT_EQ(text_at(o.out, "/results/facts/0/value"),
            "local Hugging Face cache, commit aaaaaaaaaaaa (main)");
  EXPECT_NE(text_at(o.out, "/results/facts/0/origin").find("snapshots/" + kOld), std::string::npos);
  EXPECT_TRUE(says(o, "commit aaaaaaaaaaaa (main)")) << o.err;
  EXPECT_EQ(number_at(c.model("acme/tiny@refs/pr/7").out, "/results/layers"), 6);
  EXPECT_EQ(number_at(c.model("acme/tiny@bbbbbbb").out, "/results/layers"), 6);
  EXPECT_EQ(number_at(c.model("ACME/Tiny").out, "/results/layers"), 4);
  EXPECT_EQ(command("acme/tiny --on h100-sxm", c.world).code, 0);
  const Outcome other = c.model("acme/tiny@v2");
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(says(other, "not revision v2")) << other.err;
}

TEST(HubCache, every_variable_that_names_it) {
  const Cache c;
  c.put(kOld, "config.json", config(4));
  c.ref("main", kOld);
  const auto found = [](const World& w) { return command("model acme/tiny", w).code == 0; };
  const std::string root = c.folder.path("hub");
  EXPECT_TRUE(found({.env = {{"HF_HUB_CACHE", root}, {"HF_HOME", "/nowhere"}}}));
  EXPECT_TRUE(found({.env = {{"HUGGINGFACE_HUB_CACHE", root + "/"}}}));
  EXPECT_FALSE(found({.env = {{"HF_HUB_CACHE", "/nowhere"}, {"HUGGINGFACE_HUB_CACHE", root}}}));
  EXPECT_FALSE(found({.env = {{"HOME", "/nowhere"}}}));
  EXPECT_FALSE(found({.env = {}}));
  fs::create_directories(c.folder.path("xdg"));
  fs::create_directory_symlink(c.folder.path(""), c.folder.path("xdg/huggingface"));
  EXPECT_TRUE(found({.env = {{"XDG_CACHE_HOME", c.folder.path("xdg")}}}));
  fs::create_directories(c.folder.path("home"));
  fs::create_directory_symlink(c.folder.path("xdg"), c.folder.path("home/.cache"));
  EXPECT_TRUE(found({.env = {{"HOME", c.folder.path("home")}}}));
  EXPECT_TRUE(found({.env = {{"HOME", c.folder.path("")}, {"HF_HOME", "~/xdg/huggingface"}}}));
}

TEST(HubCache, goes_before_built_in_models) {
  const Cache c;
  c.folder.file("hub/models--Qwen--Qwen3-8B/refs/main", kOld);
  c.folder.file("hub/models--Qwen--Qwen3-8B/snapshots/" + kOld + "/config.json", config(4));
  EXPECT_EQ(number_at(c.model("Qwen/Qwen3-8B").out, "/results/layers"), 4);
  const Outcome built_in = c.model("Qwen/Qwen3-14B");
  EXPECT_EQ(text_at(built_in.out, "/results/facts/0/value"), "built-in models");
  EXPECT_EQ(built_in.err, "");
  const Outcome revision = c.model("Qwen/Qwen3-14B@main");
  EXPECT_EQ(revision.code, 2);
  EXPECT_TRUE(says(revision, "without a revision the built-in Qwen/Qwen3-14B is used"))
      << revision.err;
}

TEST(HubCache, the_newest_snapshot_without_a_ref) {
  const Cache c;
  c.put(kOld, "config.json", config(4));
  c.put(kNew, "config.json", config(6));
  const auto now = fs::file_time_type::clock::now();
  const std::string snapshots = c.folder.path(c.repository + "snapshots/");
  fs::last_write_time(snapshots + kOld, now - std::chrono::hours(48));
  fs::last_write_time(snapshots + kNew, now - std::chrono::hours(1));
  const Outcome o = c.model();
  EXPECT_EQ(number_at(o.out, "/results/layers"), 6);
  EXPECT_TRUE(says(o, "the newest of 2 snapshots, as there is no good refs/main")) << o.err;
  c.ref("main", std::string(40, 'c'));
  const Outcome lost = c.model();
  EXPECT_EQ(number_at(lost.out, "/results/layers"), 6);
  EXPECT_TRUE(says(lost, "names commit cccccccccccc, which is not there")) << lost.err;
  c.ref("main", "../../../etc");
  EXPECT_TRUE(says(c.model(), "holds no commit"));
}

TEST(HubCache, unfinished_downloads_are_told) {
  const Cache c;
  c.put(kOld, "config.json", config(4));
  c.ref("main", kOld);
  fs::remove(c.folder.path(c.repository + "blobs/blob-of-a-config.json"));
  Outcome o = c.model();
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(says(o, "config.json is a broken link")) << o.err;
  c.folder.file(c.repository + "blobs/blob-of-a-config.json.1a2b.incomplete", "{");
  o = c.model();
  EXPECT_TRUE(says(o, "config.json was not downloaded to its end")) << o.err;
}

TEST(HubCache, a_broken_side_file_is_no_missing_one) {
  const Cache c;
  c.put(kOld, "config.json", config(4));
  c.put(kOld, "hf_quant_config.json", "{}");
  c.ref("main", kOld);
  fs::remove(c.folder.path(c.repository + "blobs/blob-of-a-hf_quant_config.json"));
  const Outcome o = c.model();
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(says(o, "hf_quant_config.json is a broken link")) << o.err;
}

TEST(HubCache, side_files_are_of_the_same_snapshot) {
  const Cache c;
  c.put(kOld, "config.json", config(4));
  c.put(kOld, "hf_quant_config.json", R"({"quantization": {"quant_algo": "FP8"}})");
  c.put(kNew, "config.json", config(4));
  c.put(kNew, "model-00001-of-00002.safetensors", "");
  c.ref("main", kOld);
  c.ref("bf16", kNew);
  EXPECT_LT(number_at(c.model().out, "/results/weight_bytes"),
            number_at(c.model("acme/tiny@bf16").out, "/results/weight_bytes"));
}

TEST(HubCache, a_snapshot_of_something_else) {
  const Cache c;
  c.put(kOld, "tokenizer.json", "{}");
  c.ref("main", kOld);
  Outcome o = c.model();
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(says(o, "config.json is not in it, only 1 other files")) << o.err;
  c.folder.folder("hub/models--acme--none");
  o = c.model("acme/none");
  EXPECT_TRUE(says(o, "holds no snapshot")) << o.err;
}

// Mistral's and Meta's own file, where nobody kept a config.json; config.json goes before it.
TEST(HubCache, a_snapshot_with_a_native_file_alone) {
  const Cache c;
  const std::string native = R"({"dim": 64, "n_layers": 2, "head_dim": 16, "hidden_dim": 128,
    "n_heads": 4, "n_kv_heads": 2, "norm_eps": 1e-5, "vocab_size": 1000})";
  c.put(kOld, "params.json", native);
  c.ref("main", kOld);
  const Outcome o = c.model();
  EXPECT_EQ(o.code, 0) << o.err;
  // attention 64 x (64 + 64 + 64), three matrices of 128 and two norms; embedding, head, norm
  EXPECT_EQ(number_at(o.out, "/results/parameters"),
            2 * (64 * 192 + 3 * 64 * 128 + 2 * 64) + 2 * 1000 * 64 + 64);
  EXPECT_TRUE(says(o, "params.json: local Hugging Face cache")) << o.err;
  c.put(kOld, "config.json", config(4));
  EXPECT_TRUE(says(c.model(), "config.json: local Hugging Face cache"));

  const Folder folder;
  folder.file("m/params.json", native);
  EXPECT_EQ(command({"model", folder.path("m")}).code, 0);
}

// The index of the older format is compared where there is no other.
TEST(HubCache, the_index_of_the_older_format_is_compared) {
  const Cache c;
  c.put(kOld, "config.json", config(2));
  c.put(kOld, "pytorch_model.bin.index.json",
        R"({"metadata": {"total_size": 1000}, "weight_map": {}})");
  c.ref("main", kOld);
  EXPECT_TRUE(says(c.model(), "the index says 1000 bytes")) << c.model().err;
  c.put(kOld, "model.safetensors.index.json",
        R"({"metadata": {"total_size": 2000}, "weight_map": {}})");
  EXPECT_TRUE(says(c.model(), "the index says 2000 bytes"));
}

TEST(HubCache, a_part_of_a_repository_is_told) {
  const Cache c;
  c.put(kOld, "config.json", config(4));
  c.ref("main", kOld);
  EXPECT_TRUE(says(c.model(), "a part of acme/tiny only"));
  c.folder.file(c.repository + ".no_exist/" + kOld + "/hf_quant_config.json", "");
  EXPECT_FALSE(says(c.model(), "a part of acme/tiny only"));
}

TEST(HubCache, unknown_names_say_where_they_were_sought) {
  const Cache c;
  const Outcome o = c.model("acme/unheard");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(says(o, "neither in the local Hugging Face cache nor built in")) << o.err;
  EXPECT_TRUE(says(o, "--online")) << o.err;
  EXPECT_TRUE(says(c.model("https://hub.example/acme/tiny"), "give the repository alone"));
}

}  // namespace
}  // namespace rooflens::cli
