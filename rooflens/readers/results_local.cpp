#include "rooflens/readers/results_local.h"

#include <algorithm>
#include <array>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/json_text.h"
#include "rooflens/readers/line_feed.h"
#include "rooflens/readers/result_formats.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace local {
namespace {

constexpr std::size_t kFruitless = 4;  // times the text is gone through for objects with no end
constexpr std::size_t kMostRefused = 1000;

// A piece of JSON without any of these holds no figures.
constexpr std::array<std::string_view, 6> kJsonKeys{"\"avg_ts\"",        "\"predicted_per_second\"",
                                                    "\"eval_duration\"", "\"speed_tg\"",
                                                    "\"pp_throughput\"", "\"prompt_per_second\""};

bool holds_figures(std::string_view piece) {
  return std::any_of(kJsonKeys.begin(), kJsonKeys.end(),
                     [&](std::string_view key) { return contains(piece, key); });
}

void visit(Reading& r, const Json& value, Outer& outer, JsonPlace& place) {
  if (r.file.runs.size() >= kMostRuns) return;
  if (value.is(Json::Kind::object)) {
    if (read_bench_json(r, value, outer, place) || read_batched_json(r, value, outer, place) ||
        read_benchy_json(r, value, outer, place) || read_server_json(r, value, outer, place) ||
        read_ollama_json(r, value, outer, place)) {
      place.next_row();
      return;
    }
    outer.push_back(&value);
  }
  for (const Json& item : value.items) visit(r, item, outer, place);
  if (value.is(Json::Kind::object)) outer.pop_back();
}

// People's wrappers keep a run that failed as null.
bool failed_run(std::string_view piece) {
  std::string_view value = trim(behind(piece, "\"bench_raw\""));
  if (value.empty() || value.front() != ':') return false;
  value = trim(value.substr(1));
  return value.substr(0, 4) == "null";
}

void read_piece(Reading& r, std::string_view piece) {
  if (!holds_figures(piece)) {
    if (failed_run(piece)) r.refuse("\"bench_raw\": null", "the run failed: it left no record");
    return;
  }
  const auto document = parse_json(piece, r.where);
  if (!document) {
    r.refuse(piece.substr(0, piece.find('\n')), document.error().message);
    return;
  }
  r.json_lines = !contains(piece, "\n");
  JsonPlace place(piece, r.line);
  Outer outer;
  visit(r, document->root, outer, place);
}

// Headings and a usage are those of a page that explains a tool.
void look_for_page(Reading& r, std::string_view line) {
  constexpr std::string_view usage = "usage";
  const bool heading = line.substr(0, 2) == "# " || line.substr(0, 3) == "## ";
  r.heading = r.heading || heading;
  if (heading) line = trim(line.substr(line.find(' ')));
  if (!same_letters(line.substr(0, usage.size()), usage)) return;
  line.remove_prefix(usage.size());
  r.usage = r.usage || (heading ? line.empty() : !line.empty() && line.front() == ':');
}

void read_line(Reading& r, std::string_view line) {
  line = line.substr(0, LineFeed::kLongestLine);
  const auto cells = cells_of(line);
  if (!cells.empty()) {
    if (is_rule(cells)) return;
    if (read_bench_table(r, cells, line) || read_batched_table(r, cells, line) ||
        read_benchy_table(r, cells, line) || read_ollama_table(r, cells, line)) {
      return;
    }
    r.columns = {};
    return;
  }
  if (read_bench_record(r, line) || read_server_record(r, line) ||
      (r.columns.kind == Columns::Kind::ollama_csv && read_ollama_bench_line(r, line))) {
    return;
  }
  r.columns = {};
  if (read_perf_line(r, line) || read_ollama_line(r, line) || read_mlx_line(r, line) ||
      read_bench_banner(r, line)) {
    return;
  }
  look_for_page(r, trim(line));
}

// Where in the line an object may begin: a brace before a quotation mark.
std::size_t brace_in(std::string_view text, std::size_t from, std::size_t end) {
  for (std::size_t at = from; at < end; ++at) {
    if (text[at] != '{') continue;
    std::size_t next = at + 1;
    while (next < text.size() && is_blank(text[next])) ++next;
    if (next < text.size() && text[next] == '"') return at;
  }
  return std::string_view::npos;
}

void read_all(Reading& r, std::string_view text) {
  std::size_t at = 0, fruitless = 0;
  bool cut_told = false;
  r.line = 1;
  while (at < text.size() && r.file.runs.size() < kMostRuns) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t begin = at, after = std::string_view::npos;
    bool cut = false;
    while (fruitless < kFruitless * text.size() &&
           (begin = brace_in(text, begin, end)) != std::string_view::npos) {
      const ObjectEnd found = object_end(text, begin);
      after = found.end;
      if (after != std::string_view::npos) break;
      cut = cut || found.cut;
      fruitless += found.work;
      ++begin;
    }
    if (after != std::string_view::npos) {
      const std::string_view piece = text.substr(begin, after - begin);
      read_piece(r, piece);
      r.line += static_cast<int>(std::count(piece.begin(), piece.end(), '\n'));
      at = after;
      continue;
    }
    if (cut && !cut_told && holds_figures(text.substr(at))) {
      r.refuse(text.substr(at, end - at), "the text ends within this object");
      cut_told = true;
    }
    read_line(r, text.substr(at, end - at));
    at = end + 1;
    ++r.line;
  }
}

