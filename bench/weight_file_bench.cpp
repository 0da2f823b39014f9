// Headers of weight files as large as they come: 12 MB of GGUF (a vocabulary of 250,000 with its
// merges, 1,000 tensors), 12 MB of safetensors (90,000 tensors, as DeepSeek-V3's in one file).
#include <benchmark/benchmark.h>

#include <string>

#include "readers/gguf_writer.h"
#include "readers/safetensors_writer.h"
#include "rooflens/readers/gguf_header.h"
#include "rooflens/readers/safetensors_header.h"

namespace {

using namespace rooflens;

std::string gguf() {
  test::GgufWriter w;
  w.text("general.architecture", "llama");
  std::vector<std::string> tokens, merges;
  for (int i = 0; i < 250000; ++i) tokens.push_back("token" + std::to_string(i));
  for (int i = 0; i < 290000; ++i) merges.push_back("to ken" + std::to_string(i));
  w.texts("tokenizer.ggml.tokens", tokens);
  w.texts("tokenizer.ggml.merges", merges);
  w.u32s("tokenizer.ggml.token_type", std::vector<std::uint32_t>(250000, 1));
  for (int l = 0; l < 1000; ++l) {
    w.tensor("blk." + std::to_string(l) + ".attn_q.weight", {4096, 4096}, 12, 9437184);
  }
  return w.header();
}

std::string safetensors() {
  test::SafetensorsWriter w;
  for (int i = 0; i < 90000; ++i) {
    w.tensor("model.layers." + std::to_string(i / 1500) + ".mlp.experts." +
                 std::to_string(i % 1500) + ".down_proj.weight_scale_inv",
             "F32", {56, 16}, 32);
  }
  return w.header();
}

void read_gguf(benchmark::State& state) {
  static const std::string header = gguf();
  for (auto _ : state) {
    auto r = read_gguf_header(header, std::uint64_t{1} << 40, "m.gguf");
    benchmark::DoNotOptimize(r);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * header.size()));
  state.counters["header_MB"] = static_cast<double>(header.size()) / 1e6;
}
BENCHMARK(read_gguf)->Unit(benchmark::kMillisecond);

void read_safetensors(benchmark::State& state) {
  static const std::string header = safetensors();
  for (auto _ : state) {
    auto r = read_safetensors_header(header, std::uint64_t{1} << 40, "m.safetensors");
    benchmark::DoNotOptimize(r);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * header.size()));
  state.counters["header_MB"] = static_cast<double>(header.size()) / 1e6;
}
BENCHMARK(read_safetensors)->Unit(benchmark::kMillisecond);

}  // namespace
