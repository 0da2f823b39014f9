#include "rooflens/check/claim_scan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rooflens/core/quantity.h"

namespace rooflens {
namespace {

using Kind = ClaimToken::Kind;

class Scanner {
 public:
  Scanner(std::string_view tidy, const std::vector<ClaimToken>& tokens, std::size_t first,
          std::size_t last)
      : tidy_(tidy), tokens_(tokens), i_(first), last_(last) {}

  Result<ClaimScan> run() {
    while (i_ < last_) {
      const Result<void> read = tokens_[i_].kind == Kind::number ? number() : word();
      if (!read) return Failure(read.error());
    }
    if (unit_.words != 0) return wrong(unit_token_, " is a unit without a number");
    drop_key();
    return ClaimScan{std::move(items_), others()};
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < last_ && tokens_[i].kind == Kind::word ? std::string_view(tokens_[i].text)
                                                      : std::string_view();
  }
  [[nodiscard]] bool is(std::size_t i, std::initializer_list<std::string_view> list) const {
    return !text(i).empty() && std::find(list.begin(), list.end(), text(i)) != list.end();
  }
  [[nodiscard]] Failure wrong(std::size_t i, const std::string& what) const {
    const std::size_t from = tokens_[i > 0 && tokens_[i].glued ? i - 1 : i].begin;
    const std::size_t to = tokens_[i + 1 < last_ ? i + 1 : i].end;
    return fail(ErrorCode::malformed, quoted(tidy_.substr(from, to - from)) + what, {},
                kClaimExamples);
  }
  ClaimItem& add(ClaimItem::Kind kind, std::size_t token) {
    ClaimItem item;
    item.kind = kind;
    item.begin = tokens_[token].begin;
    item.end = tokens_[token].end;
    items_.push_back(item);
    return items_.back();
  }
  // The word says nothing known; `from` is how much of its start does.
  void leave(std::size_t token, std::size_t from = 0) { left_.push_back({token, from}); }

  // What was left, words that stand beside each other together.
  [[nodiscard]] std::vector<std::string> others() {
    std::sort(left_.begin(), left_.end());
    std::vector<std::string> out;
    for (std::size_t n = 0; n < left_.size(); ++n) {
      const auto [i, from] = left_[n];
      const std::string_view word =
          tidy_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
      const bool beside = n > 0 && left_[n - 1].first + 1 == i;
      if (!beside) out.emplace_back();
      if (beside && !tokens_[i].glued) out.back() += ' ';
      out.back() += word.substr(from);
    }
    return out;
  }

  // A setting whose number never came: "long context".
  void drop_key() {
    if (key_ != Setting::none && key_alone_ && !is_filler(text(key_token_))) leave(key_token_);
    key_ = Setting::none;
  }

  // A setting that cannot be: "batch 0", "2.5 users".
  Result<void> set(Setting s, double value, std::size_t next, bool bench = false) {
    const bool may_be_none = s == Setting::context || s == Setting::cached;
    if (!(value >= (may_be_none ? 0 : 1)) || value != std::floor(value)) {
      const std::size_t from = key_ != Setting::none ? key_token_ : i_;
      const std::size_t to = std::max(i_, next - 1);
      return fail(ErrorCode::malformed,
                  quoted(tidy_.substr(tokens_[from].begin, tokens_[to].end - tokens_[from].begin)) +
                      " cannot be: give a whole number from " + (may_be_none ? "0" : "1"),
                  {}, kClaimExamples);
    }
    ClaimItem& item = add(ClaimItem::Kind::setting, i_);
    item.setting = s;
    item.value = value;
    item.bench = bench;
    key_ = Setting::none;
    i_ = next;
    return {};
  }

