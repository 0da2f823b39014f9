// A picture as the bytes of a PNG or PDF file, by the module modules/image.
#pragma once

#include <string>

#include "cli/io.h"
#include "rooflens/render/scene.h"

namespace rooflens::cli {

enum class ImageKind { png, pdf };

// `scale`: pixels for a unit of the scene in a PNG; it enlarges the page of a PDF, where a unit is
// 1/96 inch. Errors: the module is missing or too old, the picture is too large.
[[nodiscard]] Result<std::string> image_file(const Scene& scene, ImageKind kind, double scale,
                                             bool dark, const Io& io);

}  // namespace rooflens::cli
