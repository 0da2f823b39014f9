#include "rooflens/readers/startup_model.h"

#include <array>
#include <utility>

#include "rooflens/readers/gguf_model.h"
#include "rooflens/readers/startup_lines.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

// Lines of print_info and the keys they were read from.
struct Line {
  std::string_view line, key;
};
constexpr std::array kLines{
    Line{"n_ctx_train", "context_length"},
    Line{"n_embd", "embedding_length"},
    Line{"n_layer", "block_count"},
    Line{"n_ff", "feed_forward_length"},
    Line{"n_head", "attention.head_count"},
    Line{"n_head_kv", "attention.head_count_kv"},
    Line{"n_embd_head_k", "attention.key_length"},
    Line{"n_embd_head_v", "attention.value_length"},
    Line{"n_swa", "attention.sliding_window"},
    Line{"n_rot", "rope.dimension_count"},
    Line{"n_vocab", "vocab_size"},
    Line{"n_expert", "expert_count"},
    Line{"n_expert_used", "expert_used_count"},
    Line{"n_ff_exp", "expert_feed_forward_length"},
    Line{"n_ff_shexp", "expert_shared_feed_forward_length"},
    Line{"n_expert_shared", "expert_shared_count"},
    Line{"n_layer_dense_lead", "leading_dense_block_count"},
    Line{"n_lora_q", "attention.q_lora_rank"},
    Line{"n_lora_kv", "attention.kv_lora_rank"},
    Line{"n_embd_head_k_mla", "attention.key_length_mla"},
    Line{"n_embd_head_v_mla", "attention.value_length_mla"},
    Line{"ssm_d_conv", "ssm.conv_kernel"},
    Line{"ssm_d_inner", "ssm.inner_size"},
    Line{"ssm_d_state", "ssm.state_size"},
    Line{"ssm_dt_rank", "ssm.time_step_rank"},
    Line{"ssm_n_group", "ssm.group_count"},
};

// "[8, 8, 4]" -> its numbers.
bool list_of(std::string_view text, GgufArray& a) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  while (!text.empty() && a.numbers.size() < GgufArray::kKept) {
    std::string_view item = take(text, ',');
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    double v = 0;
    int decimals = 0;
    if (!take_number(item, v, decimals)) return false;
    a.numbers.push_back(v);
  }
  a.count = a.numbers.size();
  a.complete = text.empty();
  return a.complete;
}

bool cut(const GgufKey& k) {
  const auto* a = std::get_if<GgufArray>(&k.value);
  return a != nullptr && !a->complete;
}

}  // namespace

GgufHeader header_of(const StartupLog& log) {
  GgufHeader header = log.keys;
  const bool alone = header.keys.empty();
  std::string arch(header.text("general.architecture"));
  if (arch.empty() && !log.startup.architecture.empty()) {
    arch = log.startup.architecture;
    header.keys.push_back({"general.architecture", arch, 0});
  }
  const auto find = [&](const std::string& name) -> GgufKey* {
    for (GgufKey& k : header.keys) {
      if (k.name == name) return &k;
    }
    return nullptr;
  };
  for (const Line& l : kLines) {
    const Printed* p = log.startup.find(l.line);
    if (p == nullptr) continue;
    const std::string name = arch + "." + std::string(l.key);
    GgufKey* there = find(name);
    // The keys say it already, unless a list is cut; sizes that follow from others need no key.
    if (there != nullptr ? !cut(*there) : !alone && l.key != "vocab_size") continue;
    GgufKey k{name, p->value, 0};
    if (!p->is_number()) {
      GgufArray a;
      if (!list_of(p->text, a)) continue;
      k.value = std::move(a);
    } else if (p->value == 0 && l.key != "feed_forward_length") {
      continue;  // printed for every model, whether it has such parts or not
    }
    if (there != nullptr) {
      *there = std::move(k);
    } else {
      header.keys.push_back(std::move(k));
    }
  }
  if (find(arch + ".expert_gating_func") == nullptr &&
      log.startup.text("expert_gating_func") == "sigmoid") {
    header.keys.push_back({arch + ".expert_gating_func", 2.0, 0});
  }
  return header;
}

Result<Model> startup_model(const StartupLog& log, std::string_view where,
                            const HfOptions& options) {
  GgufHeader header = header_of(log);
  if (header.keys.empty()) {
    return fail(ErrorCode::not_found, "the log does not say what the model is", std::string(where),
                "name the model with --model");
  }
  std::vector<GgufHeader> parts;
  parts.push_back(std::move(header));
  // Keys of a split file stand in the log once, whatever the number of its parts.
  std::erase_if(parts[0].keys, [](const GgufKey& k) { return k.name == "split.count"; });
  const bool named = !parts[0].text("general.name").empty();
  auto model = read_gguf_model(std::move(parts), where, options);
  if (!model) return model;
  if (log.tensors_listed) model->tied = !log.head_listed;
  if (!named && !log.startup.model.empty()) {
    model->name = log.startup.model.substr(log.startup.model.find_last_of("/\\") + 1);
  }
  return model;
}

}  // namespace rooflens
