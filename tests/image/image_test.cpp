// Charts as PNG and PDF. Where cairo was missing when the build was configured there is no module
// and these tests are skipped; what the command then says is tested all the same.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <tuple>

#include "cli/command.h"

namespace rooflens::cli {
namespace {

std::string plot(const std::string& options, const std::string& name) {
  const Folder folder;
  const std::string path = folder.path(name);
  const Outcome r =
      command("Qwen/Qwen3-8B --on h100-sxm --plot " + path + " " + options, with_modules());
  EXPECT_EQ(r.code, 0) << r.err;
  return content_of(path);
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = at; i < at + 4; ++i) n = n << 8 | static_cast<std::uint8_t>(bytes.at(i));
  return n;
}

#define NEEDS_CAIRO() \
  if (!has_module("image")) GTEST_SKIP() << "no cairo (libcairo2-dev) when this was configured"

TEST(Image, a_png_has_the_size_asked_for) {
  NEEDS_CAIRO();
  for (const auto& [options, width, height] :
       {std::tuple{"", 960U, 600U}, std::tuple{"--plot-size 640x400", 640U, 400U},
        std::tuple{"--plot-size 640x400 --plot-scale 2", 1280U, 800U}}) {
    const std::string png = plot(options, "chart.png");
    ASSERT_GT(png.size(), 33U);
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(big_endian(png, 16), width) << options;
    EXPECT_EQ(big_endian(png, 20), height) << options;
    EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  }
}

// A blank picture of this size packs into some 3 KB of equal bytes; lines and letters do not.
TEST(Image, a_png_is_not_blank_and_a_dark_one_is_another) {
  NEEDS_CAIRO();
  const std::string light = plot("", "chart.png"), dark = plot("--theme dark", "chart.png");
  EXPECT_GT(light.size(), 15000U);
  EXPECT_GT(dark.size(), 15000U);
  EXPECT_NE(light, dark);
  EXPECT_EQ(light, plot("--theme light", "chart.png"));
}

TEST(Image, a_pdf_is_one_page_of_96_units_an_inch) {
  NEEDS_CAIRO();
  const std::string pdf = plot("--plot-size 800x500", "chart.PDF");
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
  EXPECT_GT(pdf.size(), 5000U);
  EXPECT_NE(pdf.find("/Count 1"), std::string::npos);
  EXPECT_NE(pdf.find("/MediaBox [ 0 0 600 375 ]"), std::string::npos);
}

TEST(Image, a_name_from_a_file_does_no_harm) {
  NEEDS_CAIRO();
  const Folder folder;
  const std::string config = folder.file(
      "config.json",
      R"({"model_type":"llama","_name_or_path":"a\u001b[31m\u202e<&\ud83d\ude80","hidden_size":4096,
          "num_hidden_layers":2,"num_attention_heads":32,"num_key_value_heads":8,
          "intermediate_size":14336,"vocab_size":128256,"torch_dtype":"bfloat16"})");
  const std::string path = folder.path("chart.png");
  const Outcome r = command(config + " --on h100-sxm --plot " + path, with_modules());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_GT(content_of(path).size(), 15000U);
}

TEST(Image, without_the_module_the_error_says_what_to_install) {
  World world;
  const Folder folder;
  world.env["ROOFLENS_MODULES"] = folder.folder("none");
  const std::string path = folder.path("chart.png");
  const Outcome r = command("Qwen/Qwen3-8B --on h100-sxm --plot " + path, world);
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("libcairo2-dev"), std::string::npos) << r.err;
  EXPECT_FALSE(exists(path));

  folder.file("broken/librooflens_image.so", "not a library");
  world.env["ROOFLENS_MODULES"] = folder.path("broken");
  const Outcome broken = command("Qwen/Qwen3-8B --on h100-sxm --plot " + path, world);
  EXPECT_EQ(broken.code, 2);
  EXPECT_NE(broken.err.find("cannot be loaded"), std::string::npos) << broken.err;
}

TEST(Image, other_kinds_sizes_and_themes_are_refused_with_what_there_is) {
  const Folder folder;
  const std::string base = "Qwen/Qwen3-8B --on h100-sxm --plot " + folder.folder("f") + "/";
  for (const auto& [options, says] :
       {std::pair{"chart.jpg", ".svg, .png or .pdf"},
        {"chart", ".svg, .png or .pdf"},
        {"c.svg --plot-size 100x100", "from 320x240"},
        {"c.svg --plot-size 960", "960x600"},
        {"c.svg --plot-size 960xtall", "960x600"},
        {"c.svg --plot-scale 2", "--plot-size"},
        {"c.png --plot-scale 0", "--plot-scale"},
        {"c.png --plot-size 10000x10000 --plot-scale 2", "100 million"},
        {"c.svg --theme sepia", "dark"}}) {
    const Outcome r = command(base + options);
    EXPECT_EQ(r.code, 2) << options;
    EXPECT_NE(r.err.find(says), std::string::npos) << options << "\n" << r.err;
  }
  const Outcome r = command("Qwen/Qwen3-8B --on h100-sxm --theme dark");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("--plot FILE"), std::string::npos) << r.err;
}

TEST(Image, an_svg_takes_the_size_and_the_theme) {
  const std::string automatic = plot("", "chart.svg");
  EXPECT_NE(automatic.find("prefers-color-scheme"), std::string::npos);
  const std::string dark = plot("--theme dark --plot-size 640x400", "chart.svg");
  EXPECT_EQ(dark.find("prefers-color-scheme"), std::string::npos);
  EXPECT_NE(dark.find("width=\"640\" height=\"400\""), std::string::npos);
}

}  // namespace
}  // namespace rooflens::cli
