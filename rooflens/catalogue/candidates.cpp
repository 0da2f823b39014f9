#include "rooflens/catalogue/candidates.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "rooflens/catalogue/names.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

const Device& at(const Catalogue& c, int i) { return c.devices[static_cast<std::size_t>(i)]; }

void add(std::vector<int>& list, int device) {
  if (device >= 0 && std::find(list.begin(), list.end(), device) == list.end()) {
    list.push_back(device);
  }
}

bool holds(const std::vector<std::string>& words, std::string_view w) {
  return std::find(words.begin(), words.end(), w) != words.end();
}

// Sizes of 2 GB and more in the text, each in the readings it can have.
std::vector<double> sizes_in(std::string_view text) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    std::size_t unit = end;
    if (unit < text.size() && text[unit] == ' ') ++unit;
    std::size_t stop = unit;
    while (stop < text.size() && stop - unit < 4 && is_letter(text[stop])) {
      ++stop;
    }
    const std::string u = letters_and_digits(text.substr(unit, stop - unit));
    const auto number = parse_number(text.substr(i, end - i));
    i = end;
    if (!number) continue;
    if (u == "mib" || u == "mb") sizes.push_back(std::ldexp(*number, 20));
    if (u == "gib" || u == "gb" || u == "g") sizes.push_back(std::ldexp(*number, 30));
    if (u == "gb" || u == "g") sizes.push_back(*number * 1e9);
  }
  sizes.erase(std::remove_if(sizes.begin(), sizes.end(), [](double s) { return s < 2e9; }),
              sizes.end());
  return sizes;
}

bool has_size(const Device& d, const std::vector<double>& sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [&](double s) {
    return std::fabs(s - d.capacity_bytes) <= 0.04 * d.capacity_bytes;
  });
}

// The id ends in "-30" and the text says 30 cores.
bool has_cores(const Device& d, const std::vector<std::string>& words) {
  const std::string tail = d.id.substr(std::min(d.id.rfind('-'), d.id.size() - 1) + 1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != tail) continue;
    const std::string_view after = i + 1 < words.size() ? std::string_view(words[i + 1]) : "";
    const std::string_view before = i > 0 ? std::string_view(words[i - 1]) : "";
    if (after == "core" || after == "cores" || before == "count") return true;
  }
  return false;
}

}  // namespace

bool is_colloquial(const Alias& a) { return a.tool == "what users type"; }

std::vector<Entry> entries_of(const Catalogue& c) {
  std::vector<Entry> list;
  list.reserve(2 * c.devices.size() + c.aliases.size());
  for (std::size_t i = 0; i < c.devices.size(); ++i) {
    const Device& d = c.devices[i];
    list.push_back({canonical_name(d.id), static_cast<int>(i), nullptr, d.id});
    if (d.name != d.id) {
      list.push_back({canonical_name(d.name), static_cast<int>(i), nullptr, d.name});
    }
  }
  for (const Alias& a : c.aliases) {
    if (a.tool == "PCI vendor:device") continue;
    list.push_back({canonical_name(a.text), a.device, &a, a.text});
  }
  return list;
}

std::vector<int> devices_of(const Catalogue& c, const Entry& e) {
  std::vector<int> list;
  add(list, e.device);
  if (e.alias == nullptr || e.alias->caution.empty()) return list;
  const std::string& caution = e.alias->caution;
  for (std::size_t i = 0; i < caution.size();) {  // words with '-' inside: ids
    std::size_t end = i;
    while (end < caution.size() &&
           (is_digit(caution[end]) || caution[end] == '-' || is_letter(caution[end]))) {
      ++end;
    }
    const std::string word = canonical_name(std::string_view(caution).substr(i, end - i));
    for (std::size_t k = 0; !word.empty() && k < c.devices.size(); ++k) {
      if (canonical_name(c.devices[k].id) == word) add(list, static_cast<int>(k));
    }
    i = std::max(end, i + 1);
  }
  if (caution.rfind("default when ambiguous", 0) == 0) {
    for (int d : devices_with(c, name_words(e.shown))) add(list, d);
  }
  return list;
}

std::vector<std::string> pool_of(const Catalogue& c, int device) {
  const Device& d = at(c, device);
  std::vector<std::string> pool;
  for (std::string_view text :
       {std::string_view(d.id), std::string_view(d.name), std::string_view(d.form),
        std::string_view(d.architecture), std::string_view(d.memory_type)}) {
    for (std::string& w : name_words(text)) pool.push_back(std::move(w));
  }
  for (const Alias& a : c.aliases) {
    if (a.device != device || a.tool == "PCI vendor:device") continue;
    if (a.caution.rfind("default when ambiguous", 0) == 0) continue;
    for (std::string& w : name_words(a.text)) pool.push_back(std::move(w));
  }
  return pool;
}

