// `rooflens check FILE`: logs of our own, written from the engines' formats with figures worked out
// or published.
#include <gtest/gtest.h>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

std::string log_file(const char* name) {
  return ROOFLENS_SOURCE_DIR "/tests/cli/logs/" + std::string(name);
}

// The row of a tag in the JSON of one log, as "predicted verdict cause".
std::string row(const Outcome& o, const std::string& tag) {
  for (int i = 0; i < 40; ++i) {
    const std::string at = "/results/startup/rows/" + std::to_string(i);
    if (text_at(o.out, at + "/tag") != tag) continue;
    return text_at(o.out, at + "/predicted_text") + "|" + text_at(o.out, at + "/verdict") + "|" +
           text_at(o.out, at + "/cause");
  }
  return "no row " + tag + ": " + o.out + o.err;
}

Outcome json_of(const char* name) { return command({"check", log_file(name), "--json"}); }

TEST(StartupCommand, window_cells_are_shared_by_all_sequences) {
  const Outcome o = json_of("gpt-oss.log");
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(valid_json(o.out));
  EXPECT_EQ(text_at(o.out, "/results/startup/engine"), "llama.cpp");
  EXPECT_EQ(number_at(o.out, "/results/startup/agree"), 8);
  EXPECT_EQ(row(o, "parameters"), "116.83 B|agrees|null");
  EXPECT_EQ(row(o, "full_cache"), "2304.00 MiB|agrees|null");
  EXPECT_EQ(row(o, "window_cache").substr(0, 16), "36.00 MiB|agrees");
  EXPECT_EQ(number_at(o.out, "/results/startup/rows/0/line"), 30);
  EXPECT_NEAR(number_at(o.out, "/results/startup/rows/2/log_value"), 2304.0 * 1048576, 1);
}

TEST(StartupCommand, states_are_multiplied_by_drafts) {
  const Outcome o = json_of("hybrid.log");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(row(o, "cache"), "512.00 MiB|agrees|null");
  EXPECT_EQ(row(o, "state"),
            "149.62 MiB|differs|7 states a sequence are kept, 6 of them for drafts");
  EXPECT_EQ(number_at(o.out, "/results/startup/differ"), 3);
}

TEST(StartupCommand, vllm_pool_within_the_rounding_of_its_memory) {
  const Outcome o = json_of("vllm.log");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(row(o, "tokens"), "652,176|agrees|within the rounding of 69.66 GiB");
  EXPECT_EQ(row(o, "concurrency"), "159.21x|agrees|null");
}

TEST(StartupCommand, vllm_hybrid_block) {
  const Outcome o = json_of("vllm-hybrid.log");
  EXPECT_EQ(row(o, "attention_block"), "1568|agrees|null");
  EXPECT_EQ(row(o, "padding"), "0.13%|agrees|null");
  EXPECT_EQ(row(o, "tokens").substr(0, 9), "|unknown|");
}

TEST(StartupCommand, vllm_that_did_not_fit_and_a_path_of_another_machine) {
  const Outcome o = json_of("vllm-too-long.log");
  EXPECT_EQ(row(o, "needed"), "5.62 GiB|agrees|null");
  EXPECT_EQ(row(o, "problem"), "|unknown|5.62 GiB are needed for the cache, 4.20 GiB are there");
  EXPECT_EQ(row(o, "weights").substr(0, 20), "15.2564 GiB|unknown|");
}

TEST(StartupCommand, sglang) {
  const Outcome o = json_of("sglang.log");
  EXPECT_EQ(row(o, "key_bytes"), "30.21 GB|agrees|null");
  EXPECT_EQ(row(o, "value_bytes"), "30.21 GB|agrees|null");
  EXPECT_EQ(row(o, "tokens"), "440000|agrees|null");
}

TEST(StartupCommand, several_logs_in_every_format) {
  const std::vector<std::string> both{"check", log_file("vllm.log"), log_file("sglang.log")};
  const auto with = [&](const char* format) {
    std::vector<std::string> words = both;
    words.insert(words.end(), {"--format", format});
    return command(words);
  };
  const Outcome text = command(both);
  EXPECT_NE(text.out.find("vLLM 0.10.2"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("SGLang"), std::string::npos);
  EXPECT_NE(text.out.find("cannot be said"), std::string::npos);
  EXPECT_EQ(text_at(with("json").out, "/results/startups/1/engine"), "SGLang");
  const std::string csv = with("csv").out;
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "file,what,log,log_value,unit,predicted,verdict,cause,line");
  EXPECT_NE(csv.find("652144"), std::string::npos);
  EXPECT_NE(with("md").out.find("| tokens in the cache | 652,144 | 652,176 | agrees |"),
            std::string::npos);
}

TEST(StartupCommand, a_difference_without_a_cause_is_a_no) {
  Folder folder;
  std::string text = content_of(log_file("hybrid.log"));
  text.replace(text.find("26.90 B"), 7, "26.10 B");
  const Outcome o = command({"check", folder.file("a.log", text)});
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.out.find("differs"), std::string::npos);
}

TEST(StartupCommand, errors_and_notes) {
  Folder folder;
  const Outcome none = command({"check", folder.file("a.txt", "nothing\nof interest\n")});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("neither a start-up log nor results"), std::string::npos);
  EXPECT_NE(none.err.find("llama_model_loader"), std::string::npos);
  EXPECT_EQ(command("check no-such-file.log").code, 2);
  EXPECT_NE(command("check Qwen/Qwen3-8B --on h100-sxm").err.find("a claim is missing"),
            std::string::npos);
  EXPECT_EQ(command("check Qwen/Qwen3-8B other --on h100-sxm --claim '5 tok/s decode'").code, 2);
  EXPECT_EQ(command("check Qwen/Qwen3-8B --model x --on h100-sxm --claim '5 tok/s decode'").code,
            2);
  const Outcome idle = command({"check", log_file("vllm.log"), "--batch", "8"});
  EXPECT_NE(idle.err.find("--batch has no effect"), std::string::npos);
  std::string text = content_of(log_file("vllm.log"));
  while (text.find("Qwen/Qwen3-0.6B") != std::string::npos) {
    text.replace(text.find("Qwen/Qwen3-0.6B"), 15, "acme/own-model1");
  }
  const std::string unknown = folder.file("u.log", text);
  const Outcome u = command({"check", unknown});
  EXPECT_NE(u.err.find("--model MODEL"), std::string::npos) << u.err;
  EXPECT_EQ(u.code, 0);
  EXPECT_EQ(row(command({"check", unknown, "--json", "--model", "Qwen3-0.6B"}), "tokens"),
            "652,176|agrees|within the rounding of 69.66 GiB");
}

}  // namespace
}  // namespace rooflens::cli
