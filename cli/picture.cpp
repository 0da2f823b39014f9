#include "cli/picture.h"

#include "rooflens/render/svg.h"
#include "rooflens/views/analysis_views.h"

namespace rooflens::cli {

Result<void> draw_plot(const Options& o, Context& c, std::span<const Analysis> all) {
  if (!o.plot) return {};
  return c.io.files->write(o.plot->text, to_svg(draw(analysis_chart(all))));
}

std::string terminal_picture(const Options&, const Context&, std::span<const Analysis>) {
  return {};
}

std::string first_table(const Report& r) {
  for (const Section& s : r.sections) {
    if (s.kind == SectionKind::table) return s.tag;
  }
  return {};
}

}  // namespace rooflens::cli
