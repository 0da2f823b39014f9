// devices.csv, links.csv, max_clock.csv, aliases.csv, cloud.csv -> Catalogue.
#include <algorithm>
#include <unordered_map>

#include "rooflens/catalogue/catalogue.h"
#include "rooflens/core/csv.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

using Index = std::unordered_map<std::string_view, int>;

// Reads numbers of the current row and keeps the first that is wrong.
struct Numbers {
  const CsvTable& table;
  std::string_view bad;

  // The field times 10^shift; 0 when empty. Negative values are wrong in every table here.
  double get(std::size_t column, int shift = 0) {
    const std::string_view field = table.at(column);
    if (field.empty()) return 0;
    const auto value = parse_number(field, shift);
    if (value && *value >= 0) return *value;
    if (bad.empty()) bad = field;
    return 0;
  }
};

Failure not_a_number(const CsvTable& t, std::string_view field) {
  return fail(ErrorCode::malformed, quoted(field) + " is not a number of this table", t.where());
}

struct DeviceColumns {
  explicit DeviceColumns(const CsvTable& t) : table(t) {}
  std::size_t operator()(std::string_view name) const { return table.column(name); }
  const CsvTable& table;
};

Result<bool> read_devices(std::string_view text, const char* where, bool replace, Catalogue& out) {
  if (text.empty()) return true;
  auto opened = CsvTable::open(text, where);
  if (!opened) return Failure(opened.error());
  CsvTable& t = *opened;
  const DeviceColumns c(t);
  const std::size_t id = c("id"), bandwidth = c("mem_bw_gbs");
  if (id == CsvTable::npos || bandwidth == CsvTable::npos) {
    return fail(ErrorCode::malformed, "the columns id and mem_bw_gbs are needed", where);
  }
  const std::size_t vendor = c("vendor"), name = c("name"), kind = c("kind"), form = c("form"),
                    arch = c("arch"), isa = c("isa"), year = c("year"), status = c("status"),
                    mem_bytes = c("mem_bytes"), mem_gb = c("mem_gb"), mem_type = c("mem_type"),
                    vector = c("fp32_vector"), fp16 = c("fp16"), fp16_acc16 = c("fp16_acc16"),
                    bf16 = c("bf16"), fp8 = c("fp8"), fp8_acc16 = c("fp8_acc16"), int8 = c("int8"),
                    int4 = c("int4"), fp6 = c("fp6"), fp4 = c("fp4"), llc = c("llc_mb"),
                    gen = c("pcie_gen"), lanes = c("pcie_lanes"), pcie = c("pcie_uni_gbs"),
                    price = c("usd_hr"), price_source = c("usd_hr_src"), conf = c("conf"),
                    src = c("src"), note = c("note");
  std::unordered_map<std::string, int> known;
  for (std::size_t i = 0; i < out.devices.size(); ++i) {
    known.emplace(out.devices[i].id, static_cast<int>(i));
  }
  for (;;) {
    const auto more = t.next();
    if (!more) return Failure(more.error());
    if (!*more) return true;
    Device d;
    Numbers n{t, {}};
    const auto peak = [&](Compute k, std::size_t column) {
      d.peak[static_cast<std::size_t>(k)] = n.get(column, 12);
    };
    d.id = t.at(id);
    d.name = t.at(name).empty() ? t.at(id) : t.at(name);
    d.vendor = t.at(vendor);
    d.kind = t.at(kind);
    d.form = t.at(form);
    d.architecture = t.at(arch);
    d.isa = t.at(isa);
    d.memory_type = t.at(mem_type);
    d.bytes_per_s = n.get(bandwidth, 9);
    d.capacity_bytes = n.get(mem_bytes);
    if (d.capacity_bytes == 0) d.capacity_bytes = n.get(mem_gb, 9);
    d.vector_flops_per_s = n.get(vector, 12);
    d.peak[static_cast<std::size_t>(Compute::fp32)] = d.vector_flops_per_s;
    peak(Compute::fp16, fp16);
    peak(Compute::bf16, bf16);
    peak(Compute::fp8, fp8);
    peak(Compute::fp6, fp6);
    peak(Compute::fp4, fp4);
    peak(Compute::int8, int8);
    peak(Compute::int4, int4);
    // GP102 runs FP16 at 1/64 of FP32: no engine uses it, so it is no step of the ladder.
    double& half = d.peak[static_cast<std::size_t>(Compute::fp16)];
    if (half < d.vector_flops_per_s) half = 0;
    d.peak_fp16_acc16 = n.get(fp16_acc16, 12);
    d.peak_fp8_acc16 = n.get(fp8_acc16, 12);
    d.cache_bytes = n.get(llc, 6);
    d.year = static_cast<int>(std::min(n.get(year), 9999.0));
    d.usd_per_hour = n.get(price);
    d.price_source = t.at(price_source);
    d.confidence = t.at(conf);
    d.source = t.at(src);
    d.note = t.at(note);
    if (const auto s = t.at(status); !s.empty() && s != "ga") {
      d.note = std::string(s) + (d.note.empty() ? "" : "; ") + d.note;
    }
    d.peak_origin = d.memory_origin = d.confidence == "C" ? Origin::estimated : Origin::datasheet;
    if (const double rate = n.get(pcie, 9); rate > 0) {
      Link link;
      link.name = "PCIe " + std::string(t.at(gen)) + ".0 x" + std::string(t.at(lanes));
      link.size = 0;
      link.bytes_per_s = rate;
      link.latency_s = 2.5e-6;  // ring step over PCIe, docs/data.md
      d.links.push_back(std::move(link));
    }
    if (!n.bad.empty()) return not_a_number(t, n.bad);
    if (d.id.empty()) return fail(ErrorCode::malformed, "a row without id", t.where());
    if (!(d.bytes_per_s > 0)) {
      return fail(ErrorCode::invalid, d.id + " has no memory bandwidth", t.where());
    }
    const auto [it, added] = known.emplace(d.id, static_cast<int>(out.devices.size()));
    if (!added) {
      if (!replace) return fail(ErrorCode::invalid, d.id + " stands twice", t.where());
      out.devices[static_cast<std::size_t>(it->second)] = std::move(d);
    } else {
      out.devices.push_back(std::move(d));
    }
  }
}

