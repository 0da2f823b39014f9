#include "cli/hub_id.h"

#include <algorithm>

namespace rooflens::cli {
namespace {

constexpr std::size_t kLongestPart = 128;

bool id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

bool id_part(std::string_view s) {
  return !s.empty() && s.size() <= kLongestPart && s.front() != '.' && s.front() != '-' &&
         s.back() != '.' && std::all_of(s.begin(), s.end(), id_character) &&
         s.find("..") == std::string_view::npos && s.find("--") == std::string_view::npos;
}

// A branch may be called anything git allows ("refs/pr/1", "v1.0"); this much of it is read.
bool revision_name(std::string_view s) {
  if (s.empty() || s.size() > kLongestPart || s.front() == '/' || s.back() == '/') return false;
  while (!s.empty()) {
    const std::size_t end = std::min(s.find('/'), s.size());
    const std::string_view part = s.substr(0, end);
    if (part.empty() || part.front() == '.' || part.find("..") != std::string_view::npos ||
        !std::all_of(part.begin(), part.end(),
                     [](char c) { return id_character(c) || c == '+' || c == '='; })) {
      return false;
    }
    s.remove_prefix(std::min(end + 1, s.size()));
  }
  return true;
}

}  // namespace

std::optional<HubId> parse_hub_id(std::string_view text) {
  const std::size_t at = std::min(text.find('@'), text.size());
  const std::string_view name = text.substr(0, at);
  const std::size_t slash = name.find('/');
  const bool two = slash != std::string_view::npos;
  if (two ? !id_part(name.substr(0, slash)) || !id_part(name.substr(slash + 1)) : !id_part(name)) {
    return std::nullopt;
  }
  HubId id{std::string(name), ""};
  if (at < text.size()) {
    if (!revision_name(text.substr(at + 1))) return std::nullopt;
    id.revision = text.substr(at + 1);
  }
  return id;
}

std::string cache_folder_name(std::string_view name) {
  std::string out = "models--" + std::string(name);
  if (const std::size_t slash = out.find('/'); slash != std::string::npos) {
    out.replace(slash, 1, "--");
  }
  return out;
}

bool looks_like_commit(std::string_view text) {
  return text.size() >= 7 && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string short_commit(std::string_view commit) { return std::string(commit.substr(0, 12)); }

}  // namespace rooflens::cli
