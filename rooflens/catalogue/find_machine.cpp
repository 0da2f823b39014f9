// Naming a machine: see catalogue.h for what is accepted, docs/data.md for the traps of names.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "rooflens/catalogue/candidates.h"
#include "rooflens/catalogue/catalogue.h"
#include "rooflens/catalogue/device_words.h"
#include "rooflens/catalogue/memory_spec.h"
#include "rooflens/catalogue/names.h"
#include "rooflens/catalogue/text_forms.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

using namespace text_forms;

using Found = std::optional<Result<Machine>>;  // nullopt: this way of naming does not fit

constexpr std::size_t kMostText = 1 << 16;  // longest text looked at
constexpr std::size_t kMostWords = 10;      // longest name, in words

Machine machine(const Catalogue& c, int device, std::string_view matched, std::string caution) {
  Machine m;
  m.device = c.devices[static_cast<std::size_t>(device)];
  m.matched_as = matched;
  m.caution = std::move(caution);
  return m;
}

// One machine of a few candidates, narrowed by what else the text says.
Result<Machine> choose(const Catalogue& c, std::vector<int> devices, std::string_view text,
                       std::string_view matched, const std::string& caution) {
  devices = narrowed(c, std::move(devices), text);
  if (devices.size() > 1) return ambiguous_name(c, text, devices, caution);
  return machine(c, devices.front(), matched, caution);
}

Failure slice_of_device(std::string_view text) {
  return fail(ErrorCode::unsupported, quoted(text) + " is a slice of a device (MIG or vGPU)", {},
              "give its share as figures, as in h100-sxm,bw=419GB/s,bf16=141T,mem=10GB for 1/8 of "
              "the memory and 1/7 of the compute");
}

// ---- ways of naming -----------------------------------------------------------------------------

Found by_pci_id(const Catalogue& c, std::string_view text) {
  for (std::size_t i = 0; i + 9 <= text.size(); ++i) {
    const std::string_view s = text.substr(i, 9);
    if (s[4] != ':' || !std::all_of(s.begin(), s.begin() + 4, is_hex) ||
        !std::all_of(s.begin() + 5, s.end(), is_hex)) {
      continue;
    }
    const auto touches = [&](std::size_t k) {
      return k < text.size() && (is_hex(text[k]) || text[k] == ':');
    };
    if ((i > 0 && touches(i - 1)) || touches(i + 9)) continue;
    const std::string id = letters_and_digits(s);
    for (const Alias& a : c.aliases) {
      if (a.tool != "PCI vendor:device" || letters_and_digits(a.text) != id) continue;
      const Entry e{{}, a.device, &a, a.text};
      return choose(c, devices_of(c, e), text, a.text, a.caution);
    }
  }
  return std::nullopt;
}

Found by_cloud(const Catalogue& c, std::string_view text) {
  const std::string wanted = letters_and_digits(text);
  std::vector<const CloudInstance*> hits;
  for (const CloudInstance& i : c.instances) {
    const std::string name = letters_and_digits(i.name);
    const std::string full = letters_and_digits(i.provider) + name;
    if (wanted == name || wanted == full || "standard" + wanted == name) hits.push_back(&i);
  }
  if (hits.empty()) return std::nullopt;
  for (const CloudInstance* h : hits) {
    if (h->device == hits[0]->device && h->count == hits[0]->count) continue;
    std::string message = quoted(text) + " is offered by several providers:";
    for (const CloudInstance* k : hits) {
      message += "\n  " + k->provider + " " + k->name + ": " + std::to_string(k->count) + " x " +
                 c.devices[static_cast<std::size_t>(k->device)].id;
    }
    return fail(ErrorCode::ambiguous, message, {},
                "write the provider before it: " + hits[0]->provider + " " + hits[0]->name);
  }
  Machine m = machine(c, hits[0]->device, hits[0]->provider + " " + hits[0]->name, hits[0]->note);
  m.count = hits[0]->count;
  return m;
}

// The whole text is an entry.
Found by_whole_name(const Catalogue& c, const std::vector<Entry>& entries, std::string_view text) {
  const std::string wanted = canonical_name(text);
  if (wanted.empty()) return std::nullopt;
  std::vector<int> devices;
  const Entry* first = nullptr;
  std::string caution;
  for (const Entry& e : entries) {
    if (e.key != wanted) continue;
    if (e.alias == nullptr && e.shown == c.devices[static_cast<std::size_t>(e.device)].id) {
      return machine(c, e.device, e.shown, {});  // an id is never ambiguous
    }
    if (first == nullptr) first = &e;
    if (e.alias != nullptr && !e.alias->caution.empty()) caution = e.alias->caution;
    for (int d : devices_of(c, e)) {
      if (std::find(devices.begin(), devices.end(), d) == devices.end()) devices.push_back(d);
    }
  }
  if (first == nullptr) return std::nullopt;
  if (devices.empty()) {
    return fail(ErrorCode::not_found, quoted(text) + " does not say which device it is", {},
                caution);
  }
  return choose(c, std::move(devices), text, first->shown, caution);
}

