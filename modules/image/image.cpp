#include "modules/image/image.h"

#include <cairo-pdf.h>
#include <cairo.h>

#include <cmath>
#include <cstring>

#include "modules/image/paint.h"

namespace rooflens::image {
namespace {

constexpr double kPointsPerUnit = 0.75;  // 72 points and 96 units make an inch
constexpr double kMostPixels = 32767;    // of a side; cairo's own limit

struct Sink {
  RooflensSink take;
  void* where;
};

cairo_status_t pass_on(void* sink, const unsigned char* bytes, unsigned int count) {
  const auto* s = static_cast<const Sink*>(sink);
  s->take(s->where, bytes, count);
  return CAIRO_STATUS_SUCCESS;
}

// The same letter shapes at every size, as in the SVG.
void set_fonts(cairo_t* c) {
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(c, options);
  cairo_font_options_destroy(options);
}

cairo_status_t draw(cairo_surface_t* surface, const RooflensPicture& p, double scale) {
  cairo_t* c = cairo_create(surface);
  cairo_scale(c, scale, scale);
  set_fonts(c);
  {
    const Fonts fonts;
    for (std::size_t i = 0; i < p.shape_count; ++i) paint(c, p.shapes[i], fonts);
  }
  cairo_show_page(c);
  const cairo_status_t status = cairo_status(c);
  cairo_destroy(c);
  return status;
}

cairo_status_t png(const RooflensPicture& p, Sink sink) {
  const double width = std::ceil(p.width * p.scale), height = std::ceil(p.height * p.scale);
  if (!(width >= 1 && height >= 1 && width <= kMostPixels && height <= kMostPixels)) {
    return CAIRO_STATUS_INVALID_SIZE;
  }
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                                        static_cast<int>(height));
  cairo_status_t status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) status = draw(surface, p, p.scale);
  if (status == CAIRO_STATUS_SUCCESS) {
    status = cairo_surface_write_to_png_stream(surface, pass_on, &sink);
  }
  cairo_surface_destroy(surface);
  return status;
}

cairo_status_t pdf(const RooflensPicture& p, Sink sink) {
  const double scale = kPointsPerUnit * p.scale;
  cairo_surface_t* surface =
      cairo_pdf_surface_create_for_stream(pass_on, &sink, p.width * scale, p.height * scale);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, p.title);
  cairo_status_t status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) status = draw(surface, p, scale);
  cairo_surface_finish(surface);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  return status;
}

}  // namespace
}  // namespace rooflens::image

extern "C" {

__attribute__((visibility("default"))) extern const int32_t rooflens_image_version;
const int32_t rooflens_image_version = ROOFLENS_IMAGE_VERSION;

__attribute__((visibility("default"))) const char* rooflens_image_draw(
    const RooflensPicture* picture, const char* format, RooflensSink sink, void* where) {
  using namespace rooflens::image;
  const bool as_pdf = std::strcmp(format, "pdf") == 0;
  if (!as_pdf && std::strcmp(format, "png") != 0) return "neither png nor pdf";
  const cairo_status_t status =
      as_pdf ? pdf(*picture, {sink, where}) : png(*picture, {sink, where});
  return status == CAIRO_STATUS_SUCCESS ? nullptr : cairo_status_to_string(status);
}
}
