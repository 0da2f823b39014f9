#include "rooflens/readers/points.h"

#include "rooflens/core/csv.h"
#include "rooflens/core/quantity.h"
#include "rooflens/readers/words.h"

namespace rooflens {
namespace {

// The columns that are read; all of them are required.
constexpr std::string_view kColumns[] = {
    "id",       "source",       "provenance", "date",    "model",           "params_b",
    "active_b", "device",       "setup",      "devices", "mem_bw_gbs",      "engine",
    "build",    "weights",      "weights_gb", "kv",      "parallelism",     "load",
    "prompt",   "generated",    "depth",      "phase",   "tok_s",           "counts",
    "ttft_ms",  "cold_ttft_ms", "tpot_ms",    "drafts",  "tokens_per_pass", "flags",
    "notes"};

class Row {
 public:
  explicit Row(const CsvTable& t) : t_(t) {}

  [[nodiscard]] std::string text(std::string_view column) const {
    return std::string(t_.at(t_.column(column)));
  }

  // Times 10^shift; nothing when the field is empty. What is no number is kept for result().
  std::optional<double> number(std::string_view column, int shift = 0) {
    const std::string_view field = t_.at(t_.column(column));
    if (field.empty()) return std::nullopt;
    const auto v = parse_number(field, shift);
    if (!v || *v < 0) {
      refuse(std::string(column) + ": " + rooflens::quoted(field) + " is no number from 0 up",
             "write a plain number, or leave the field empty where the source does not tell");
      return std::nullopt;
    }
    return v;
  }

  void refuse(std::string message, std::string hint) {
    if (result_)
      result_ = fail(ErrorCode::malformed, std::move(message), t_.where(), std::move(hint));
  }

  [[nodiscard]] const Result<void>& result() const { return result_; }

 private:
  const CsvTable& t_;
  Result<void> result_;
};

// "owner/name", with the discussion or issue where there is one: people post to those.
std::string group_of(std::string_view source) {
  std::string_view rest = source;
  std::string group(take(rest, ' '));
  const std::string_view kind = take(rest, ' ');
  if (kind == "discussion" || kind == "issue") {
    group += ' ';
    group += kind;
    group += ' ';
    group += take(rest, ' ');
  }
  return group;
}

MeasuredPhase phase_named(std::string_view word) {
  for (const MeasuredPhase p :
       {MeasuredPhase::prefill, MeasuredPhase::decode, MeasuredPhase::mixed}) {
    if (word == name_of(p)) return p;
  }
  return MeasuredPhase::unknown;
}

// What the rate counts. Those of one node of a larger deployment stay unknown: the node's work is
// not told.
Counting counting_of(const MeasuredPoint& p) {
  if (contains(p.counts, "per 8-GPU node")) return Counting::unknown;
  if (p.phase == MeasuredPhase::mixed) return Counting::same_wall;
  return contains(p.counts, "decode only") ? Counting::per_stream : Counting::aggregate;
}

void read_load(Row& row, const std::string& load, MeasuredPoint& p, Observation& o) {
  p.saturated = load.rfind("saturated", 0) == 0;
  if (p.saturated || load.empty()) return;
  if (const auto n = parse_number(load)) {
    if (*n >= 1) {
      o.batch = n;
    } else {
      row.refuse("load: " + rooflens::quoted(load) + " sequences cannot run", "write 1 or more");
    }
  }
  // Others - "Server", "rate 4.0", "production" - do not tell how many run at once.
}

// Lengths as the arithmetic wants them: the prompt with what was cached before it, the cached
// tokens at the middle of the answer.
void read_lengths(Row& row, const MeasuredPoint& p, Observation& o) {
  const auto prompt = row.number("prompt"), made = row.number("generated");
  const double depth = row.number("depth").value_or(0);
  switch (p.phase) {
    case MeasuredPhase::prefill:
      if (prompt) o.prompt = *prompt + depth;
      o.cached_prefix = depth;
      o.output = 0;
      break;
    case MeasuredPhase::decode:
      o.context = depth + made.value_or(0) / 2;
      o.output = made;
      break;
    default:
      o.prompt = prompt;
      o.output = made;
  }
}

Observation read_figure(Row& row, MeasuredPoint& p) {
  Observation o;
  o.counting = counting_of(p);
  o.phase = p.phase == MeasuredPhase::prefill ? p.phase : MeasuredPhase::decode;
  o.value = row.number("tok_s").value_or(0);
  if (!(o.value > 0)) {
    row.refuse("tok_s: a rate is missing", "a point is a rate in tokens per second");
  }
  read_load(row, row.text("load"), p, o);
  read_lengths(row, p, o);
  // "per user" of several: all together are so many times that.
  if (p.phase == MeasuredPhase::mixed && o.batch && p.counts.rfind("per user", 0) == 0) {
    o.value *= *o.batch;
  }
  return o;
}

void split_words(const std::string& text, std::vector<std::string>& out) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view word = take(rest, ' ');
    if (!word.empty()) out.emplace_back(word);
  }
}

