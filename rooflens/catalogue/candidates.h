// The entries a name can match, and what to say when it matches several or none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflens/catalogue/catalogue.h"

namespace rooflens {

// One entry of the tables under its canonical name.
struct Entry {
  std::string key;  // canonical_name of `shown`
  int device = -1;
  const Alias* alias = nullptr;  // null for ids and names
  std::string_view shown;
};

// Ids, names and aliases (PCI ids left out).
[[nodiscard]] std::vector<Entry> entries_of(const Catalogue& c);

// Typed by people: "4090". Such entries match a whole text only, never a part of a longer one.
[[nodiscard]] bool is_colloquial(const Alias& a);

// The devices an entry can stand for: its own, those its caution names by id and, for "default when
// ambiguous", every device that has all of its words.
[[nodiscard]] std::vector<int> devices_of(const Catalogue& c, const Entry& e);

// Every word that belongs to a device: of id, name, aliases, form, architecture.
[[nodiscard]] std::vector<std::string> pool_of(const Catalogue& c, int device);

// Devices whose pool holds all the words. Empty for no words.
[[nodiscard]] std::vector<int> devices_with(const Catalogue& c,
                                            const std::vector<std::string>& words);

// Keeps the devices that agree with a memory size ("12288 MiB", "80GB") or a core count ("30-core",
// "gpu-core-count 30") in the text; all of them when none agrees.
[[nodiscard]] std::vector<int> narrowed(const Catalogue& c, std::vector<int> devices,
                                        std::string_view text);

// True when the text states memory sizes of 2 GB and more and none is this device's.
[[nodiscard]] bool memory_differs(const Device& d, std::string_view text);

// "  h100-sxm  NVIDIA H100 80GB HBM3: 3.35 TB/s, ridge BF16 295 FP8 591 FLOP/byte, 85.52 GB
//  (79.6 GiB)"
[[nodiscard]] std::string describe_device(const Device& d);

// Errors of find_machine.
[[nodiscard]] Failure ambiguous_name(const Catalogue& c, std::string_view text,
                                     const std::vector<int>& devices, std::string_view caution);
[[nodiscard]] Failure unknown_name(const Catalogue& c, std::string_view text, std::string why);

}  // namespace rooflens
