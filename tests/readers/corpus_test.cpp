// Every configuration of the corpus (ROOFLENS_CORPUS, default the folder CMake names) is read and
// agrees to the last parameter with its published number, or is refused by name.
#include "corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/hf_config.h"
#include "rooflens/readers/json_text.h"

namespace rooflens {
namespace {

namespace fs = std::filesystem;

using Row = std::map<std::string, std::string>;

std::vector<Row> table(const fs::path& path) {
  std::istringstream in(test::bytes_of(path));
  std::vector<std::string> columns;
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i)
      row[columns[i]] = i < cells.size() ? cells[i] : "";
    rows.push_back(row);
  }
  return rows;
}

Result<Model> read(const fs::path& folder) {
  const std::string config = test::bytes_of(folder / "config.json");
  const std::string hf_quant = test::bytes_of(folder / "hf_quant_config.json");
  const std::string quantize = test::bytes_of(folder / "quantize_config.json");
  std::string index = test::bytes_of(folder / "model.safetensors.index.json");
  if (index.empty()) index = test::bytes_of(folder / "pytorch_model.bin.index.json");
  return read_hf_config(config, folder.filename().string() + "/config.json",
                        {hf_quant, quantize, index});
}

double number(const std::string& text) { return text.empty() ? 0 : std::stod(text); }

// Index keys of sparse attention: the column counts the latent alone.
double index_cache(const Model& m) {
  double bytes = 0;
  for (const Layer& layer : m.layers) {
    const auto* a = std::get_if<LatentAttention>(&layer.mixer);
    if (a != nullptr && a->index.top_k > 0 && a->index.dim > 0)
      bytes += layer.count * (a->index.dim + 4);
  }
  return bytes;
}

// Convolution columns of short convolutions: the column leaves them out (it has 0 for LFM2).
double conv_state(const Model& m) {
  double bytes = 0;
  for (const Layer& layer : m.layers) {
    const auto* conv = std::get_if<ShortConv>(&layer.mixer);
    if (conv != nullptr) bytes += layer.count * (conv->conv - 1) * m.hidden * 2;
  }
  return bytes;
}

// The cache at 16 bit, whatever type the file asks for.
double cache_bytes(const Model& m) { return kv_bytes_per_token(m, Deployment{}) - index_cache(m); }

double extra(const Model& m, const char* what) {
  for (const Extra& e : m.extras) {
    if (e.what.find(what) != std::string::npos) return e.parameters;
  }
  return 0;
}

std::string compare(const Model& m, const Row& row) {
  const Parameters p = count_parameters(m);
  std::string out;
  const auto check = [&](const char* what, double got, const std::string& column) {
    const double want = number(row.at(column));
    if (got != want) {
      out += std::string(" ") + what + " " + number_text(got) + " for " + number_text(want);
    }
  };
  check("parameters", p.total, "text_params");
  check("active", p.active, "active_per_token");
  check("cache", cache_bytes(m), "kv_bytes_per_token_16bit");
  check("state", state_bytes_per_sequence(m, Deployment{}) - conv_state(m),
        "recurrent_state_bytes_per_seq");
  check("layers", static_cast<double>(m.order.size()), "layers");
  if (extra(m, "MTP") > 0 || number(row.at("mtp_params")) > 0) {
    check("MTP", extra(m, "MTP"), "mtp_params");
  }
  if (extra(m, "vision") > 0) check("vision", extra(m, "vision"), "vision_params");
  return out;
}

// Rows where the reader is right to differ from a column, and why. docs/models.md has the sentence.
const std::map<std::string, std::string>& known_differences() {
  static const std::map<std::string, std::string> known{
      {"mlc--orion", "its norms are LayerNorms: 81 biases of 5,120 that the table leaves out"},
      {"mlc--phi-1_5", "the table could not read it; counted as phi-2, which is exact"},
      {"mlc--phi-2", "the table could not read it; equals the same model under old keys"},
  };
  return known;
}

