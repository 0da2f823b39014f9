// Bad input: exit 2, nothing on standard output, and a message that names place and remedy.
#include <gtest/gtest.h>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

constexpr std::string_view kLlama =
    R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
        "vocab_size": 128256, "torch_dtype": "bfloat16"})";

void expect_refused(const Outcome& r, const std::vector<std::string>& parts) {
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err.rfind("rooflens: error: ", 0), 0U) << r.err;
  for (const std::string& part : parts) {
    EXPECT_NE(r.err.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << r.err;
  }
}

void expect_refused(std::string_view line, const std::vector<std::string>& parts) {
  SCOPED_TRACE(line);
  expect_refused(command(line), parts);
}

TEST(CliErrors, model_files) {
  const Folder f;
  const std::string on = " --on h100-sxm";
  expect_refused(f.path("config.json") + on, {"there is no file", "config.json", "hint:"});
  expect_refused("./nowhere/" + on.substr(0), {"there is no file or folder", "./nowhere/"});
  const std::string empty_folder = f.folder("model");
  expect_refused(empty_folder + on, {"no config.json", empty_folder, "hint:"});
  for (const auto& [name, content, what] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"empty.json", "", "empty"},
           {"cut.json", std::string(kLlama.substr(0, 100)), "cut.json"},
           {"binary.json", std::string("\x7f\x45\x4c\x46\0\1\2\3\0\0\0", 11), "binary.json"},
           {"page.json", "<!DOCTYPE html><html>", "page.json"},
           {"model.gguf", std::string("GGUF\3\0\0\0", 8), "offset 8"},
           {"renamed.json", std::string("GGUF\3\0\0\0", 8), "offset 8"},
           {"other.gguf", "PK\3\4 not one at all", "does not begin with GGUF"},
           {"w.safetensors", std::string("\x40\0\0\0\0\0\0\0{}", 10), "config.json"},
           {"list.json", "[1, 2]", "list.json"},
           {"deep.json", std::string(100000, '['), "deep.json"}}) {
    const std::string path = f.file(name, content);
    SCOPED_TRACE(name);
    expect_refused(path + on, {what, path, "hint:"});
  }
}

TEST(CliErrors, a_folder_or_its_config_is_a_model) {
  const Folder f;
  f.file("m/config.json", kLlama);
  const std::string tail = " --on h100-sxm --json";
  EXPECT_EQ(command(f.path("m") + tail).code, 0);
  EXPECT_EQ(command(f.path("m/") + tail).code, 0);
  EXPECT_EQ(command(f.path("m/config.json") + tail).code, 0);
}

TEST(CliErrors, model_names) {
  expect_refused("Qwen/Qwen3-8BB --on h100-sxm",
                 {"Qwen/Qwen3-8BB", "Qwen/Qwen3-8B", "config.json"});
  expect_refused("zzz --on h100-sxm", {"no built-in model", "zzz"});
  expect_refused("model no-such-model-at-all", {"no built-in model"});
}

TEST(CliErrors, devices) {
  expect_refused("Qwen3-8B", {"a device is missing", "--on"});
  expect_refused("Qwen3-8B --on h100-sxn", {"h100-sxn", "--on", "h100-sxm"});
  expect_refused("Qwen3-8B --on H100", {"can be", "h100-sxm", "h100-nvl", "ridge"});
  expect_refused("Qwen3-8B --on ./box.txt", {"no device file", "./box.txt"});
  expect_refused("Qwen3-8B --on bw=fast", {"fast"});
  expect_refused("Qwen3-8B --on h100-sxm --devices /nowhere/d.csv", {"/nowhere/d.csv"});
  const Folder f;
  const std::string csv = f.file("d.csv", "id,mem_bw_gbs\nmine,notanumber\n");
  expect_refused("Qwen3-8B --on mine --devices " + csv, {csv});
}

TEST(CliErrors, numbers) {
  const std::string m = "Qwen3-8B --on h100-sxm ";
  expect_refused(m + "--batch 0", {"batch cannot be", "--batch", "hint:"});
  expect_refused(m + "--batch -3", {"cannot be negative", "--batch"});
  expect_refused(m + "--batch eight", {"eight", "--batch"});
  expect_refused(m + "--batch 1e300", {"too large", "--batch"});
  expect_refused(m + "--batch 99999999999", {"--batch"});
  expect_refused(m + "--max-num-seqs many", {"many", "--max-num-seqs"});
  expect_refused(m + "--batch 1,,2", {"--batch"});
  expect_refused(m + "--batch 1-100000", {"--batch"});
  expect_refused(m + "--batch 1-1000 --context 1-1000", {"10,000 combinations"});
  expect_refused(m + "--prompt 1e18", {"--prompt"});
  expect_refused(m + "--context nan", {"nan", "--context"});
  expect_refused(m + "--cached-prefix 1024", {"cached prefix", "--cached-prefix"});
  expect_refused(m + "--acceptance 1.5", {"--acceptance"});
  expect_refused(m + "--utilisation 0", {"memory share", "--utilisation"});
  expect_refused(m + "--overhead 5Gb", {"--overhead"});
  expect_refused(m + "--link fast", {"--link"});
  expect_refused(m + "--link 400", {"--link", "no unit", "400GB/s", "400Gb/s"});
  expect_refused(m + "--link 400G", {"--link", "bytes or bits", "400GB/s", "400Gb/s"});
  expect_refused(m + "--width 3", {"--width"});
  expect_refused(m + "--zipf -1", {"--zipf"});
  expect_refused(m + "--efficiency memory=0.9..0.8", {"falls", "--efficiency"});
  expect_refused(m + "--efficiency memry=0.9", {"did you mean memory", "--efficiency"});
}