void tell_documentation(Reading& r) {
  if (!r.heading || !r.usage) return;
  for (MeasuredRun& run : r.file.runs) {
    trap(run, "documentation",
         "The page explains a tool: its numbers may be old, or made up to show the form.");
  }
}

// What these formats leave out, and a reader of their figures must know.
void tell_untold(ResultFile& file) {
  if (contains(file.format, "llama-server")) {
    file.notes.emplace_back(
        "llama-server's rates are of one request: how many shared the passes is not told.");
  }
  if (contains(file.format, "ollama --verbose") || contains(file.format, "Ollama reply")) {
    file.notes.emplace_back("Ollama does not tell how much of the prompt was in its cache.");
  }
}

Result<ResultFile> read_local(std::string_view text, std::string_view where) {
  Reading r;
  r.where = where;
  read_all(r, text);
  ResultFile file = take_results(r);
  if (file.runs.empty() && file.refused.empty()) {
    return fail(ErrorCode::unsupported, "no measurements are found in the file", std::string(where),
                "it has words of llama.cpp's tools, and none of their results");
  }
  return file;
}

bool like_bench(std::string_view text) {
  if (contains(text, "\"avg_ts\"")) return true;
  if (contains(text, "n_gen") && contains(text, "avg_ts")) return true;
  return contains(text, "| test") || contains(text, " test |")
             ? contains(text, "t/s") && contains(text, "params")
             : contains(text, " GiB | ") && contains(text, " B | ");
}
bool like_batched(std::string_view text) {
  return contains(text, "S_PP t/s") || contains(text, "\"speed_tg\"");
}
bool like_server(std::string_view text) {
  return contains(text, "\"predicted_per_second\"") || contains(text, "\"prompt_per_second\"") ||
         contains(text, "predicted_tps");
}
bool like_perf(std::string_view text) { return contains(text, "eval time"); }
bool like_ollama(std::string_view text) {
  return contains(text, "\"eval_duration\"") || contains(text, "eval rate:") ||
         contains(text, "/step=generate") || contains(text, "NS_PER_COUNT,TOKEN_PER_SEC") ||
         contains(text, "Eval Rate (Tokens/Second)");
}
bool like_mlx(std::string_view text) {
  return contains(text, "tokens-per-sec") || contains(text, "generation_tps=");
}
bool like_benchy(std::string_view text) {
  return contains(text, "\"pp_throughput\"") || contains(text, "est_ppt (ms)") ||
         contains(text, "ttfr (ms)");
}

bool like_local(std::string_view text) {
  return like_bench(text) || like_batched(text) || like_server(text) || like_perf(text) ||
         like_ollama(text) || like_mlx(text) || like_benchy(text);
}

// One reader for all, because people's files hold several of them: tables beside timings.
constexpr std::array kFormats{
    ResultFormat{"llama.cpp and its kin",
                 "llama-bench (json, jsonl, csv, sql, Markdown), llama-batched-bench, sweep-bench, "
                 "timings of llama-server and llama.cpp, Ollama, mlx_lm, llama-benchy",
                 like_local, read_local},
};

}  // namespace

ResultFile take_results(Reading& r) {
  close_perf(r);
  close_ollama(r);
  tell_documentation(r);
  tell_untold(r.file);
  if (r.file.runs.size() >= kMostRuns) {
    r.file.notes.push_back("Runs behind the first " + std::to_string(kMostRuns) + " are not read.");
  }
  return std::move(r.file);
}

std::string_view Fields::get(std::string_view key) const {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& field) { return field.first == key; });
  return found == all.end() ? std::string_view() : std::string_view(found->second);
}

double Fields::number(std::string_view key) const { return number_or_zero(get(key)); }

Source Reading::here(std::string_view text) const {
  Source s;
  s.file = where;
  s.line = line;
  s.text = shown(text);
  return s;
}

void Reading::is_format(std::string_view name) {
  std::string& f = file.format;
  if (contains(f, name)) return;
  if (!f.empty()) f += ", ";
  f += name;
}

void Reading::refuse(std::string_view text, std::string why) { refuse(here(text), std::move(why)); }

void Reading::refuse(const Source& source, std::string why) {
  if (file.refused.size() >= kMostRefused) return;
  file.refused.push_back({source.line, source.text, std::move(why)});
}

std::string nearest_text(const Json& row, const Outer& outer, std::string_view key) {
  const Json* found = row.get(key);
  for (std::size_t i = outer.size(); found == nullptr && i-- > 0;) found = outer[i]->get(key);
  return found != nullptr && found->is(Json::Kind::string) ? shown(found->string) : std::string();
}

double number_of(const Json& row, std::string_view key) {
  const Json* value = row.get(key);
  if (value == nullptr || !value->is(Json::Kind::number)) return 0;
  return value->number > 0 && value->number <= kMostCount ? value->number : 0;
}

bool is_rate(double value) { return value > 0 && value <= kMostCount; }

}  // namespace local

const ResultFormat* local_formats(std::size_t* count) {
  *count = local::kFormats.size();
  return local::kFormats.data();
}

}  // namespace rooflens