  // "64 users", "1024-token prompt", "4 GPUs": a number that the words after it make a setting.
  // False when it is none.
  Result<bool> setting_by_next(double value, std::size_t next) {
    const auto done = [](const Result<void>& r) -> Result<bool> {
      if (!r) return Failure(r.error());
      return true;
    };
    if (is(next, {"gpu", "gpus", "cards", "devices", "chips"})) {
      return done(set(Setting::devices, value, next + 1));
    }
    const std::string_view x = text(next);
    const std::string_view device = x == "x" ? text(next + 1) : x.starts_with("x") ? x : "";
    if (device.find_first_of("0123456789") != std::string_view::npos) {  // "4x H100", "8xH200"
      leave(x == "x" ? next + 1 : next, x == "x" ? 0 : 1);
      return done(set(Setting::devices, value, next + (x == "x" ? 2 : 1)));
    }
    if (is(next, {"users", "user", "streams", "stream", "sequences", "concurrent", "clients",
                  "parallel", "seqs", "requests", "prompts"})) {
      const auto r = set(Setting::batch, value, next + 1);
      while (is(i_, {"users", "streams", "sequences", "requests", "clients"})) ++i_;
      return done(r);
    }
    if (is(next, {"token", "tokens", "-token", "-tokens", "tok"})) ++next;
    Setting s = Setting::none;
    if (is(next, {"in", "input", "prompt", "prompts"})) s = Setting::prompt;
    if (is(next, {"out", "output", "outputs", "completion", "generated"})) s = Setting::output;
    if (is(next, {"cached", "prefix"})) s = Setting::cached;
    if (is(next, {"context", "ctx"})) s = Setting::context;
    if (s == Setting::none || key_ != Setting::none) return false;
    if (next + 1 < last_ && unit_at(tokens_, next + 1).words != 0) return false;  // "108 out tok/s"
    return done(set(s, value, next + 1));
  }

  Result<void> number() {
    const ClaimToken& t = tokens_[i_];
    if (const Skip skip = std::exchange(skip_, Skip::none); skip != Skip::none) {
      if (skip == Skip::name) leave(i_);
      ++i_;
      return {};
    }
    if (t.negative) {
      return wrong(i_, t.glued ? " looks like a range: give one figure" : " is negative");
    }
    double value = t.value;
    std::size_t next = i_ + 1;
    if (next < last_ && tokens_[next].glued && is(next, {"b", "b-a", "bn"})) {  // "27B"
      leave(i_);
      leave(next);
      i_ = next + 1;
      return {};
    }
    if (is(next, {"gb", "gib", "tb"})) {  // "H100 80GB"
      drop_key();
      leave(i_);
      leave(next);
      i_ = next + 1;
      return {};
    }
    if (is(next, {"k"}) || (is(next, {"m", "mio"}) && tokens_[next].glued)) {
      value *= text(next) == "k" ? 1e3 : 1e6;
      ++next;
    }
    ClaimUnit unit = next < last_ ? unit_at(tokens_, next) : ClaimUnit{};
    const Meaning after = meaning_of(text(next));
    if (unit.words == 0 && after.share && key_ == Setting::none && value <= 4) {  // "0.45 MFU"
      unit.percent = true;
      unit.words = 1;
      unit.figure = after.share;
    }
    if (unit.words == 0) {
      const auto found = setting_by_next(value, next);
      if (!found) return Failure(found.error());
      if (*found) return {};
    }
    if (unit.words == 0 && unit_.words == 0 && key_ != Setting::none) {
      // "prompt 1024" is a length and says no phase; "pp512" says both.
      if (!bench_ && !items_.empty() && items_.back().meaning.setting == key_ &&
          items_.back().kind == ClaimItem::Kind::meaning) {
        items_.pop_back();
      }
      if (is(next, {"token", "tokens", "-token", "tok"})) ++next;
      return set(key_, value, next, std::exchange(bench_, false));
    }
    drop_key();
    const bool known = unit.words != 0 || unit_.words != 0;
    if (unit.words == 0 && known) {
      unit = std::exchange(unit_, {});
    } else {
      next += unit.words;
    }
    ClaimItem& item = add(known ? ClaimItem::Kind::figure : ClaimItem::Kind::bare, i_);
    item.end = tokens_[next - 1].end;
    item.unit = unit;
    item.value = value * unit.scale;
    if (!(item.value > 0) || !(item.value <= 1e21)) {
      return wrong(i_, ": a figure must be above zero and finite");
    }
    i_ = next;
    return {};
  }

