// Headers made to hurt: as large as the limits let them be, and every way to claim more. Each is
// read or refused within a second of processor time and 64 MB.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <ctime>
#include <functional>

#include "readers/gguf_writer.h"
#include "readers/safetensors_writer.h"
#include "rooflens/readers/gguf_model.h"
#include "rooflens/readers/safetensors_header.h"
#include "rooflens/readers/safetensors_index.h"

namespace rooflens {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr double kMemoryLimit = INFINITY, kTimeLimit = 30;
#elif defined(__OPTIMIZE__)
constexpr double kMemoryLimit = 64, kTimeLimit = 1;
#else
constexpr double kMemoryLimit = 64, kTimeLimit = 10;
#endif

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// What reading costs beyond the bytes themselves, which are there before.
void costs(const char* what, const std::function<bool()>& reads, bool expected) {
  const double memory = peak_mb();
  const double start = static_cast<double>(std::clock());
  const bool read = reads();
  const double seconds = (static_cast<double>(std::clock()) - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(read, expected) << what;
  EXPECT_LT(seconds, kTimeLimit) << what;
  EXPECT_LT(peak_mb() - memory, kMemoryLimit) << what;
}

bool reads_gguf(const std::string& bytes, std::uint64_t size) {
  auto r = read_gguf_header(bytes, size, "m.gguf");
  if (!r || !std::holds_alternative<GgufHeader>(*r)) return false;
  std::vector<GgufHeader> parts;
  parts.push_back(std::get<GgufHeader>(std::move(*r)));
  return read_gguf_model(std::move(parts), "m.gguf").has_value();
}

TEST(WeightHostile, GgufHeadersAreBounded) {
  constexpr std::uint64_t kFile = std::uint64_t{1} << 45;
  {
    test::GgufWriter w;
    w.text("general.architecture", "llama");
    for (int i = 0; i < 65000; ++i) w.u32(std::string(100, 'k') + std::to_string(i), 1);
    const std::string header = w.header();
    costs(
        "65,000 keys", [&] { return reads_gguf(header, kFile); }, false);
  }
  {
    test::GgufWriter w;
    w.text("general.architecture", "llama");
    w.texts("tokens", std::vector<std::string>(3000000, ""));
    const std::string header = w.header();
    costs(
        "3,000,000 empty tokens", [&] { return reads_gguf(header, kFile); }, false);
  }
  {
    test::GgufWriter w;
    w.text("general.architecture", std::string(30000000, 'x'));
    const std::string header = w.header();
    costs(
        "a name of 30 MB", [&] { return reads_gguf(header, kFile); }, false);
  }
  {
    test::GgufWriter w;
    w.text("general.architecture", "llama");
    for (int i = 0; i < 65000; ++i) w.tensor("blk.0." + std::to_string(i), {1}, 0, 4);
    const std::string header = w.header();
    costs(
        "65,000 tensors", [&] { return reads_gguf(header, kFile); }, false);
  }
}

TEST(WeightHostile, BlockCountsAreBounded) {
  for (std::uint32_t blocks : {0U, 1001U, 4000000000U}) {
    test::GgufWriter w;
    w.text("general.architecture", "llama");
    for (auto [key, value] : {std::pair{"block_count", blocks},
                              {"context_length", 64U},
                              {"embedding_length", 32U},
                              {"feed_forward_length", 64U},
                              {"attention.head_count", 2U}}) {
      w.u32("llama." + std::string(key), value);
    }
    w.tensor("token_embd.weight", {32, 16}, 0, 2048);
    costs(
        "blocks", [&] { return reads_gguf(w.header(), w.size()); }, false);
  }
}

TEST(WeightHostile, SafetensorsHeadersAreBounded) {
  constexpr std::uint64_t kFile = std::uint64_t{1} << 45;
  const auto reads = [&](const std::string& header) {
    auto r = read_safetensors_header(header, kFile, "m.safetensors");
    return r.has_value() && std::holds_alternative<std::vector<Tensor>>(*r);
  };
  {
    test::SafetensorsWriter w;
    for (int i = 0; i < 100000; ++i) {
      w.tensor(std::string(100, 'n') + std::to_string(i), "F32", {1}, 32);
    }
    const std::string header = w.header();
    costs(
        "100,000 tensors", [&] { return reads(header); }, true);
  }
  {
    test::SafetensorsWriter w;
    for (int i = 0; i < 100001; ++i) w.tensor("n" + std::to_string(i), "F32", {1}, 32);
    const std::string header = w.header();
    costs(
        "a tensor too many", [&] { return reads(header); }, false);
  }
  {
    test::SafetensorsWriter w;
    w.raw(R"("__metadata__":{"x":")" + std::string(20000000, 'y') + "\"}");
    const std::string header = w.header();
    costs(
        "20 MB of metadata", [&] { return reads(header); }, true);
  }
}

TEST(WeightHostile, IndicesAreBounded) {
  std::string text = R"({"weight_map":{)";
  for (int i = 0; i < 400000; ++i) {
    text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":\"m-" + std::to_string(i % 10000) +
            ".safetensors\"";
  }
  const std::string good = text + "}}", more = text + R"(,"x":"y"}})";
  costs(
      "400,000 tensors", [&] { return read_safetensors_index(good, "i").has_value(); }, true);
  costs(
      "one too many", [&] { return read_safetensors_index(more, "i").has_value(); }, false);
}

}  // namespace
}  // namespace rooflens
