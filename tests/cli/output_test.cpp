// Where output goes and how it looks: formats, files, colour, width, help, completions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <regex>
#include <set>
#include <sstream>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "cli/verbs.h"

namespace rooflens::cli {
namespace {

constexpr const char* kSmall = "Qwen3-8B --on h100-sxm -b 8";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(CliOutput, every_format) {
  const std::string line = kSmall;
  EXPECT_TRUE(has(command(line).out, "Verdict"));
  EXPECT_TRUE(valid_json(command(line + " --json").out));
  EXPECT_EQ(command(line + " --format csv").out.rfind("section,row,key,value,unit,text\n", 0), 0U);
  EXPECT_EQ(command(line + " --format md").out.rfind("## ", 0), 0U);
  EXPECT_TRUE(has(command("Qwen3-8B --on h100-sxm -b 1,2 --format csv").out, ","));
  EXPECT_TRUE(has(command(line + " --explain").out, "="));
  EXPECT_GT(command(line + " --operators").out.size(), command(line).out.size());
}

TEST(CliOutput, every_verb_in_every_format) {
  for (const char* line :
       {"devices", "devices h100-nvl", "devices hopper", "devices p5.48xlarge", "model",
        "model Qwen3-8B", "explain", "explain ridge", "--version", ""}) {
    for (const char* format : {"text", "json", "csv", "md"}) {
      const Outcome r = command(std::string(line) + " --format " + format);
      EXPECT_EQ(r.code, 0) << line << ' ' << format << '\n' << r.err;
      EXPECT_FALSE(r.out.empty()) << line << ' ' << format;
      if (format == std::string("json")) {
        EXPECT_TRUE(valid_json(r.out)) << line;
        EXPECT_EQ(number_at(r.out, "/schema"), 1);
      }
    }
  }
}

TEST(CliOutput, model_facts) {
  const std::string j = command("model meta-llama/Llama-3.1-8B --json").out;
  EXPECT_EQ(number_at(j, "/results/parameters"), 8030261248.0);  // published
  EXPECT_EQ(number_at(j, "/results/kv_bytes_per_token"), 131072);
  EXPECT_EQ(number_at(j, "/results/layers"), 32);
  EXPECT_EQ(number_at(j, "/results/max_context"), 131072);
}

// The founding pair on one GPU of the founding box: both near a tenth of their own roofs
// (seed-cases.json, s1.nearroof and s1.decode.fraction).
TEST(CliOutput, founding_measurements) {
  const std::string line =
      "check Qwen/Qwen3.6-27B-FP8 --on bw=3.9TB/s,bf16=836T,fp8=1670T,mem=94GB -b 8 -c 1024 "
      "--claim '3288 tok/s prefill, 108 tok/s decode'";
  const Outcome r = command(line + " --json");
  EXPECT_EQ(r.code, 0) << r.err;
  ASSERT_TRUE(valid_json(r.out));
  EXPECT_EQ(text_at(r.out, "/results/observations/0/phase"), "prefill");
  EXPECT_NEAR(number_at(r.out, "/results/observations/0/fraction_of_roof"), 0.0984, 0.003);
  EXPECT_NEAR(number_at(r.out, "/results/observations/1/fraction_of_roof"), 0.1043, 0.003);
  EXPECT_NEAR(number_at(r.out, "/results/observations/0/roof_tokens_per_s"), 33401, 100);
  EXPECT_TRUE(has(command(line).out, "3,288"));
}

// No machine of this size decodes so fast, however the figure is read.
TEST(CliOutput, impossible_claims_are_told_by_the_exit_code) {
  const Outcome r = command("check Qwen3-8B --on h100-sxm --claim '900000 tok/s decode'");
  EXPECT_EQ(r.code, 1) << r.out;
}

TEST(CliOutput, does_not_fit) {
  const Outcome r = command("meta-llama/Llama-3.1-405B --on h100-sxm");
  EXPECT_EQ(r.code, 1);
  EXPECT_FALSE(has(r.out, "tok/s")) << r.out;
  const Outcome j = command("meta-llama/Llama-3.1-405B --on h100-sxm --json");
  EXPECT_EQ(j.code, 1);
  EXPECT_EQ(text_at(j.out, "/results/memory/fits"), "false");
  EXPECT_EQ(text_at(j.out, "/results/phases"), "null");
}

TEST(CliOutput, files) {
  const Folder f;
  const std::string line = kSmall;
  const std::string json = f.path("a.json"), svg = f.path("a.svg"), text = f.file("a.txt", "old");
  Outcome r = command(line + " -o " + json + " --plot " + svg);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(valid_json(content_of(json)));
  EXPECT_TRUE(has(content_of(svg), "<svg"));
  EXPECT_EQ(command(line + " -o " + text).code, 0);
  EXPECT_EQ(content_of(text).rfind("Qwen", 0), 0U);
  EXPECT_EQ(command(line + " -o -").out, command(line).out);
}

TEST(CliOutput, what_cannot_be_written_is_an_error_but_for_a_closed_pipe) {
  std::ostream nowhere(nullptr);  // every write fails
  std::ostringstream err;
  Io io{.out = nowhere, .err = err, .env = {}, .run_command = {}};
  const std::string_view args[] = {"explain", "ridge"};
  const int code = run(args, io);
  io.out_error = ENOSPC;
  EXPECT_EQ(close_streams(code, io), 2);
  EXPECT_TRUE(has(err.str(), "cannot write to standard output: "));
  io.out_error = EPIPE;
  EXPECT_EQ(close_streams(code, io), 0);
}

TEST(CliOutput, colour) {
  const auto colored = [](const std::string& options, World w) {
    return has(command(std::string(kSmall) + options, w).out, "\x1b[");
  };
  World pipe, tty;
  tty.tty = true;
  EXPECT_TRUE(colored("", tty));
  EXPECT_FALSE(colored("", pipe));
  EXPECT_FALSE(colored(" --color never", tty));
  EXPECT_TRUE(colored(" --color always", pipe));
  World w = tty;
  w.env["NO_COLOR"] = "1";
  EXPECT_FALSE(colored("", w));
  EXPECT_TRUE(colored(" --color always", w));
  w.env["NO_COLOR"] = "";  // an empty value does not count
  EXPECT_TRUE(colored("", w));
  w = tty;
  w.env["TERM"] = "dumb";
  EXPECT_FALSE(colored("", w));
  w = pipe;
  w.env["CLICOLOR_FORCE"] = "1";
  EXPECT_TRUE(colored("", w));
  w.env["NO_COLOR"] = "1";
  EXPECT_FALSE(colored("", w));
  w.env = {{"CLICOLOR_FORCE", "0"}};
  EXPECT_FALSE(colored("", w));
}

TEST(CliOutput, ascii_without_utf8) {
  const auto plain = [](const World& w, const std::string& more = "") {
    const std::string out = command(kSmall + more, w).out;
    return std::all_of(out.begin(), out.end(), [](char c) { return (c & 0x80) == 0; });
  };
  World w;
  EXPECT_FALSE(plain(w));
  EXPECT_TRUE(plain(w, " --ascii"));
  w.env = {{"LANG", "C"}};
  EXPECT_TRUE(plain(w));
  w.env = {{"LANG", "de_DE.utf8"}};
  EXPECT_FALSE(plain(w));
  w.env = {{"LANG", "en_US.UTF-8"}, {"LC_ALL", "POSIX"}};
  EXPECT_TRUE(plain(w));
}

TEST(CliOutput, width) {
  for (int width : {60, 80, 132}) {
    World w;
    w.width = width;
    w.env.clear();  // ASCII: bytes are columns
    std::string text = command(kSmall, w).out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      EXPECT_LE(end - at, static_cast<std::size_t>(width)) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST(CliOutput, notes_go_to_standard_error) {
  const Outcome r = command("Qwen3-8B-FP8 --on a100-sxm-80");
  EXPECT_TRUE(has(r.err, "rooflens: note: "));
  EXPECT_FALSE(has(r.out, "no FP8 arithmetic: the weights"));
  EXPECT_EQ(command("Qwen3-8B-FP8 --on a100-sxm-80 -q").err, "");
}

TEST(CliOutput, bare_command_knows_the_machine) {
  World w;
  Outcome r = command("", w);
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(has(r.out, "rooflens help"));
  w.programs["nvidia-smi"] = "NVIDIA H100 NVL, 95830 MiB\nNVIDIA H100 NVL, 95830 MiB\n";
  r = command("", w);
  EXPECT_TRUE(has(r.out, "2 x NVIDIA H100 NVL")) << r.out;
  EXPECT_TRUE(has(r.out, "--on h100-nvl --gpus 2"));
  EXPECT_EQ(text_at(command("--json", w).out, "/results/device"), "h100-nvl");
  EXPECT_EQ(text_at(command("Qwen3-8B --on this --json", w).out, "/inputs/system/id"), "h100-nvl");
  w.programs = {{"lscpu", "Architecture: x86_64\nModel name:   AMD EPYC 9654 96-Core Processor\n"}};
  EXPECT_TRUE(has(command("", w).out, "EPYC 9654")) << command("", w).out;
  w.programs.clear();
  EXPECT_EQ(command("Qwen3-8B --on this", w).code, 2);
}

TEST(CliOutput, the_suggested_commands_run) {
  World w;
  w.programs["nvidia-smi"] = "NVIDIA H100 NVL, 95830 MiB\n";
  for (const World& world : {World{}, w}) {
    const std::string j = command("--json", world).out;
    for (int i = 0; i < 3; ++i) {
      const std::string line = text_at(j, "/results/commands/" + std::to_string(i));
      ASSERT_EQ(line.rfind("rooflens ", 0), 0U) << line;
      EXPECT_EQ(command(line.substr(9)).code, 0) << line;
    }
  }
}

// docs/cli.md and the option table name the same options.
TEST(CliHelp, document_and_options_agree) {
  const std::string doc(cli_document());
  std::set<std::string> written, declared;
  const std::regex option("(^|[^a-z0-9-])(--?[a-z][a-z0-9-]*)", std::regex::multiline);
  bool fence = false;
  for (std::size_t at = 0; at < doc.size();) {
    const std::size_t end = std::min(doc.find('\n', at), doc.size());
    const std::string line = doc.substr(at, end - at);
    at = end + 1;
    if (line.rfind("```", 0) == 0) fence = !fence;
    if (fence || line.rfind("<!--", 0) == 0) continue;
    const std::regex code("`[^`]*`");
    for (std::sregex_iterator c(line.begin(), line.end(), code), none; c != none; ++c) {
      const std::string span = c->str();
      for (std::sregex_iterator o(span.begin(), span.end(), option); o != none; ++o) {
        written.insert((*o)[2]);
      }
    }
  }
  for (const OptionSpec& spec : option_table()) {
    for (std::string_view s : spellings(spec)) declared.emplace(s);
  }
  for (const std::string& name : written) EXPECT_TRUE(declared.count(name)) << name << " unknown";
  for (const std::string& name : declared) EXPECT_TRUE(written.count(name)) << name << " unwritten";
}

TEST(CliHelp, every_verb_has_two_examples_that_run) {
  for (const Verb& v : verb_table()) {
    const std::string name(v.name.empty() ? "rooflens" : v.name);
    const std::string section = help_section(name);
    const std::size_t at = section.rfind("### Examples");
    ASSERT_NE(at, std::string::npos) << name;
    int examples = 0;
    const std::regex line("^.*rooflens .*$", std::regex::multiline);
    const std::string tail = section.substr(at);
    for (std::sregex_iterator i(tail.begin(), tail.end(), line), none; i != none; ++i) {
      std::string text = i->str();
      text = text.substr(text.find("rooflens ") + 9);
      text = text.substr(0, text.find_first_of(")>"));
      std::replace(text.begin(), text.end(), '"', '\'');
      // Files of the project: wherever the test runs.
      if (const std::size_t file = text.find(" data/"); file != std::string::npos) {
        text.insert(file + 1, ROOFLENS_SOURCE_DIR "/");
      }
      const Outcome r = command(text);
      // Not every bar is met, and validate says so (CliValidate.a_bar_that_is_not_met_is_said).
      const bool bars = text.starts_with("validate") && text.find("--fit") == std::string::npos;
      EXPECT_EQ(r.code, bars ? 1 : 0) << text << '\n' << r.err;
      ++examples;
    }
    EXPECT_EQ(examples, 2) << name;
  }
}

TEST(CliHelp, help_is_readable) {
  const Outcome r = command("help analyze");
  EXPECT_EQ(r.code, 0);
  EXPECT_FALSE(has(r.out, "`"));
  EXPECT_FALSE(has(r.out, "<!--"));
  EXPECT_TRUE(has(r.out, "--max-num-seqs"));
  EXPECT_EQ(command("analyze --help").out, r.out);
  EXPECT_EQ(command("Qwen3-8B --on h100-sxm -h").out, r.out);
  EXPECT_EQ(command("--help").out, command("help").out);
  for (const Verb& v : verb_table()) {
    EXPECT_TRUE(has(command("help").out, v.name)) << v.name;
  }
}

TEST(CliHelp, version) {
  const Outcome r = command("--version");
  EXPECT_EQ(r.out.rfind("rooflens 0.", 0), 0U);
  EXPECT_GE(number_at(command("--version --json").out, "/results/devices"), 160);
}

TEST(CliHelp, completions_name_every_option) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome r = command(std::string("complete ") + shell);
    EXPECT_EQ(r.code, 0);
    EXPECT_TRUE(has(r.out, "max-num-seqs") && has(r.out, "h100-nvl") &&
                has(r.out, "Qwen/Qwen3-8B"));
  }
}

}  // namespace
}  // namespace rooflens::cli
