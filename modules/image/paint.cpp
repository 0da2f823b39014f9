#include "modules/image/paint.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rooflens::image {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr const char* kFamilies[] = {"system-ui", "Segoe UI",    "Roboto",    "Helvetica",
                                     "Arial",     "DejaVu Sans", "sans-serif"};

// nullptr when fontconfig knows no font at all: cairo then draws with its own choice.
cairo_font_face_t* face_of(int weight) {
  FcPattern* wanted = FcPatternCreate();
  if (wanted == nullptr) return nullptr;
  for (const char* family : kFamilies) {
    FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  }
  FcPatternAddInteger(wanted, FC_WEIGHT, weight);
  FcPatternAddBool(wanted, FC_OUTLINE, FcTrue);
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  FcPattern* found = FcFontMatch(nullptr, wanted, &result);
  FcPatternDestroy(wanted);
  if (found == nullptr) return nullptr;
  cairo_font_face_t* face = cairo_ft_font_face_create_for_pattern(found);
  FcPatternDestroy(found);
  return face;
}

void set_color(cairo_t* c, int32_t rgb, double opacity) {
  const auto part = [rgb](int shift) { return (rgb >> shift & 255) / 255.0; };
  cairo_set_source_rgba(c, part(16), part(8), part(0), opacity);
}

void set_stroke(cairo_t* c, const RooflensShape& s) {
  const bool round = s.round != 0 || s.stroke_first != 0;
  cairo_set_line_width(c, s.stroke_width);
  cairo_set_line_cap(c, s.round != 0 ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_line_join(c, round ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_MITER);
  cairo_set_miter_limit(c, 4);  // as SVG's
  const double dashes[] = {s.dash, s.gap};
  cairo_set_dash(c, dashes, s.dash > 0 ? 2 : 0, 0);
}

void trace_rect(cairo_t* c, const RooflensShape& s) {
  const double left = s.points[0], top = s.points[1], right = s.points[2], bottom = s.points[3];
  const double r = std::min(s.radius, std::min(right - left, bottom - top) / 2);
  if (r <= 0) {
    cairo_rectangle(c, left, top, right - left, bottom - top);
    return;
  }
  cairo_new_sub_path(c);
  cairo_arc(c, right - r, top + r, r, -kPi / 2, 0);
  cairo_arc(c, right - r, bottom - r, r, 0, kPi / 2);
  cairo_arc(c, left + r, bottom - r, r, kPi / 2, kPi);
  cairo_arc(c, left + r, top + r, r, kPi, 3 * kPi / 2);
  cairo_close_path(c);
}

void trace(cairo_t* c, const RooflensShape& s) {
  cairo_new_path(c);
  if (s.kind == kRooflensRect) {
    trace_rect(c, s);
  } else if (s.kind == kRooflensCircle) {
    cairo_arc(c, s.points[0], s.points[1], s.radius, 0, 2 * kPi);
  } else {
    for (std::size_t i = 0; i < s.point_count; ++i) {
      cairo_line_to(c, s.points[2 * i], s.points[2 * i + 1]);
    }
    if (s.kind == kRooflensPolygon) cairo_close_path(c);
  }
}

// Shown as text, not as outlines, so that a PDF can be searched.
void paint_text(cairo_t* c, const RooflensShape& s, const Fonts& fonts) {
  cairo_font_face_t* face = s.bold != 0 ? fonts.bold : fonts.regular;
  if (face != nullptr) cairo_set_font_face(c, face);
  cairo_set_font_size(c, s.size);
  cairo_text_extents_t extents;
  cairo_text_extents(c, s.text, &extents);
  const double back = s.anchor == 0 ? 0 : s.anchor == 1 ? extents.x_advance / 2 : extents.x_advance;
  cairo_translate(c, s.points[0], s.points[1]);
  cairo_rotate(c, s.angle * kPi / 180);
  if (s.stroke >= 0) {
    cairo_move_to(c, -back, 0);
    cairo_text_path(c, s.text);
    set_stroke(c, s);
    set_color(c, s.stroke, s.opacity);
    cairo_stroke(c);
  }
  if (s.fill < 0) return;
  cairo_move_to(c, -back, 0);
  set_color(c, s.fill, s.opacity);
  cairo_show_text(c, s.text);
}

}  // namespace

Fonts::Fonts() : regular(face_of(FC_WEIGHT_REGULAR)), bold(face_of(FC_WEIGHT_DEMIBOLD)) {}

Fonts::~Fonts() {
  for (cairo_font_face_t* face : {regular, bold}) {
    if (face != nullptr) cairo_font_face_destroy(face);
  }
}

void paint(cairo_t* c, const RooflensShape& s, const Fonts& fonts) {
  cairo_save(c);
  if (s.kind == kRooflensText) {
    paint_text(c, s, fonts);
  } else {
    trace(c, s);
    if (s.fill >= 0) {
      set_color(c, s.fill, s.opacity);
      cairo_fill_preserve(c);
    }
    if (s.stroke >= 0) {
      set_stroke(c, s);
      set_color(c, s.stroke, s.opacity);
      cairo_stroke_preserve(c);
    }
    cairo_new_path(c);
  }
  cairo_restore(c);
}

}  // namespace rooflens::image
