#include "rooflens/render/terminal.h"

#include <algorithm>
#include <cmath>

#include "rooflens/render/axis.h"
#include "rooflens/render/canvas.h"
#include "rooflens/render/format.h"
#include "rooflens/render/roofline_drawing.h"
#include "rooflens/render/text.h"

namespace rooflens {
namespace {

Pen pen_of(PointPhase p) {
  return p == PointPhase::decode    ? Pen::decode
         : p == PointPhase::prefill ? Pen::prefill
                                    : Pen::other;
}

// A..Z (a..z for what was measured), then all the same; points without a label have a sign.
std::string letter_of(const ChartPoint& p, std::size_t n) {
  if (p.label.empty()) {
    return p.measured ? "o" : p.kind == PointKind::expected ? "x" : "*";
  }
  if (n >= 26) return "*";
  return std::string(1, static_cast<char>((p.measured ? 'a' : 'A') + static_cast<int>(n)));
}

class Plot {
 public:
  Plot(const RooflineChart& c, const TerminalOptions& o)
      : c_(c),
        o_(o),
        width_(std::max(40, o.width)),
        rows_(std::max(8, o.height) - 2),
        canvas_(width_, rows_ + 2, o.ascii) {
    const ChartLimits l = limits_of(c);
    // Rows are sampled at their middle; the axis line is the bottom of the last one.
    y_ = {l.y_low, l.y_high, static_cast<double>(rows_) - 0.13, 0.2};
    for (const Tick& t : ticks(y_, 2))
      left_ = std::max(left_, display_width(clean(t.label, o.ascii)) + 1);
    x_ = {l.x_low, l.x_high, static_cast<double>(left_), static_cast<double>(width_) - 0.01};
    order_ = paint_order(c);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return c.points[a].intensity < c.points[b].intensity;
    });
    std::size_t next = 0;
    for (const std::size_t i : order_) number_.push_back(c.points[i].label.empty() ? 0 : next++);
  }

  std::string print() {
    axes();
    roofs();
    paths();
    points();
    labels();
    std::string out;
    head(out, c_.title, Pen::bold);
    head(out, c_.subtitle, Pen::dim);
    for (int y = 0; y < canvas_.height(); ++y) out += canvas_.row(y, o_.color);
    legend(out);
    return out;
  }

 private:
  int column(double x) const { return static_cast<int>(std::floor(x_.at(x))); }
  int row(double y) const { return static_cast<int>(std::floor(y_.at(y))); }

  std::string name(std::size_t n) const { return letter_of(c_.points[order_[n]], number_[n]); }
  bool listed(std::size_t n) const { return !c_.points[order_[n]].label.empty(); }

  std::string styled(const std::string& s, const char* code) const {
    return o_.color ? std::string("\x1b[") + code + "m" + s + "\x1b[0m" : s;
  }

  void head(std::string& out, const std::string& text, Pen pen) const {
    if (text.empty()) return;
    for (const std::string& l : wrap(clean(text, o_.ascii), width_))
      out += styled(l, pen == Pen::bold ? "1" : "2") + "\n";
  }

  void axes() {
    for (const Tick& t : ticks(y_, 2)) {
      if (t.label.empty()) continue;
      const std::string label = clean(t.label, o_.ascii);
      canvas_.text(left_ - 1 - display_width(label), row(t.value), label, Pen::dim);
    }
    canvas_.line(left_, rows_ - 0.05, width_ - 0.01, rows_ - 0.05, Pen::dim);
    const std::string title = "FLOP/byte";
    for (const Tick& t : ticks(x_, 9)) {
      if (t.label.empty()) continue;
      const int w = display_width(t.label);
      const int x = std::clamp(column(t.value) - w / 2, 0, width_ - w);
      if (!canvas_.has_text(std::max(0, x - 1), rows_)) canvas_.text(x, rows_, t.label, Pen::dim);
    }
    canvas_.text(width_ - static_cast<int>(title.size()), rows_ + 1, title, Pen::dim);
    canvas_.text(0, rows_ + 1, "FLOP/s upwards", Pen::dim);
  }

  void paths() {
    for (const ChartPath& p : c_.paths) {
      const ChartPath::Step* last = nullptr;
      for (const ChartPath::Step& s : p.steps) {
        if (!drawable(s.intensity, s.flops_per_s)) continue;
        if (last)
          canvas_.line(x_.at(last->intensity), y_.at(last->flops_per_s), x_.at(s.intensity),
                       y_.at(s.flops_per_s), pen_of(p.phase));
        last = &s;
      }
    }
  }

