// docs/json.md names every key that a verb prints, and a claim's words meet the options.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

using Json = nlohmann::json;

// The text of a section of docs/json.md, from its heading to the next.
std::string section(const std::string& heading) {
  std::ifstream in(ROOFLENS_SOURCE_DIR "/docs/json.md");
  std::stringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  const std::size_t at = text.find("## " + heading + "\n");
  EXPECT_NE(at, std::string::npos) << heading;
  return at == std::string::npos ? "" : text.substr(at, text.find("\n## ", at + 1) - at);
}

// Keys at any depth; under the members of `open` the keys are data.
void keys_of(const Json& v, const std::set<std::string>& open, std::set<std::string>& out) {
  if (v.is_array()) {
    for (const Json& item : v) keys_of(item, open, out);
  }
  if (!v.is_object()) return;
  for (const auto& [key, value] : v.items()) {
    out.insert(key);
    if (open.count(key) == 0) keys_of(value, open, out);
  }
}

void expect_documented(const std::string& line, const std::string& heading,
                       const char* member = "results") {
  const Outcome r = command(line + " --json");
  const Json j = Json::parse(r.out, nullptr, false);
  ASSERT_FALSE(j.is_discarded()) << line << '\n' << r.err;
  std::set<std::string> keys;
  keys_of(j[member], {"peak_flops_per_s", "ridge_flop_per_byte", "flop_per_byte"}, keys);
  EXPECT_FALSE(keys.empty()) << line;
  const std::string text = section(heading);
  for (const std::string& key : keys) {
    const auto word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    bool found = false;
    for (std::size_t at = text.find(key); at != std::string::npos && !found;
         at = text.find(key, at + 1)) {
      found = !word(text[at - 1]) && !word(text[at + key.size()]);
    }
    EXPECT_TRUE(found) << line << ": " << key << " is not in docs/json.md";
  }
}

TEST(CliJson, every_key_is_documented) {
  for (const char* line :
       {"devices", "devices h100-nvl", "devices hopper", "devices p5.48xlarge"}) {
    expect_documented(line, "`results` of `devices`");
  }
  for (const char* line : {"Qwen3-30B-A3B --on h100-nvl --gpus 2", "Qwen3.6-27B-FP8 --on h200"}) {
    expect_documented(line, "`results` of `analyze`");
    expect_documented(line, "`inputs`", "inputs");
  }
  for (const char* line : {"explain", "explain ridge"}) {
    expect_documented(line, "`results` of `explain`");
  }
  for (const char* line :
       {"model", "model Qwen3-30B-A3B --weights q4_k", "model google/gemma-3-27b-it"}) {
    expect_documented(line, "`results` of `model`");
  }
  expect_documented(
      "check Qwen3-8B --on h100-sxm -b 8 --claim '3288 tok/s prefill, 108 tok/s decode'",
      "`results` of `check`");
}

TEST(CliJson, a_filter_gives_a_list_and_an_id_the_device) {
  EXPECT_EQ(text_at(command("devices h100-nvl --json").out, "/results/id"), "h100-nvl");
  EXPECT_EQ(text_at(command({"devices", "H100", "NVL", "--json"}).out, "/results/devices/0/id"),
            "h100-nvl");
  EXPECT_EQ(text_at(command("devices h100 --json").out, "/results/devices/1/kind"), "gpu");
}

std::string notes(const std::string& claim, const std::string& options = "") {
  const Outcome r =
      command("check Llama-3.1-8B --on h100-sxm --no-chart --claim '" + claim + "' " + options);
  EXPECT_LE(r.code, 1) << r.err;
  return r.err;
}

TEST(CliClaims, what_agrees_with_the_options_is_not_told) {
  for (const char* claim : {"108 tok/s decode", "108 tok/s decode of Llama-3.1-8B on H100",
                            "108 tok/s decode, Llama 3.1 8B in bf16 on 1x H100 SXM with vLLM"}) {
    EXPECT_EQ(notes(claim), "") << claim;
  }
  EXPECT_EQ(notes("108 tok/s decode, Q4_K_M", "--weights q4_k"), "");
}

TEST(CliClaims, what_contradicts_them_is) {
  const auto told = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  told(notes("108 tok/s decode on A100"),
       "the claim speaks of A100; it is held against NVIDIA H100");
  told(notes("108 tok/s on my RTX 4090"), "the claim speaks of RTX 4090");
  told(notes("108 tok/s decode, Q4_K_M"), "Q4_K_M; it is held against weights in bf16");
  told(notes("108 tok/s decode of lama in llama"), "not understood in the claim: 'lama'");
  told(notes("108 tok/s decode, flurbs, p99"), "not understood in the claim: 'flurbs', 'p99'");
  const Outcome zero = command("check Llama-3.1-8B --on h100-sxm --claim '9 tok/s at batch 0'");
  EXPECT_EQ(zero.code, 2);
  told(zero.err, "'batch 0' cannot be");
}

// The measured points stand in both charts.
TEST(CliClaims, the_chart_shows_what_was_measured) {
  const Folder f;
  const std::string svg = f.path("a.svg");
  const std::string line =
      "check Llama-3.1-8B --on h100-sxm --claim '3288 tok/s prefill, 900 tok/s decode at batch 8' ";
  const Outcome r = command(line + "--plot " + svg);
  EXPECT_EQ(r.code, 0) << r.err;
  for (const std::string& picture : {r.out, content_of(svg)}) {
    EXPECT_NE(picture.find("decode measured, "), std::string::npos) << picture;
    EXPECT_NE(picture.find("prefill measured, "), std::string::npos) << picture;
    // What is computed beside them is at the sizes of the claim.
    EXPECT_NE(picture.find("batch 8, prompt 1,024"), std::string::npos) << picture;
    EXPECT_EQ(picture.find("decode roof at"), std::string::npos) << picture;
  }
  EXPECT_NE(r.out.find("small letter: measured"), std::string::npos);
  EXPECT_EQ(command(line + "--no-chart").out.find("small letter: measured"), std::string::npos);
}

TEST(CliClaims, a_network_bound_phase_has_its_ceiling_in_the_chart) {
  const std::string line = "Qwen/Qwen3.6-27B-FP8 --on h100-nvl --gpus 4 --batch 8";
  EXPECT_NE(command(line).out.find("network, prefill 1."), std::string::npos) << command(line).out;
  const Folder f;
  const std::string svg = f.path("a.svg");
  EXPECT_EQ(command("Qwen/Qwen3.6-27B-FP8 --on h100-nvl --gpus 4 --batch 4,8 --plot " + svg).code,
            0);
  EXPECT_NE(content_of(svg).find("network, prefill 1."), std::string::npos);  // of both
  EXPECT_EQ(command("Qwen/Qwen3.6-27B-FP8 --on h100-nvl --gpus 1,4 --batch 8 --plot " + svg).code,
            0);
  EXPECT_NE(content_of(svg).find("network, 4 x H100 NVL prefill 1."), std::string::npos)
      << content_of(svg).substr(0, 900);
  EXPECT_EQ(command("Qwen/Qwen3.6-27B-FP8 --on h100-nvl").out.find("network, "), std::string::npos);
}

}  // namespace
}  // namespace rooflens::cli
