#include "cli/image_file.h"

#include <deque>

#include "cli/optional_module.h"
#include "modules/image/image.h"
#include "rooflens/render/text.h"
#include "rooflens/render/theme.h"

namespace rooflens::cli {
namespace {

// The items of a scene as shapes that know their colours. What the shapes point at lives here.
class Shapes {
 public:
  Shapes(const Scene& scene, bool dark) : dark_(dark) {
    for (const Item& item : scene.items)
      std::visit([&](const auto& s) { add(s, item.look); }, item.shape);
  }

  [[nodiscard]] const std::vector<RooflensShape>& all() const { return shapes_; }

 private:
  [[nodiscard]] std::int32_t ink(Ink i) const {
    return i == Ink::none ? -1 : static_cast<std::int32_t>(color(i, dark_));
  }

  RooflensShape styled(RooflensShapeKind kind, Look look, const std::vector<Point2>& points) {
    const Style style = style_of(look);
    RooflensShape s{};
    s.kind = kind;
    std::vector<double>& numbers = numbers_.emplace_back();
    for (const Point2& p : points) numbers.insert(numbers.end(), {p.x, p.y});
    s.points = numbers.data();
    s.point_count = points.size();
    s.fill = ink(style.fill);
    s.stroke = ink(style.halo ? Ink::paper : style.stroke);
    s.stroke_width = style.halo ? 3 : style.stroke_width;
    s.stroke_first = style.halo ? 1 : 0;
    s.dash = style.dash;
    s.gap = style.gap;
    s.opacity = style.opacity;
    s.round = style.round ? 1 : 0;
    return s;
  }

  void add(const Polyline& p, Look look) {
    shapes_.push_back(styled(p.closed ? kRooflensPolygon : kRooflensPolyline, look, p.points));
  }

  void add(const Rect& r, Look look) {
    shapes_.push_back(
        styled(kRooflensRect, look, {{r.box.left, r.box.top}, {r.box.right, r.box.bottom}}));
    shapes_.back().radius = r.corner;
  }

  void add(const Mark& m, Look look) {
    const bool circle = m.shape == Shape::circle;
    RooflensShape s =
        circle ? styled(kRooflensCircle, look, {m.at}) : styled(kRooflensPolygon, look, outline(m));
    s.radius = m.radius;
    if (m.hollow) {
      s.stroke = s.fill;
      s.fill = ink(Ink::paper);
      s.stroke_width = 2;
    }
    shapes_.push_back(s);
  }

  void add(const Text& t, Look look) {
    RooflensShape s = styled(kRooflensText, look, {t.at});
    s.text = texts_.emplace_back(clean(t.text, false)).c_str();
    s.size = t.size;
    s.angle = t.angle;
    s.anchor = static_cast<std::int32_t>(t.anchor);
    s.bold = t.bold ? 1 : 0;
    shapes_.push_back(s);
  }

  bool dark_;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::string> texts_;
  std::vector<RooflensShape> shapes_;
};

void append(void* where, const unsigned char* bytes, std::size_t count) {
  static_cast<std::string*>(where)->append(reinterpret_cast<const char*>(bytes), count);
}

Result<RooflensImageDraw> open_module(const Io& io) {
  auto module = OptionalModule::open("image", "libcairo2-dev", io);
  if (!module) {
    module.error().message = "PNG and PDF need cairo: " + module.error().message;
    module.error().hint += "; SVG needs nothing";
    return Failure(std::move(module.error()));
  }
  const auto* version =
      static_cast<const std::int32_t*>(module->find(ROOFLENS_IMAGE_VERSION_SYMBOL));
  void* draw = module->find(ROOFLENS_IMAGE_DRAW);
  if (version == nullptr || *version != ROOFLENS_IMAGE_VERSION || draw == nullptr) {
    return fail(ErrorCode::unsupported, "the module image is of another version of rooflens",
                module->path(), "build both together");
  }
  return reinterpret_cast<RooflensImageDraw>(draw);
}

}  // namespace

Result<std::string> image_file(const Scene& scene, ImageKind kind, double scale, bool dark,
                               const Io& io) {
  auto draw = open_module(io);
  if (!draw) return Failure(std::move(draw.error()));
  const Shapes shapes(scene, dark);
  const std::string title = clean(scene.title, false);
  const RooflensPicture picture{scene.width,   scene.height,        scale,
                                title.c_str(), shapes.all().data(), shapes.all().size()};
  std::string bytes;
  const char* wrong = (*draw)(&picture, kind == ImageKind::pdf ? "pdf" : "png", append, &bytes);
  if (wrong != nullptr) {
    return fail(ErrorCode::unsupported, std::string("the picture cannot be drawn: ") + wrong,
                "--plot", "try a smaller --plot-size or --plot-scale");
  }
  return bytes;
}

}  // namespace rooflens::cli
