#include "rooflens/readers/hf_text_model.h"

#include <array>

#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

std::string first_architecture(const Json& object) {
  const Json* list = object.get("architectures");
  if (list == nullptr || list->items.empty()) return {};
  return list->items[0].string;
}

std::string text_at(const Json& object, std::string_view key) {
  const Json* value = object.get(key);
  return value != nullptr ? value->string : std::string();
}

const Json* nested_text(const Json& root) {
  for (std::string_view key : {"text_config", "llm_config", "language_config"}) {
    const Json* inside = root.get(key);
    if (inside != nullptr && inside->is(Json::Kind::object)) return inside;
  }
  if (const Json* thinker = root.get("thinker_config")) return nested_text(*thinker);
  return nullptr;
}

// What the file is when it is plainly no config.json.
std::string_view other_file(const Json& root) {
  if (root.get("weight_map") != nullptr) return "an index of weight shards";
  if (root.get("producer") != nullptr && root.get("quantization") != nullptr) {
    return "a quantisation side file (hf_quant_config.json)";
  }
  if (root.get("bits") != nullptr && root.get("hidden_size") == nullptr) {
    return "a quantisation side file (quantize_config.json)";
  }
  const bool named = root.get("model_type") != nullptr || root.get("architectures") != nullptr;
  if (!named &&
      (root.get("added_tokens_decoder") != nullptr || root.get("tokenizer_class") != nullptr)) {
    return "a tokenizer's file";
  }
  if (root.get("base_model_name_or_path") != nullptr && root.get("peft_type") != nullptr) {
    return "an adapter (LoRA): give the base model";
  }
  return "";
}

constexpr std::array<std::string_view, 7> kDraftMarks{"Eagle",  "DFlash", "DSpark",  "Draft",
                                                      "Medusa", "NextN",  "MTPModel"};

// Not to be assumed a llama whatever the user says: it generates nothing, or has no sizes.
bool hopeless(std::string_view reason) {
  return contains(reason, "encoder") || contains(reason, "only names");
}

Failure refuse(const std::string& name, std::string_view reason, std::string_view where) {
  return fail(ErrorCode::unsupported, name + ": " + std::string(reason),
              std::string(where) + ": model_type", "");
}

Failure unknown(const std::string& name, std::string_view where) {
  return fail(ErrorCode::unsupported, name + " is not a family that is read",
              std::string(where) + ": model_type", "read: " + supported_families());
}

}  // namespace

Json* text_object(Json& root) {
  const Json* inside = nested_text(root);
  return inside != nullptr ? const_cast<Json*>(inside) : &root;  // a part of `root` itself
}

Result<TextModel> find_text_model(const Json& root, std::string_view where, bool assume_llama) {
  const std::string at(where);
  if (!root.is(Json::Kind::object)) {
    return fail(ErrorCode::malformed,
                "the file holds " + std::string(name_of(root.kind)) + ", not a model's config", at,
                "give the model's config.json");
  }
  if (const std::string_view other = other_file(root); !other.empty()) {
    return fail(ErrorCode::malformed, "this is " + std::string(other) + ", not a config.json", at,
                "give the config.json beside it");
  }
  TextModel out;
  const Json* inside = nested_text(root);
  out.text = inside != nullptr ? inside : &root;
  const std::string top_type = text_at(root, "model_type");
  const std::string type = inside != nullptr ? text_at(*inside, "model_type") : top_type;
  for (const std::string& name : {first_architecture(root), first_architecture(*out.text)}) {
    for (std::string_view mark : kDraftMarks) {
      if (contains(name, mark)) {
        return refuse(name, "a draft head for speculation, not a model of its own", where);
      }
    }
    for (std::string_view mark : {"SequenceClassification", "TokenClassification", "RewardModel"}) {
      if (contains(name, mark)) {
        out.warning =
            name + ": a classification or reward head; read as the language model below it";
      }
    }
  }
  const auto assume = [&](const std::string& name, std::string_view reason) {
    out.family = find_family("llama");
    out.architecture = name;
    out.assumed = true;
    out.warning = "every figure rests on an assumption: " + name + " is read as llama-like" +
                  (reason.empty() ? "" : ", though " + std::string(reason));
    return out;
  };
  for (const std::string& name : {top_type, type}) {
    if (const std::string_view reason = refusal_of(name); !reason.empty()) {
      if (assume_llama && !hopeless(reason)) return assume(name, reason);
      return refuse(name, reason, where);
    }
  }
  if (contains(first_architecture(root), "CogVLM")) {
    if (assume_llama) return assume("cogvlm", refusal_of("cogvlm"));
    return refuse("cogvlm", refusal_of("cogvlm"), where);
  }
  if (root.get("text_model_id") != nullptr && out.text->get("hidden_size") == nullptr) {
    return refuse(top_type, refusal_of("ultravox"), where);
  }
  const std::string architecture = first_architecture(root);
  if (!type.empty()) {
    out.family = find_family(type);
    if (out.family == nullptr && assume_llama) return assume(type, "");
    if (out.family == nullptr) return unknown("model_type \"" + type + "\"", where);
    out.architecture = type;
  } else if (!top_type.empty() && find_family(top_type) != nullptr) {
    out.family = find_family(top_type);
    out.architecture = top_type;
  } else if (const Family* family = family_of_architecture(architecture)) {
    out.family = family;
    out.architecture = family->model_type;
  } else if (assume_llama) {
    return assume(architecture.empty() ? "a file without model_type" : architecture, "");
  } else if (architecture.empty()) {
    return fail(ErrorCode::unsupported, "neither model_type nor architectures is there",
                at + ": model_type",
                "give the model's own config.json; read: " + supported_families());
  } else {
    return unknown("architecture \"" + architecture + "\"", where);
  }
  if (inside != nullptr) out.extra_defaults = wrapper_defaults(top_type);
  return out;
}

}  // namespace rooflens
