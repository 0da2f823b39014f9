#include "rooflens/catalogue/device_words.h"

#include <algorithm>

#include "rooflens/catalogue/catalogue.h"
#include "rooflens/catalogue/names.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

enum class Key {
  bandwidth,
  peak,
  fp16_acc16,
  fp8_acc16,
  vector,
  memory,
  cache,
  link,
  pcie,
  group,
  latency,
  launch,
  clock,
  price,
  name,
  id,
  vendor,
  kind,
  memory_type,
  source,
  note,
  origin,
};

struct KeyName {
  std::string_view text;
  Key key;
  Compute compute = Compute::bf16;
};

constexpr KeyName kKeys[] = {
    {"bw", Key::bandwidth},
    {"bandwidth", Key::bandwidth},
    {"fp4", Key::peak, Compute::fp4},
    {"fp6", Key::peak, Compute::fp6},
    {"fp8", Key::peak, Compute::fp8},
    {"bf16", Key::peak, Compute::bf16},
    {"fp16", Key::peak, Compute::fp16},
    {"fp32", Key::peak, Compute::fp32},
    {"int4", Key::peak, Compute::int4},
    {"int8", Key::peak, Compute::int8},
    {"fp16_acc16", Key::fp16_acc16},
    {"fp8_acc16", Key::fp8_acc16},
    {"vec", Key::vector},
    {"vector", Key::vector},
    {"mem", Key::memory},
    {"memory", Key::memory},
    {"cache", Key::cache},
    {"link", Key::link},
    {"pcie", Key::pcie},
    {"group", Key::group},
    {"latency", Key::latency},
    {"launch", Key::launch},
    {"max_clock", Key::clock},
    {"usd_per_hour", Key::price},
    {"name", Key::name},
    {"id", Key::id},
    {"vendor", Key::vendor},
    {"kind", Key::kind},
    {"memory_type", Key::memory_type},
    {"source", Key::source},
    {"note", Key::note},
    {"origin", Key::origin},
};

const KeyName* find_key(std::string_view text) {
  const std::string wanted = letters_and_digits(text);
  for (const KeyName& k : kKeys) {
    if (letters_and_digits(k.text) == wanted) return &k;
  }
  return nullptr;
}

Failure unknown_key(const DeviceWord& w) {
  std::vector<std::string_view> names;
  for (const KeyName& k : kKeys) names.push_back(k.text);
  const std::string_view near = nearest(w.key, names);
  std::string hint;
  if (!near.empty()) {
    hint = "did you mean " + std::string(near) + "=?";
  } else {
    for (std::string_view n : names) hint += (hint.empty() ? "known are " : ", ") + std::string(n);
  }
  return fail(ErrorCode::malformed, "unknown figure " + quoted(w.key), w.where, hint);
}

// Figures that make links; put together when all words are read.
struct LinkWords {
  double link = 0, pcie = 0, group = 0, latency = -1;
};

void set_links(const LinkWords& l, Device& d) {
  if (l.link > 0 || l.pcie > 0) {
    std::vector<Link> links;
    if (l.link > 0) links.push_back({"link", static_cast<int>(l.group), l.link, 0});
    if (l.pcie > 0) {
      links.push_back({"PCIe", 0, l.pcie, 0});
    } else {
      for (const Link& old : d.links) {  // a device's own PCIe stays under a new link
        if (old.size == 0 && l.group > 0) links.push_back(old);
      }
    }
    if (l.link == 0) {
      for (const Link& old : d.links) {
        if (old.size != 0) links.insert(links.end() - 1, old);
      }
    }
    d.links = std::move(links);
  } else if (l.group > 0) {
    d.links.front().size = static_cast<int>(l.group);
  }
  if (l.latency >= 0) {
    for (Link& link : d.links) link.latency_s = l.latency;
  }
}

Result<Origin> parse_origin(const DeviceWord& w) {
  for (Origin o :
       {Origin::datasheet, Origin::derived, Origin::given, Origin::measured, Origin::estimated}) {
    if (w.value == name_of(o)) return o;
  }
  return fail(ErrorCode::malformed, "unknown origin " + quoted(w.value), w.where,
              "datasheet, derived, given, measured or estimated");
}

// The number of one word, in SI units.
Result<double> number_of(Key key, std::string_view value) {
  switch (key) {
    case Key::bandwidth:
      return parse_bytes_per_s(value);
    case Key::link:
    case Key::pcie:
      return parse_link_rate(value);
    case Key::peak:
    case Key::fp16_acc16:
    case Key::fp8_acc16:
    case Key::vector:
      return parse_flops_per_s(value);
    case Key::memory:
    case Key::cache:
      return parse_bytes(value);
    case Key::latency:
    case Key::launch:
      return parse_seconds(value);
    case Key::group:
      return parse_count(value);
    default:
      break;
  }
  if (const auto plain = parse_number(value); plain && *plain >= 0) return *plain;
  return fail(ErrorCode::malformed, quoted(value) + " is not a number");
}

Failure impossible(const DeviceWord& w, const char* hint) {
  return fail(ErrorCode::invalid, std::string(w.key) + "=" + std::string(w.value) + " cannot be",
              w.where, hint);
}

