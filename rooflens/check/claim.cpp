#include "rooflens/check/claim.h"

#include <algorithm>
#include <array>

#include "rooflens/check/claim_scan.h"
#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

using Settings = std::array<std::optional<double>, 7>;

struct Found {
  Observation seen;
  ClaimUnit unit;
  std::vector<Meaning> meanings;
  Settings settings;
  bool bench = false;
  bool bare = false;
  std::size_t begin = 0, end = 0;
};

std::optional<double>& at(Settings& s, Setting which) { return s[static_cast<std::size_t>(which)]; }

void apply(const Meaning& m, Found& f) {
  Observation& o = f.seen;
  if (m.phase) {
    const bool both = (o.phase == MeasuredPhase::prefill && *m.phase == MeasuredPhase::decode) ||
                      (o.phase == MeasuredPhase::decode && *m.phase == MeasuredPhase::prefill);
    // "total decode throughput" is decode of all sequences; "input and output" is both phases.
    const bool sharper = o.phase == MeasuredPhase::mixed && *m.phase != MeasuredPhase::mixed;
    if (o.phase == MeasuredPhase::unknown || sharper) o.phase = *m.phase;
    if (both) o.phase = MeasuredPhase::mixed;
  }
  // What is said of the one sequence is sharper than what is said of all.
  if (m.counting && (o.counting == Counting::unknown || o.counting == Counting::aggregate)) {
    o.counting = *m.counting;
  }
  if (m.single) at(f.settings, Setting::batch) = 1;
}

// Which time or share a figure is, from the words beside it, else from those of its clause.
Result<void> name_figure(Found& f, const std::vector<ClaimItem>& items, std::string_view tidy) {
  Observation& o = f.seen;
  if (f.unit.figure) {
    o.figure = *f.unit.figure;
    return {};
  }
  std::vector<Meaning> words = f.meanings;
  for (const ClaimItem& item : items) {
    if (item.kind == ClaimItem::Kind::meaning) words.push_back(item.meaning);
  }
  std::optional<Figure> named;
  for (const Meaning& m : words) {
    const auto& one = f.unit.seconds ? m.time : m.share;
    // "inter-token latency": the sharper word wins over "latency".
    if (one && (!named || *named == Figure::request_s)) named = one;
  }
  if (named == Figure::request_s && o.phase == MeasuredPhase::decode) {
    named = Figure::time_per_token_s;
  }
  if (named == Figure::request_s && o.phase == MeasuredPhase::prefill) {
    named = Figure::time_to_first_token_s;
  }
  if (!named) {
    return fail(ErrorCode::malformed,
                quoted(tidy.substr(f.begin, f.end - f.begin)) +
                    (f.unit.seconds ? ": the time of what? Say TTFT, TPOT, latency or step"
                                    : ": a share of what? Say MFU (peak) or MBU (bandwidth)"),
                {}, kClaimExamples);
  }
  o.figure = *named;
  return {};
}

// Words go to the figure they stand beside: before it when the clause starts with a word
// ("prefill 3288 tok/s decode 108 tok/s"), else after it.
Result<std::vector<Found>> assign(const std::vector<ClaimItem>& items, std::string_view tidy) {
  std::vector<Found> found;
  std::size_t figures = 0;
  for (const ClaimItem& item : items) {
    figures += item.kind == ClaimItem::Kind::figure || item.kind == ClaimItem::Kind::bare;
  }
  if (figures == 0) return found;
  const bool words_first = items.front().kind == ClaimItem::Kind::meaning ||
                           items.front().kind == ClaimItem::Kind::setting;
  Found next;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ClaimItem& item = items[i];
    const bool is_figure =
        item.kind == ClaimItem::Kind::figure || item.kind == ClaimItem::Kind::bare;
    const bool to_last = !found.empty() && (!words_first || found.size() == figures);
    Found& f = to_last && !is_figure ? found.back() : next;
    if (item.kind == ClaimItem::Kind::meaning) {
      f.meanings.push_back(item.meaning);
    } else if (item.kind == ClaimItem::Kind::setting) {
      at(f.settings, item.setting) = item.value;
      f.bench = f.bench || item.bench;
    } else {
      next.seen.value = item.value;
      next.unit = item.unit;
      next.bare = item.kind == ClaimItem::Kind::bare;
      if (item.unit.counting) next.seen.counting = *item.unit.counting;
      next.begin = item.begin;
      next.end = item.end;
      found.push_back(std::move(next));
      next = Found{};
    }
  }
  for (Found& f : found) {
    for (const Meaning& m : f.meanings) apply(m, f);
    if (f.bare) continue;
    if (const auto named = name_figure(f, items, tidy); !named) return Failure(named.error());
  }
  return found;
}

// llama-bench: tgN starts at the depth and averages over N; ppN comes after the depth. One stream.
void settle_bench(Found& f) {
  const double depth = at(f.settings, Setting::context).value_or(0);
  if (f.seen.phase == MeasuredPhase::decode) {
    f.seen.context = depth + at(f.settings, Setting::output).value_or(0) / 2;
  } else {
    f.seen.cached_prefix = depth;
    if (f.seen.prompt) *f.seen.prompt += depth;
    f.seen.context.reset();
  }
  if (!f.seen.batch) f.seen.batch = 1;
  if (f.seen.counting == Counting::unknown) f.seen.counting = Counting::aggregate;
}

