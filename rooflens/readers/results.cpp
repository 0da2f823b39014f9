#include "rooflens/readers/results.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "rooflens/readers/result_formats.h"

namespace rooflens {
namespace {

// Every format there is, in the order they are tried.
template <class F>
void for_each_format(F&& f) {
  for (const auto list : {local_formats, server_formats}) {
    std::size_t count = 0;
    const ResultFormat* formats = list(&count);
    for (std::size_t i = 0; i < count; ++i) f(formats[i]);
  }
}

bool tagged(const MeasuredRun& run, std::string_view tag) {
  return std::find(run.traps.begin(), run.traps.end(), tag) != run.traps.end();
}

// Weights of another size take another time to read: the same decode rate to the last digit is one
// row copied over another.
void tell_copies(std::vector<MeasuredRun>& runs) {
  constexpr std::size_t kMostCompared = 2000;
  if (runs.size() > kMostCompared) return;
  const auto decode = [](const MeasuredRun& run) {
    const bool one = run.figures.size() == 1;
    return one && run.figures[0].phase == MeasuredPhase::decode &&
                   run.figures[0].figure == Figure::tokens_per_s
               ? run.figures[0].value
               : 0;
  };
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (decode(runs[i]) <= 0 || runs[i].model_parameters <= 0) continue;
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = decode(runs[i]) == decode(runs[j]) &&
                        runs[i].model_parameters == runs[j].model_parameters &&
                        runs[i].figures[0].context == runs[j].figures[0].context;
      const double smaller = std::min(runs[i].model_bytes, runs[j].model_bytes);
      const double larger = std::max(runs[i].model_bytes, runs[j].model_bytes);
      if (!same || smaller <= 0 || larger < 1.2 * smaller || tagged(runs[i], "suspect_copy")) {
        continue;
      }
      runs[i].traps.emplace_back("suspect_copy");
      runs[i].notes.emplace_back(
          "Weights of another size have the same decode rate to the last digit: one row may be a "
          "copy of the other.");
    }
  }
}

}  // namespace

void tell_figures(MeasuredRun& run) {
  for (Observation& o : run.figures) {
    o.made_by = made_by(run);
    if (run.tokens_per_pass > 1 && o.phase != MeasuredPhase::prefill) {
      o.tokens_per_pass = run.tokens_per_pass;
    }
    if (run.offloaded_layers >= 0) o.layers_on_device = run.offloaded_layers;
    if (run.experts_on_host > 0) o.experts_on_host = run.experts_on_host;
    o.layers_split = tagged(run, "layer_split") || tagged(run, "rpc");
    o.on_cpu = run.on_cpu;
    if (!o.devices && devices_of(run) > 0) o.devices = devices_of(run);
  }
}

void append_results(ResultFile found, const char* name, ResultFile& all) {
  const std::string format = found.format.empty() ? name : std::move(found.format);
  if (!all.format.empty()) all.format += ", ";
  all.format += format;
  for (MeasuredRun& run : found.runs) tell_figures(run);
  tell_copies(found.runs);
  std::move(found.runs.begin(), found.runs.end(), std::back_inserter(all.runs));
  std::move(found.refused.begin(), found.refused.end(), std::back_inserter(all.refused));
  std::move(found.notes.begin(), found.notes.end(), std::back_inserter(all.notes));
}

Result<ResultFile> read_results(std::string_view text, std::string_view where) {
  if (text.size() > kResultBytes) {
    return fail(ErrorCode::out_of_range,
                "a result file of more than " + std::to_string(kResultBytes >> 20) + " MiB",
                std::string(where), "cut out the part that holds the results");
  }
  ResultFile all;
  Error trouble;  // the first that is more than a format's words without its figures
  std::string looked_for;
  bool known = false;
  for_each_format([&](const ResultFormat& format) {
    if (!looked_for.empty()) looked_for += ", ";
    looked_for += format.looks_for;
    if (!format.recognises(text)) return;
    Result<ResultFile> found = format.read(text, where);
    if (found) {
      append_results(std::move(*found), format.name, all);
      known = true;
    } else if (found.error().code != ErrorCode::unsupported && trouble.message.empty()) {
      trouble = std::move(found.error());
    }
  });
  if (known) return all;
  if (!trouble.message.empty()) return Failure(std::move(trouble));
  return fail(ErrorCode::unsupported, "no measurements are found in the file", std::string(where),
              "looked for: " + (looked_for.empty() ? "nothing yet" : looked_for));
}

}  // namespace rooflens
