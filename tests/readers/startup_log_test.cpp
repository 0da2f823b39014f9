// Start-up logs as bytes: prefixes, pieces, hostile lines; and every log of the corpus against its
// table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "corpus.h"
#include "rooflens/check/startup.h"
#include "rooflens/readers/startup_model.h"

namespace rooflens {
namespace {

namespace fs = std::filesystem;

std::string file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string own(const char* name) {
  return file(ROOFLENS_SOURCE_DIR "/tests/cli/logs/" + std::string(name));
}

StartupLog read(std::string_view text) {
  auto log = read_startup_log(text, "log");
  EXPECT_TRUE(log.has_value()) << (log ? "" : log.error().message);
  return log ? std::move(*log) : StartupLog();
}

// Everything that was read, in one text.
std::string digest(const StartupLog& log) {
  std::ostringstream out;
  const Startup& s = log.startup;
  out << name_of(s.engine) << ' ' << s.model << ' ' << s.tensors << ' ' << s.lines << '\n';
  for (const Printed& p : s.fields)
    out << p.name << '=' << p.text << ':' << p.value << '@' << p.line << '\n';
  for (const StartupCache& c : s.caches) {
    out << c.size.text << ' ' << c.keys.text << ' ' << c.key_format << ' ' << c.values.text << ' '
        << c.cells << ' ' << c.layers << ' ' << c.sequences << ' ' << c.streams << '\n';
  }
  for (const StartupType& t : s.types) out << t.name << ' ' << t.tensors << '\n';
  for (const GgufKey& k : log.keys.keys) out << k.name << ' ' << k.value.index() << '\n';
  return out.str();
}

TEST(StartupLog, any_pieces_any_prefix_any_line_ends) {
  const std::string text = own("gpt-oss.log");
  const std::string expected = digest(read(text));
  for (std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{100}, std::size_t{4096}}) {
    StartupReader reader;
    for (std::size_t i = 0; i < text.size(); i += size) {
      reader.feed(std::string_view(text).substr(i, size));
    }
    const auto log = reader.finish("log");
    ASSERT_TRUE(log.has_value());
    EXPECT_EQ(digest(*log), expected) << size;
  }
  std::string changed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    changed += "\x1b[32mJul 01 host llama-server[12]: \x1b[0m" + line.substr(34) + "\x1b[0m\r\n";
  }
  EXPECT_EQ(digest(read(changed)), expected);
}

TEST(StartupLog, values_keep_their_line_and_text) {
  const StartupLog log = read(own("vllm.log"));
  const Printed* tokens = log.startup.find("tokens");
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->line, 4U);
  EXPECT_EQ(tokens->text, "652,144");
  EXPECT_EQ(tokens->value, 652144);
  EXPECT_EQ(log.startup.text("dtype"), "torch.bfloat16");
  EXPECT_EQ(log.startup.number("max_seq_len", 0), 4096);
  EXPECT_EQ(log.startup.model, "Qwen/Qwen3-0.6B");
  EXPECT_EQ(log.startup.version, "0.10.2");
  const Printed* memory = log.startup.find("available");
  ASSERT_NE(memory, nullptr);
  EXPECT_TRUE(memory->rounds_to(69.664 * 1073741824));
  EXPECT_FALSE(memory->rounds_to(69.666 * 1073741824));
}

TEST(StartupLog, older_words_of_vllm) {
  const StartupLog log = read(
      "INFO 01-01 Initializing an LLM engine (v0.6.3) with config: model='m', dtype=torch.float16, "
      "max_seq_len=2048, tensor_parallel_size=4, block_size=32\n"
      "INFO Loading model weights took 14.9888 GB\n"
      "INFO # GPU blocks: 1381, # CPU blocks: 2048\n"
      "INFO Maximum concurrency for 2048 tokens per request: 10.79x\n"
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n");
  EXPECT_EQ(log.startup.number("gpu_blocks", 0), 1381);
  EXPECT_EQ(log.startup.number("concurrency_tokens", 0), 2048);
  EXPECT_EQ(log.startup.number("concurrency", 0), 10.79);
  EXPECT_NEAR(log.startup.number("weights", 0), 14.9888 * 1073741824, 1e4);
  ASSERT_EQ(log.startup.problems.size(), 1U);
  EXPECT_EQ(log.startup.problems[0].line, 5U);
}

TEST(StartupLog, a_model_from_lines_alone_when_the_keys_are_missing) {
  const StartupLog log = read(
      "llm_load_print_meta: arch             = llama\n"
      "llm_load_print_meta: n_vocab          = 32000\n"
      "llm_load_print_meta: n_embd           = 4096\n"
      "llm_load_print_meta: n_head           = 32\n"
      "llm_load_print_meta: n_head_kv        = 8\n"
      "llm_load_print_meta: n_layer          = 32\n"
      "llm_load_print_meta: n_ff             = 14336\n"
      "llm_load_print_meta: n_expert         = 0\n"
      "llm_load_print_meta: model params     = 7.24 B\n"
      "llama_new_context_with_model: n_ctx      = 64\n"
      "llama_new_context_with_model: KV self size  =    8.00 MiB, K (f16):    4.00 MiB, V (f16):   "
      " "
      "4.00 MiB\n");
  const auto model = startup_model(log, "log");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const auto rows = check_startup(log.startup, &*model);
  ASSERT_EQ(rows.size(), 4U);
  for (const StartupRow& r : rows) EXPECT_EQ(r.verdict, Agreement::agrees) << r.what;
}

TEST(StartupLog, of_loads_of_one_file_the_last_and_of_several_files_the_first) {
  const std::string text = own("hybrid.log");
  std::string twice = text + text;
  EXPECT_EQ(read(twice).startup.loads, 2);
  EXPECT_EQ(read(twice).startup.caches.size(), 2U);
  EXPECT_GT(read(twice).startup.caches[0].size.line, 21U);
  std::string draft = text;
  draft.replace(draft.find("hybrid-27b"), 10, "draft-0.6b");
  const StartupLog log = read(text + draft);
  EXPECT_EQ(log.startup.loads, 2);
  EXPECT_EQ(log.startup.caches.size(), 2U);
  EXPECT_LT(log.startup.caches[0].size.line, 23U);
}

TEST(StartupLog, hostile_bytes_are_bounded) {
  EXPECT_FALSE(read_startup_log("", "log").has_value());
  EXPECT_FALSE(read_startup_log(std::string(100000, '\0'), "log").has_value());
  const std::string head = "llama_model_loader: - kv   0: general.architecture str = llama\n";
  StartupReader reader;
  reader.feed(head + "llama_model_loader: ");
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) reader.feed(piece);  // a line of 100 MB
  reader.feed("\nllama_new_context_with_model: n_ctx = 4096\n");
  auto log = reader.finish("log");
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(log->startup.number("n_ctx", 0), 4096);
  EXPECT_EQ(log->startup.lines, 3U);
  std::string many = head;
  for (int i = 0; i < 200000; ++i) {
    many +=
        "llama_model_loader: - kv " + std::to_string(i) + ": k" + std::to_string(i) + " u32 = 1\n";
  }
  EXPECT_LE(read(many).keys.keys.size(), 4096U);
  const StartupLog odd = read(
      head +
      "llama_model_loader: - kv 1: llama.block_count str = many\n"
      "llama_model_loader: - kv 2: llama.embedding_length arr[i32,99999999999999999999] = [1, 2\n"
      "llama_model_loader: - kv 3: llama.context_length u32 = " +
      std::string(4000, '9') +
      "\n"
      "llama_model_loader: - kv 4: =\n"
      "llama_model_loader: - kv\n"
      "llama_model_loader: - type : tensors\n"
      "llama_kv_cache: size = 99999999999999999999999 MiB ( 0 cells, x layers\n"
      "print_info: model params = 1e999 B\n");
  EXPECT_FALSE(startup_model(odd, "log").has_value());
}

