// One shape on a cairo context, looking as the SVG does.
#pragma once

#include <cairo.h>

#include "modules/image/image.h"

namespace rooflens::image {

// The fonts of kFontStack (render/text_width.h) that this machine has.
struct Fonts {
  cairo_font_face_t* regular = nullptr;
  cairo_font_face_t* bold = nullptr;

  Fonts();
  ~Fonts();
  Fonts(const Fonts&) = delete;
  Fonts& operator=(const Fonts&) = delete;
};

void paint(cairo_t* c, const RooflensShape& shape, const Fonts& fonts);

}  // namespace rooflens::image