void settle(Found& f) {
  Observation& o = f.seen;
  o.batch = at(f.settings, Setting::batch);
  o.prompt = at(f.settings, Setting::prompt);
  o.output = at(f.settings, Setting::output);
  o.context = at(f.settings, Setting::context);
  o.cached_prefix = at(f.settings, Setting::cached);
  o.devices = at(f.settings, Setting::devices);
  if (f.bench) settle_bench(f);
  switch (o.figure) {
    case Figure::time_to_first_token_s:
      o.phase = MeasuredPhase::prefill;
      o.counting = Counting::per_stream;
      break;
    case Figure::time_per_token_s:
      o.phase = MeasuredPhase::decode;
      o.counting = Counting::per_stream;
      break;
    case Figure::requests_per_s:
    case Figure::request_s:
      o.phase = MeasuredPhase::mixed;
      break;
    default:
      break;
  }
}

// A setting that the text tells once holds for every figure; one that each figure tells is its own.
void share(std::vector<Found>& all, const std::vector<ClaimItem>& loose) {
  for (std::size_t s = 1; s < Settings{}.size(); ++s) {
    std::optional<double> common;
    bool one = true;
    const auto tell = [&](double value) {
      one = one && common.value_or(value) == value;
      common = value;
    };
    for (const Found& f : all) {
      const std::optional<double>& told = f.settings[s];
      if (told && !f.bench) tell(*told);
    }
    for (const ClaimItem& item : loose) {
      if (item.setting == static_cast<Setting>(s)) tell(item.value);
    }
    for (Found& f : all) {
      if (common && one && !f.settings[s] && !f.bench) f.settings[s] = common;
    }
  }
}

}  // namespace

Result<Claim> parse_claim(std::string_view text) {
  if (text.size() > kMaxClaimBytes) {
    return fail(ErrorCode::out_of_range, "the claim is longer than 64 KiB", {},
                "give the sentence with the figures alone");
  }
  const std::string tidy = tidy_claim(text);
  const std::vector<ClaimToken> tokens = claim_tokens(tidy);
  std::vector<Found> all;
  Claim out;
  std::vector<ClaimItem> loose, before;
  for (std::size_t first = 0; first < tokens.size();) {
    const auto breaks = [](const ClaimToken& t) {
      return t.kind == ClaimToken::Kind::break_ || t.text == "and" || t.text == "vs" ||
             t.text == "then" || t.text == "but";
    };
    std::size_t last = first;
    while (last < tokens.size() && !breaks(tokens[last])) ++last;
    auto scan = scan_claim(tidy, tokens, first, last);
    if (!scan) return Failure(scan.error());
    std::move(scan->others.begin(), scan->others.end(), std::back_inserter(out.others));
    first = last + 1;
    auto found = assign(scan->items, tidy);
    if (!found) return Failure(found.error());
    if (found->empty()) {
      for (ClaimItem& item : scan->items) {
        const bool common = item.kind == ClaimItem::Kind::setting && !item.bench;
        (common ? loose : before).push_back(item);
      }
      continue;
    }
    // Words of a clause without a figure: "decode: ..., 108 tok/s", "pp512+tg128 | 900 t/s".
    Found& next = found->front();
    const bool unnamed = next.seen.phase == MeasuredPhase::unknown;
    for (const ClaimItem& item : before) {
      if (item.kind == ClaimItem::Kind::setting) {
        if (!unnamed) continue;
        at(next.settings, item.setting) = item.value;
        next.bench = true;
      } else if (unnamed || item.meaning.counting) {
        apply(item.meaning, next);
      }
    }
    before.clear();
    for (Found& f : *found) all.push_back(std::move(f));
    if (all.size() > kMaxClaimFigures) {
      return fail(ErrorCode::out_of_range, "more than 256 figures", {}, "check them in parts");
    }
  }
  if (all.empty()) {
    return fail(ErrorCode::malformed, "no figure in " + quoted(text), {}, kClaimExamples);
  }
  // "prefill 3288, decode 108 tok/s": the unit of the figure that follows.
  for (std::size_t i = all.size(); i-- > 0;) {
    Found& f = all[i];
    if (!f.bare) continue;
    const bool given = i + 1 < all.size() && !all[i + 1].bare && all[i + 1].unit.figure &&
                       f.seen.phase != MeasuredPhase::unknown;
    if (!given) {
      const std::size_t end = std::min(tidy.find_first_of(" \n", f.end), tidy.size());
      return fail(ErrorCode::malformed,
                  quoted(std::string_view(tidy).substr(f.begin, end - f.begin)) +
                      " is a number without a unit",
                  {}, kClaimExamples);
    }
    f.unit = all[i + 1].unit;
    f.seen.figure = all[i + 1].seen.figure;
    f.seen.value *= f.unit.scale;
    f.bare = false;
  }
  share(all, loose);
  for (Found& f : all) {
    settle(f);
    f.seen.source.text = tidy.substr(f.begin, f.end - f.begin);
    out.figures.push_back(std::move(f.seen));
  }
  return out;
}

}  // namespace rooflens