std::vector<int> devices_with(const Catalogue& c, const std::vector<std::string>& words) {
  std::vector<int> list;
  if (words.empty()) return list;
  for (std::size_t i = 0; i < c.devices.size(); ++i) {
    const auto pool = pool_of(c, static_cast<int>(i));
    if (std::all_of(words.begin(), words.end(), [&](const auto& w) { return holds(pool, w); })) {
      list.push_back(static_cast<int>(i));
    }
  }
  return list;
}

std::vector<int> narrowed(const Catalogue& c, std::vector<int> devices, std::string_view text) {
  if (devices.size() < 2) return devices;
  std::vector<int> kept;
  if (const auto sizes = sizes_in(text); !sizes.empty()) {
    for (int d : devices) {
      if (has_size(at(c, d), sizes)) kept.push_back(d);
    }
    if (!kept.empty()) devices.swap(kept);
  }
  kept.clear();
  const auto words = name_words(text);
  for (int d : devices) {
    if (has_cores(at(c, d), words)) kept.push_back(d);
  }
  return kept.empty() ? devices : kept;
}

bool memory_differs(const Device& d, std::string_view text) {
  const auto sizes = sizes_in(text);
  return d.kind == "gpu" && d.capacity_bytes > 0 && !sizes.empty() && !has_size(d, sizes);
}

std::string describe_device(const Device& d) {
  char number[64];
  const bool tera = d.bytes_per_s >= 1e12;
  std::snprintf(number, sizeof number, "%.4g %s/s", d.bytes_per_s / (tera ? 1e12 : 1e9),
                tera ? "TB" : "GB");
  std::string s = "  " + d.id + "  " + d.name + ": " + number;
  const double bf16 = ridge(d, promote(d, Element::bf16));
  if (bf16 > 0) {
    std::snprintf(number, sizeof number, ", ridge BF16 %.0f", bf16);
    s += number;
    if (const double fp8 = ridge(d, Compute::fp8); fp8 > 0) {
      std::snprintf(number, sizeof number, " FP8 %.0f", fp8);
      s += number;
    }
    s += " FLOP/byte";
  }
  if (d.capacity_bytes > 0) {
    std::snprintf(number, sizeof number, ", %.4g GB (%.3g GiB)", d.capacity_bytes / 1e9,
                  std::ldexp(d.capacity_bytes, -30));
    s += number;
  }
  return s;
}

Failure ambiguous_name(const Catalogue& c, std::string_view text, const std::vector<int>& devices,
                       std::string_view caution) {
  constexpr std::size_t kMost = 12;
  std::string message = quoted(text) + " can be " + std::to_string(devices.size()) + " devices:";
  for (std::size_t i = 0; i < devices.size() && i < kMost; ++i) {
    message += '\n';
    message += describe_device(at(c, devices[i]));
  }
  if (devices.size() > kMost) {
    message += "\n  and " + std::to_string(devices.size() - kMost) + " more";
  }
  std::string hint = "pick one by its id, as in " + at(c, devices.front()).id;
  if (caution.rfind("default when ambiguous", 0) == 0) {  // the rest of it is for the reader
    const std::size_t rest = caution.find("; ");
    caution = rest == std::string_view::npos ? std::string_view{} : caution.substr(rest + 2);
  }
  if (!caution.empty()) hint += " (" + std::string(caution) + ")";
  Error e{ErrorCode::ambiguous, std::move(message), {}, std::move(hint), {}};
  for (const int d : devices) e.choices.push_back(at(c, d).id);
  return Failure(std::move(e));
}

Failure unknown_name(const Catalogue& c, std::string_view text, std::string why) {
  struct Scored {
    double score;
    std::string_view shown;
  };
  std::vector<Scored> best;
  const std::string_view start = text.substr(0, 200);  // no name is longer
  const auto consider = [&](std::string_view compared, std::string_view shown) {
    const double score = likeness(start, compared);
    if (score < kAlike + 0.1) return;
    for (Scored& s : best) {
      if (s.shown == shown) {
        s.score = std::max(s.score, score);
        return;
      }
    }
    best.push_back({score, shown});
  };
  for (const Device& d : c.devices) {
    consider(d.id, d.id);
    consider(d.name, d.id);
  }
  for (const Alias& a : c.aliases) {
    if (a.device >= 0 && a.tool != "PCI vendor:device") consider(a.text, at(c, a.device).id);
  }
  for (const CloudInstance& i : c.instances) consider(i.name, i.name);
  std::stable_sort(best.begin(), best.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  std::string hint;
  for (std::size_t i = 0; i < best.size() && i < 4; ++i) {
    if (best[i].score < best[0].score - 0.2) break;
    hint += (hint.empty() ? "nearest: " : ", ") + std::string(best[i].shown);
  }
  if (hint.empty()) {
    hint = "'rooflens devices' lists all; or give figures: bw=3.9TB/s,bf16=836T,mem=94GB";
  }
  if (why.empty()) why = "no device, cloud instance or memory is called " + quoted(text);
  return fail(ErrorCode::not_found, std::move(why), {}, std::move(hint));
}

}  // namespace rooflens
