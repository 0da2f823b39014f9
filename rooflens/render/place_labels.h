// Where labels go so that none covers another label, a mark, or the frame.
#pragma once

#include <string>
#include <vector>

#include "rooflens/render/scene.h"

namespace rooflens {

struct LabelRequest {
  Point2 at;                       // what is labelled
  double clearance = 7;            // radius to keep free around it
  std::vector<std::string> texts;  // the preferred one first, shorter ones after
  double size = 12;
  bool bold = false;
  bool leader = true;   // may stand apart, joined by a line
  Point2 prefer{0, 0};  // a direction to try first, if any
};

struct PlacedLabel {
  bool placed = false;
  Text text;
  bool has_leader = false;
  Point2 leader_from, leader_to;
};

class LabelPlacer {
 public:
  explicit LabelPlacer(Box frame) : frame_(frame) {}

  // Nothing may cover this.
  void block(const Quad& q);
  void block(const Box& b) { block(quad(b)); }

  // Better not to write across this line; `cost` is in units of distance a label would rather move.
  void avoid(Point2 a, Point2 b, double cost) { lines_.push_back({a, b, cost}); }

  // Fixed candidates: the first that is free and crosses lines for less than `most` in all, or the
  // cheapest free one; its place is blocked. False when none is free.
  bool place_at(const std::vector<Text>& candidates, double most, Text& chosen);

  // Around marks: beside them, with a shorter text, with a leader line. Several orders are tried
  // and the cheapest is kept; results in the order of the requests. A label that fits nowhere is
  // not placed: the caller lists it elsewhere. Time grows with requests x obstacles (about 1 ms for
  // 20 x 60).
  std::vector<PlacedLabel> place(const std::vector<LabelRequest>& requests);

 private:
  struct Obstacle {
    Quad shape;
    Box box;
  };
  struct Line {
    Point2 a, b;
    double cost;
  };
  struct Choice {
    double cost = 0;
    PlacedLabel label;
  };

  [[nodiscard]] bool is_free(const Quad& q) const;
  [[nodiscard]] double line_cost(const Quad& q) const;
  [[nodiscard]] bool leader_is_free(Point2 a, Point2 b, const LabelRequest& r) const;
  [[nodiscard]] double leader_cost(Point2 a, Point2 b) const;
  void consider(const LabelRequest& r, std::size_t text, double width, Point2 direction,
                double distance, double base, bool leader, Choice& best) const;
  [[nodiscard]] Choice best_of(const LabelRequest& r) const;
  void commit(const PlacedLabel& l);

  Box frame_;
  std::vector<Obstacle> blocks_;
  std::vector<Line> lines_;
};

}  // namespace rooflens