TEST(CliErrors, ranks) {
  const std::string m = "Qwen3-8B --on h100-sxm ";
  expect_refused(m + "--tp 3", {"3 tensor-parallel ranks do not divide", "--tp", "divisor"});
  expect_refused(m + "--gpus 3", {"do not divide", "--gpus 3 alone means --tp 3"});
  expect_refused(m + "--tp 0", {"--tp"});
  expect_refused(m + "--gpus 1000000", {"--gpus", "65,536"});
  expect_refused(m + "--gpus 8 --tp 4", {"--gpus"});
  expect_refused(m + "--pp 1000", {"--pp"});
  expect_refused("Qwen3-30B-A3B --on h100-sxm --tp 4 --enable-expert-parallel --ep 2",
                 {"--enable-expert-parallel", "--ep"});
}

TEST(CliErrors, formats) {
  const std::string m = "Qwen3-8B --on h100-sxm ";
  expect_refused(m + "--weights q4_l", {"q4_l", "--weights", "did you mean Q4_"});
  expect_refused(m + "--kv int99", {"int99", "--kv"});
  expect_refused(m + "--kv fp8_ds_mla", {"latent attention"});
  expect_refused(m + "--dtype fp8", {"--dtype", "--gemm-input"});
  expect_refused(m + "--fusion perfect", {"--fusion", "standard or ideal"});
  expect_refused(m + "--format xml", {"--format", "text, json, csv or md"});
  expect_refused(m + "--json --format csv", {"contradict"});
  expect_refused(m + "--color sometimes", {"auto, always or never"});
  expect_refused("Qwen3-0.6B --on h100-sxm --head fp8", {"embedding table", "--embed"});
}

TEST(CliErrors, options_and_verbs) {
  const std::string m = "Qwen3-8B --on h100-sxm ";
  expect_refused(m + "--bach 8", {"unknown option '--bach'", "did you mean --batch?"});
  expect_refused(m + "--tensor-paralel-size 2", {"did you mean --tensor-parallel-size?"});
  expect_refused(m + "--xyzzy", {"unknown option", "rooflens help analyze"});
  expect_refused(m + "-z", {"unknown option '-z'"});
  expect_refused(m + "--batch", {"--batch needs a value"});
  expect_refused(m + "--batch --json", {"--batch needs a value"});
  expect_refused(m + "--json=yes", {"--json takes no value"});
  expect_refused(m + "--batch 1 --max-num-seqs 2", {"are the same option", "--batch"});
  expect_refused(m + "--batch 1 --batch 2", {"given twice", "1,2,4"});
  expect_refused(m + "--claim '5 tok/s'", {"takes no --claim"});
  expect_refused("analyse Qwen3-8B --on h100-sxm", {"unknown verb", "did you mean analyze?"});
  expect_refused("devces", {"unknown verb", "did you mean devices?"});
  expect_refused("analyze --on h100-sxm", {"the model is missing"});
  expect_refused("--on h100-sxm", {"the model is missing"});
  expect_refused("--gpus 4", {"a model is missing", "--gpus"});
  expect_refused(m + "extra", {"one word too many"});
  expect_refused("Qwen3-8B check --on h100-sxm", {"the verb comes first"});
  expect_refused("help chek", {"no verb", "did you mean check?"});
  expect_refused("complete tcsh", {"bash, zsh or fish"});
  expect_refused("explain rigde", {"no term", "ridge"});
  expect_refused("check Qwen3-8B --on h100-sxm", {"a claim is missing", "--claim"});
  expect_refused("check Qwen3-8B --on h100-sxm --claim fast", {"--claim"});
}

TEST(CliErrors, outputs_are_opened_before_the_work) {
  const Folder f;
  expect_refused("Qwen3-8B --on h100-sxm -o " + f.path("no/where.txt"),
                 {"cannot write", "where.txt"});
  expect_refused("Qwen3-8B --on h100-sxm -o " + f.folder("d"), {"cannot write"});
  expect_refused("Qwen3-8B --on h100-sxm --plot " + f.path("no/a.svg"), {"cannot write", "a.svg"});
  expect_refused("Qwen3-8B --on h100-sxm --plot a.jpg", {"a.jpg", ".svg"});
  expect_refused("Qwen3-8B --on h100-sxm -o a.svg", {"--plot"});
  // A failure afterwards leaves no empty file behind.
  expect_refused("no-such-model --on h100-sxm -o " + f.path("x.json"), {"no built-in model"});
  EXPECT_FALSE(exists(f.path("x.json")));
}

TEST(CliErrors, names_from_outside_cannot_reach_the_terminal) {
  const Outcome r = command({"\x1b[31mred", "--on", "h100-sxm"});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.err.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace rooflens::cli