Result<bool> read_links(std::string_view text, const Index& index, Catalogue& out) {
  if (text.empty()) return true;
  auto opened = CsvTable::open(text, "links.csv");
  if (!opened) return Failure(opened.error());
  CsvTable& t = *opened;
  const std::size_t devices = t.column("devices"), name = t.column("name"), size = t.column("size"),
                    rate = t.column("uni_gbs"), peer = t.column("peer_gbs"),
                    latency = t.column("latency_us"), reduces = t.column("reduces");
  for (;;) {
    const auto more = t.next();
    if (!more) return Failure(more.error());
    if (!*more) return true;
    Numbers n{t, {}};
    Link link;
    link.name = t.at(name);
    link.size = static_cast<int>(std::min(n.get(size), 1e6));
    link.bytes_per_s = n.get(rate, 9);
    link.latency_s = n.get(latency, -6);
    link.reduces = t.at(reduces) == "yes";
    const double per_peer = n.get(peer, 9);
    if (!n.bad.empty()) return not_a_number(t, n.bad);
    std::string_view ids = t.at(devices);
    while (!ids.empty()) {
      const std::size_t end = std::min(ids.find(' '), ids.size());
      if (const auto it = index.find(ids.substr(0, end)); it != index.end()) {
        const auto i = static_cast<std::size_t>(it->second);
        std::vector<Link>& links = out.devices[i].links;
        links.insert(links.empty() ? links.end() : links.end() - 1, link);  // PCIe stays last
        out.peer_bytes_per_s[i] = per_peer;
      }
      ids.remove_prefix(std::min(end + 1, ids.size()));
    }
  }
}

