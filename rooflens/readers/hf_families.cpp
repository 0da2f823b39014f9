#include "rooflens/readers/hf_families.h"

#include <algorithm>
#include <array>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace embedded {
extern const std::string_view families_tsv;
}

namespace {

using enum Mixing;
using enum Feeding;

struct MixingName {
  std::string_view name;
  Mixing mixing;
};
constexpr std::array kMixings{
    MixingName{"attention", attention},
    MixingName{"latent", latent},
    MixingName{"delta", delta},
    MixingName{"kimi", kimi},
    MixingName{"lightning", lightning},
    MixingName{"conv", conv},
    MixingName{"mamba1", mamba1},
    MixingName{"mamba2", mamba2},
    MixingName{"nemotron_h", nemotron_h},
    MixingName{"jamba", jamba},
    MixingName{"granite_hybrid", granite_hybrid},
    MixingName{"falcon_h1", falcon_h1},
    MixingName{"nas", nas},
};

struct FeedingName {
  std::string_view name;
  Feeding feeding;
};
constexpr std::array kFeedings{
    FeedingName{"none", none},         FeedingName{"dense", dense},
    FeedingName{"mixtral", mixtral},   FeedingName{"qwen", qwen},
    FeedingName{"deepseek", deepseek}, FeedingName{"llama4", llama4},
    FeedingName{"gemma4", gemma4},
};

struct WindowsName {
  std::string_view name;
  Windows windows;
};
constexpr std::array kWindows{
    WindowsName{"none", Windows::none},       WindowsName{"all", Windows::all},
    WindowsName{"enabled", Windows::enabled}, WindowsName{"even", Windows::even},
    WindowsName{"pattern", Windows::pattern}, WindowsName{"chunked", Windows::chunked},
    WindowsName{"list", Windows::list},
};

// Rows with a word that is not known are left out; the test of the table finds them.
std::vector<Family> read_families(std::string_view text) {
  std::vector<Family> families;
  take(text, '\n');  // column names
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (line.empty() || line.front() == '#') continue;
    Family family;
    family.model_type = take(line, '\t');
    const std::string_view mixing = take(line, '\t');
    const std::string_view feeding = take(line, '\t');
    const std::string_view windows = take(line, '\t');
    family.defaults = take(line, '\t');
    family.source = take(line, '\t');
    int known = 0;
    for (const MixingName& m : kMixings) {
      if (m.name == mixing) family.mixing = m.mixing, ++known;
    }
    for (const FeedingName& m : kFeedings) {
      if (m.name == feeding) family.feeding = m.feeding, ++known;
    }
    for (const WindowsName& m : kWindows) {
      if (m.name == windows) family.windows = m.windows, ++known;
    }
    if (known == 3) families.push_back(family);
  }
  return families;
}

struct Refusal {
  std::string_view model_type, reason;
};

constexpr std::string_view kEncoder = "an encoder: it generates no tokens";
constexpr std::string_view kEncoderDecoder = "an encoder-decoder: not modelled";

constexpr std::array kRefusals{
    Refusal{"bert", kEncoder},
    Refusal{"roberta", kEncoder},
    Refusal{"xlm-roberta", kEncoder},
    Refusal{"distilbert", kEncoder},
    Refusal{"deberta-v2", kEncoder},
    Refusal{"electra", kEncoder},
    Refusal{"mpnet", kEncoder},
    Refusal{"modernbert", kEncoder},
    Refusal{"nomic_bert", kEncoder},
    Refusal{"clip", kEncoder},
    Refusal{"siglip", kEncoder},
    Refusal{"vit", kEncoder},
    Refusal{"t5", kEncoderDecoder},
    Refusal{"mt5", kEncoderDecoder},
    Refusal{"umt5", kEncoderDecoder},
    Refusal{"t5gemma", kEncoderDecoder},
    Refusal{"bart", kEncoderDecoder},
    Refusal{"mbart", kEncoderDecoder},
    Refusal{"marian", kEncoderDecoder},
    Refusal{"pegasus", kEncoderDecoder},
    Refusal{"whisper", kEncoderDecoder},
    Refusal{"ultravox", "it only names its text model and gives no sizes: give the base model"},
    Refusal{"deepseek_v4",
            "compressed attention per layer, hyper-connections and hash layers are not modelled"},
    Refusal{
        "deepseek_ref",
        "DeepSeek-V4: compressed attention, hyper-connections and hash layers are not modelled"},
    Refusal{"minimax_m3", "block-sparse attention is not modelled"},
    Refusal{"minimax_m3_vl", "block-sparse attention is not modelled"},
    Refusal{"kimi_k3",
            "gated latent attention, residual attention and latent experts are not modelled"},
    Refusal{"gemma3n", "AltUp, LAuReL, per-layer embeddings and shared KV are not modelled"},
    Refusal{"gemma3n_text", "AltUp, LAuReL, per-layer embeddings and shared KV are not modelled"},
    Refusal{"zamba2", "shared attention blocks are not modelled"},
    Refusal{"rwkv", "RWKV mixing is not modelled"},
    Refusal{"rwkv7", "RWKV mixing is not modelled"},
    Refusal{"recurrent_gemma", "RG-LRU mixing is not modelled"},
    Refusal{"cogvlm", "its experts for image tokens are not modelled"},
    Refusal{"logics", "its text model (llm_config) does not say which family it is"},
};

struct WrapperRow {
  std::string_view wrapper, defaults;
};
constexpr std::array kWrappers{
    WrapperRow{"llava",
               "hidden_size=4096 num_hidden_layers=32 num_attention_heads=32 "
               "intermediate_size=11008 vocab_size=32000"},
};

// Lower case without "_" and "-": the part of an architecture name that says the family.
std::string plain_name(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c == '_' || c == '-') continue;
    out += lower(c);
  }
  return out;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> rows = read_families(embedded::families_tsv);
  return rows;
}

const Family* find_family(std::string_view model_type) {
  for (const Family& family : families()) {
    if (family.model_type == model_type) return &family;
  }
  // A wrapper that keeps its text keys at the top level, or text inside without a type of its own.
  const std::string text = std::string(model_type) + "_text";
  for (const Family& family : families()) {
    if (family.model_type == text) return &family;
  }
  return nullptr;
}

const Family* family_of_architecture(std::string_view architecture) {
  for (std::string_view tail : {"ForCausalLM", "ForConditionalGeneration", "LMHeadModel"}) {
    if (architecture.size() <= tail.size() || !architecture.ends_with(tail)) continue;
    const std::string name = plain_name(architecture.substr(0, architecture.size() - tail.size()));
    for (const Family& family : families()) {
      const std::string type = plain_name(family.model_type);
      if (type == name || type == name + "text") return &family;
    }
  }
  return nullptr;
}

std::string_view refusal_of(std::string_view model_type) {
  for (const Refusal& refusal : kRefusals) {
    if (refusal.model_type == model_type) return refusal.reason;
  }
  return {};
}

std::string_view wrapper_defaults(std::string_view wrapper_type) {
  for (const WrapperRow& row : kWrappers) {
    if (row.wrapper == wrapper_type) return row.defaults;
  }
  return {};
}

std::string supported_families() {
  std::vector<std::string_view> names;
  names.reserve(families().size());
  for (const Family& family : families()) names.push_back(family.model_type);
  std::sort(names.begin(), names.end());
  std::string out;
  for (std::string_view name : names) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

}  // namespace rooflens
