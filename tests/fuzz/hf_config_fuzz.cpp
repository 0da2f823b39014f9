// Any bytes as a config.json, with its side files and options: read or refused, never more.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rooflens/core/parameters.h"
#include "rooflens/readers/hf_config.h"

// The input is a config, then after 0x1E bytes the side files and one key to set.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto part = [&] {
    const std::size_t at = rest.find('\x1e');
    const std::string_view head = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
    return head;
  };
  const std::string_view config = part();
  rooflens::HfSideFiles side;
  side.hf_quant_config = part();
  side.quantize_config = part();
  side.index = part();
  rooflens::HfOptions options;
  const std::string_view set = part();
  if (!set.empty()) options.set.emplace_back(set);
  options.assume_llama_like = !rest.empty();
  const auto model = rooflens::read_hf_config(config, "config.json", side, options);
  if (!model) {
    if (model.error().message.empty()) std::abort();
    return 0;
  }
  const rooflens::Parameters p = rooflens::count_parameters(*model);
  if (!(p.total > 0) || !(p.active > 0)) std::abort();
  if (!(rooflens::weight_bytes(*model, rooflens::Deployment{}) >= 0)) std::abort();
  return 0;
}