Result<bool> read_max_clock(std::string_view text, const Index& index, Catalogue& out) {
  if (text.empty()) return true;
  auto opened = CsvTable::open(text, "max_clock.csv");
  if (!opened) return Failure(opened.error());
  CsvTable& t = *opened;
  const std::size_t id = t.column("device_id"), stated = t.column("stated_mhz"),
                    max = t.column("max_mhz"), sheet = t.column("sheet_tflops"),
                    measured = t.column("measured_tflops");
  for (;;) {
    const auto more = t.next();
    if (!more) return Failure(more.error());
    if (!*more) return true;
    Numbers n{t, {}};
    const double clock = n.get(stated) > 0 ? n.get(max) / n.get(stated) : 0;
    const double loop = n.get(sheet) > 0 ? n.get(measured) / n.get(sheet) : 0;
    if (!n.bad.empty()) return not_a_number(t, n.bad);
    if (const auto it = index.find(t.at(id)); it != index.end()) {
      out.devices[static_cast<std::size_t>(it->second)].max_clock_factor =
          std::max({1.0, clock, loop});
    }
  }
}

Result<bool> read_aliases(std::string_view text, const Index& index, Catalogue& out) {
  if (text.empty()) return true;
  auto opened = CsvTable::open(text, "aliases.csv");
  if (!opened) return Failure(opened.error());
  CsvTable& t = *opened;
  const std::size_t tool = t.column("tool"), string = t.column("string"),
                    id = t.column("device_id"), caution = t.column("disambiguation");
  for (;;) {
    const auto more = t.next();
    if (!more) return Failure(more.error());
    if (!*more) return true;
    const auto it = index.find(t.at(id));
    if (it == index.end() && !t.at(id).empty()) continue;
    Alias& a = out.aliases.emplace_back();
    a.tool = t.at(tool);
    a.text = t.at(string);
    a.device = it == index.end() ? -1 : it->second;
    a.caution = t.at(caution);
  }
}

Result<bool> read_cloud(std::string_view text, const Index& index, Catalogue& out) {
  if (text.empty()) return true;
  auto opened = CsvTable::open(text, "cloud.csv");
  if (!opened) return Failure(opened.error());
  CsvTable& t = *opened;
  const std::size_t provider = t.column("provider"), instance = t.column("instance"),
                    id = t.column("device_id"), count = t.column("count"),
                    source = t.column("source"), note = t.column("note");
  for (;;) {
    const auto more = t.next();
    if (!more) return Failure(more.error());
    if (!*more) return true;
    Numbers n{t, {}};
    const double number = n.get(count);
    if (!n.bad.empty() || number < 1 || number > 1e6) return not_a_number(t, t.at(count));
    const auto it = index.find(t.at(id));
    if (it == index.end()) continue;
    CloudInstance& c = out.instances.emplace_back();
    c.provider = t.at(provider);
    c.name = t.at(instance);
    c.device = it->second;
    c.count = static_cast<int>(number);
    c.source = t.at(source);
    c.note = t.at(note);
  }
}

}  // namespace

const Device* Catalogue::find(std::string_view id) const {
  for (const Device& d : devices) {
    if (d.id == id) return &d;
  }
  return nullptr;
}

Result<Catalogue> parse_catalogue(const CatalogueText& text) {
  Catalogue c;
  c.devices.reserve(256);
  c.aliases.reserve(320);
  c.instances.reserve(128);
  auto done = read_devices(text.devices, "devices.csv", false, c);
  if (done) done = read_devices(text.extra_devices, "--devices", true, c);
  c.peer_bytes_per_s.assign(c.devices.size(), 0);
  Index index;
  index.reserve(c.devices.size());
  for (std::size_t i = 0; i < c.devices.size(); ++i) {
    index.emplace(c.devices[i].id, static_cast<int>(i));
  }
  if (done) done = read_links(text.links, index, c);
  if (done) done = read_max_clock(text.max_clock, index, c);
  if (done) done = read_aliases(text.aliases, index, c);
  if (done) done = read_cloud(text.cloud, index, c);
  if (!done) return Failure(done.error());
  return c;
}

std::vector<Link> links_within(const Catalogue& c, const Device& d, int ranks) {
  std::vector<Link> links = d.links;
  const Device* row = c.find(d.id);
  if (row == nullptr || links.empty() || ranks < 2) return links;
  const double peer = c.peer_bytes_per_s[static_cast<std::size_t>(row - c.devices.data())];
  if (peer > 0 && ranks < links.front().size) {
    links.front().bytes_per_s = std::min(links.front().bytes_per_s, peer * (ranks - 1));
  }
  return links;
}

}  // namespace rooflens