// Sets one numeric word; false for words that are text.
Result<bool> set_number(const KeyName& k, const DeviceWord& w, Device& d, LinkWords& links) {
  if (k.key >= Key::name) return false;
  const auto number = number_of(k.key, w.value);
  if (!number) {
    Error e = number.error();
    e.message = std::string(w.key) + "=: " + e.message;
    e.where = w.where;
    return Failure(std::move(e));
  }
  const double v = *number;
  switch (k.key) {
    case Key::bandwidth:
    case Key::link:
    case Key::pcie:
      if (v < 1e6) return impossible(w, "bytes per second, with a unit: 3.35TB/s");
      (k.key == Key::link ? links.link : k.key == Key::pcie ? links.pcie : d.bytes_per_s) = v;
      break;
    case Key::peak:
      if (v < 1e6) return impossible(w, "FLOP per second, with a prefix: 836T");
      d.peak[static_cast<std::size_t>(k.compute)] = v;
      break;
    case Key::fp16_acc16:
      d.peak_fp16_acc16 = v;
      break;
    case Key::fp8_acc16:
      d.peak_fp8_acc16 = v;
      break;
    case Key::vector:
      if (v < 1e6) return impossible(w, "FLOP per second, with a prefix: 60T");
      d.vector_flops_per_s = v;
      break;
    case Key::memory:
      if (v < 1e6) return impossible(w, "bytes, with a unit: 94GB");
      d.capacity_bytes = v;
      break;
    case Key::cache:
      d.cache_bytes = v;
      break;
    case Key::group:
      if (v < 2 || v > 1e6) return impossible(w, "devices joined by the link: 2 or more");
      links.group = v;
      break;
    case Key::latency:
      links.latency = v;
      break;
    case Key::launch:
      d.launch_s = v;
      break;
    case Key::clock:
      if (v < 1 || v > 4) return impossible(w, "peak at the maximum clock over the stated peak");
      d.max_clock_factor = v;
      break;
    default:
      d.usd_per_hour = v;
      break;
  }
  return true;
}

}  // namespace

Result<bool> apply_device_words(const std::vector<DeviceWord>& words, Device& d) {
  std::vector<const KeyName*> seen;
  LinkWords links;
  bool memory_given = false, peak_given = false;
  Origin origin = Origin::given;
  for (const DeviceWord& w : words) {
    const KeyName* k = find_key(w.key);
    if (k == nullptr) return unknown_key(w);
    for (const KeyName* s : seen) {
      if (s->key == k->key && s->compute == k->compute) {
        return fail(ErrorCode::malformed, std::string(w.key) + "= is given twice", w.where);
      }
    }
    seen.push_back(k);
    if (w.value.empty()) {
      return fail(ErrorCode::malformed, std::string(w.key) + "= has no value", w.where);
    }
    memory_given |= k->key == Key::bandwidth;
    peak_given |= k->key == Key::peak;
    auto set = set_number(*k, w, d, links);
    if (!set) return set;
    if (*set) continue;
    std::string* text = nullptr;
    switch (k->key) {
      case Key::name:
        text = &d.name;
        break;
      case Key::id:
        text = &d.id;
        break;
      case Key::vendor:
        text = &d.vendor;
        break;
      case Key::kind:
        text = &d.kind;
        break;
      case Key::memory_type:
        text = &d.memory_type;
        break;
      case Key::source:
        text = &d.source;
        break;
      case Key::note:
        text = &d.note;
        break;
      default:
        break;
    }
    if (text != nullptr) {
      *text = w.value;
    } else if (const auto o = parse_origin(w); o) {
      origin = *o;
    } else {
      return Failure(o.error());
    }
  }
  const bool no_link = links.link == 0 && links.pcie == 0 && d.links.empty();
  if (no_link && (links.group > 0 || links.latency >= 0)) {
    return fail(ErrorCode::invalid, "group= and latency= describe a link, and there is none", {},
                "add link=300GB/s");
  }
  set_links(links, d);
  if (memory_given) d.memory_origin = origin;
  if (peak_given) d.peak_origin = origin;
  return true;
}

Result<bool> split_device_words(std::string_view text, std::string_view where,
                                std::vector<DeviceWord>& out) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = trim(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return fail(ErrorCode::malformed, quoted(part) + " is not a figure", std::string(where),
                  "figures are key=value words: bw=3.9TB/s,bf16=836T,mem=94GB");
    }
    out.push_back(
        {trim(part.substr(0, equals)), trim(part.substr(equals + 1)), std::string(where)});
  }
  return true;
}

Result<Device> parse_device_text(std::string_view text, std::string_view where) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  std::vector<DeviceWord> words;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view s = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    s = s.substr(0, s.find('#'));
    const std::string place = std::string(where) + ":" + std::to_string(line);
    if (const auto ok = split_device_words(s, place, words); !ok) return Failure(ok.error());
  }
  Device d;
  if (const auto ok = apply_device_words(words, d); !ok) {
    Error e = ok.error();
    if (e.where.empty()) e.where = where;
    return Failure(std::move(e));
  }
  if (!(d.bytes_per_s > 0)) {
    return fail(ErrorCode::invalid, "the memory bandwidth is missing", std::string(where),
                "add bw=, as in bw=3.9TB/s,bf16=836T,mem=94GB");
  }
  if (d.name.empty()) d.name = d.id.empty() ? std::string(where) : d.id;
  if (d.id.empty()) d.id = d.name;
  return d;
}

}  // namespace rooflens
