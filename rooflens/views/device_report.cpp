#include "rooflens/views/device_report.h"

#include <array>

#include "rooflens/core/ascii.h"
#include "rooflens/views/sections.h"

namespace rooflens {
namespace {

constexpr std::array kPrecisions{Compute::fp32, Compute::bf16, Compute::fp16, Compute::fp8,
                                 Compute::fp6,  Compute::fp4,  Compute::int8, Compute::int4};

// A figure that is 0 when the device has none.
Cell figure(std::string tag, std::string label, double value, Unit unit, std::string note = {}) {
  if (value > 0) return number(std::move(tag), std::move(label), value, unit, std::move(note));
  return nothing(std::move(tag), std::move(label), "-");
}

Section peaks(const Device& d) {
  Section s;
  s.tag = "peaks";
  s.title = "Dense matrix peaks (" + std::string(name_of(d.peak_origin)) + ")";
  s.kind = SectionKind::table;
  s.columns = {{"precision", "precision"},
               {"peak_flops_per_s", "peak"},
               {"ridge_flop_per_byte", "ridge"},
               {"max_clock_flops_per_s", "at the maximum clock"}};
  const bool known = d.max_clock_factor > 1;
  const auto row = [&](std::string name, double peak) {
    if (peak <= 0) return;
    s.rows.push_back(
        {words("", "", std::move(name)), number("", "", peak, Unit::flops_per_s),
         figure("", "", d.bytes_per_s > 0 ? peak / d.bytes_per_s : 0, Unit::flop_per_byte),
         figure("", "", known ? peak * d.max_clock_factor : 0, Unit::flops_per_s)});
  };
  for (Compute c : kPrecisions) row(upper(name_of(c)), d.peak_of(c));
  row("FP16, FP16 accumulate", d.peak_fp16_acc16);
  row("FP8, FP16 accumulate", d.peak_fp8_acc16);
  return s;
}

Section links(const Device& d) {
  Section s;
  s.tag = "links";
  s.title = "Links (one direction, per device)";
  s.kind = SectionKind::table;
  s.columns = {
      {"name", "link"}, {"size", "devices"}, {"bytes_per_s", "rate"}, {"latency_s", "latency"}};
  for (const Link& l : d.links) {
    s.rows.push_back(
        {words("", "", l.name),
         l.size > 0 ? number("", "", l.size, Unit::count) : nothing("", "", "any number"),
         number("", "", l.bytes_per_s, Unit::bytes_per_s),
         figure("", "", l.latency_s, Unit::seconds)});
  }
  return s;
}

}  // namespace

Report device_table(const std::vector<const Device*>& devices, bool wide) {
  Report report;
  Section s;
  s.tag = "devices";
  s.kind = SectionKind::table;
  s.columns = {{"id", "id"},
               {"bytes_per_s", "bandwidth"},
               {"capacity_bytes", "memory"},
               {"half_flops_per_s", "16-bit peak"},
               {"ridge_half_flop_per_byte", "ridge"},
               {"ridge_fp8_flop_per_byte", "FP8 ridge"}};
  if (wide) {
    s.columns.push_back({"fp8_flops_per_s", "FP8 peak"});
    s.columns.push_back({"name", "name"});
  }
  for (const Device* d : devices) {
    const Compute half = d->peak_of(Compute::bf16) > 0 ? Compute::bf16 : Compute::fp16;
    std::vector<Cell> row{words("", "", d->id),
                          figure("", "", d->bytes_per_s, Unit::bytes_per_s),
                          figure("", "", d->capacity_bytes, Unit::bytes),
                          figure("", "", d->peak_of(half), Unit::flops_per_s),
                          figure("", "", ridge(*d, half), Unit::none),
                          figure("", "", ridge(*d, Compute::fp8), Unit::none)};
    if (wide) {
      row.push_back(figure("", "", d->peak_of(Compute::fp8), Unit::flops_per_s));
      row.push_back(words("", "", d->name));
    }
    s.rows.push_back(std::move(row));
  }
  report.sections.push_back(std::move(s));
  return report;
}

Report device_report(const Device& d) {
  Report report;
  report.title = d.name.empty() ? d.id : d.name;
  Section memory = values_section("memory", "Memory");
  memory.values = {figure("bytes_per_s", "bandwidth", d.bytes_per_s, Unit::bytes_per_s,
                          name_of(d.memory_origin)),
                   figure("capacity_bytes", "capacity", d.capacity_bytes, Unit::bytes,
                          "as the driver reports it"),
                   figure("cache_bytes", "last-level cache", d.cache_bytes, Unit::bytes_binary)};
  if (!d.memory_type.empty()) memory.values.push_back(words("memory_type", "type", d.memory_type));
  Section other = values_section("other", "Other");
  other.values = {
      words("id", "id", d.id),
      figure("vector_flops_per_s", "vector peak", d.vector_flops_per_s, Unit::flops_per_s,
             "norms, softmax, state"),
      figure("launch_s", "per kernel launched", d.launch_s, Unit::seconds),
      figure("max_clock_factor", "maximum clock", d.max_clock_factor > 1 ? d.max_clock_factor : 0,
             Unit::ratio, "of the stated one"),
      figure("usd_per_hour", "rent", d.usd_per_hour, Unit::dollars_per_hour, d.price_source)};
  const auto say = [&](const char* tag, const char* label, const std::string& text) {
    if (!text.empty()) other.values.push_back(words(tag, label, text));
  };
  say("vendor", "vendor", d.vendor);
  say("kind", "kind", d.kind);
  say("architecture", "architecture", d.architecture);
  if (d.year > 0) say("year", "year", std::to_string(d.year));
  say("confidence", "confidence", d.confidence);
  say("source", "source", d.source);
  say("note", "note", d.note);
  report.sections = {std::move(memory), peaks(d)};
  if (!d.links.empty()) report.sections.push_back(links(d));
  report.sections.push_back(std::move(other));
  return report;
}

void device_json(const Device& d, JsonWriter& out) {
  const auto known = [&](const char* key, double value) {
    out.key(key);
    if (value > 0) {
      out.value(value);
    } else {
      out.null();
    }
  };
  out.begin_object();
  out.member("id", d.id).member("name", d.name).member("vendor", d.vendor).member("kind", d.kind);
  out.member("architecture", d.architecture).member("memory_type", d.memory_type);
  known("bytes_per_s", d.bytes_per_s);
  known("capacity_bytes", d.capacity_bytes);
  known("cache_bytes", d.cache_bytes);
  known("vector_flops_per_s", d.vector_flops_per_s);
  known("launch_s", d.launch_s);
  known("max_clock_factor", d.max_clock_factor > 1 ? d.max_clock_factor : 0);
  out.key("peak_flops_per_s").begin_object();
  for (Compute c : kPrecisions) {
    if (d.peak_of(c) > 0) out.member(name_of(c), d.peak_of(c));
  }
  out.end();
  known("peak_fp16_accumulate_fp16_flops_per_s", d.peak_fp16_acc16);
  known("peak_fp8_accumulate_fp16_flops_per_s", d.peak_fp8_acc16);
  out.key("ridge_flop_per_byte").begin_object();
  for (Compute c : kPrecisions) {
    if (ridge(d, c) > 0) out.member(name_of(c), ridge(d, c));
  }
  out.end();
  out.key("links").begin_array();
  for (const Link& l : d.links) {
    out.begin_object().member("name", l.name).member("size", l.size);
    out.member("bytes_per_s", l.bytes_per_s).member("latency_s", l.latency_s).end();
  }
  out.end();
  known("usd_per_hour", d.usd_per_hour);
  out.member("peak_origin", name_of(d.peak_origin))
      .member("memory_origin", name_of(d.memory_origin));
  out.member("confidence", d.confidence).member("source", d.source).member("note", d.note);
  out.end();
}

}  // namespace rooflens
