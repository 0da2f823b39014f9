// What parse_claim reads; every expectation follows from the words of the claim.
#include "rooflens/check/claim.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace rooflens {
namespace {

std::string short_number(double v) {
  std::string s = std::to_string(v);
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s;
}

// "decode tokens_per_s 108 per_stream batch=8", figures separated by "; ".
std::string told(const std::string& text) {
  const auto claim = parse_claim(text);
  if (!claim) return "error: " + claim.error().message;
  std::string out;
  for (const Observation& o : claim->figures) {
    if (!out.empty()) out += "; ";
    out += std::string(name_of(o.phase)) + " " + name_of(o.figure) + " " + short_number(o.value);
    if (o.counting != Counting::unknown) out += std::string(" ") + name_of(o.counting);
    const auto add = [&](const char* key, const std::optional<double>& v) {
      if (v) out += std::string(" ") + key + "=" + short_number(*v);
    };
    add("batch", o.batch);
    add("prompt", o.prompt);
    add("output", o.output);
    add("context", o.context);
    add("cached", o.cached_prefix);
    add("devices", o.devices);
  }
  return out;
}

struct Case {
  const char* text;
  const char* want;
};

TEST(Claim, rates) {
  const Case cases[] = {
      {"3288 tok/s prefill, 108 tok/s decode",
       "prefill tokens_per_s 3288; decode tokens_per_s 108"},
      {"prefill 3288 tok/s decode 108 tok/s", "prefill tokens_per_s 3288; decode tokens_per_s 108"},
      {"3288 tok/s prefill 108 tok/s decode", "prefill tokens_per_s 3288; decode tokens_per_s 108"},
      {"prefill 3288, decode 108 tok/s", "prefill tokens_per_s 3288; decode tokens_per_s 108"},
      {"prefill throughput .... 3,288 tok/s (compute-rich) generation throughput .. ~108 tok/s",
       "prefill tokens_per_s 3288; decode tokens_per_s 108"},
      {"decode 108 t/s", "decode tokens_per_s 108"},
      {"~108 tok/s generation at batch 8", "decode tokens_per_s 108 batch=8"},
      {"\xE2\x89\x88"
       "108 tokens per second",
       "unknown tokens_per_s 108"},
      {"65 tok/s per user", "unknown tokens_per_s 65 per_stream"},
      {"65 tok/s/user decode", "decode tokens_per_s 65 per_stream"},
      {"1850 tok/s per GPU decode", "decode tokens_per_s 1850 per_device"},
      {"12k tokens/s output throughput at concurrency 64", "decode tokens_per_s 12000 batch=64"},
      {"12.5 ktok/s output, 64 concurrent requests", "decode tokens_per_s 12500 batch=64"},
      {"1.2M tok/s total", "mixed tokens_per_s 1200000"},
      {"22,853 total tok/s and 11,427 output tok/s",
       "mixed tokens_per_s 22853; decode tokens_per_s 11427"},
      {"aggregate decode 108 tok/s", "decode tokens_per_s 108 aggregate"},
      {"Avg prompt throughput: 500.0 tokens/s, Avg generation throughput: 62.5 tokens/s",
       "prefill tokens_per_s 500 same_wall; decode tokens_per_s 62.5 same_wall"},
      {"Output token throughput (tok/s): 442.10", "decode tokens_per_s 442.1"},
      {"prompt eval rate: 3200.5 tokens/s\neval rate: 50 tokens/s",
       "prefill tokens_per_s 3200.5; decode tokens_per_s 50"},
      {"3.45 requests/s at 2048 in 128 out", "mixed requests_per_s 3.45 prompt=2048 output=128"},
      {"I get 108 tok/s on my RTX 4090 with llama-3.1-8b Q4_K_M", "unknown tokens_per_s 108"},
      {"single-stream decode of 65 tok/s", "decode tokens_per_s 65 batch=1"},
      {"108 tok/s decode on 4x H100, TP4, batch size 8",
       "decode tokens_per_s 108 batch=8 devices=4"},
      {"decode 108 \xC2\xB1 2.5 tok/s", "decode tokens_per_s 108"},
      {"decode 108 tok/s \xC2\xB1 2.5", "decode tokens_per_s 108"},
      {"3.2e3 tok/s prefill", "prefill tokens_per_s 3200"},
      {"65 tok/s is 70B", "unknown tokens_per_s 65"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(c.text), c.want) << c.text;
}

TEST(Claim, settings_told_once_hold_for_all) {
  const Case cases[] = {
      {"3288 tok/s prefill, 108 tok/s decode at batch 8",
       "prefill tokens_per_s 3288 batch=8; decode tokens_per_s 108 batch=8"},
      {"batch 8, prompt 1024: 3288 tok/s prefill, 108 tok/s decode",
       "prefill tokens_per_s 3288 batch=8 prompt=1024; decode tokens_per_s 108 batch=8 "
       "prompt=1024"},
      {"decode 65 tok/s at batch 1, 480 tok/s at batch 8",
       "decode tokens_per_s 65 batch=1; unknown tokens_per_s 480 batch=8"},
      {"1024-token prompt, 128 output tokens, prefill 3288 tok/s",
       "prefill tokens_per_s 3288 prompt=1024 output=128"},
      {"decode 50 tok/s at 32k context, cached 512",
       "decode tokens_per_s 50 context=32000 cached=512"},
      {"B=8 ctx=4096 decode 108 tok/s", "decode tokens_per_s 108 batch=8 context=4096"},
      {"--max-num-seqs 8 generation throughput ~108 tok/s", "decode tokens_per_s 108 batch=8"},
      {"8 users, 50 tok/s each decode", "decode tokens_per_s 50 per_stream batch=8"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(c.text), c.want) << c.text;
}

// llama-bench: tgN averages over N new tokens (context N/2 after the depth), ppN follows the depth.
TEST(Claim, llama_bench) {
  const Case cases[] = {
      {"tg128 50.1 t/s pp512 3200 t/s",
       "decode tokens_per_s 50.1 aggregate batch=1 output=128 context=64; "
       "prefill tokens_per_s 3200 aggregate batch=1 prompt=512 cached=0"},
      {"tg32 @ d32768: 6.94 t/s",
       "decode tokens_per_s 6.94 aggregate batch=1 output=32 context=32784"},
      {"pp512+tg128 900 t/s",
       "mixed tokens_per_s 900 aggregate batch=1 prompt=512 output=128 cached=0"},
      {"| pp512+tg128 | 900 t/s |",
       "mixed tokens_per_s 900 aggregate batch=1 prompt=512 output=128 cached=0"},
      {"| tg128 @ d4096 | 50 t/s |",
       "decode tokens_per_s 50 aggregate batch=1 output=128 context=4160"},
      {"pp512 @ d4096 900 t/s",
       "prefill tokens_per_s 900 aggregate batch=1 prompt=4608 cached=4096"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(c.text), c.want) << c.text;
}

TEST(Claim, times_traffic_and_shares) {
  const Case cases[] = {
      {"TTFT 350 ms", "prefill time_to_first_token_s 0.35 per_stream"},
      {"time to first token: 0.35 s", "prefill time_to_first_token_s 0.35 per_stream"},
      {"TPOT 25ms", "decode time_per_token_s 0.025 per_stream"},
      {"mean ITL of 25.87 ms at concurrency 8",
       "decode time_per_token_s 0.02587 per_stream batch=8"},
      {"inter-token latency 25 ms", "decode time_per_token_s 0.025 per_stream"},
      {"25 ms per token", "decode time_per_token_s 0.025 per_stream"},
      {"decode latency 25 ms/token", "decode time_per_token_s 0.025 per_stream"},
      {"e2e latency 3.2 s", "mixed request_s 3.2"},
      {"74 ms per decode step", "decode step_s 0.074"},
      {"decode step time 74 ms", "decode step_s 0.074"},
      {"162 TFLOPS", "unknown flops_per_s 162000000000000"},
      {"162 TFLOP/s prefill", "prefill flops_per_s 162000000000000"},
      {"407 GB/s", "unknown bytes_per_s 407000000000"},
      {"decode reaches 400 Gb/s", "decode bytes_per_s 50000000000"},
      {"MFU 45%", "unknown peak_share 0.45"},
      {"0.45 MFU in prefill", "prefill peak_share 0.45"},
      {"80 % of memory bandwidth in decode", "decode bandwidth_share 0.8"},
      {"TTFT 350 ms, TPOT 25 ms, 320 tok/s output",
       "prefill time_to_first_token_s 0.35 per_stream; decode time_per_token_s 0.025 per_stream; "
       "decode tokens_per_s 320"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(c.text), c.want) << c.text;
}

// Every word is used, says nothing of a speed, or is handed on.
TEST(Claim, no_word_is_dropped) {
  const auto others = [](const std::string& text) {
    const auto claim = parse_claim(text);
    if (!claim) return "error: " + claim.error().message;
    std::string out;
    for (const std::string& o : claim->others) out += (out.empty() ? "" : "; ") + o;
    return out;
  };
  const Case cases[] = {
      {"3288 tok/s prefill, 108 tok/s decode at batch 8", ""},
      {"we measured 108 tok/s decode with vLLM at a context length of 4096", ""},
      {"108 tok/s decode on A100", "A100"},
      {"108 tok/s on 4x H100 SXM", "H100 SXM"},
      {"108 tok/s on 8xH200", "H200"},
      {"108 tok/s on an RTX 4090 24GB", "RTX 4090 24GB"},
      {"I get 108 tok/s with llama 3.1 8B Q4_K_M", "llama 3.1 8B Q4_K_M"},
      {"108 tok/s, flurbs", "flurbs"},
      {"108 tok/s with long context", "long context"},
      {"108 tok/s, prefix caching off, batch 8", "prefix caching off"},
      {"p99 TTFT 350 ms", "p99"},
      {"108 tok/s, CUDA 12.4", "CUDA 12.4"},
  };
  for (const Case& c : cases) EXPECT_EQ(others(c.text), c.want) << c.text;
}

TEST(Claim, sizes_that_cannot_be) {
  for (const char* text : {"108 tok/s at batch 0", "0 users, 108 tok/s", "108 tok/s, batch 2.5",
                           "108 tok/s on 0 GPUs", "0x H100, 108 tok/s", "prompt 0, 108 tok/s"}) {
    const std::string what = told(text);
    EXPECT_NE(what.find("cannot be: give a whole number"), std::string::npos) << text << what;
  }
  EXPECT_EQ(told("decode 50 tok/s at context 0"), "decode tokens_per_s 50 context=0");
}

TEST(Claim, what_is_not_understood_is_shown) {
  const Case cases[] = {
      {"", "error: no figure in ''"},
      {"fast", "error: no figure in 'fast'"},
      {"108", "error: '108' is a number without a unit"},
      {"108 bananas/s", "error: '108' is a number without a unit"},
      {"decode 60-70 tok/s", "error: '60-70 tok/s' looks like a range: give one figure"},
      {"-5 tok/s", "error: '-5 tok/s' is negative"},
      {"0 tok/s", "error: '0 tok/s': a figure must be above zero and finite"},
      {"1e999 tok/s", "error: '1e999 tok/s': a figure must be above zero and finite"},
      {"350 ms", "error: '350 ms': the time of what? Say TTFT, TPOT, latency or step"},
      {"45%", "error: '45%': a share of what? Say MFU (peak) or MBU (bandwidth)"},
      {"decode tok/s", "error: 'tok/s' is a unit without a number"},
      {"nan tok/s", "error: 'tok/s' is a unit without a number"},
      {"inf tok/s decode", "error: 'tok/s decode' is a unit without a number"},
      {"108 tok/s decode 2x faster", "error: '2x' is a number without a unit"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(c.text), c.want) << c.text;
  const auto error = parse_claim("108").error();
  EXPECT_NE(error.hint.find("tok/s"), std::string::npos);
}

TEST(Claim, hostile_text) {
  EXPECT_EQ(parse_claim(std::string(kMaxClaimBytes + 1, 'x')).error().code,
            ErrorCode::out_of_range);
  std::string many;
  while (many.size() < kMaxClaimBytes - 20) many += "1 tok/s,";
  EXPECT_EQ(parse_claim(many).error().code, ErrorCode::out_of_range);
  for (const std::string piece : {"1", ",", ".", "tok/s/", "per ", "- ", "+-", "\xC2", "\xE2\x80",
                                  "=", "pp1", "1x", "1e", "/", "(", "\n", "batch ", "1,", "9"}) {
    std::string text;
    while (text.size() + piece.size() <= kMaxClaimBytes) text += piece;
    (void)parse_claim(text);  // ends, and is quick
  }
  EXPECT_FALSE(parse_claim(std::string_view("\0tok/s\0", 7)));
  std::mt19937 random(7);
  const std::string alphabet = "0123456789.,-+ kMtoks/prefildc%=@:;()\n\xC2\xB5\xE2\x89\x88\0x";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += alphabet[random() % alphabet.size()];
    const auto claim = parse_claim(text);
    if (!claim) {
      EXPECT_FALSE(claim.error().message.empty());
      continue;
    }
    for (const Observation& o : claim->figures) EXPECT_TRUE(o.value > 0 && o.value <= 1e21) << text;
  }
}

}  // namespace
}  // namespace rooflens
