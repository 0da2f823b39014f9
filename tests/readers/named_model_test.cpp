// Models behind the names that results give them. Parameters and bytes are those published for the
// models; the derivations stand beside the numbers.
#include "rooflens/readers/named_model.h"

#include <gtest/gtest.h>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/model_name.h"

namespace rooflens {
namespace {

Model model(const NamedModel& named, bool coarse = false) {
  auto found = find_named_model(named);
  EXPECT_TRUE(found) << named.name << ": " << (found ? "" : found.error().message);
  if (!found) return {};
  EXPECT_EQ(found->coarse, coarse) << named.name << ": " << found->how;
  return found->model;
}

std::string known_as(const NamedModel& named) { return model(named).name; }

TEST(ModelName, words_sizes_and_formats_are_told_apart) {
  const ModelName n = read_model_name("qwen3moe 30B.A3B Q4_K - Medium");
  EXPECT_EQ(n.words, (std::vector<std::string>{"qwen", "3"}));
  EXPECT_EQ(n.sizes, (std::vector<std::string>{"30b", "a3b"}));
  EXPECT_EQ(n.parameters, 30e9);
  EXPECT_EQ(n.active_parameters, 3e9);
  ASSERT_NE(n.format, nullptr);
  EXPECT_STREQ(n.format->name, "Q4_K");
}

TEST(ModelName, a_file_is_named_by_its_last_part) {
  const ModelName n =
      read_model_name("/models/x/Meta-Llama-3-8B-Instruct-UD-Q5_K_XL-00001-of-00003.gguf");
  EXPECT_EQ(n.words, (std::vector<std::string>{"llama", "3"}));
  EXPECT_EQ(n.sizes, (std::vector<std::string>{"8b"}));
  ASSERT_NE(n.format, nullptr);
  EXPECT_STREQ(n.format->name, "Q5_K");
}

TEST(ModelName, formats_in_peoples_words) {
  const auto name = [](const char* words) {
    const NamedStorage* s = format_in_words(words);
    return std::string(s == nullptr ? "" : s->name);
  };
  EXPECT_EQ(name("mostly F16"), "fp16");
  EXPECT_EQ(name("IQ2_XXS - 2.0625 bpw"), "IQ2_XXS");
  EXPECT_EQ(name("Q8_0"), "Q8_0");
  EXPECT_EQ(name("MXFP4 MoE"), "mxfp4");
  EXPECT_EQ(name("int4-AutoRound"), "int4sym_g128");
  EXPECT_EQ(name("see submission"), "");
}

TEST(NamedModel, the_many_ways_to_write_one_model) {
  for (const char* name : {"LLaMA 3 8B", "llama-3-8b-instruct", "meta-llama/Meta-Llama-3-8B",
                           "Meta-Llama-3-8B-Instruct-Q8_0.gguf"}) {
    EXPECT_EQ(known_as({name}), "meta-llama/Meta-Llama-3-8B") << name;
  }
  EXPECT_EQ(known_as({"LLaMA 2 7B chat"}), "meta-llama/Llama-2-7b-hf");
  EXPECT_EQ(known_as({"MLPerf llama3.1-405b"}), "meta-llama/Llama-3.1-405B");
  EXPECT_EQ(known_as({"qwen35moe 35B.A3B Q4_K - Medium"}), "Qwen/Qwen3.5-35B-A3B");
  EXPECT_EQ(known_as({"gpt-oss 20B MXFP4 MoE"}), "openai/gpt-oss-20b");
  EXPECT_EQ(known_as({"Qwen3.6-27B oMLX 4bit ssd-paged"}), "Qwen/Qwen3.6-27B");
}

TEST(NamedModel, another_version_or_size_is_another_model) {
  for (const char* name : {"Llama-3.3-8B", "Qwen9-27B", "hermes 7b", "Qwen3-Coder-27B"}) {
    const auto found = find_named_model({name});
    ASSERT_FALSE(found) << name << " is " << found->how;
    EXPECT_EQ(found.error().code, ErrorCode::not_found);
    EXPECT_NE(found.error().hint.find("--model"), std::string::npos);
  }
}

// llama.cpp calls every model of Llama's layers "llama"; the count tells Llama 3 8B (8,030,261,248
// parameters) from Llama 2 7B (6,738,415,616) and Mistral 7B (7,241,732,096).
TEST(NamedModel, parameters_tell_what_the_name_leaves_open) {
  EXPECT_EQ(known_as({.name = "llama 7B Q4_0", .parameters = 7241732096}),
            "mistralai/Mistral-7B-Instruct-v0.2");  // v0.1 has the same weights, and a window
  EXPECT_EQ(count_parameters(model({.name = "llama 8B Q4_K - Medium", .parameters = 8.03e9})).total,
            8030261248);
  // 6.74 B, as a table rounds it.
  EXPECT_EQ(count_parameters(model({.name = "llama 7B Q4_0", .parameters = 6.74e9})).total,
            6738415616);
}

TEST(NamedModel, the_files_bytes_are_the_models) {
  // llama-2-7b Q4_0: 3,825,065,984 bytes of tensors, published with the file.
  const Model m = model({"llama 7B Q4_0", "", 3825065984, 6738415616, 0});
  EXPECT_NEAR(weight_bytes(m, {}), 3825065984, 1);
  EXPECT_EQ(m.layers[0].weight(Slot::up).storage.element, Element::int4);
}

// "F16" of gpt-oss-20b is a file with MXFP4 experts: 13,780,162,176 bytes for 20.91 B parameters.
TEST(NamedModel, a_size_that_contradicts_the_format_decides) {
  const Model m = model({"gpt-oss 20B F16", "", 13780162176, 20914757184, 0});
  EXPECT_NEAR(weight_bytes(m, {}), 13780162176, 1);
}

TEST(NamedModel, a_quantised_twin_is_taken_when_the_name_says_so) {
  EXPECT_EQ(known_as({"Qwen3-32B-FP8"}), "Qwen/Qwen3-32B-FP8");
  EXPECT_EQ(known_as({"Qwen3-32B"}), "Qwen/Qwen3-32B");
}

// Nothing of that name: 13 GB of weights for 12 B parameters, 2 B of them active.
TEST(NamedModel, bytes_and_parameters_alone_make_a_coarse_model) {
  const Model m = model({"laguna 12B.A2B Q8_0", "", 13e9, 12e9, 2e9}, true);
  const Parameters p = count_parameters(m);
  EXPECT_NEAR(p.total, 12e9, 12e9 * 0.01);
  EXPECT_NEAR(p.active, 2e9, 2e9 * 0.01);
  EXPECT_NEAR(weight_bytes(m, {}), 13e9, 1e6);
  ASSERT_FALSE(m.warnings.empty());
  EXPECT_TRUE(m.warnings[0].starts_with("coarse: laguna 12B.A2B Q8_0"));
}

}  // namespace
}  // namespace rooflens
