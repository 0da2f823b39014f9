#include "cli/picture.h"

#include <algorithm>

#include "rooflens/render/svg.h"
#include "rooflens/render/terminal.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens::cli {

Result<void> draw_plot(const Options& o, Context& c, std::span<const Analysis> all) {
  if (!o.plot) return {};
  return c.io.files->write(o.plot->text, to_svg(draw(analysis_chart(all))));
}

std::string terminal_picture(const Options& o, const Context& c, std::span<const Analysis> all) {
  if (o.no_chart || c.format != Format::text) return {};
  return roofline_text(
      analysis_chart(all),
      {.width = std::min(c.text.width, 120), .color = c.text.color, .ascii = c.text.ascii});
}

std::string first_table(const Report& r) {
  for (const Section& s : r.sections) {
    if (s.kind == SectionKind::table) return s.tag;
  }
  return {};
}

}  // namespace rooflens::cli
