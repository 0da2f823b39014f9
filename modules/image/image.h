/* The door between the command and librooflens_image: a picture as a list of shapes with their
   colours, painted in order; back come the bytes of a PNG or PDF file. Plain C, so that the two
   need not agree on a C++ library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Changes with every change below; the command refuses a module of another number. */
#define ROOFLENS_IMAGE_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

enum RooflensShapeKind {
  kRooflensPolyline = 0, /* `points` */
  kRooflensPolygon = 1,  /* `points`, closed */
  kRooflensRect = 2,     /* points[0], points[1]: top left, bottom right; `radius` of the corners */
  kRooflensCircle = 3,   /* points[0], `radius` */
  kRooflensText = 4      /* points[0] on the baseline */
};

/* y downwards. Colours are 0xRRGGBB, or -1 for none. */
struct RooflensShape {
  int32_t kind;
  const double* points; /* x, y, x, y, ... */
  size_t point_count;
  double radius;
  const char* text;   /* UTF-8 */
  double size, angle; /* of the text; degrees, clockwise */
  int32_t anchor;     /* 0 start, 1 middle, 2 end */
  int32_t bold;
  int32_t fill, stroke;
  double stroke_width, dash, gap; /* dash 0 = solid */
  double opacity;
  int32_t round;        /* caps and joins */
  int32_t stroke_first; /* the stroke is a rim under the fill */
};

struct RooflensPicture {
  double width, height; /* user units, of 1/96 inch in a PDF */
  double scale;         /* pixels for a unit in a PNG; enlarges a PDF */
  const char* title;    /* of a PDF */
  const struct RooflensShape* shapes;
  size_t shape_count;
};

/* Takes the next bytes of the file. */
typedef void (*RooflensSink)(void* where, const unsigned char* bytes, size_t count);

/* `format` is "png" or "pdf". NULL when all went well, else what went wrong (valid until the next
   call). */
typedef const char* (*RooflensImageDraw)(const struct RooflensPicture* picture, const char* format,
                                         RooflensSink sink, void* where);

/* The symbols a module has. */
#define ROOFLENS_IMAGE_DRAW "rooflens_image_draw"              /* RooflensImageDraw */
#define ROOFLENS_IMAGE_VERSION_SYMBOL "rooflens_image_version" /* int32_t */

#ifdef __cplusplus
}
#endif
