// llama-bench: json, jsonl, csv, sql and Markdown. One record, or row, is one test.
#include <algorithm>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/results_local.h"
#include "rooflens/readers/words.h"

namespace rooflens::local {
namespace {

struct BenchTest {
  double prompt = 0, output = 0, depth = 0, rate = 0;
};

// How many are named, joined by ", ".
double bench_devices(std::string_view names) {
  double count = names.empty() ? 0 : 1;
  for (std::size_t at = names.find(", "); at != std::string_view::npos;
       at = names.find(", ", at + 2)) {
    ++count;
  }
  return count;
}

void tell_bench_traps(MeasuredRun& run, const Fields& f) {
  const std::string_view backends = f.get("backends");
  if (contains(backends, "RPC")) {
    run.devices = 0;
    trap(run, "rpc",
         "Layers lie on other machines over RPC: how many is not told, and one stream passes "
         "through them one after the other.");
  }
  if (run.devices > 1 && run.split == "layer") {
    trap(run, "layer_split",
         "The layers are split over the devices: for one stream they work one after the other, and "
         "their bandwidths do not add up.");
  }
  const bool gpu = !backends.empty() && backends != "CPU" && backends != "BLAS";
  const double experts = f.number("n_cpu_moe");
  const std::string_view cache_on_cpu = f.get("no_kv_offload");
  run.experts_on_host = experts;
  run.on_cpu = backends == "CPU" || backends == "BLAS" || (gpu && run.offloaded_layers == 0);
  if (run.on_cpu) {
    trap(run, "on_cpu", "It ran on the processor: no layer was on another device.");
  } else if (experts > 0) {
    trap(run, "partial_offload",
         "The experts of " + number_text(experts) + " layers are left to the CPU.");
  } else if (gpu && (cache_on_cpu == "1" || cache_on_cpu == "true")) {
    trap(run, "partial_offload", "The KV cache is left to the CPU.");
  } else if (gpu && run.offloaded_layers >= 0 && run.offloaded_layers < 99) {
    trap(run, "partial_offload",
         number_text(run.offloaded_layers) +
             " layers are on the GPU; those above them, where the model has more, are left to the "
             "CPU.");
  }
}

MeasuredRun bench_run(const Fields& f) {
  MeasuredRun run;
  run.engine = "llama.cpp";
  const std::string_view number = f.get("build_number");
  if (number_or_zero(number) > 0) {
    run.build = "b";
    run.build += number;
  } else {
    run.build = f.get("build_commit");
  }
  run.model = f.get("model_type");
  run.quantisation = quantisation_of(run.model);
  run.model_bytes = f.number("model_size");
  run.model_parameters = f.number("model_n_params");
  const std::string_view gpu = f.get("gpu_info"), cpu = f.get("cpu_info");
  const std::string_view backends = f.get("backends");
  run.device = gpu;
  run.devices = bench_devices(gpu);
  if (gpu.empty() && (backends.empty() || backends == "CPU" || backends == "BLAS")) {
    run.device = cpu;
    run.devices = 1;
  }
  run.split = f.get("split_mode");
  if (run.split == "none" && run.devices > 1) run.devices = 1;
  const auto layers = number_at(f.get("n_gpu_layers"));
  run.offloaded_layers = layers && *layers >= 0 ? *layers : -1;
  run.key_cache = f.get("type_k");
  run.value_cache = f.get("type_v");
  run.repetitions = f.number("repetitions");
  tell_bench_traps(run, f);
  return run;
}

// The figure of a test, or why there is none.
void keep_bench(Reading& r, MeasuredRun run, const BenchTest& test, const Source& source) {
  if (!is_rate(test.rate) || (test.prompt <= 0 && test.output <= 0)) {
    r.refuse(source, test.prompt <= 0 && test.output <= 0 ? "the test has neither prompt nor output"
                                                          : "the rate is no positive number");
    return;
  }
  Observation o;
  o.counting = Counting::aggregate;
  o.value = test.rate;
  o.batch = 1;
  if (run.devices > 0) o.devices = run.devices;
  o.source = source;
  o.source.file = r.where;
  if (test.output <= 0) {
    o.phase = MeasuredPhase::prefill;
    o.prompt = test.depth + test.prompt;
    o.cached_prefix = test.depth;
  } else if (test.prompt <= 0) {
    o.phase = MeasuredPhase::decode;
    o.output = test.output;
    o.context = test.depth + test.output / 2;
    note_short(run, test.output);
  } else {
    o.phase = MeasuredPhase::mixed;
    o.prompt = test.depth + test.prompt;
    o.output = test.output;
    o.cached_prefix = test.depth;
    trap(run, "mixed", "Prompt and output are timed as one: the rate is of neither phase.");
  }
  run.figures.push_back(std::move(o));
  r.file.runs.push_back(std::move(run));
}

BenchTest test_of(const Fields& f) {
  return {f.number("n_prompt"), f.number("n_gen"), f.number("n_depth"), f.number("avg_ts")};
}

// A record of csv or sql: values under names.
void bench_record(Reading& r, const std::vector<std::string>& names,
                  const std::vector<std::string>& values, std::string_view line) {
  if (names.size() != values.size()) {
    r.refuse(line, number_text(static_cast<double>(values.size())) + " values stand under " +
                       number_text(static_cast<double>(names.size())) +
                       " columns: which belongs to which is not known");
    return;
  }
  Fields f;
  f.all.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) f.all.emplace_back(names[i], values[i]);
  keep_bench(r, bench_run(f), test_of(f), r.here("avg_ts " + std::string(f.get("avg_ts"))));
}

// The name of a Markdown column as the other formats have it.
std::string_view bench_column(std::string_view name) {
  if (name == "model") return "model_type";
  if (name == "ngl") return "n_gpu_layers";
  if (name == "backend") return "backends";
  if (name == "sm") return "split_mode";
  if (name == "ctk") return "type_k";
  if (name == "ctv") return "type_v";
  if (name == "ncmoe" || name == "cmoe") return "n_cpu_moe";
  if (name == "nkvo") return "no_kv_offload";
  return name;
}

bool bench_header(const std::vector<std::string_view>& cells) {
  const auto has = [&](std::string_view name) {
    return std::find(cells.begin(), cells.end(), name) != cells.end();
  };
  return has("test") && has("t/s") && has("model") && !has("ttfr (ms)") && !has("est_ppt (ms)");
}

// A row whose header is lost: the first four and the last two columns are always the same.
bool bench_shape(const std::vector<std::string_view>& cells) {
  return cells.size() >= 6 && bytes_of_size(cells[1]) > 0 && count_of_parameters(cells[2]) > 0 &&
         test_name(cells[cells.size() - 2]).has_value();
}

Fields bench_fields(const Reading& r, const std::vector<std::string_view>& cells) {
  Fields f;
  f.all.reserve(cells.size() + 2);
  const bool headed =
      r.columns.kind == Columns::Kind::bench && r.columns.names.size() == cells.size();
  if (headed) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      f.all.emplace_back(bench_column(r.columns.names[i]), cells[i]);
    }
  } else {
    f.all.emplace_back("model_type", cells[0]);
    f.all.emplace_back("size", cells[1]);
    f.all.emplace_back("params", cells[2]);
    f.all.emplace_back("backends", cells[3]);
    f.all.emplace_back("test", cells[cells.size() - 2]);
    f.all.emplace_back("t/s", cells.back());
  }
  std::string names;
  for (const std::string& d : r.devices) {
    if (!names.empty()) names += ", ";
    names += d;
  }
  if (f.get("backends") != "CPU") f.all.emplace_back("gpu_info", names);
  return f;
}

}  // namespace

