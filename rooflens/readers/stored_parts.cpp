#include <algorithm>
#include <array>
#include <map>

#include "rooflens/core/composition.h"
#include "rooflens/readers/weight_pieces.h"

namespace rooflens {
namespace {

// What a piece is for, in words.
std::string role_of(const WeightPiece& p, const std::vector<Layer>& layers, bool tied) {
  std::string role = "norms and other";
  switch (p.use) {
    case PieceUse::matrix:
      role = rooflens::role_of(p.slot, layers[static_cast<std::size_t>(p.layer)]);
      break;
    case PieceUse::embedding:
      role = tied ? "embedding and head" : "embedding";
      break;
    case PieceUse::head:
      role = "head";
      break;
    case PieceUse::beside:
    case PieceUse::duplicate:
      role = p.what;
      break;
    case PieceUse::buffer:
      role = "buffers";
      break;
    case PieceUse::unknown:
      role = "not known";
      break;
    default:
      break;
  }
  return role;
}

// In the order of the network; what is stored and not run comes last.
std::size_t place_of(std::string_view role) {
  constexpr std::array<std::string_view, 9> order{
      "embedding", "embedding and head", "attention", "recurrent mixer", "router", "feed-forward",
      "experts",   "shared expert",      "head"};
  const auto at = std::find(order.begin(), order.end(), role);
  return static_cast<std::size_t>(at - order.begin()) + (role == "norms and other" ? 0
                                                         : at == order.end()       ? 1
                                                                                   : 0);
}

}  // namespace

std::vector<StoredPart> stored_parts(const std::vector<WeightPiece>& pieces,
                                     const std::vector<Layer>& layers, bool tied) {
  constexpr std::size_t kMostParts = 200;  // roles x formats; real files have a dozen
  std::map<std::pair<std::string, std::string>, StoredPart> parts;
  for (const WeightPiece& p : pieces) {
    const std::string role = role_of(p, layers, tied);
    const std::string format = parts.size() < kMostParts ? p.format : "other";
    StoredPart& part = parts[{role, format}];
    part.role = role;
    part.format = format;
    part.tensors += p.tensors;
    part.parameters += p.parameters;
    part.bytes += p.bytes;
  }
  std::vector<StoredPart> stored;
  stored.reserve(parts.size());
  for (auto& [key, part] : parts) stored.push_back(std::move(part));
  std::stable_sort(stored.begin(), stored.end(), [](const StoredPart& a, const StoredPart& b) {
    const auto x = place_of(a.role), y = place_of(b.role);
    return x != y ? x < y : a.bytes > b.bytes;
  });
  return stored;
}

}  // namespace rooflens