// ---- the corpus --------------------------------------------------------------------------------

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  for (char c : line) {
    if (c == '\t') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// What the table writes of a figure is what the log prints, to the digits of the shorter.
bool same_figure(double printed, double step, const std::string& table, double scale) {
  const std::size_t point = table.find('.');
  const double decimals =
      point == std::string::npos ? 0 : static_cast<double>(table.size() - point - 1);
  const double table_step = scale * std::pow(10.0, -decimals);
  return std::abs(printed - std::atof(table.c_str()) * scale) <=
         (step + table_step) * 0.5 + 1e-6 * scale;
}

TEST(StartupLogs, every_log_of_the_corpus_reads_as_its_table_and_is_explained) {
  const fs::path folder = test::in_corpus("gguf-logs");
  std::ifstream table(folder / "expected.tsv");
  if (folder.empty() || !table) GTEST_SKIP() << "no logs at " << folder;
  std::string line;
  std::getline(table, line);
  const std::vector<std::string> names = cells(line);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  int logs = 0, agree = 0, differ = 0, rows = 0;
  while (std::getline(table, line)) {
    const std::vector<std::string> row = cells(line);
    const auto of = [&](const char* name) { return row.at(column(name)); };
    const StartupLog log = read(file(folder / of("file")));
    ++logs;
    SCOPED_TRACE(of("file"));
    const Printed *params = log.startup.find("params"), *size = log.startup.find("size");
    const Printed* bits = log.startup.find("bpw");
    ASSERT_TRUE(params != nullptr && size != nullptr && bits != nullptr);
    const bool tera = of("params_B").find('T') != std::string::npos;
    EXPECT_TRUE(same_figure(params->value, params->step(),
                            of("params_B").substr(0, of("params_B").find(' ')), tera ? 1e12 : 1e9));
    EXPECT_TRUE(same_figure(size->value, size->step(), of("size_GiB"), 1073741824.0)) << size->text;
    EXPECT_TRUE(same_figure(bits->value, bits->step(), of("BPW"), 1));
    if (of("kv_MiB").empty()) {
      EXPECT_TRUE(log.startup.caches.empty());
    } else {
      ASSERT_FALSE(log.startup.caches.empty());
      EXPECT_TRUE(same_figure(log.startup.caches[0].size.value, log.startup.caches[0].size.step(),
                              of("kv_MiB"), 1048576.0));
    }
    EXPECT_EQ(log.keys.keys.size(), std::stoul(of("kv_pairs_seen")));
    const auto model = startup_model(log, of("file"));
    ASSERT_TRUE(model.has_value()) << model.error().message;
    bool all = true;
    for (const StartupRow& r : check_startup(log.startup, &*model)) {
      ++rows;
      EXPECT_NE(r.verdict, Agreement::unknown) << r.what << ": " << r.cause;
      if (r.verdict != Agreement::differs) continue;
      all = false;
      EXPECT_FALSE(r.cause.empty())
          << r.what << ": " << r.log.text << ", predicted " << written_like(r.log, r.predicted);
      if (r.tag.find('_') == std::string::npos) {
        std::printf("log: %.44s: %s %s, predicted %s: %s\n", of("file").c_str(), r.what.c_str(),
                    r.log.text.c_str(), written_like(r.log, r.predicted).c_str(), r.cause.c_str());
      }
    }
    ++(all ? agree : differ);
  }
  std::printf("logs: read %d, agree in every figure %d, differ with cause %d; %d figures\n", logs,
              agree, differ, rows);
  EXPECT_GE(logs, 55);
}

}  // namespace
}  // namespace rooflens