bool read_bench_table(Reading& r, const std::vector<std::string_view>& cells,
                      std::string_view line) {
  if (bench_header(cells)) {
    r.columns.kind = Columns::Kind::bench;
    r.columns.names.assign(cells.begin(), cells.end());
    return true;
  }
  const bool in_table = r.columns.kind == Columns::Kind::bench;
  if (!in_table && !bench_shape(cells)) return false;
  if (in_table && r.columns.names.size() != cells.size() && !bench_shape(cells)) return false;
  const Fields f = bench_fields(r, cells);
  const auto test = test_name(f.get("test"));
  if (!test) return in_table;  // a row of another meaning, or the rest of a broken one
  r.is_format("llama-bench md");
  MeasuredRun run = bench_run(f);
  run.model_bytes = bytes_of_size(f.get("size"));
  run.model_parameters = count_of_parameters(f.get("params"));
  if (run.build.empty()) run.build = r.build;
  keep_bench(r, std::move(run),
             {test->prompt, test->output, test->depth, number_or_zero(f.get("t/s"))}, r.here(line));
  return true;
}

bool read_bench_record(Reading& r, std::string_view line) {
  const std::string_view text = trim(line);
  if (text.substr(0, 12) == "INSERT INTO " && contains(text, "avg_ts")) {
    const std::size_t open = text.find('('), close = text.find(')');
    std::string_view values = behind(text, "VALUES (");
    const std::size_t last = values.rfind(')');
    if (open == std::string_view::npos || close <= open || last == std::string_view::npos) {
      return false;
    }
    r.is_format("llama-bench sql");
    bench_record(r, separated(text.substr(open + 1, close - open - 1), '"'),
                 separated(values.substr(0, last), '\''), line);
    return true;
  }
  if (contains(text, "n_gen") && contains(text, "avg_ts") && contains(text, "model_type") &&
      text.find('{') == std::string_view::npos) {
    const auto names = separated(text, '"');
    if (names.size() < 5) return false;
    r.columns.kind = Columns::Kind::bench_csv;
    r.columns.names = names;
    return true;
  }
  if (r.columns.kind != Columns::Kind::bench_csv || text.find(',') == std::string_view::npos) {
    return false;
  }
  r.is_format("llama-bench csv");
  bench_record(r, r.columns.names, separated(text, '"'), line);
  return true;
}