// What is refused: the file, and the beginning of the message, told in docs/models.md.
const std::map<std::string, std::string>& known_refusals() {
  static const std::map<std::string, std::string> known{
      {"MiniMaxAI--MiniMax-M3", "minimax_m3"},
      {"THUDM--cogvlm2-llama3-caption", "cogvlm"},
      {"alibaba--Logics-Thinking-8B", "logics"},
      {"deepseek-ai--DeepSeek-V4-Flash", "deepseek_v4"},
      {"deepseek-ai--DeepSeek-V4-Pro", "deepseek_v4"},
      {"draft--DeepSeek-V3-671B-eagle3", "LlamaForCausalLMEagle3"},
      {"draft--Kimi-K3-dspark", "DSparkDraftModel"},
      {"draft--Qwen3.6-27B-dflash", "DFlashDraftModel"},
      {"draft--gpt-oss-120B-eagle3", "LlamaForCausalLMEagle3"},
      {"mlc--snowflake-arctic-embed-m", "bert"},
      {"moonshotai--Kimi-K3", "kimi_k3"},
      {"nvidia--DeepSeek-V4-Flash-NVFP4", "deepseek_v4"},
      {"nvidia--DeepSeek-V4-Pro-NVFP4", "deepseek_v4"},
      {"sgl-project--DeepSeek-V4-Flash-FP8", "deepseek_ref"},
      {"sgl-project--DeepSeek-V4-Pro-FP8", "deepseek_ref"},
  };
  return known;
}

// Files of the corpus that agree; fewer is a loss.
constexpr std::size_t kExact = 71, kAgreeing = 127;

// First cells of the table of refusals in docs/models.md.
std::set<std::string> documented_refusals(const std::string& docs) {
  std::set<std::string> names;
  const std::size_t table = docs.find("| what | why |");
  std::istringstream lines(table == std::string::npos ? "" : docs.substr(table));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream cell(line.substr(2, line.find(" |") - 2));
    for (std::string name; std::getline(cell, name, ',');) {
      names.insert(name.substr(name.find_first_not_of(' ')));
    }
  }
  return names;
}

TEST(Corpus, EveryConfigurationIsExactOrRefusedByName) {
  const fs::path folder = test::in_corpus("configs");
  if (!fs::exists(folder / "expected.tsv")) {
    std::printf("corpus: skipped, no folder %s\n", folder.string().c_str());
    GTEST_SKIP() << "no corpus at " << folder << " (set ROOFLENS_CORPUS)";
  }
  std::size_t read_count = 0, exact = 0, known = 0, unpublished = 0;
  std::map<std::string, std::string> refused, refusals, differing;
  for (const Row& row : table(folder / "expected.tsv")) {
    const std::string name = row.at("model");
    if (!fs::exists(folder / name / "config.json")) continue;
    const Result<Model> model = read(folder / name);
    const bool must = row.at("verdict").rfind("exact", 0) == 0;
    if (!model) {
      EXPECT_NE(model.error().code, ErrorCode::malformed) << name << ": " << model.error().message;
      EXPECT_FALSE(model.error().message.empty());
      EXPECT_FALSE(must) << name << " has a published count: " << model.error().message;
      refused[name] = model.error().message.substr(0, model.error().message.find(':'));
      refusals[refused[name]] = model.error().message;
      if (std::getenv("ROOFLENS_VERBOSE")) {
        std::printf("  refused %s: %s [%s]\n", name.c_str(), model.error().message.c_str(),
                    model.error().where.c_str());
      }
      continue;
    }
    ++read_count;
    if (std::getenv("ROOFLENS_VERBOSE")) {
      for (const std::string& w : model->warnings) {
        std::printf("  warning %s: %s\n", name.c_str(), w.c_str());
      }
    }
    const std::string difference = compare(*model, row);
    if (difference.empty()) {
      ++(must ? exact : unpublished);
      continue;
    }
    if (const auto at = known_differences().find(name); at != known_differences().end()) {
      ++known;
      differing[name] = at->second;
      continue;
    }
    ADD_FAILURE() << name << " (" << row.at("verdict") << "):" << difference;
  }
  std::printf(
      "corpus: read %zu, exact %zu, agreeing without a published number %zu, differing for "
      "a known reason %zu, refused %zu\n",
      read_count, exact, unpublished, known, refused.size());
  EXPECT_EQ(refused, known_refusals());
  EXPECT_EQ(differing, known_differences());
  EXPECT_GE(exact, kExact);
  EXPECT_GE(unpublished, kAgreeing);
  const std::string docs = test::bytes_of(fs::path(ROOFLENS_SOURCE_DIR) / "docs" / "models.md");
  for (const auto& [name, why] : differing) {
    std::printf("  differs: %s: %s\n", name.c_str(), why.c_str());
    EXPECT_NE(docs.find(name), std::string::npos) << name << " has no sentence in docs/models.md";
  }
  std::set<std::string> keys;
  for (const auto& [key, message] : refusals) {
    std::printf("  refused: %s\n", message.c_str());
    keys.insert(key);
  }
  EXPECT_EQ(documented_refusals(docs), keys) << "the table of refusals in docs/models.md";
}