struct Window {
  const Entry* entry = nullptr;
  std::size_t first = 0, count = 0;
};

// Entries that may match a part of a text, by key.
using Parts = std::unordered_map<std::string_view, const Entry*>;

Parts parts_of(const std::vector<Entry>& entries) {
  Parts index;
  index.reserve(entries.size());
  for (const Entry& e : entries) {
    if (e.key.size() < 2 || (e.alias != nullptr && is_colloquial(*e.alias))) continue;
    const Entry*& slot = index[e.key];
    const bool better = slot == nullptr ||
                        (slot->alias == nullptr && e.alias != nullptr && !e.alias->caution.empty());
    if (better) slot = &e;
  }
  return index;
}

// The longest entries that stand in the text as whole words, none inside another.
std::vector<Window> windows_of(const Parts& index, const std::vector<std::string>& words) {
  std::vector<Window> all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t n = std::min(kMostWords, words.size() - i); n > 0; --n) {
      const auto it = index.find(join_words(words, i, n));
      if (it != index.end()) all.push_back({it->second, i, n});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Window& a, const Window& b) {
    return a.entry->key.size() > b.entry->key.size();
  });
  std::vector<Window> kept;
  for (const Window& w : all) {
    const bool free = std::none_of(kept.begin(), kept.end(), [&](const Window& k) {
      return w.first < k.first + k.count && k.first < w.first + w.count;
    });
    if (free) kept.push_back(w);
  }
  return kept;
}

// An entry stands inside the text.
Found by_part(const Catalogue& c, const Parts& parts, std::string_view text) {
  const std::vector<std::string> words = name_words(text);
  const std::vector<Window> windows = windows_of(parts, words);
  if (windows.empty()) return std::nullopt;
  const Window& w = windows.front();
  std::vector<int> devices = devices_of(c, *w.entry);
  if (devices.empty()) {
    return fail(ErrorCode::not_found, quoted(text) + " does not say which device it is", {},
                w.entry->alias->caution);
  }
  for (std::size_t k = 1; k < windows.size(); ++k) {
    const int other = windows[k].entry->device;
    if (other >= 0 && std::find(devices.begin(), devices.end(), other) == devices.end()) {
      return ambiguous_name(c, text, {devices.front(), other}, "the text names both");
    }
  }
  const std::size_t after = w.first + w.count;
  if (after < words.size()) {
    if (is_slice(words, after)) return slice_of_device(text);
    const auto pool = pool_of(c, devices.front());
    const bool own = std::find(pool.begin(), pool.end(), words[after]) != pool.end();
    if (is_qualifier(words[after]) && !own) return std::nullopt;
  }
  const std::string caution = w.entry->alias != nullptr ? w.entry->alias->caution : std::string();
  auto found = choose(c, std::move(devices), text, w.entry->shown, caution);
  std::string rest;  // sizes that belong to the name itself (GH200 480GB) say nothing more
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i < w.first || i >= after) rest += words[i] + " ";
  }
  if (found && memory_differs(found->device, rest)) {
    return unknown_name(c, text,
                        "no " + std::string(w.entry->shown) +
                            " with that much memory is "
                            "known; the catalogue has\n" +
                            describe_device(found->device));
  }
  return found;
}

// Every word of the text belongs to a device, in whatever order.
Found by_words(const Catalogue& c, std::string_view text) {
  std::vector<std::string> words = name_words(text), asked;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool count = i + 1 < words.size() && is_in(words[i + 1], {"core", "cores", "gb", "gib"});
    if (!is_size(words[i]) && !count && !is_in(words[i], {"core", "cores", "gb", "gib"})) {
      asked.push_back(words[i]);
    }
  }
  std::vector<int> devices = devices_with(c, asked);
  const bool modelled = std::any_of(asked.begin(), asked.end(), is_model_word);
  if (devices.empty() || (!modelled && asked.size() > 2)) return std::nullopt;
  devices = narrowed(c, std::move(devices), text);
  if (devices.size() > 1) {
    if (!modelled && devices.size() > 12) return std::nullopt;
    return ambiguous_name(c, text, devices, {});
  }
  const Device& d = c.devices[static_cast<std::size_t>(devices.front())];
  for (const std::string& w : name_words(d.name)) {
    if (is_strict(w) && std::find(asked.begin(), asked.end(), w) == asked.end()) {
      return std::nullopt;
    }
  }
  if (!modelled || memory_differs(d, text)) return std::nullopt;
  return machine(c, devices.front(), d.name, {});
}

// ---- counts and outputs of several lines --------------------------------------------------------