bool read_bench_json(Reading& r, const Json& row, const Outer& outer, JsonPlace& place) {
  const Json* rate = row.get("avg_ts");
  if (row.find("avg_ts") == nullptr || row.get("n_gen") == nullptr) return false;
  Fields f;
  f.all.reserve(row.items.size() + 1);
  for (std::size_t i = 0; i < row.items.size(); ++i) {
    const Json& item = row.items[i];
    if (item.is(Json::Kind::number)) f.all.emplace_back(row.keys[i], number_text(item.number));
    if (item.is(Json::Kind::string)) f.all.emplace_back(row.keys[i], item.string);
    if (item.is(Json::Kind::boolean)) f.all.emplace_back(row.keys[i], item.boolean ? "1" : "0");
  }
  const Json* samples = row.get("samples_ts");
  if (samples == nullptr) samples = row.get("samples_ns");
  if (samples != nullptr) {
    f.all.emplace_back("repetitions", number_text(static_cast<double>(samples->items.size())));
  }
  const bool nested = !outer.empty();
  r.is_format(nested ? "llama-bench json (nested)"
                     : (r.json_lines ? "llama-bench jsonl" : "llama-bench json"));
  BenchTest test = test_of(f);
  test.rate = rate != nullptr && rate->is(Json::Kind::number) ? rate->number : 0;
  keep_bench(r, bench_run(f), test, place.source("avg_ts"));
  return true;
}

// "build: 0253fb21f (9187)" behind a table; "build: 6865 (1c1409e1) with ..." before a server's.
bool read_bench_banner(Reading& r, std::string_view line) {
  std::string_view text = trim(line);
  if (text.substr(0, 7) == "build: ") {
    text.remove_prefix(7);
    const std::string first(take(text, ' '));
    const bool server = contains(text, " with ");
    const std::string second(trim(text.substr(0, text.find(')'))));
    const std::string_view number =
        server ? std::string_view(first) : std::string_view(second).substr(second.empty() ? 0 : 1);
    if (number_or_zero(number) <= 0) return true;
    const std::string build = "b" + std::string(number);
    if (server) {
      r.build = build;
      return true;
    }
    for (std::size_t i = r.first_unbuilt; i < r.file.runs.size(); ++i) {
      if (r.file.runs[i].build.empty()) r.file.runs[i].build = build;
    }
    r.first_unbuilt = r.file.runs.size();
    r.devices.clear();  // the next run prints its own
    return true;
  }
  constexpr std::size_t most = 64;
  const bool found = contains(text, "ggml_cuda_init: found ") || contains(text, "_vulkan: Found ");
  if (found) {
    r.devices.clear();
    return true;
  }
  if (text.substr(0, 7) == "Device " || contains(text, "ggml_vulkan: ")) {
    const bool cuda = text.substr(0, 7) == "Device ";
    std::string_view name = behind(text, cuda ? ": " : " = ");
    name = trim(name.substr(0, name.find(cuda ? "," : " |")));
    if (!name.empty() && r.devices.size() < most) r.devices.emplace_back(shown(name));
    return true;
  }
  const std::string_view metal = behind(text, "ggml_metal_init: picking default device: ");
  if (!metal.empty()) {
    r.devices.assign(1, shown(metal));
    return true;
  }
  return false;
}

}  // namespace rooflens::local