MeasuredPoint read_point(Row& row) {
  MeasuredPoint p;
  p.id = row.text("id");
  if (p.id.empty()) row.refuse("id: a row has no name", "give each row an id of its own");
  p.source = row.text("source");
  p.date = row.text("date");
  p.group = group_of(p.source);
  p.phase = phase_named(row.text("phase"));
  if (p.phase == MeasuredPhase::unknown) {
    row.refuse("phase: " + rooflens::quoted(row.text("phase")) + " is none",
               "prefill, decode or mixed");
  }
  p.setup = row.text("setup");
  p.split = row.text("parallelism");
  p.counts = row.text("counts");
  p.active_parameters = row.number("active_b", 9).value_or(0);
  p.first_token_s = row.number("ttft_ms", -3).value_or(0);
  p.cold_first_token_s = row.number("cold_ttft_ms", -3).value_or(0);
  MeasuredRun& run = p.run;
  run.engine = row.text("engine");
  run.build = row.text("build");
  run.model = row.text("model");
  run.quantisation = row.text("weights");
  run.model_bytes = row.number("weights_gb", 9).value_or(0);
  run.model_parameters = row.number("params_b", 9).value_or(0);
  run.device = row.text("device");
  run.devices = row.number("devices").value_or(0);
  run.key_cache = run.value_cache = row.text("kv");
  run.drafts = row.number("drafts").value_or(0);
  run.tokens_per_pass = row.number("tokens_per_pass").value_or(0);
  split_words(row.text("flags"), run.traps);
  if (std::string note = row.text("notes"); !note.empty()) run.notes.push_back(std::move(note));
  run.figures.push_back(read_figure(row, p));
  return p;
}

}  // namespace

Result<std::vector<MeasuredPoint>> read_points(std::string_view text, std::string where) {
  auto table = CsvTable::open(text, std::move(where));
  if (!table) return Failure(std::move(table.error()));
  for (const std::string_view column : kColumns) {
    if (table->column(column) == CsvTable::npos) {
      return fail(ErrorCode::malformed, "the column " + rooflens::quoted(column) + " is missing",
                  table->where(), "the table of measurements is data/measurements/points.csv");
    }
  }
  std::vector<MeasuredPoint> points;
  for (;;) {
    const auto more = table->next();
    if (!more) return Failure(more.error());
    if (!*more) return points;
    Row row(*table);
    MeasuredPoint p = read_point(row);
    if (!row.result()) return Failure(row.result().error());
    Source& source = p.run.figures.front().source;
    const std::string at = table->where();
    source.file = at.substr(0, at.rfind(':'));
    source.line = static_cast<int>(parse_number(at.substr(at.rfind(':') + 1)).value_or(0));
    points.push_back(std::move(p));
  }
}

}  // namespace rooflens
