// The dictionary of claims.
#include <algorithm>
#include <array>

#include "rooflens/check/claim_words.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

using P = MeasuredPhase;
using C = Counting;
using F = Figure;
using S = Setting;

struct Entry {
  std::string_view word;
  Meaning meaning;
};

Meaning phase(P p, S s = S::none) { return {p, {}, {}, {}, s, false, false}; }
Meaning counts(C c) { return {{}, c, {}, {}, S::none, false, false}; }
Meaning time(F f) { return {{}, {}, f, {}, S::none, false, false}; }
Meaning share(F f) { return {{}, {}, {}, f, S::none, false, false}; }
Meaning sets(S s) { return {{}, {}, {}, {}, s, false, false}; }
Meaning single() { return {{}, {}, {}, {}, S::none, true, false}; }
Meaning product() { return {{}, {}, {}, {}, S::none, false, true}; }

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> e;
    const auto add = [&](const Meaning& m, std::initializer_list<std::string_view> words) {
      for (std::string_view w : words) e.push_back({w, m});
    };
    add(phase(P::prefill), {"prefill", "prefilling", "pre-fill", "prompt-processing", "ingest",
                            "ingestion", "prompt-eval", "prefills"});
    add(phase(P::prefill, S::prompt),
        {"prompt", "prompts", "input", "inputs", "pp", "isl", "input-len", "--input-len",
         "--random-input-len", "prompt-tokens"});
    add(phase(P::decode), {"decode", "decoding", "generation", "generate", "generated", "gen",
                           "generating", "eval", "completion", "decodes", "token-generation"});
    add(phase(P::decode, S::output),
        {"output", "outputs", "tg", "osl", "output-len", "--output-len", "--random-output-len"});
    add(phase(P::mixed),
        {"total", "mixed", "prompt+output", "input+output", "prefill+decode", "prompt+generation"});
    add(counts(C::per_stream), {"per-user", "per-stream", "per-request", "per-sequence", "each",
                                "/user", "/stream", "/request", "/seq"});
    add(counts(C::per_device),
        {"per-gpu", "per-device", "per-card", "per-chip", "/gpu", "/device", "/card", "/chip"});
    add(counts(C::aggregate), {"aggregate", "aggregated", "aggregates", "combined", "summed"});
    add(counts(C::same_wall), {"avg", "average", "averaged", "wall", "wall-clock", "same-wall"});
    add(time(F::time_to_first_token_s), {"ttft", "time-to-first-token"});
    add(time(F::time_per_token_s), {"tpot", "itl", "tbt", "inter-token", "per-token",
                                    "time-per-output-token", "time-between-tokens"});
    add(time(F::request_s), {"e2e", "end-to-end", "e2el", "latency"});
    add(time(F::step_s), {"step", "pass", "forward"});
    add(share(F::bandwidth_share), {"mbu", "bandwidth"});
    add(share(F::peak_share), {"mfu", "hfu", "peak"});
    add(sets(S::batch), {"batch", "batch-size", "batchsize", "bs", "b", "concurrency", "bsz", "c",
                         "max-num-seqs", "--max-num-seqs", "num-seqs", "max-concurrency", "--batch",
                         "--max-concurrency", "parallel", "--parallel", "max-batch-size"});
    add(sets(S::context), {"context", "ctx", "depth", "d", "kv-depth", "context-length", "past"});
    add(sets(S::cached), {"cached", "prefix"});
    add(sets(S::devices), {"tp", "--tensor-parallel-size", "gpus", "--gpus"});
    add(single(), {"single-stream", "single-user", "single-request", "bs=1", "b=1"});
    add(product(), {"rtx", "gtx", "rx", "arc", "geforce", "radeon", "instinct", "xeon", "epyc",
                    "ryzen", "quadro", "core", "llama", "version", "v", "percentile", "cuda"});
    std::sort(e.begin(), e.end(), [](const Entry& a, const Entry& b) { return a.word < b.word; });
    return e;
  }();
  return all;
}

constexpr std::string_view kFillers =  // between blanks
    " a about achieve achieved achieves almost an approx approximately are around as at "
    "benchmark by can card cards claim claimed claims compute-rich delivers device devices "
    "engine for from gave get gets getting gives got gpu gpus hits i in inference is it len "
    "length llama-bench llama.cpp llm machine mean measured measurement measures median "
    "memory model my nearly of on our over per performance processing rate reach reached "
    "reaches reported reports result results roughly run running runs saw see server serving "
    "sglang shows size speed speeds sustained take takes tensorrt-llm test that the this "
    "throughput time to tok token tokens up using vllm was we were when while with x ";

bool one_of(std::string_view s, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), s) != list.end();
}

bool is_token(std::string_view s) { return one_of(s, {"t", "tok", "toks", "token", "tokens"}); }
bool is_request(std::string_view s) { return one_of(s, {"req", "reqs", "request", "requests"}); }
bool is_second(std::string_view s) { return one_of(s, {"s", "sec", "second", "secs"}); }

std::optional<Counting> counted_per(std::string_view s) {
  if (one_of(s, {"user", "stream", "request", "req", "seq", "sequence"})) return C::per_stream;
  if (one_of(s, {"gpu", "device", "card", "chip"})) return C::per_device;
  return std::nullopt;
}