  void roofs() {
    for (const ChartCeiling& k : c_.ceilings) {
      if (!drawable(1, k.flops_per_s) || k.slope_only) continue;
      const double y = y_.at(k.flops_per_s);
      canvas_.line(has_slope(k) ? x_.at(ridge(k)) : left_, y, width_ - 0.01, y,
                   dashed(k) ? Pen::dim : Pen::plain, dashed(k));
    }
    for (const ChartSlope& s : slopes_of(c_)) {
      const double start = std::max(x_.low, y_.low / s.bytes_per_s);
      canvas_.line(x_.at(start), y_.at(start * s.bytes_per_s), x_.at(s.end),
                   y_.at(s.end * s.bytes_per_s), s.reached ? Pen::dim : Pen::plain, s.reached);
    }
  }

  void points() {
    placed_.resize(order_.size());
    std::vector<std::size_t> done;
    // Letters before signs, and of both what was measured first.
    const auto rank = [&](std::size_t n) {
      return (listed(n) ? 0 : 2) + (c_.points[order_[n]].measured ? 0 : 1);
    };
    std::vector<std::size_t> turn(order_.size());
    for (std::size_t n = 0; n < turn.size(); ++n) turn[n] = n;
    std::stable_sort(turn.begin(), turn.end(),
                     [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    for (const std::size_t n : turn) {
      const ChartPoint& p = c_.points[order_[n]];
      const int x = column(p.intensity), y = row(p.flops_per_s);
      const auto there = std::find_if(done.begin(), done.end(), [&](std::size_t o) {
        return placed_[o].x == x && placed_[o].y == y;
      });
      placed_[n] = {x, y, there == done.end() ? n : placed_[*there].first};
      if (there == done.end()) canvas_.text(x, y, name(n), pen_of(p.phase));
      done.push_back(n);
    }
  }

  // Along the roofs and the slope, and the ridges at the axis; left out where there is no room.
  void labels() {
    std::vector<const ChartCeiling*> ceilings;
    for (const ChartCeiling& k : c_.ceilings)
      if (drawable(1, k.flops_per_s) && !k.label.empty()) ceilings.push_back(&k);
    std::stable_sort(ceilings.begin(), ceilings.end(), [](const auto* a, const auto* b) {
      return std::pair(dashed(*a), -a->flops_per_s) < std::pair(dashed(*b), -b->flops_per_s);
    });
    for (const ChartCeiling* k : ceilings) {
      const std::string label = narrow(k->label);
      const int w = display_width(label), y = row(k->flops_per_s);
      const int from = has_slope(*k) ? column(ridge(*k)) : left_;
      const bool done = put(width_ - w, y - 1, label) || put(from - w - 1, y, label) ||
                        put(from - w - 2, y, label) || put(width_ - w, y + 1, label) ||
                        put(from - w - 2, y - 1, label);
      if (!done) unplaced_.push_back(k->label);
    }
    for (const ChartSlope& s : slopes_of(c_)) {
      if (s.label.empty()) continue;
      const std::string label = narrow(s.label);
      const int w = display_width(label);
      bool done = false;
      for (int y = rows_ / 2; !done && y > 0; --y) {  // left of the slope, from the middle upwards
        const double v = y_.value(y + 0.5);
        done = put(column(v / s.bytes_per_s) - w - 2, y, label);
      }
      if (!done) unplaced_.push_back(s.label);
    }
    for (const ChartCeiling& k : c_.ceilings) {
      if (!has_slope(k) || dashed(k)) continue;
      const std::string value =
          format(ridge(k) >= 100 ? std::round(ridge(k)) : ridge(k), Unit::none);
      if (put(column(ridge(k)), rows_ - 2, value))
        canvas_.text(column(ridge(k)), rows_ - 1, o_.ascii ? "^" : "▴", Pen::dim);
    }
  }

  std::string narrow(const std::string& s) const {
    std::string out = clean(s, o_.ascii);
    // Wide characters do not fit the one-column cells.
    return display_width(out) == static_cast<int>(length(out)) ? out : clean(s, true);
  }
  static std::size_t length(const std::string& s) {
    std::size_t n = 0;
    for (std::size_t at = 0; at < s.size(); ++n) (void)next_char(s, at);
    return n;
  }
  bool put(int x, int y, const std::string& text) {
    if (x < left_ || y < 0 || y >= rows_) return false;
    if (canvas_.has_text(x - 1, y) || canvas_.has_text(x + display_width(text), y)) return false;
    return canvas_.text(x, y, text, Pen::dim, false);
  }

  // Columns of "A decode FC  16.0 FLOP/B  62.4 TFLOP/s", as many as fit beside each other.
  void legend(std::string& out) const {
    std::vector<std::string> labels, values;
    int label_width = 0, value_width = 0, widest = 0;
    for (std::size_t n = 0; n < order_.size(); ++n) {
      const ChartPoint& p = c_.points[order_[n]];
      labels.push_back(shorten(clean(p.label, o_.ascii), width_ / 2, o_.ascii));
      values.push_back(format(p.intensity, Unit::flop_per_byte));
      label_width = std::max(label_width, display_width(labels[n]));
      value_width = std::max(value_width, display_width(values[n]));
    }
    const auto pad = [](int cells) {
      return std::string(static_cast<std::size_t>(std::max(0, cells)), ' ');
    };
    std::vector<std::string> cells;
    std::vector<std::size_t> shown;  // the point of each cell
    for (std::size_t n = 0; n < order_.size(); ++n) {
      if (!listed(n)) continue;
      const ChartPoint& p = c_.points[order_[n]];
      std::string text = labels[n] + pad(label_width - display_width(labels[n]) + 2) +
                         pad(value_width - display_width(values[n])) + values[n] + "  " +
                         format(p.flops_per_s, Unit::flops_per_s);
      if (placed_[n].first != n) text += "  at " + name(placed_[n].first);
      text = shorten(text, width_ - 2, o_.ascii);
      widest = std::max(widest, display_width(text) + 2);
      cells.push_back(std::move(text));
      shown.push_back(n);
    }
    const int gap = 3;
    const int columns = widest == 0 ? 1 : std::max(1, (width_ + gap) / (widest + gap));
    const std::size_t lines =
        (cells.size() + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
    for (std::size_t l = 0; l < lines; ++l) {
      std::string text;
      int used = 0;
      for (std::size_t n = l; n < cells.size(); n += lines) {
        const int at = static_cast<int>(n / lines) * (widest + gap);
        text += std::string(static_cast<std::size_t>(at - used), ' ');
        const PointPhase phase = c_.points[order_[shown[n]]].phase;
        text += styled(name(shown[n]), phase == PointPhase::decode    ? "36"
                                       : phase == PointPhase::prefill ? "33"
                                                                      : "35");
        text += ' ' + cells[n];
        used = at + 2 + display_width(cells[n]);
      }
      out += text + '\n';
    }
    bool letters = false, o = false, x = false;
    for (const std::size_t i : order_) {
      const ChartPoint& p = c_.points[i];
      letters = letters || (p.measured && !p.label.empty());
      o = o || (p.measured && p.label.empty());
      x = x || (p.kind == PointKind::expected && p.label.empty());
    }
    std::string signs = letters ? "small letter: measured" : "";
    const auto sign = [&](bool there, const char* words) {
      if (there) signs += (signs.empty() ? "" : "; ") + std::string(words);
    };
    sign(o, "o: measured");
    sign(x, "x: expected");
    if (std::any_of(c_.ceilings.begin(), c_.ceilings.end(),
                    [](const ChartCeiling& k) { return k.reached; }))
      sign(true, "dashed: reached, fitted to the measurements");
    if (!signs.empty())
      for (const std::string& w : wrap(signs, width_)) out += w + '\n';
    for (const std::string& s : unplaced_)
      for (const std::string& w : wrap(clean("not shown in place: " + s, o_.ascii), width_))
        out += w + '\n';
  }

  struct Placed {
    int x = 0, y = 0;
    std::size_t first = 0;  // the point whose letter stands there
  };
  const RooflineChart& c_;
  const TerminalOptions& o_;
  int width_, rows_, left_ = 3;
  Canvas canvas_;
  LogAxis x_, y_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> number_;  // of the letter, among the points with a label
  std::vector<Placed> placed_;
  std::vector<std::string> unplaced_;
};

}  // namespace

std::string roofline_text(const RooflineChart& c, const TerminalOptions& options) {
  return Plot(c, options).print();
}

}  // namespace rooflens
