#include "rooflens/render/roofline_chart.h"

#include <algorithm>

#include "rooflens/render/roofline_drawing.h"
#include "rooflens/render/text_width.h"

namespace rooflens {

RooflineDrawing::RooflineDrawing(const RooflineChart& c, std::vector<std::size_t> listed)
    : c_(c), listed_(std::move(listed)), order_(paint_order(c)), limits_(limits_of(c)) {
  scene_.width = std::max(320.0, c.width);
  scene_.height = std::max(240.0, c.height);
  if (scene_.width < 640 || scene_.height < 420) pad_ = 12, label_ = 11, tick_ = 10, title_ = 14;
}

Scene RooflineDrawing::draw() {
  describe();
  scene_.add(Rect{{0, 0, scene_.width, scene_.height}, 0}, Look::paper);
  lay_out();
  LabelPlacer placer(plot_.grown(-2));
  under();
  axes();
  hairlines(placer);
  paths(placer);
  roofs(placer);
  marks(placer);
  // In the order of importance: what is placed first has the better place.
  roof_labels(placer);
  slope_labels(placer);
  ridge_labels(placer);
  point_labels(placer);
  path_labels(placer);
  for (Scene* s : {&leaders_, &marks_, &texts_})
    for (Item& i : s->items) scene_.items.push_back(std::move(i));
  if (legend_) legend_->draw(scene_, pad_, legend_top_);
  return std::move(scene_);
}

std::size_t RooflineDrawing::listed_shown() const {
  const std::size_t fixed = legend_entries_ - listed_.size();
  const std::size_t shown = legend_ ? legend_->shown() : 0;
  return shown > fixed ? shown - fixed : 0;
}

void RooflineDrawing::describe() {
  scene_.title = c_.title.empty() ? "Roofline" : c_.title;
  scene_.description = c_.description;
  if (!scene_.description.empty()) return;
  scene_.description = "Log-log roofline. Ceilings:";
  for (const ChartCeiling& k : c_.ceilings) scene_.description += " " + k.label + ";";
  scene_.description += " points:";
  for (const ChartPoint& p : c_.points) scene_.description += " " + tip_of(p) + ";";
}

// Title above, legend below, axes around what remains.
void RooflineDrawing::lay_out() {
  double top = pad_;
  const double width = scene_.width - 2 * pad_;
  const std::size_t lines = scene_.height < 320 ? 1 : 2;
  const auto write = [&](const std::string& text, double size, bool bold, Look look) {
    for (const std::string& l : fit_lines(text, size, bold, width, lines)) {
      scene_.add(Text{{pad_, top + kTextAscent * size}, Anchor::start, l, size, bold, 0}, look);
      top += size * 1.3;
    }
  };
  write(c_.title, title_, true, Look::title);
  write(c_.subtitle, label_, false, Look::muted);
  if (top > pad_) top += 6;
  scene_.add(Text{{pad_, top + kTextAscent * tick_}, Anchor::start, "FLOP/s", tick_, false, 0},
             Look::muted);
  top += tick_ * 1.75;

  std::vector<LegendEntry> entries = legend_entries(c_, listed_);
  legend_entries_ = entries.size();
  const auto max_rows = static_cast<std::size_t>(scene_.height * 0.3 / (label_ * 1.5));
  legend_.emplace(std::move(entries), width, label_, max_rows);
  legend_top_ = scene_.height - pad_ * 0.75 - legend_->height();
  const double bottom = legend_top_ - (legend_->height() > 0 ? 8 : 0) - 2.9 * tick_ - 4;

  y_ = {limits_.y_low, limits_.y_high, bottom, top};
  double widest = 0;
  for (const Tick& t : ticks(y_, 2 * tick_)) widest = std::max(widest, text_width(t.label, tick_));
  plot_ = {pad_ + widest + 8, top, scene_.width - pad_, bottom};
  x_ = {limits_.x_low, limits_.x_high, plot_.left, plot_.right};
}

void RooflineDrawing::axes() {
  Box last{-1e9, 0, -1e9, 0};
  for (const Tick& t : ticks(x_, 4.2 * tick_)) {
    const double x = x_.at(t.value);
    const bool major = !t.label.empty();
    if (major) line({x, plot_.top}, {x, plot_.bottom}, Look::grid);
    line({x, plot_.bottom}, {x, plot_.bottom + (major ? 5 : 3)}, Look::axis);
    const Text text{
        {x, plot_.bottom + 7 + kTextAscent * tick_}, Anchor::middle, t.label, tick_, false, 0};
    const Box box = bounds(text_quad(text));
    if (!major || overlap(box.grown(3), last) || box.right > scene_.width - 1) continue;
    last = box;
    scene_.add(text, Look::muted);
  }
  for (const Tick& t : ticks(y_, 2 * tick_)) {
    const double y = y_.at(t.value);
    if (t.label.empty()) continue;
    line({plot_.left, y}, {plot_.right, y}, Look::grid);
    scene_.add(Text{{plot_.left - 6, y + 0.27 * tick_}, Anchor::end, t.label, tick_, false, 0},
               Look::muted);
  }
  line({plot_.left, plot_.bottom}, {plot_.right, plot_.bottom}, Look::axis);
  const std::string words =
      fit_text("arithmetic intensity, FLOP/byte", tick_, false, plot_.width());
  scene_.add(Text{{(plot_.left + plot_.right) / 2, plot_.bottom + 9 + (1.6 + kTextAscent) * tick_},
                  Anchor::middle,
                  words,
                  tick_,
                  false,
                  0},
             Look::muted);
}

void RooflineDrawing::line(Point2 a, Point2 b, Look look, std::string tip) {
  scene_.add(Polyline{{a, b}, false}, look, std::move(tip));
}

Scene draw(const RooflineChart& c, ChartNotes* notes) {
  // Labels that found no place go to the legend, which takes room from the plot, where more labels
  // may then find none: three rounds settle all but hopeless charts.
  std::vector<std::size_t> listed;
  Scene scene;
  for (int round = 0;; ++round) {
    RooflineDrawing drawing(c, listed);
    scene = drawing.draw();
    const std::vector<std::size_t>& dropped = drawing.dropped();
    if (!dropped.empty() && round < 3) {
      listed.insert(listed.end(), dropped.begin(), dropped.end());
      std::sort(listed.begin(), listed.end());
      continue;
    }
    if (!notes) return scene;
    const auto shown = listed.begin() + static_cast<std::ptrdiff_t>(drawing.listed_shown());
    notes->in_legend.assign(listed.begin(), shown);
    notes->unlabelled.assign(shown, listed.end());
    notes->unlabelled.insert(notes->unlabelled.end(), dropped.begin(), dropped.end());
    notes->omitted.clear();
    for (std::size_t i = 0; i < c.points.size(); ++i)
      if (!drawable(c.points[i].intensity, c.points[i].flops_per_s)) notes->omitted.push_back(i);
    return scene;
  }
}

}  // namespace rooflens