  // "11,427 output tok/s": the unit of the number before it, words between.
  bool give_unit(const ClaimUnit& u) {
    for (std::size_t k = items_.size(); k-- > 0;) {
      ClaimItem& item = items_[k];
      if (item.kind == ClaimItem::Kind::figure) return false;
      if (item.kind != ClaimItem::Kind::bare) continue;
      item.kind = ClaimItem::Kind::figure;
      item.unit = u;
      item.value *= u.scale;
      item.end = tokens_[i_ + u.words - 1].end;
      return true;
    }
    return false;
  }

  Result<void> word() {
    const std::string_view w = text(i_);
    if (w == "+-") {
      skip_ = Skip::deviation;
      ++i_;
      return {};
    }
    // A unit that stands before its number: "decode tok/s: 108", "throughput (tokens/s) = 442".
    if (const ClaimUnit u = unit_at(tokens_, i_);
        u.words != 0 && w != "%" && w != "s" && w != "t") {
      if (!items_.empty() && give_unit(u)) {
        i_ += u.words;
        return {};
      }
      if (unit_.words != 0) return wrong(unit_token_, " is a unit without a number");
      unit_ = u;
      unit_token_ = i_;
      i_ += u.words;
      return {};
    }
    Meaning m = meaning_of(w);
    std::size_t words = 1;
    if (w == "per" && !text(i_ + 1).empty()) {
      m = meaning_of("per-" + std::string(text(i_ + 1)));
      if (m.any()) words = 2;
    } else if (w == "single" && is(i_ + 1, {"stream", "user", "request", "sequence", "client"})) {
      m.single = true;
      words = 2;
    } else if (w == "first" && is(i_ + 1, {"token"})) {
      m.time = Figure::time_to_first_token_s;
      words = 2;
    } else if (w == "inter" && is(i_ + 1, {"token"})) {
      m.time = Figure::time_per_token_s;
      words = 2;
    } else if (w == "eval" && i_ > 0 && is(i_ - 1, {"prompt"})) {
      m = {};
    } else if (is(i_, {"throughput", "speed", "rate", "processing"})) {
      drop_key();  // "output throughput 108"
    }
    const bool short_key = w.size() == 1 || w == "pp" || w == "tg";
    const bool number_follows = i_ + 1 < last_ && tokens_[i_ + 1].kind == Kind::number &&
                                tokens_[i_ + 1].begin <= tokens_[i_].end + 1;
    if (w.size() == 1 && !number_follows) m = {};
    skip_ = m.name_follows && number_follows ? Skip::name : Skip::none;
    const bool used = m.any() || words > 1 || (w == "eval" && i_ > 0 && is(i_ - 1, {"prompt"}));
    if (!used && !is_filler(w)) {
      drop_key();  // what comes after another subject is not its number
      leave(i_);
    }
    if (m.phase || m.counting || m.time || m.share || m.single) {
      add(ClaimItem::Kind::meaning, i_).meaning = m;
    }
    if (m.setting != Setting::none) {
      drop_key();
      key_ = m.setting;
      key_token_ = i_;
      key_alone_ = !m.phase;
      bench_ = short_key && number_follows && (w == "pp" || w == "tg" || w == "d");
    }
    i_ += words;
    return {};
  }

  std::string_view tidy_;
  const std::vector<ClaimToken>& tokens_;
  std::size_t i_, last_;
  std::vector<ClaimItem> items_;
  Setting key_ = Setting::none;  // waits for its number
  ClaimUnit unit_;               // waits for its number
  std::size_t unit_token_ = 0;
  std::size_t key_token_ = 0;
  bool key_alone_ = false;  // the waiting word says nothing else
  bool bench_ = false;
  // The next number is a deviation ("+- 12") or part of a name ("RTX 4090").
  enum class Skip : std::uint8_t { none, deviation, name } skip_ = Skip::none;
  std::vector<std::pair<std::size_t, std::size_t>> left_;
};

}  // namespace

Result<ClaimScan> scan_claim(std::string_view tidy, const std::vector<ClaimToken>& tokens,
                             std::size_t first, std::size_t last) {
  return Scanner(tidy, tokens, first, last).run();
}

}  // namespace rooflens
