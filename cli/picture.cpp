#include "cli/picture.h"

#include <algorithm>

#include "cli/image_file.h"
#include "cli/plot_options.h"
#include "rooflens/render/svg.h"
#include "rooflens/render/terminal.h"

namespace rooflens::cli {

Result<void> draw_plot(const Options& o, Context& c, const MakeChart& make) {
  if (!o.plot) return {};
  const auto asked = plot_options(o);
  if (!asked) return Failure(asked.error());
  RooflineChart chart = make();
  chart.width = asked->width;
  chart.height = asked->height;
  const Scene scene = draw(chart);
  if (asked->kind == PlotKind::svg) {
    return c.io.files->write(o.plot->text, to_svg(scene, {.theme = asked->theme}));
  }
  const auto bytes =
      image_file(scene, asked->kind == PlotKind::pdf ? ImageKind::pdf : ImageKind::png,
                 asked->scale, asked->theme == Theme::dark, c.io);
  if (!bytes) return Failure(bytes.error());
  return c.io.files->write(o.plot->text, *bytes);
}

std::string terminal_picture(const Options& o, const Context& c, const MakeChart& make) {
  if (o.no_chart || c.format != Format::text) return {};
  return roofline_text(
      make(), {.width = std::min(c.text.width, 120), .color = c.text.color, .ascii = c.text.ascii});
}

std::string first_table(const Report& r) {
  for (const Section& s : r.sections) {
    if (s.kind == SectionKind::table) return s.tag;
  }
  return {};
}

}  // namespace rooflens::cli
