#include "rooflens/render/legend.h"

#include <algorithm>

#include "rooflens/render/text_width.h"

namespace rooflens {
namespace {

constexpr double kSwatch = 24, kGap = 18;

double swatch_width(const LegendEntry& e) {
  if (std::holds_alternative<std::monostate>(e.swatch)) return 0;
  return std::holds_alternative<Mark>(e.swatch) ? kSwatch - 8 : kSwatch;
}

}  // namespace

Legend::Legend(std::vector<LegendEntry> entries, double width, double size, std::size_t max_rows)
    : entries_(std::move(entries)), width_(width), size_(size) {
  const std::size_t given = entries_.size();
  shown_ = given;
  for (LegendEntry& e : entries_) e.text = fit_text(e.text, size_, false, width_ - swatch_width(e));
  flow();
  while (rows_ > std::max<std::size_t>(1, max_rows) && shown_ > 0) {
    entries_.resize(--shown_);
    entries_.push_back({{}, Look::muted, "+" + std::to_string(given - shown_) + " more"});
    flow();
  }
}

void Legend::flow() {
  places_.clear();
  double x = 0;
  std::size_t row = 0;
  for (const LegendEntry& e : entries_) {
    const double w = swatch_width(e) + text_width(e.text, size_);
    if (x > 0 && x + w > width_) x = 0, ++row;
    places_.push_back({x, row});
    x += w + kGap;
  }
  rows_ = entries_.empty() ? 0 : row + 1;
}

void Legend::draw(Scene& scene, double left, double top) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const LegendEntry& e = entries_[i];
    const double x = left + places_[i].x;
    const double middle = top + row_height() * (static_cast<double>(places_[i].row) + 0.5);
    const double sw = swatch_width(e);
    if (const auto* m = std::get_if<Mark>(&e.swatch)) {
      Mark moved = *m;
      moved.at = {x + 6, middle};
      scene.add(moved, e.look);
    } else if (const auto* p = std::get_if<Polyline>(&e.swatch)) {
      Polyline moved = *p;
      for (Point2& q : moved.points) q = {q.x + x + 9, q.y + middle};
      scene.add(moved, e.look);
    }
    const double baseline = middle + size_ * (kTextAscent - kTextDescent) / 2;
    scene.add(Text{{x + sw, baseline}, Anchor::start, e.text, size_, false, 0}, Look::muted);
  }
}

}  // namespace rooflens
