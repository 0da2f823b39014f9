// What llama.cpp and ik_llama.cpp print while they load a model, in their older and newer words.
#include <array>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/startup_lines.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

constexpr std::size_t kMostKeys = 4096, kMostCaches = 16, kMostTypes = 64, kLongestValue = 4096;

// The text behind "<logger>: ", the logger's name in `logger`: the first word of these beginnings
// that a colon stands right behind.
std::string_view body_of(std::string_view s, std::string_view& logger) {
  constexpr std::array<std::string_view, 4> kLoggers{"llama_", "llm_load_",
                                                     "print_info:", "load_tensors:"};
  const auto of_name = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != 'l' && s[i] != 'p') continue;
    for (std::string_view l : kLoggers) {
      if (s.compare(i, l.size(), l) != 0) continue;
      std::size_t end = i;
      while (end < s.size() && of_name(s[end])) ++end;
      if (end == s.size() || s[end] != ':') {
        i = end;  // no logger's name begins inside of a word
        break;
      }
      logger = s.substr(i, end - i);
      return trim(s.substr(end + 1));
    }
  }
  return s;
}

// [1, 2, 3] when it is not cut.
GgufArray array_of(std::string_view type, std::string_view value) {
  GgufArray a;
  std::string_view inner = type.substr(4);  // behind "arr["
  const std::string_view element = take(inner, ',');
  int decimals = 0;
  double count = 0;
  if (take_number(inner, count, decimals) && count >= 0 && count < 1e12) {
    a.count = static_cast<std::uint64_t>(count);
  }
  if (element == "str" || value.empty() || value.front() != '[' || value.back() != ']') return a;
  value = value.substr(1, value.size() - 2);
  while (!value.empty() && a.numbers.size() < GgufArray::kKept) {
    std::string_view item = trim(take(value, ','));
    double v = item == "true" ? 1 : 0;
    if (item != "true" && item != "false" && !take_number(item, v, decimals)) return a;
    a.numbers.push_back(v);
  }
  a.complete = a.numbers.size() == a.count;
  return a;
}

// "K (f16): 3008.00 MiB" behind `label`.
Printed cache_part(std::string_view s, std::string_view label, std::string& format,
                   std::uint64_t line) {
  std::string mark(label);
  mark += " (";
  std::string_view rest = after(s, mark);
  if (!found(rest)) return {};
  const std::size_t close = rest.find("):");
  if (close == std::string_view::npos || close > 16) return {};
  format = lower(trim(rest.substr(0, close)));
  return printed_number(rest.substr(close + 2), std::string(label), line);
}

// The number before a word: "32768" of "( 32768 cells,".
double before_word(std::string_view s, std::string_view word) {
  std::size_t at = s.find(word);
  if (at == std::string_view::npos) return 0;
  while (at > 0 && s[at - 1] == ' ') --at;
  std::size_t first = at;
  while (first > 0 && s[first - 1] >= '0' && s[first - 1] <= '9') --first;
  std::string_view digits = s.substr(first, at - first);
  double v = 0;
  int decimals = 0;
  return take_number(digits, v, decimals) ? v : 0;
}

}  // namespace

bool LlamaLine::key(std::string_view text) {
  // "7:  llama.rope.dimension_count u32  = 128"
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  text = trim(text.substr(colon + 1));
  const std::size_t equals = text.find(" = ");
  const bool empty = equals == std::string_view::npos && !text.empty() && text.back() == '=';
  if (equals == std::string_view::npos && !empty) return false;
  std::string_view left = trim(text.substr(0, empty ? text.size() - 1 : equals));
  const std::string_view value = empty ? std::string_view() : trim(text.substr(equals + 3));
  const std::size_t blank = left.find(' ');
  if (blank == std::string_view::npos || blank == 0 || blank > 200) return false;
  const std::string_view name = left.substr(0, blank), type = trim(left.substr(blank));
  auto& keys = log.keys.keys;
  if (keys.size() >= kMostKeys || log.keys.find(name) != nullptr) return true;
  GgufKey k;
  k.name = name;
  double number = 0;
  int decimals = 0;
  std::string_view rest = value;
  if (type == "str") {
    k.value = std::string(value.substr(0, kLongestValue));
  } else if (type == "bool") {
    k.value = value == "true";
  } else if (type.substr(0, 4) == "arr[") {
    k.value = array_of(type, value);
  } else if (take_number(rest, number, decimals)) {
    k.value = number;
  } else {
    return true;
  }
  keys.push_back(std::move(k));
  return true;
}

void LlamaLine::type(std::string_view text) {
  // "q4_K:  289 tensors"
  const std::string_view name = trim(take(text, ':'));
  text = trim(text);
  double n = 0;
  int decimals = 0;
  if (name.empty() || name.size() > 24 || !take_number(text, n, decimals)) return;
  if (trim(text) != "tensors" || log.startup.types.size() >= kMostTypes) return;
  log.startup.types.push_back({std::string(name), n});
}

