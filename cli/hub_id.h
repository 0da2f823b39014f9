// Names of model repositories as the hubs write them: org/name, org/name@revision, name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rooflens::cli {

struct HubId {
  std::string name;      // "Qwen/Qwen3-8B"
  std::string revision;  // a branch, a tag or a commit; "" = not told, which means main

  [[nodiscard]] std::string revision_or_main() const {
    return revision.empty() ? "main" : revision;
  }
  // The name and, when it was told, "@revision".
  [[nodiscard]] std::string text() const { return revision.empty() ? name : name + "@" + revision; }
};

// Nothing when the text can be no such name: other characters than letters, digits and "-_.", more
// than one slash, "..", "--"; or a revision that is no name either. What passes is safe as a path.
[[nodiscard]] std::optional<HubId> parse_hub_id(std::string_view text);

// "models--org--name": its folder in a cache.
[[nodiscard]] std::string cache_folder_name(std::string_view name);

// 7 to 64 hexadecimal digits.
[[nodiscard]] bool looks_like_commit(std::string_view text);

// "1a2b3c4d5e6f": the first digits of a commit, for people.
[[nodiscard]] std::string short_commit(std::string_view commit);

}  // namespace rooflens::cli
