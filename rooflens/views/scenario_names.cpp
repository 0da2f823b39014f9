#include "rooflens/views/scenario_names.h"

#include <algorithm>

#include "rooflens/core/requantise.h"
#include "rooflens/render/format.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens {
namespace {

constexpr std::size_t kNamesInTitle = 4;

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& s : all) out += (out.empty() ? "" : ", ") + s;
  return out;
}

void add_once(std::vector<std::string>& list, std::string s) {
  if (std::find(list.begin(), list.end(), s) == list.end()) list.push_back(std::move(s));
}

std::string few(const std::vector<std::string>& all, const char* what) {
  return all.size() <= kNamesInTitle ? joined(all) : std::to_string(all.size()) + " " + what;
}

// Another device of the same short name has another bandwidth or other peaks.
bool needs_bandwidth(std::span<const Analysis> all, const Device& d) {
  return std::any_of(all.begin(), all.end(), [&](const Analysis& a) {
    const Device& other = a.scenario.system.device;
    return short_device_name(other) == short_device_name(d) && !same_device(other, d);
  });
}

std::string device_words(std::span<const Analysis> all, const System& s, bool count) {
  std::string name = short_device_name(s.device);
  if (needs_bandwidth(all, s.device)) {
    name += " " + format(s.device.bytes_per_s, Unit::bytes_per_s);
  }
  return count ? std::to_string(s.count) + " x " + name : name;
}

}  // namespace

std::string short_model_name(const Model& m) {
  std::string_view name = m.name;
  constexpr std::string_view kConfig = "/config.json";
  if (name.size() > kConfig.size() && name.substr(name.size() - kConfig.size()) == kConfig) {
    name.remove_suffix(kConfig.size());
  }
  const std::size_t slash = name.rfind('/');
  return std::string(slash == std::string_view::npos ? name : name.substr(slash + 1));
}

std::string short_device_name(const Device& d) {
  const std::string prefix = d.vendor + " ";
  return !d.vendor.empty() && d.name.rfind(prefix, 0) == 0 && d.name.size() > prefix.size()
             ? d.name.substr(prefix.size())
             : d.name;
}

bool same_device(const Device& a, const Device& b) {
  return a.name == b.name && a.bytes_per_s == b.bytes_per_s && a.peak == b.peak;
}

Varied varied(std::span<const Analysis> all) {
  Varied v;
  const Scenario& first = all.front().scenario;
  const Storage weights = storage_of(first.model, Role::linear);
  for (const Analysis& a : all) {
    const Scenario& s = a.scenario;
    v.model = v.model || s.model.name != first.model.name;
    v.changes = v.changes || s.model.changes != first.model.changes;
    v.device = v.device || !same_device(s.system.device, first.system.device);
    v.count = v.count || s.system.count != first.system.count;
    v.tensor = v.tensor || s.deployment.tensor != first.deployment.tensor;
    v.batch = v.batch || s.workload.batch != first.workload.batch;
    v.prompt = v.prompt || s.workload.prompt != first.workload.prompt;
    v.context = v.context || decode_context(s.workload) != decode_context(first.workload);
    v.weights = v.weights || !(storage_of(s.model, Role::linear) == weights);
    v.kv = v.kv || !(s.deployment.key_cache == first.deployment.key_cache);
  }
  return v;
}

std::vector<std::string> scenario_names(std::span<const Analysis> all) {
  std::vector<std::string> names(all.size());
  if (all.size() < 2) return names;
  const Varied v = varied(all);
  const bool named = v.model || v.device || v.count;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Scenario& s = all[i].scenario;
    std::vector<std::string> parts;
    if (v.model) parts.push_back(short_model_name(s.model));
    if (v.changes) parts.push_back(joined(s.model.changes));
    if (v.device || v.count) parts.push_back(device_words(all, s.system, v.count));
    if (v.tensor && !v.count) parts.push_back("TP " + std::to_string(s.deployment.tensor));
    if (v.weights && !named) parts.push_back(storage_name(storage_of(s.model, Role::linear)));
    if (v.kv && !named) parts.push_back("KV " + storage_name(s.deployment.key_cache));
    if (v.prompt) parts.push_back("prompt " + grouped(s.workload.prompt));
    if (v.context && !v.prompt) parts.push_back(grouped(decode_context(s.workload)) + " cached");
    if (v.batch) parts.push_back("batch " + grouped(s.workload.batch));
    parts.erase(std::remove(parts.begin(), parts.end(), std::string()), parts.end());
    names[i] = joined(parts);
  }
  return names;
}

std::vector<std::string> device_names(std::span<const Analysis> all) {
  std::vector<std::string> names;
  for (const Analysis& a : all) names.push_back(device_words(all, a.scenario.system, false));
  return names;
}

std::string comparison_title(std::span<const Analysis> all) {
  if (all.empty()) return {};
  const Varied v = varied(all);
  if (v.work_only()) return scenario_title(all.front().scenario);
  // In full where there is one of them; counts that differ are left to the names.
  std::vector<std::string> models, devices;
  for (const Analysis& a : all) {
    const System& system = a.scenario.system;
    add_once(models, v.model ? short_model_name(a.scenario.model) : a.scenario.model.name);
    add_once(devices, v.device ? device_words(all, system, !v.count && system.count > 1)
                      : !v.count && system.count > 1
                          ? std::to_string(system.count) + " x " + system.device.name
                          : system.device.name);
  }
  const std::vector<std::string>& changes = all.front().scenario.model.changes;
  std::string title = few(models, "models");
  if (!v.changes && !changes.empty()) title += " with " + joined(changes);
  title += " on " + few(devices, "devices");
  if (!v.tensor && !v.count) {
    const std::string parallel = parallel_words(all.front().scenario);
    if (!parallel.empty()) title += ", " + parallel;
  }
  return title;
}

}  // namespace rooflens