// A tool's output: the lines that name a device are counted.
Found by_lines(const Catalogue& c, const Parts& parts, std::string_view text) {
  std::vector<int> indices;
  Found first;
  int count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    Found found = by_pci_id(c, line);
    if (!found) found = by_part(c, parts, line);
    if (!found) continue;
    if (!*found) return found;
    if (first && (*first)->device.id != (*found)->device.id) {
      return fail(ErrorCode::ambiguous,
                  "the text lists different devices:\n" + describe_device((*first)->device) + "\n" +
                      describe_device((*found)->device),
                  {}, "a system here has devices of one kind: name one of them");
    }
    if (!first) first = std::move(found);
    const int index = gpu_index(line);
    if (index >= 0 && std::find(indices.begin(), indices.end(), index) != indices.end()) continue;
    if (index >= 0) indices.push_back(index);
    ++count;
  }
  if (first) (*first)->count = count;
  return first;
}

Result<Machine> find_plain(const Catalogue& c, std::string_view text) {
  text = trim(text);
  if (const Device* d = c.find(text)) {
    return machine(c, static_cast<int>(d - c.devices.data()), d->id, {});
  }
  auto spec = parse_memory_spec(text);  // first, since its " x8" are channels
  const int count = spec ? 0 : take_count(text);
  if (count < 0 || text.empty()) return unknown_name(c, text, "the count of devices is 0");
  if (!spec) spec = parse_memory_spec(text);
  if (spec) {
    if (!*spec) return Failure(spec->error());
    Machine m;
    m.device = std::move(**spec);
    m.count = count;
    m.matched_as = m.device.name;
    return m;
  }
  const std::string clean = without_uuids(text);
  const std::vector<std::string> words = name_words(clean);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "mig" && is_slice(words, i)) return slice_of_device(text);
  }
  const std::vector<Entry> entries = entries_of(c);
  Found found;
  if (text.find('\n') != std::string_view::npos) found = by_lines(c, parts_of(entries), clean);
  if (!found) found = by_pci_id(c, clean);
  if (!found) found = by_whole_name(c, entries, clean);
  if (!found) found = by_cloud(c, clean);
  if (!found) found = by_part(c, parts_of(entries), clean);
  const std::size_t open = clean.rfind('['), close = clean.rfind(']');
  if (!found && open != std::string::npos && close != std::string::npos && open < close) {
    const std::string inner = clean.substr(open + 1, close - open - 1);  // lspci's own name
    found = by_whole_name(c, entries, inner);
    if (!found) found = by_words(c, inner);
  }
  if (!found) found = by_words(c, clean);
  if (!found) return unknown_name(c, text, {});
  if (*found && count > 0) (*found)->count = count * std::max(1, (*found)->count);
  return std::move(*found);
}

}  // namespace

Result<Machine> find_machine(const Catalogue& c, std::string_view text) {
  text = trim(text);
  if (text.empty()) {
    return fail(ErrorCode::malformed, "the name of a device is empty", {},
                "an id as in h100-sxm, or what nvidia-smi prints");
  }
  if (text.size() > kMostText) {
    return fail(ErrorCode::out_of_range, "the name of a device is longer than 64 KiB");
  }
  const std::size_t equals = text.find('=');
  const bool figures =
      equals != std::string_view::npos && text.find('\n') == std::string_view::npos;
  if (!figures) return find_plain(c, text);

  // [name,]key=value,...
  const std::size_t comma = text.rfind(',', equals);
  const std::string_view base =
      comma == std::string_view::npos ? std::string_view{} : trim(text.substr(0, comma));
  Machine m;
  if (!base.empty()) {
    auto found = find_plain(c, base);
    if (!found) return found;
    m = std::move(*found);
    m.matched_as += ", with figures given";
  } else {
    m.device.id = m.device.name = "given";
    m.matched_as = "figures given";
  }
  std::vector<DeviceWord> words;
  const auto split = split_device_words(
      comma == std::string_view::npos ? text : text.substr(comma + 1), {}, words);
  if (!split) return Failure(split.error());
  const auto applied = apply_device_words(words, m.device);
  if (!applied) return Failure(applied.error());
  if (!(m.device.bytes_per_s > 0)) {
    return fail(ErrorCode::invalid, "the memory bandwidth is missing", {},
                "add bw=, as in bw=3.9TB/s,bf16=836T,mem=94GB");
  }
  return m;
}

std::vector<const Device*> list_devices(const Catalogue& c, std::string_view filter) {
  std::vector<const Device*> list;
  for (const Device& d : c.devices) {
    const std::string all = letters_and_digits(d.id) + " " + letters_and_digits(d.name) + " " +
                            letters_and_digits(d.vendor) + " " + letters_and_digits(d.kind) + " " +
                            letters_and_digits(d.architecture) + " " +
                            letters_and_digits(d.memory_type);
    bool fits = true;
    for (std::string_view rest = trim(filter); !rest.empty() && fits;) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      fits = all.find(letters_and_digits(rest.substr(0, end))) != std::string::npos;
      rest = trim(rest.substr(end));
    }
    if (fits) list.push_back(&d);
  }
  return list;
}

}  // namespace rooflens
