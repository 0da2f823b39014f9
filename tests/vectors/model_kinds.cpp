// Kinds that count a model: parameters, formats, cache, state, capacity.
#include <cmath>

#include "rooflens/core/capacity.h"
#include "rooflens/core/kv_pool.h"
#include "rooflens/core/layer_visit.h"
#include "vectors/vector_file.h"

namespace rooflens::vectors {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

Answer params(const File& file, const Json& v) {
  const Json& in = v["input"];
  const Parameters p = count_parameters(file.models.at(in["model"]));
  double extra = 0;
  for (const char* key : {"vision_params", "vision_params_assumed", "projector", "mtp_params"}) {
    extra += in.value(key, 0.0);
  }
  return {{"total", p.total + extra},
          {"embed", p.embedding},
          {"lm_head", p.head},
          {"experts", p.experts},
          {"router", p.router},
          {"matmul_per_token", p.matmul},
          {"matmul_per_token_no_head", p.matmul - p.embedding}};
}

Answer bpw(const File&, const Json& v) {
  const Json& in = v["input"];
  const std::string name = in["format"];
  // In the vectors MXFP4 and NVFP4 in capitals with a block are the GGUF types.
  const bool ggml = in.contains("block");
  const NamedStorage* s =
      find_storage(ggml && (name == "MXFP4" || name == "NVFP4") ? name + "_GGUF" : name);
  if (s == nullptr) return Json::object();
  if (ggml && s->storage.packing == Packing::rows &&
      (s->storage.block != in["block"][0] || s->storage.block_bytes != in["block"][1])) {
    return Json::object();
  }
  const double bits = bits_per_weight(s->storage);
  return {{"bits_per_weight", bits}, {"hand", bits}};
}

Answer bytes_of_matrix(const File&, const Json& v) {
  const Json& in = v["input"];
  const NamedStorage* s = find_storage(in["format"].get<std::string>());
  if (s == nullptr) return Json::object();
  return {{"bytes", storage_bytes(s->storage, in["N"], in["K"])}};
}

Answer kv_token(const File& file, const Json& v) {
  const Setup s = setup(file, v["input"]);
  const double rank = kv_bytes_per_token(s.model, s.deploy);
  const double alone = kv_bytes_per_token(s.model, Deployment{});
  return {{"bytes", rank},
          {"per_rank", rank},
          {"all_ranks", rank * s.deploy.tensor},
          {"replication", rank * s.deploy.tensor / alone}};
}

Answer kv_token_layer(const File& file, const Json& v) {
  const Json& in = v["input"];
  if (in.contains("mixer")) {
    const NamedStorage* s = find_storage(in["kv"].get<std::string>());
    return {{"bytes", vector_bytes(s->storage, 512 + 64)}};
  }
  const Setup s = setup(file, in);
  for (const Layer& layer : s.model.layers) {
    if (const auto* a = std::get_if<Attention>(&layer.mixer)) {
      return {{"k_bytes", local_kv_heads(a->kv_heads, s.deploy.tensor) *
                              vector_bytes(s.deploy.key_cache, a->key_dim)}};
    }
  }
  return Json::object();
}

Answer kv_seq(const File& file, const Json& v) {
  const Json& in = v["input"];
  if (in.contains("elements")) {
    const NamedStorage* s = find_storage(in["kv"].get<std::string>());
    const double bytes = in["layers"].get<double>() * in["tokens"].get<double>() *
                         vector_bytes(s->storage, in["elements"]);
    return {{"GiB", bytes / kGiB}};
  }
  const Setup s = setup(file, in);
  if (in.contains("tokens")) {
    const double bytes = kv_bytes_of_sequence(s.model, s.deploy, in["tokens"], 1);
    return {{"GiB", bytes / kGiB}, {"MiB", bytes * 1024 / kGiB}};
  }
  const double windowed = kv_bytes_of_sequence(s.model, s.deploy, in["L"], 1);
  const double full = kv_bytes_per_token(s.model, s.deploy) * in["L"].get<double>();
  return {{"windowed", windowed}, {"full", full}, {"ratio", full / windowed}};
}

Answer state(const File& file, const Json& v) {
  const Json& in = v["input"];
  Setup s = setup(file, in);
  if (in.contains("conv_b")) s.deploy.conv_state_bytes = in["conv_b"];
  if (!in.contains("L")) {  // one layer's recurrent state without the convolution
    s.deploy.conv_state_bytes = 0;
    for (const Layer& layer : s.model.layers) {
      const Cache cache = cache_of(layer, cut_of(s.model, s.deploy), s.deploy);
      if (cache.state_bytes > 0) return {{"bytes", cache.state_bytes}};
    }
    return Json::object();
  }
  const double kv = kv_bytes_of_sequence(s.model, s.deploy, in["L"], 1);
  const double bytes = state_bytes_per_sequence(s.model, s.deploy);
  const double token = kv_bytes_per_token(s.model, s.deploy);
  return {{"kv_bytes", kv},
          {"state_bytes", bytes},
          {"equivalent_tokens", token > 0 ? Json(bytes / token) : Json(nullptr)}};
}

Answer max_batch(const File& file, const Json& v) {
  const Json& in = v["input"];
  Setup s = setup(file, in);
  s.deploy.utilisation = in["util"];
  s.deploy.overhead_bytes = in["overhead"];
  s.deploy.batched_tokens = in["act_tokens"];
  s.deploy.page_tokens = in["block"];
  const Capacity c = capacity(s.model, s.deploy, s.system.device.capacity_bytes, 1, in["L"]);
  return {{"B", c.max_batch},
          {"bytes_per_seq", c.bytes_per_sequence},
          {"free", c.free_bytes},
          {"weights", c.weight_bytes},
          {"act", c.activation_bytes}};
}

Answer kv_pool(const File& file, const Json& v) {
  const Json& in = v["input"];
  if (in.contains("blocks")) {
    const double tokens = in["blocks"].get<double>() * in["block"].get<double>();
    return {{"concurrency", tokens / in["max_model_len"].get<double>()}};
  }
  const Setup s = setup(file, in);
  if (in.contains("tokens")) {
    return {{"GiB", kv_bytes_of_sequence(s.model, s.deploy, in["tokens"], 1) / kGiB}};
  }
  return {{"tokens", pool_tokens(in["pool_GiB"].get<double>() * kGiB,
                                 kv_bytes_per_token(s.model, s.deploy), in["block"])}};
}

Answer hybrid(const File& file, const Json& v) {
  const Json& in = v["input"];
  if (in.contains("page")) {
    return {{"pad_percent", 100 * hybrid_padding({in["page"], in["token"]}, in["block"])}};
  }
  Setup s = setup(file, in);
  s.deploy.tensor = in["tp"];
  s.deploy.key_cache = s.deploy.value_cache = find_storage(in["kv"].get<std::string>())->storage;
  s.deploy.state_bytes = find_storage(in["ssm"].get<std::string>())->storage.bits / 8.0;
  s.deploy.conv_state_bytes = find_storage(in["conv"].get<std::string>())->storage.bits / 8.0;
  return {{"block_tokens", hybrid_block(layer_pages(s.model, s.deploy), in["align"])}};
}

}  // namespace

void add_model_kinds(std::map<std::string, Kind>& k) {
  k["params"] = params;
  k["bpw"] = bpw;
  k["weight_bytes"] = bytes_of_matrix;
  k["kv_token"] = kv_token;
  k["kv_token_layer"] = kv_token_layer;
  k["kv_seq"] = kv_seq;
  k["state"] = state;
  k["max_batch"] = max_batch;
  k["kv_pool"] = kv_pool;
  k["hybrid_block"] = hybrid;
}

}  // namespace rooflens::vectors
