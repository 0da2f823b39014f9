#include "cli/plot_options.h"

#include "cli/values.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"

namespace rooflens::cli {
namespace {

constexpr double kLeastWidth = 320, kLeastHeight = 240, kMostSide = 10000;
constexpr double kLeastScale = 0.25, kMostScale = 16, kMostPixels = 100e6;

constexpr std::pair<std::string_view, PlotKind> kEndings[] = {
    {".svg", PlotKind::svg}, {".png", PlotKind::png}, {".pdf", PlotKind::pdf}};

Result<PlotKind> kind_of(const Given& path) {
  const std::string name = lower(path.text);
  for (const auto& [ending, kind] : kEndings) {
    if (name.size() > ending.size() && name.ends_with(ending)) return kind;
  }
  return fail(ErrorCode::unsupported,
              rooflens::quoted(path.text) + " does not say what kind of picture it is", path.option,
              "give a name that ends in .svg, .png or .pdf");
}

// "960x600"
Result<void> read_size(const Given& g, PlotOptions& p) {
  const std::size_t x = g.text.find_first_of("xX");
  const auto width = parse_count(std::string_view(g.text).substr(0, x));
  const auto height =
      x == std::string::npos ? width : parse_count(std::string_view(g.text).substr(x + 1));
  if (x == std::string::npos || !width || !height || *width < kLeastWidth ||
      *height < kLeastHeight || *width > kMostSide || *height > kMostSide) {
    return fail(ErrorCode::invalid, rooflens::quoted(g.text) + " is no size of a picture", g.option,
                "as in 960x600; from 320x240 to 10000x10000");
  }
  p.width = *width;
  p.height = *height;
  return {};
}

}  // namespace

Result<PlotOptions> plot_options(const Options& o) {
  PlotOptions p;
  if (!o.plot) return p;
  auto kind = kind_of(*o.plot);
  if (!kind) return Failure(std::move(kind.error()));
  p.kind = *kind;
  if (o.plot_size) {
    if (auto r = read_size(*o.plot_size, p); !r) return Failure(std::move(r.error()));
  }
  Values values;
  p.scale = values.number(o.plot_scale, p.scale, kLeastScale, kMostScale);
  p.theme = values.choice<Theme>(
      o.theme, p.theme,
      {{"auto", Theme::automatic}, {"light", Theme::light}, {"dark", Theme::dark}});
  if (auto r = values.result(); !r) return Failure(std::move(r.error()));
  if (o.plot_scale && p.kind == PlotKind::svg) {
    return fail(ErrorCode::invalid, "an SVG picture has no pixels to scale", o.plot_scale->option,
                "--plot-size sets its size");
  }
  if (p.kind == PlotKind::png && p.width * p.height * p.scale * p.scale > kMostPixels) {
    return fail(ErrorCode::out_of_range, "the picture would have more than 100 million pixels",
                o.plot_scale ? o.plot_scale->option : "--plot-size",
                "give a smaller --plot-size or --plot-scale");
  }
  return p;
}

}  // namespace rooflens::cli