// "KV self size  =  256.00 MiB, K (f16):  128.00 MiB, V (f16):  128.00 MiB"
bool LlamaLine::old_cache(std::string_view text) {
  const std::string_view size = after(text, "KV self size");
  if (!found(size) || log.startup.caches.size() >= kMostCaches) return false;
  StartupCache c;
  c.size = printed_number(size, "size", line);
  if (!c.size.is_number()) return false;
  c.keys = cache_part(size, " c^KV", c.key_format, line);
  c.latent = c.keys.is_number();
  if (c.latent) {
    c.values = cache_part(size, " kv^T", c.value_format, line);
    c.transposed = c.values.is_number();
  } else {
    c.keys = cache_part(size, " K", c.key_format, line);
    c.values = cache_part(size, " V", c.value_format, line);
  }
  log.startup.caches.push_back(std::move(c));
  return true;
}

// "size = 6016.00 MiB ( 32768 cells,  94 layers,  1/1 seqs), K (f16): 3008.00 MiB, V (f16): ..."
bool LlamaLine::new_cache(std::string_view text, bool recurrent) {
  if (text.substr(0, 6) != "size =" || log.startup.caches.size() >= kMostCaches) return false;
  StartupCache c;
  c.kind = recurrent ? CacheKind::recurrent : next_cache;
  c.size = printed_number(text.substr(6), "size", line);
  c.cells = before_word(text, "cells");
  c.layers = before_word(text, "layers");
  if (!c.size.is_number() || !(c.cells > 0)) return false;
  if (const double n = before_word(text, "seqs"); n > 0) {
    c.sequences = c.streams = n;
    if (text.find('/') == std::string_view::npos) c.streams = 1;  // older: not told apart
    if (const double all = before_word(text, "/"); all > 0) c.sequences = all;
  }
  c.keys = cache_part(text, recurrent ? " R" : " K", c.key_format, line);
  c.values = cache_part(text, recurrent ? " S" : " V", c.value_format, line);
  next_cache = CacheKind::all;
  log.startup.caches.push_back(std::move(c));
  return true;
}

// "n_ctx = 4096", "model params = 30.53 B", "model size = 17.28 GiB (4.86 BPW)"
bool LlamaLine::meta(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals > 40) return false;
  std::string_view name = trim(text.substr(0, equals));
  const std::string_view value = trim(text.substr(equals + 1));
  Startup& s = log.startup;
  if (name == "model size" || name == "file size") {
    keep(s, printed_number(value, "size", line));
    if (const std::string_view bits = after(value, "("); found(bits)) {
      Printed p = printed_number(bits, "bpw", line);
      if (bits.find("BPW") != std::string_view::npos) keep(s, std::move(p));
    }
    return true;
  }
  if (name == "model params") {
    keep(s, printed_number(value, "params", line));
    return true;
  }
  if (name == "arch" && s.architecture.empty()) s.architecture = value.substr(0, 60);
  keep_word(s, name, value, line);
  return true;
}

// "CUDA0 (NVIDIA GeForce RTX 4090) - 23000 MiB free"; names have parentheses of their own.
void LlamaLine::device(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return;
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth > 0) continue;
    keep_word(log.startup, "device " + std::string(trim(text.substr(0, open))),
              text.substr(open + 1, i - open - 1), line);
    return;
  }
}

bool LlamaLine::read(std::string_view text) {
  std::string_view logger;
  const std::string_view body = body_of(text, logger);
  Startup& s = log.startup;
  const auto starts = [&](std::string_view with) { return body.substr(0, with.size()) == with; };
  if (starts("- kv ")) return key(body.substr(5));
  if (starts("- type ")) {
    type(body.substr(7));
    return true;
  }
  if (starts("- tensor ")) {
    log.tensors_listed = true;
    if (body.find(" output.weight ") != std::string_view::npos) log.head_listed = true;
    return true;
  }
  if (logger.empty()) {
    // A quoted log without the logger's name.
    return old_cache(body);
  }
  if (starts("loaded meta data")) {
    s.tensors = before_word(body, "tensors");
    std::string_view path = after(body, "tensors from ");
    if (found(path)) s.model = path.substr(0, std::min(path.find(" (version"), std::size_t{400}));
    return true;
  }
  if (body.find("KV self size") != std::string_view::npos) return old_cache(body);
  if (body.find("creating") != std::string_view::npos &&
      body.find("SWA KV cache") != std::string_view::npos) {
    next_cache =
        body.find("non-SWA") != std::string_view::npos ? CacheKind::full : CacheKind::window;
    return true;
  }
  if (starts("size =")) {
    const bool recurrent = logger.find("recurrent") != std::string_view::npos ||
                           body.find(" R (") != std::string_view::npos;
    if (logger.find("kv_cache") != std::string_view::npos || recurrent) {
      return new_cache(body, recurrent);
    }
    return false;
  }
  if (starts("using device ")) {
    device(body.substr(13));
    return true;
  }
  if (starts("offloaded ")) {
    keep_word(s, "offloaded", body.substr(10, body.find(" layers") - 10), line);
    return true;
  }
  if (const std::string_view size = after(body, "buffer size ="); found(size)) {
    const std::string_view device = trim(body.substr(0, body.find("buffer size")));
    Printed p = printed_number(size, std::string(device.substr(0, 60)) + " buffer", line);
    const bool weights = logger.find("load_tensors") != std::string_view::npos;
    if (weights && p.name.find("model") == std::string::npos)
      p.name.insert(p.name.size() - 6, "model ");
    keep(s, std::move(p));
    return true;
  }
  return logger.substr(0, 5) != "ggml_" && meta(body);
}

}  // namespace rooflens