// "tok", "ktok", "mtokens" with the scale of the letter before it.
bool token_unit(std::string_view s, double& scale) {
  if (is_token(s)) return true;
  if (s.size() < 2 || (s.front() != 'k' && s.front() != 'm')) return false;
  if (!is_token(s.substr(1)) || s == "kt" || s == "mt") return false;
  scale = s.front() == 'k' ? 1e3 : 1e6;
  return true;
}

// One word: "tok/s", "tok/s/user", "ms/token", "tflops", "gb/s", "tps".
ClaimUnit unit_word(const std::string& word) {
  ClaimUnit u;
  u.words = 1;
  std::vector<std::string_view> parts;
  const std::string_view w = word;
  for (std::size_t i = 0; i <= w.size() && parts.size() < 5;) {
    const std::size_t slash = std::min(w.find('/', i), w.size());
    parts.push_back(w.substr(i, slash - i));
    i = slash + 1;
  }
  if (one_of(w, {"tps", "tokps"})) {
    u.figure = F::tokens_per_s;
  } else if (one_of(w, {"rps", "qps"})) {
    u.figure = F::requests_per_s;
  } else if (parts.size() >= 2 && parts.size() <= 3 && is_second(parts[1]) &&
             (token_unit(parts[0], u.scale) || is_request(parts[0]))) {
    u.figure = is_request(parts[0]) ? F::requests_per_s : F::tokens_per_s;
    if (parts.size() == 3) {
      u.counting = counted_per(parts[2]);
      if (!u.counting) u.words = 0;
    }
  } else if (parts.size() == 3 && token_unit(parts[0], u.scale) && is_second(parts[2])) {
    u.figure = F::tokens_per_s;  // tok/user/s
    u.counting = counted_per(parts[1]);
    if (!u.counting) u.words = 0;
  } else if (one_of(w, {"%", "percent"})) {
    u.percent = true;
    u.scale = 0.01;
  } else if (const bool bare = is_second(parts[0]) || parts[0] == "seconds";
             (bare || one_of(parts[0], {"ms", "us", "ns", "msec", "usec", "milliseconds"})) &&
             parts.size() <= 2) {
    u.seconds = true;
    u.scale = bare ? 1 : parts[0].front() == 'm' ? 1e-3 : parts[0].front() == 'u' ? 1e-6 : 1e-9;
    if (parts.size() == 2) {
      if (is_token(parts[1])) {
        u.figure = F::time_per_token_s;
      } else if (one_of(parts[1], {"step", "pass", "iteration", "iter"})) {
        u.figure = F::step_s;
      } else if (is_request(parts[1])) {
        u.figure = F::request_s;
      } else {
        u.words = 0;
      }
    }
  } else {
    u.words = 0;
  }
  return u;
}

}  // namespace

Meaning meaning_of(std::string_view word) {
  std::string key(word);
  std::replace(key.begin(), key.end(), '_', '-');
  const auto& all = entries();
  const auto at = std::lower_bound(all.begin(), all.end(), std::string_view(key),
                                   [](const Entry& e, std::string_view w) { return e.word < w; });
  return at != all.end() && at->word == key ? at->meaning : Meaning{};
}

bool is_filler(std::string_view word) {
  return kFillers.find(" " + std::string(word) + " ") != std::string_view::npos;
}

ClaimUnit unit_at(const std::vector<ClaimToken>& tokens, std::size_t i) {
  const auto text = [&](std::size_t k) -> std::string_view {
    return k < tokens.size() && tokens[k].kind == ClaimToken::Kind::word
               ? std::string_view(tokens[k].text)
               : std::string_view();
  };
  if (text(i).empty()) return {};
  ClaimUnit u = unit_word(tokens[i].text);
  double scale = 1;
  const bool per = one_of(text(i + 1), {"per", "a", "/"});
  if (u.words == 0 && per && is_second(text(i + 2)) &&
      (token_unit(text(i), scale) || is_request(text(i)))) {
    u = {};
    u.figure = is_request(text(i)) ? F::requests_per_s : F::tokens_per_s;
    u.scale = scale;
    u.words = 3;
  }
  if (u.words == 0) {
    // Units of bytes and FLOPs are read where every other number is.
    const std::string& word = tokens[i].text;
    const std::string one = "1" + tokens[i].raw;
    if (word.find("flop") != std::string::npos || word.ends_with("ops") ||
        word.ends_with("ops/s") || word.ends_with("op/s")) {
      if (const auto f = parse_flops_per_s(one)) u.figure = F::flops_per_s, u.scale = *f;
    } else if (word.ends_with("b/s") || word.ends_with("bps") || word.ends_with("b/sec")) {
      if (const auto b = parse_bytes_per_s(one)) u.figure = F::bytes_per_s, u.scale = *b;
    }
    u.words = u.figure ? 1 : 0;
  }
  if (u.words != 0 && text(i + u.words) == "per") {
    const std::string_view of = text(i + u.words + 1);
    const auto counted = counted_per(of);
    if (u.seconds && is_token(of)) u.figure = F::time_per_token_s;
    if (u.seconds && one_of(of, {"step", "pass", "iteration"})) u.figure = F::step_s;
    if (u.seconds && is_request(of)) u.figure = F::request_s;
    if (!u.seconds && counted) u.counting = counted;
    if (u.seconds ? u.figure.has_value() : counted.has_value()) u.words += 2;
  }
  return u;
}

}  // namespace rooflens