// Stored bytes where the corpus knows them: the index's total size or the files' own size.
TEST(Corpus, IndexSizesAgree) {
  const fs::path folder = test::in_corpus("configs");
  if (!fs::exists(folder / "expected.tsv")) GTEST_SKIP() << "no corpus at " << folder;
  std::size_t compared = 0, to_the_byte = 0;
  for (const Row& row : table(folder / "expected.tsv")) {
    const double total = number(row.at("pub_index_total_size_bytes"));
    const fs::path one = folder / row.at("model");
    const bool has_index = fs::exists(one / "model.safetensors.index.json") ||
                           fs::exists(one / "pytorch_model.bin.index.json");
    if (total == 0 || !has_index || !fs::exists(one / "config.json")) continue;
    const Result<Model> model = read(one);
    if (!model) continue;
    double bytes = weight_bytes(*model, Deployment{});
    for (const Extra& extra : model->extras) bytes += extra.bytes;
    ++compared;
    to_the_byte += bytes == total ? 1 : 0;
    const bool warned = std::any_of(
        model->warnings.begin(), model->warnings.end(),
        [](const std::string& w) { return w.find("the index says") != std::string::npos; });
    EXPECT_EQ(warned, std::abs(total / bytes - 1) > 0.01) << row.at("model");
  }
  std::printf("corpus: %zu index sizes compared, %zu equal to the byte\n", compared, to_the_byte);
  EXPECT_GT(to_the_byte, 0u);
}

// Whatever file of the corpus is given as a config is read or refused with a reason.
TEST(Corpus, AnyFileIsReadOrRefused) {
  const fs::path folder = test::in_corpus("configs");
  if (!fs::exists(folder)) GTEST_SKIP() << "no corpus at " << folder;
  std::size_t files = 0, read_count = 0;
  for (const char* part : {"", "../gguf", "../safetensors"}) {
    if (!fs::exists(folder / part)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder / part)) {
      if (!entry.is_regular_file() || entry.file_size() > (std::size_t{8} << 20)) continue;
      const std::string text = test::bytes_of(entry.path());
      const Result<Model> model = read_hf_config(text, entry.path().filename().string());
      ++files;
      if (model) {
        ++read_count;
      } else {
        EXPECT_FALSE(model.error().message.empty()) << entry.path();
        EXPECT_EQ(model.error().where.rfind(entry.path().filename().string(), 0), 0u)
            << model.error().where;
      }
    }
  }
  std::printf("corpus: %zu files given as a config, %zu read\n", files, read_count);
}

}  // namespace
}  // namespace rooflens
