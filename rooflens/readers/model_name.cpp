#include "rooflens/readers/model_name.h"

#include <algorithm>
#include <cstdlib>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

constexpr std::size_t kLongest = 300;  // letters of a name that are read

// Change no size: who made it, what it was tuned for, how it was packed.
constexpr std::string_view kSilent[] = {
    "meta",   "instruct", "it",      "chat",    "hf",      "gguf",  "base",      "preview",
    "v",      "moe",      "ud",      "i",       "imatrix", "dense", "thinking",  "think",
    "mlperf", "text",     "exp",     "model",   "the",     "pt",    "release",   "default",
    "mostly", "medium",   "small_k", "large_k", "xl",      "mtp",   "community", "lmstudio"};

struct Word {
  std::string_view word, format;
};
// Words for number formats beside the table of formats.
constexpr Word kFormatWords[] = {{"3bit", "mlx3_g64"},     {"4bit", "mlx4_g64"},
                                 {"5bit", "mlx5_g64"},     {"6bit", "mlx6_g64"},
                                 {"8bit", "mlx8_g64"},     {"awq", "awq4_g128"},
                                 {"gptq", "gptq4_g128"},   {"autoround", "int4sym_g128"},
                                 {"int4", "int4sym_g128"}, {"w4a16", "int4sym_g128"},
                                 {"w8a8", "int8_channel"}, {"bnb", "bnb_nf4"},
                                 {"nf4", "bnb_nf4"},       {"f16", "fp16"},
                                 {"f32", "fp32"},          {"half", "fp16"},
                                 {"float16", "fp16"},      {"bfloat16", "bf16"},
                                 {"fp4", "nvfp4"},         {"mxfp4_moe", "mxfp4"}};

bool part_of_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }

// Words of letters, digits and '_'; a dot stays between two digits.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool point =
        c == '.' && i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (part_of_word(c) || point) {
      words.back() += lower(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

const NamedStorage* format_of_word(std::string word) {
  for (const Word& w : kFormatWords) {
    if (w.word == word) return find_storage(w.format);
  }
  // q4_k_m, q4_k_xl, q3_k_s: a mixture around one format.
  for (std::size_t cut = word.size(); cut >= 3; cut = word.rfind('_')) {
    word.resize(cut);
    const bool quant = word[0] == 'q' || word.starts_with("iq") || word.starts_with("tq");
    const NamedStorage* found = find_storage(word);
    if (found != nullptr) return found;
    if (!quant || word.rfind('_') == std::string::npos) return nullptr;
  }
  return nullptr;
}

// "7b", "0.6b", "230m", "a3b", "e4b" -> parameters; 0 = no such size.
double size_in(std::string_view word) {
  constexpr std::size_t kLongestSize = 8;  // "1234.5b"
  if (word.size() < 2 || word.size() > kLongestSize) return 0;
  double unit = 0;
  if (word.back() == 'b') unit = 1e9;
  if (word.back() == 'm') unit = 1e6;
  if (unit == 0) return 0;
  word.remove_suffix(1);
  if (!is_digit(word.front())) word.remove_prefix(1);
  if (word.empty()) return 0;
  for (const char c : word) {
    if (!is_digit(c) && c != '.') return 0;
  }
  return std::strtod(std::string(word).c_str(), nullptr) * unit;
}

// "8x7b", "16e": experts.
bool tells_experts(std::string_view word) {
  const std::size_t x = word.find('x');
  if (x != std::string_view::npos && x > 0) {
    return is_digit(word.front()) && size_in(word.substr(x + 1)) > 0;
  }
  return word.size() > 1 && word.back() == 'e' &&
         std::all_of(word.begin(), word.end() - 1, [](char c) { return is_digit(c); });
}

// A year, month, share of a benchmark: four digits, or a number that no version has.
bool is_date(std::string_view word) {
  return word.size() >= 4 &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}

void add_size(const std::string& word, ModelName& out) {
  const double n = size_in(word);
  if (word[0] == 'a') {
    out.active_parameters = n;
  } else if (out.parameters == 0) {
    out.parameters = n;
  }
  out.sizes.push_back(word);
}

// "qwen35moe" -> qwen, 3.5; "llama4" -> llama, 4; "v3.1" -> 3.1.
void add_family(std::string_view word, ModelName& out) {
  std::string piece;
  const auto finish = [&] {
    if (piece.empty()) return;
    // llama.cpp writes Qwen 3.5 as qwen35.
    if (piece.size() == 2 && is_digit(piece[0]) && !out.words.empty() &&
        out.words.back() == "qwen") {
      piece.insert(1, ".");
    }
    const bool silent =
        std::find(std::begin(kSilent), std::end(kSilent), piece) != std::end(kSilent);
    if (!silent && !is_date(piece)) out.words.push_back(piece);
    piece.clear();
  };
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool digit = is_digit(word[i]) || word[i] == '.';
    const bool before = !piece.empty() && (is_digit(piece.back()) || piece.back() == '.');
    if (!piece.empty() && digit != before) finish();
    piece += word[i];
  }
  finish();
}

std::string_view without_folders(std::string_view text) {
  while (!text.empty() && (text.back() == '/' || text.back() == '\\')) text.remove_suffix(1);
  const std::size_t slash = text.find_last_of("/\\");
  if (slash != std::string_view::npos) text.remove_prefix(slash + 1);
  return text.ends_with(".gguf") ? text.substr(0, text.size() - 5) : text;
}

// One of several files: "...-00001-of-00003".
std::string_view without_part(std::string_view text) {
  const std::size_t of = text.rfind("-of-");
  const bool part = of != std::string_view::npos && of > 6 && text.size() == of + 9;
  return part ? text.substr(0, of - 6) : text;
}

}  // namespace

const NamedStorage* format_in_words(std::string_view text) {
  for (std::string& word : split(text.substr(0, kLongest))) {
    if (const NamedStorage* found = format_of_word(std::move(word))) return found;
  }
  return nullptr;
}

ModelName read_model_name(std::string_view text) {
  ModelName out;
  for (const std::string& word : split(without_part(without_folders(text.substr(0, kLongest))))) {
    if (const NamedStorage* format = format_of_word(word)) {
      if (out.format == nullptr) out.format = format;
    } else if (size_in(word) > 0) {
      add_size(word, out);
    } else if (tells_experts(word)) {
      // 17bx16e says two things, 8x7b one.
      const std::size_t x = word.find("bx");
      if (x != std::string::npos) {
        add_size(word.substr(0, x + 1), out);
        out.sizes.push_back(word.substr(x + 2));
      } else {
        out.sizes.push_back(word);
      }
    } else if (!word.starts_with('_')) {
      std::string_view rest = word;
      while (!rest.empty()) add_family(take(rest, '_'), out);
    }
  }
  return out;
}

}  // namespace rooflens
