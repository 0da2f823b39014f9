#include "rooflens/readers/hf_extras.h"

#include <cmath>
#include <string>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/hf_storage.h"

namespace rooflens {
namespace {

// A size of the vision block, 0 when it is missing or absurd.
double size(const Json& vision, std::string_view key) {
  const Json* value = vision.get(key);
  if (value == nullptr || !value->is(Json::Kind::number)) return 0;
  const double n = value->number;
  return n >= 1 && n <= kMaxDimension && std::floor(n) == n ? n : 0;
}

constexpr double linear(double in, double out) { return in * out + out; }

// Qwen2-VL: blocks with two LayerNorms, qkv, proj, and a two-matrix MLP; a merger of 2x2 patches.
double qwen2_vl(const Json& v) {
  const double h = size(v, "embed_dim"), depth = size(v, "depth"), out = size(v, "hidden_size");
  const double patch = size(v, "patch_size"), time = size(v, "temporal_patch_size");
  const double merge = size(v, "spatial_merge_size"), mlp = size(v, "mlp_ratio") * h;
  const double wide = h * merge * merge;
  const double block = 4 * h + linear(h, 3 * h) + linear(h, h) + linear(h, mlp) + linear(mlp, h);
  return 3 * time * patch * patch * h + depth * block + 2 * h + linear(wide, wide) +
         linear(wide, out);
}

// Qwen2.5-VL: RMS norms and a gated MLP instead.
double qwen2_5_vl(const Json& v) {
  const double h = size(v, "hidden_size"), depth = size(v, "depth");
  const double mlp = size(v, "intermediate_size"), out = size(v, "out_hidden_size");
  const double patch = size(v, "patch_size"), time = size(v, "temporal_patch_size");
  const double merge = size(v, "spatial_merge_size"), wide = h * merge * merge;
  const double block =
      2 * h + linear(h, 3 * h) + linear(h, h) + 2 * linear(h, mlp) + linear(mlp, h);
  return 3 * time * patch * patch * h + depth * block + h + linear(wide, wide) + linear(wide, out);
}

// Qwen3-VL and Qwen3.5: learned positions, LayerNorms, and one merger more for each deep-stack tap.
double qwen3_vl(const Json& v) {
  const double h = size(v, "hidden_size"), depth = size(v, "depth");
  const double mlp = size(v, "intermediate_size"), out = size(v, "out_hidden_size");
  const double patch = size(v, "patch_size"), time = size(v, "temporal_patch_size");
  const double merge = size(v, "spatial_merge_size"), wide = h * merge * merge;
  const double positions = size(v, "num_position_embeddings");
  const Json* taps = v.get("deepstack_visual_indexes");
  const double deep = taps != nullptr ? static_cast<double>(taps->items.size()) : 0;
  const double block = 4 * h + linear(h, 3 * h) + linear(h, h) + linear(h, mlp) + linear(mlp, h);
  const double merger = linear(wide, wide) + linear(wide, out);
  return linear(3 * time * patch * patch, h) + positions * h + depth * block + (merger + 2 * h) +
         deep * (merger + 2 * wide);
}

// Gemma 3: SigLIP without pooling head, and a projector.
double gemma3(const Json& v, double text_hidden) {
  const double h = size(v, "hidden_size"), depth = size(v, "num_hidden_layers");
  const double mlp = size(v, "intermediate_size"), patch = size(v, "patch_size");
  const double side = patch > 0 ? size(v, "image_size") / patch : 0;
  const double block = 4 * h + 4 * linear(h, h) + linear(h, mlp) + linear(mlp, h);
  return linear(3 * patch * patch, h) + side * side * h + depth * block + 2 * h +
         (h * text_hidden + h);
}

double vision_parameters(const Json& vision, std::string_view wrapper, double hidden) {
  if (wrapper == "qwen2_vl") return qwen2_vl(vision);
  if (wrapper == "qwen2_5_vl") return qwen2_5_vl(vision);
  if (wrapper.substr(0, 8) == "qwen3_vl" || wrapper.substr(0, 7) == "qwen3_5") {
    return qwen3_vl(vision);
  }
  if (wrapper == "gemma3") return gemma3(vision, hidden);
  return 0;
}

void add_vision(Fields& f, Model& model) {
  const Json& top = f.top_keys();
  const Json* vision = nullptr;
  for (std::string_view key : {"vision_config", "visual", "vision_tower", "siglip_config"}) {
    if (vision == nullptr) vision = top.get(key);
  }
  const Json* type = top.get("model_type");
  const std::string_view wrapper = type != nullptr ? std::string_view(type->string) : "";
  if (vision != nullptr && vision->is(Json::Kind::object)) {
    const double parameters = vision_parameters(*vision, wrapper, model.hidden);
    if (parameters > 0 && parameters < 1e15) {
      model.extras.push_back({"vision tower", parameters, parameters * 2});
      return;
    }
  }
  const bool nested = &f.text_keys() != &top;
  if (vision != nullptr || (nested && top.get("audio_config") != nullptr)) {
    f.warn("the parameters of the vision or audio parts are not counted");
  }
}

}  // namespace

void add_extras(Fields& f, const Quantisation& q, Element dtype, const Layer& last, Model& model) {
  add_vision(f, model);
  const double blocks =
      f.count("prediction blocks", {"num_nextn_predict_layers", "mtp_num_hidden_layers"}, 64);
  if (f.family().model_type == "qwen3_next") {
    f.warn("a prediction block (MTP) may be stored beside the model; only its index file tells");
  }
  if (blocks == 0) return;
  if (!f.text("prediction block", {"prediction_block"}).empty()) {
    f.warn("the prediction block (MTP) of this family is not counted");
    return;
  }
  if (f.flag_or("own embedding of the block", {"mtp_use_dedicated_embeddings"}, false)) {
    f.warn("the prediction block's own embedding is not counted");
  }
  // One layer like the last, its norm, the norms of embedding and hidden state, and a projection of
  // both.
  Model block;
  block.hidden = model.hidden;
  block.tied = true;
  block.norm_bias = model.norm_bias;
  block.small = model.small;
  block.layers = {last};
  block.layers[0].count = 1;
  block.order = {0};
  const bool own = f.find({"mtp_num_hidden_layers"}).value != nullptr;
  const std::string prefix =
      own ? "mtp.layers.0." : "layers." + std::to_string(model.order.size()) + ".";
  std::vector<std::string> mixed;
  std::vector<Element> inputs;
  set_layer_storage(q, dtype, f.family(), prefix, block.layers[0], mixed, inputs);
  const double joins = 2 * model.hidden * model.hidden + 2 * model.hidden;
  const double each = count_parameters(block).total + joins;
  const double bytes = weight_bytes(block, Deployment{}) + joins * plain(dtype).bits / 8.0;
  model.extras.push_back({"prediction block (MTP)", each * blocks, bytes * blocks});
}

}  // namespace rooflens
