// The cache that Hugging Face's libraries and the engines share on this machine, read and added to:
//
//   <root>/models--org--name/refs/main                      a commit
//   <root>/models--org--name/snapshots/<commit>/config.json a link to ../../blobs/<etag>
//   <root>/models--org--name/.no_exist/<commit>/<file>      the repository has no such file
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/hub_id.h"
#include "cli/io.h"

namespace rooflens::cli {

// Where it is: HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub,
// ~/.cache/huggingface/hub, the first that is set. Empty when not even HOME is.
[[nodiscard]] std::string hub_cache_folder(const Io& io);

// HF_HOME, or what stands for it: the folder of the token.
[[nodiscard]] std::string hub_home(const Io& io);

// The files that are read of a repository, config.json first.
inline constexpr std::size_t kIndexBytes = std::size_t{64} << 20;  // the largest index read
inline constexpr const char* kHubIndex = "model.safetensors.index.json";
inline constexpr const char* kHubOldIndex = "pytorch_model.bin.index.json";  // where that is not
inline constexpr const char* kHubFiles[] = {
    "config.json", "hf_quant_config.json", "quantize_config.json", "quant_config.json", kHubIndex,
    kHubOldIndex};
[[nodiscard]] inline bool is_hub_index(std::string_view file) {
  return file == kHubIndex || file == kHubOldIndex;
}

struct CachedModel {
  std::string name;      // as the cache writes it; letter case need not be the user's
  std::string snapshot;  // its folder, with a config.json or a params.json; "" = not cached
  std::string commit;
  std::string how;    // how the snapshot was chosen: "main", "the newest of 3 snapshots"
  bool whole = true;  // false: side files may be missing because nobody asked for them
  std::vector<std::string> remarks;  // what is broken, or had to be chosen
};

// Never fails: what is there and of no use is told in `remarks`.
[[nodiscard]] CachedModel find_cached(const HubId& id, const std::string& root);

// One file as it came, for store_cached.
struct HubFile {
  std::string name, text, etag;
  bool absent = false;  // the repository has no such file
};

// Puts files in the cache as its other users do: blobs first, then the links, the ref last (when
// `ref` is not empty); each appears whole or not at all. Files without an etag are left out.
[[nodiscard]] Result<void> store_cached(const std::string& root, const std::string& name,
                                        const std::string& commit, const std::string& ref,
                                        const std::vector<HubFile>& files);

}  // namespace rooflens::cli
