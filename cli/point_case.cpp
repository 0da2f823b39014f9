#include "cli/point_case.h"

#include <algorithm>
#include <cmath>

#include "cli/formats.h"
#include "rooflens/catalogue/efficiency_fitted.h"
#include "rooflens/core/analyze.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/formulas.h"
#include "rooflens/core/quantity.h"
#include "rooflens/core/serving.h"
#include "rooflens/readers/named_model.h"

namespace rooflens::cli {
namespace {

constexpr double kMicroBatch = 512;   // llama.cpp's n_ubatch: what a pipeline of layers passes on
constexpr double kServerStep = 8192;  // tokens of a server's prefill step
constexpr double kMostSequences = 4096;  // that a server runs at once

Failure reason(std::string why, std::string detail = {}) {
  return fail(ErrorCode::unsupported, std::move(why), std::move(detail));
}

Result<Device> device_of(const MeasuredPoint& p, const Catalogue& catalogue) {
  const std::string& name = p.run.device;
  if (name.empty()) return reason("the device is not told", p.setup);
  auto found = find_machine(catalogue, name);
  if (found) return std::move(found->device);
  const bool ambiguous = found.error().code == ErrorCode::ambiguous;
  return reason(ambiguous ? "the device's name is of several" : "the device is not in the table",
                name);
}

Result<FoundModel> model_of(const MeasuredPoint& p) {
  const MeasuredRun& run = p.run;
  if (run.quantisation.empty() && run.model_bytes <= 0) {
    return reason("the format and the bytes of the weights are not told", run.model);
  }
  auto found = find_named_model(
      {run.model, run.quantisation, run.model_bytes, run.model_parameters, p.active_parameters});
  if (!found) return reason("the model or its bytes are not known", found.error().message);
  return found;
}

int count_of(double n) { return static_cast<int>(std::clamp(n, 0.0, 65536.0)); }

// Which devices hold what.
Result<void> split(const MeasuredPoint& p, Deployment& d) {
  const std::string words = lower(p.split);
  const int devices = count_of(p.run.devices);
  if (devices < 1) return reason("the number of devices is not told");
  if (words.rfind("layer split", 0) == 0) {
    d.pipeline = devices;
    return {};
  }
  if (words.rfind("tp", 0) == 0) {
    // Cores of an accelerator that has several: the table counts chips.
    const bool cores = words.find("cores") != std::string::npos;
    const std::size_t end = words.find_first_not_of("0123456789", 2);
    const auto n = parse_number(words.substr(2, end == std::string::npos ? end : end - 2));
    d.tensor = cores || !n ? devices : count_of(*n);
    if (d.tensor > devices) return reason("fewer devices than ranks", p.split);
    d.data = devices / d.tensor;
    return {};
  }
  if (devices > 1) return reason("how the devices share the work is not told", p.split);
  return {};
}

// The acceptance with which so many drafts yield so many tokens a pass. Bisection: 40 halvings.
double acceptance_for(double tokens_per_pass, double drafts) {
  double low = 0, high = 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (expected_tokens(middle, drafts) < tokens_per_pass ? low : high) = middle;
  }
  return low;
}

// As many as the memory could hold at most, answers half written: a bound, as the roof is one.
double most_sequences(const Scenario& s) {
  Deployment d = s.deployment;
  d.utilisation = 1;
  d.overhead_bytes = 0;
  d.batched_tokens = 1;
  const Workload& w = s.workload;
  const Capacity room =
      capacity(s.model, d, s.system.device.capacity_bytes, 1, std::ceil(w.prompt + w.output / 2));
  return std::clamp(std::floor(room.max_batch), 1.0, kMostSequences);
}

Result<void> set_work(const MeasuredPoint& p, Scenario& s) {
  const Observation& o = p.run.figures.front();
  Workload& w = s.workload;
  if (p.phase == MeasuredPhase::mixed) {
    if (!o.prompt || !o.output) return reason("the lengths of prompt and answer are not told");
    if (!o.batch && !p.saturated) return reason("how many sequences ran at once is not told");
  }
  w.prompt = o.prompt.value_or(1);
  w.output = std::max(1.0, o.output.value_or(1));
  if (o.context) w.context = *o.context;
  w.cached_prefix = o.cached_prefix.value_or(0);
  w.batch = o.batch.value_or(1);
  if (p.run.drafts > 0 && p.run.tokens_per_pass > 1) {
    w.drafts = p.run.drafts;
    w.acceptance = acceptance_for(p.run.tokens_per_pass, w.drafts);
  }
  if (p.phase == MeasuredPhase::prefill && w.prompt <= w.cached_prefix) {
    return reason("the length of the prompt is not told");
  }
  if (s.deployment.pipeline > 1 && w.prompt - w.cached_prefix > kMicroBatch) w.chunk = kMicroBatch;
  if (!o.batch && p.phase == MeasuredPhase::mixed) w.batch = most_sequences(s);
  if (p.phase == MeasuredPhase::mixed && w.prompt > 0) {
    w.prefill_batch = std::clamp(std::floor(kServerStep / w.prompt), 1.0, w.batch);
  }
  return {};
}

}  // namespace

Result<PointCase> case_of_point(const MeasuredPoint& p, const Catalogue& catalogue) {
  if (p.has("weights_partly_in_host_memory")) {
    return reason("the weights lie in two memories, which is not modelled");
  }
  if (p.run.figures.front().counting == Counting::unknown) {
    return reason("the rate is of a part of a larger deployment", p.counts);
  }
  auto device = device_of(p, catalogue);
  if (!device) return Failure(std::move(device.error()));
  auto found = model_of(p);
  if (!found) return Failure(std::move(found.error()));
  PointCase c;
  c.device = device_class(*device);
  c.served = {engine_family(p.run.engine), format_class(found->model)};
  c.coarse = found->coarse;
  c.model = std::move(found->how);
  Scenario& s = c.scenario;
  s.model = std::move(found->model);
  s.system = {std::move(*device), std::max(1, count_of(p.run.devices))};
  Deployment& d = s.deployment;
  if (auto r = split(p, d); !r) return Failure(std::move(r.error()));
  s.system.device.links = links_within(catalogue, s.system.device, s.system.count);
  Options formats;
  if (!p.run.key_cache.empty()) formats.kv = Given{p.run.key_cache, "kv"};
  Values values;
  std::vector<std::string> notes;
  set_formats(formats, &s.system.device, s.model, d, values, notes);
  if (auto r = values.result(); !r) return reason("a format is not known", r.error().message);
  if (element_bits(d.gemm_input) >= 16) {
    // Stored as the row says, not as published: the input that engines give such weights.
    const Element usual =
        usual_gemm_input(quantised_storage(s.model), d.activation, &s.system.device);
    if (computes_in(s.system.device, usual)) d.gemm_input = usual;
  }
  use_kernels_of(c.served.engine, s.system.device, s.model, d);
  if (auto r = set_work(p, s); !r) return Failure(std::move(r.error()));
  if (auto r = validate(s); !r) {
    return reason(
        "the model cannot run so on this device",
        r.error().message + (r.error().where.empty() ? "" : " (" + r.error().where + ")"));
  }
  return c;
}

}  // namespace rooflens::cli
