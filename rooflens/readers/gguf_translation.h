// How gguf_config does its work: a file's keys and tensors put under the names of a config.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rooflens/readers/gguf_config.h"
#include "rooflens/readers/hf_families.h"
#include "rooflens/readers/json_edit.h"

namespace rooflens {

// The tensors of a file by name: what is there shows how a model is built.
class TensorNames {
 public:
  explicit TensorNames(const std::vector<Tensor>& tensors) {
    for (const Tensor& t : tensors) by_name_.emplace(t.name, &t);
  }
  [[nodiscard]] bool any() const { return !by_name_.empty(); }
  [[nodiscard]] const Tensor* find(const std::string& name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? nullptr : at->second;
  }
  // "blk.<block>.<part>".
  [[nodiscard]] const Tensor* in_block(std::size_t block, const std::string& part) const {
    return find("blk." + std::to_string(block) + "." + part);
  }
  // The same of the first of `blocks` that has it.
  [[nodiscard]] const Tensor* in_any(std::size_t blocks, const std::string& part) const {
    for (std::size_t l = 0; l < blocks; ++l) {
      if (const Tensor* t = in_block(l, part)) return t;
    }
    return nullptr;
  }

 private:
  std::unordered_map<std::string_view, const Tensor*> by_name_;
};

[[nodiscard]] inline double rows_of(const Tensor& t) { return static_cast<double>(t.shape[0]); }
[[nodiscard]] inline double columns_of(const Tensor& t) {
  return t.dims > 0 ? static_cast<double>(t.shape[t.dims - 1U]) : 0;
}

class GgufTranslation {
 public:
  GgufTranslation(const GgufHeader& header, std::string_view where);
  Result<GgufConfig> run();

 private:
  // gguf_config.cpp
  Result<void> refuse();
  void sizes();
  double per_layer(std::string_view suffix, std::vector<double>& each);
  void vocabulary();
  [[nodiscard]] bool sigmoid_router() const;
  void entries(std::string_view text);

  // gguf_attention.cpp: heads, windows, experts
  void attention();
  void latent_attention();
  void gemma4();
  void window_pattern();
  void experts();

  // gguf_recurrent.cpp: state spaces, convolutions, delta nets
  void recurrent();
  void mamba();
  void delta_net();
  void nemotron_h();
  void granite_hybrid();
  void short_convolution();

  // gguf_from_tensors.cpp: what goes before what a family implies
  void from_tensors();
  void norms();
  void unknown_architecture();

  [[nodiscard]] std::string at(std::string_view key) const {
    return where_ + ": " + std::string(key);
  }
  [[nodiscard]] std::string key(std::string_view suffix) const {
    return arch_ + "." + std::string(suffix);
  }
  [[nodiscard]] double number(std::string_view suffix) const {
    return header_.number(key(suffix), 0);
  }
  [[nodiscard]] std::size_t layers() const { return static_cast<std::size_t>(out_.layers); }
  [[nodiscard]] const Tensor* in_any_block(const char* part) const {
    return tensors_.in_any(layers(), part);
  }

  // A key of our own choice, or one that a key or tensor `from` of the file stands for.
  void set(std::string_view name, Json value);
  void set_from(std::string_view name, std::string_view suffix, double value);
  void set_shown(std::string_view name, Json value, const char* tensor);

  // The first trouble counts.
  void wrong(std::string_view suffix, const std::string& message);
  void unsupported(const std::string& message);

  const GgufHeader& header_;
  const TensorNames tensors_;
  const std::string where_, arch_;
  const Family* family_ = nullptr;
  GgufConfig out_;
  Json root_;
  double width_ = 0, heads_ = 0;
  bool inner_norms_ = false;
  std::optional<Error> error_;
};

}  // namespace rooflens
