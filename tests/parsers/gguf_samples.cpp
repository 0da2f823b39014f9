// Writes GGUF files of every type and version into a folder, and what our reader finds in them as
// JSON beside them. `run` holds that against a second parser.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "readers/gguf_writer.h"
#include "rooflens/core/storage.h"
#include "rooflens/readers/gguf_header.h"

namespace {

using rooflens::test::GgufWriter;

void fill(GgufWriter& w) {
  w.text("general.architecture", "llama");
  w.text("general.name", "sample");
  w.u32("llama.block_count", 2);
  w.u32("llama.embedding_length", 256);
  w.f32("llama.rope.freq_base", 10000);
  w.i32("some.negative", -5);
  w.flag("some.flag", true);
  w.scalar("some.u8", 0, 7, 1);
  w.scalar("some.u16", 2, 500, 2);
  w.scalar("some.u64", 10, 1ULL << 40, 8);
  w.u32s("llama.attention.head_count_kv", {4, 8});
  w.texts("tokenizer.ggml.tokens", {"a", "bc", "\xC3\xA9"});
  std::size_t count = 0;
  const rooflens::NamedStorage* table = rooflens::storage_table(&count);
  for (std::size_t i = 0; i < count; ++i) {
    if (table[i].ggml < 0) continue;
    const bool rows = table[i].storage.packing == rooflens::Packing::rows;
    const std::uint64_t block = rows ? table[i].storage.block : 1;
    const std::uint64_t bytes = rows ? table[i].storage.block_bytes
                                     : static_cast<std::uint64_t>(table[i].storage.bits / 8);
    w.tensor("t." + std::to_string(table[i].ggml), {block * 2, 3, 2},
             static_cast<std::uint32_t>(table[i].ggml), bytes * 12);
  }
}

std::string number(double v) { return std::to_string(static_cast<long long>(v)); }

// {"version": 3, "keys": {"name": number or text}, "tensors": [[name, [shape], type]]}
std::string found(const rooflens::GgufHeader& h) {
  std::string out = "{\"version\":" + std::to_string(h.version) +
                    ",\"big_endian\":" + (h.big_endian ? "true" : "false") +
                    ",\"header_bytes\":" + std::to_string(h.header_bytes) + ",\"keys\":{";
  bool first = true;
  for (const rooflens::GgufKey& key : h.keys) {
    std::string value;
    if (const auto* n = std::get_if<double>(&key.value)) value = number(*n);
    if (const auto* b = std::get_if<bool>(&key.value)) value = *b ? "true" : "false";
    if (const auto* s = std::get_if<std::string>(&key.value)) value = '"' + *s + '"';
    if (const auto* a = std::get_if<rooflens::GgufArray>(&key.value)) {
      value = "{\"count\":" + std::to_string(a->count) + "}";
    }
    out += std::string(first ? "" : ",") + '"' + key.name + "\":" + value;
    first = false;
  }
  out += "},\"tensors\":[";
  first = true;
  for (const rooflens::Tensor& t : h.tensors) {
    out += std::string(first ? "" : ",") + "[\"" + t.name + "\",[";
    for (int i = t.dims - 1; i >= 0; --i) {
      out += std::to_string(t.shape[static_cast<std::size_t>(i)]) + (i > 0 ? "," : "");
    }
    out += "],\"" + t.format + "\"]";
    first = false;
  }
  return out + "]}";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  std::ofstream list(folder + "/ours.json");
  list << '{';
  bool first = true;
  for (std::uint32_t version : {1U, 2U, 3U}) {
    for (bool big : {false, true}) {
      GgufWriter w;
      w.version = version;
      w.big_endian = big;
      fill(w);
      const std::string name = "v" + std::to_string(version) + (big ? "-big" : "") + ".gguf";
      const std::string file = w.file();
      std::ofstream(folder + "/" + name, std::ios::binary) << file;
      auto read = rooflens::read_gguf_header(file, file.size(), name);
      if (!read || !std::holds_alternative<rooflens::GgufHeader>(*read)) {
        std::fprintf(stderr, "%s is not read\n", name.c_str());
        return 1;
      }
      list << (first ? "" : ",") << '"' << name
           << "\":" << found(std::get<rooflens::GgufHeader>(*read));
      first = false;
    }
  }
  list << "}\n";
  return list.good() ? 0 : 1;
}
