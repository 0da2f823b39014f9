// Names of the modules of a layer in config.json's quantisation blocks and in .safetensors files,
// and the slots of the model that they fill.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "rooflens/core/model.h"

namespace rooflens {

// The block a module belongs to.
enum class ModuleOwner {
  attention,
  cross,
  latent,
  latent_direct,
  delta,
  kimi,
  lightning,
  conv,
  mamba,
  dense,
  experts,
  beside,  // Gemma 4: the dense block is the shared expert
};

// One matrix of a slot under the names files give it. linear = false: quantised only when a rule
// names it.
struct ModuleNames {
  ModuleOwner owner;
  Slot slot;
  bool linear;
  std::array<std::string_view, 6> names;
};

// Those a quantisation block may name; parts of every latent attention, and of its index.
[[nodiscard]] std::span<const ModuleNames> module_names();
[[nodiscard]] std::span<const ModuleNames> latent_module_names();
[[nodiscard]] std::span<const ModuleNames> index_module_names();

// The owner of a layer's mixer; nothing when it has none.
[[nodiscard]] std::optional<ModuleOwner> mixer_owner(const Layer& layer);

// The slot of a layer's module by its name within the layer ("mlp.experts.0.up_proj"), or nothing.
[[nodiscard]] std::optional<Slot> slot_of_module(const Layer& layer, std::string_view module);

}  // namespace rooflens
