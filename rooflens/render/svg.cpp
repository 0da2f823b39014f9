#include "rooflens/render/svg.h"

#include <cmath>

#include "rooflens/render/text.h"
#include "rooflens/render/text_width.h"
#include "rooflens/render/theme.h"

namespace rooflens {
namespace {

// Rounded to a tenth, without trailing zero; no float printing, so it stays small in WebAssembly.
std::string fixed(double v) {
  const double limited = std::isfinite(v) ? std::fmin(std::fmax(v, -1e9), 1e9) : 0;
  const long long tenths = std::llround(limited * 10);
  const long long magnitude = tenths < 0 ? -tenths : tenths;
  std::string out = tenths < 0 ? "-" : "";
  out += std::to_string(magnitude / 10);
  if (magnitude % 10) out += "." + std::to_string(magnitude % 10);
  return out;
}

std::string hundredths(double v) {
  const long long n = std::llround(v * 100);
  std::string digits = std::to_string(n % 100);
  return std::to_string(n / 100) + "." + (n % 100 < 10 ? "0" : "") + digits;
}

std::string hex(std::uint32_t rgb) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string out = "#";
  for (int shift = 20; shift >= 0; shift -= 4) out += kHex[(rgb >> shift) & 15];
  return out;
}

class Writer {
 public:
  Writer(const Scene& s, const SvgOptions& o) : scene_(s), o_(o) {}

  std::string write() {
    if (o_.file) out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    const std::string w = fixed(scene_.width), h = fixed(scene_.height), id = xml_escape(o_.id);
    out_ += "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rl\" viewBox=\"0 0 " + w + " " + h +
            "\"";
    if (o_.file) out_ += " width=\"" + w + "\" height=\"" + h + "\"";
    out_ += std::string(" role=\"") + (o_.focusable ? "group" : "img") + "\" aria-labelledby=\"" +
            id + "-title " + id + "-desc\">\n";
    out_ += "<title id=\"" + id + "-title\">" + xml_escape(scene_.title) + "</title>\n";
    out_ += "<desc id=\"" + id + "-desc\">" + xml_escape(scene_.description) + "</desc>\n";
    style();
    for (const Item& i : scene_.items) item(i);
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  // `property:colour`; with variables also the literal before it, for viewers that know none.
  std::string paint(const char* property, Ink i) const {
    if (i == Ink::none) return std::string(property) + ":none;";
    const std::string literal = hex(color(i, o_.theme == Theme::dark));
    std::string out = std::string(property) + ":" + literal + ";";
    if (o_.theme == Theme::automatic)
      out += std::string(property) + ":var(--rl-" + name_of(i) + "," + literal + ");";
    return out;
  }

  std::string variables(bool dark) const {
    std::string out;
    for (int i = 1; i < kInks; ++i) {
      const auto ink = static_cast<Ink>(i);
      out += std::string("--rl-") + name_of(ink) + ":" + hex(color(ink, dark)) + ";";
    }
    return out;
  }

  void style() {
    out_ += "<style>\n";
    // :where() has no weight, so that a page's own setting of a variable wins.
    if (o_.theme == Theme::automatic)
      out_ += "@media (prefers-color-scheme:dark){:where(:root,:host){" + variables(true) + "}}\n";
    out_ += std::string(".rl text{font-family:") + kFontStack + ";}\n";
    for (int i = 0; i < kLooks; ++i) rule(static_cast<Look>(i));
    out_ += ".rl .rl-hollow{" + paint("fill", Ink::paper) + "stroke-width:2;}\n";
    if (o_.focusable)
      out_ +=
          ".rl [tabindex]:focus{outline:none;" + paint("stroke", Ink::ink) + "stroke-width:2.5;}\n";
    out_ += "</style>\n";
  }

  void rule(Look l) {
    const Style s = style_of(l);
    std::string body = paint("fill", s.fill);
    if (s.halo) {
      body += paint("stroke", Ink::paper) + "stroke-width:3;stroke-linejoin:round;" +
              "paint-order:stroke;";
    } else if (s.stroke != Ink::none) {
      body += paint("stroke", s.stroke) + "stroke-width:" + hundredths(s.stroke_width) + ";";
    }
    if (s.dash > 0) body += "stroke-dasharray:" + fixed(s.dash) + " " + fixed(s.gap) + ";";
    if (s.opacity < 1) body += "opacity:" + hundredths(s.opacity) + ";";
    if (s.round) body += "stroke-linecap:round;stroke-linejoin:round;";
    out_ += std::string(".rl .rl-") + name_of(l) + "{" + body + "}\n";
    const bool is_mark = l == Look::mark_decode || l == Look::mark_prefill ||
                         l == Look::mark_other || l == Look::mark_neutral;
    if (is_mark)
      out_ +=
          std::string(".rl .rl-") + name_of(l) + ".rl-hollow{" + paint("stroke", s.fill) + "}\n";
  }

  void item(const Item& i) {
    std::string tag, body, attributes = std::string("class=\"rl-") + name_of(i.look);
    if (const auto* m = std::get_if<Mark>(&i.shape)) {
      attributes += std::string(m->hollow ? " rl-hollow" : "") + "\"";
      mark(*m, tag, attributes);
    } else if (const auto* p = std::get_if<Polyline>(&i.shape)) {
      tag = p->closed ? "polygon" : "polyline";
      attributes += "\" points=\"" + points(p->points) + "\"";
    } else if (const auto* r = std::get_if<Rect>(&i.shape)) {
      tag = "rect";
      attributes += "\" x=\"" + fixed(r->box.left) + "\" y=\"" + fixed(r->box.top) + "\" width=\"" +
                    fixed(r->box.width()) + "\" height=\"" + fixed(r->box.height()) + "\"";
      if (r->corner > 0) attributes += " rx=\"" + fixed(r->corner) + "\"";
    } else if (const auto* t = std::get_if<Text>(&i.shape)) {
      tag = "text";
      text(*t, attributes);
      body = xml_escape(t->text);
    }
    if (!i.tip.empty()) {
      const std::string tip = xml_escape(i.tip);
      if (o_.focusable) attributes += " tabindex=\"0\" role=\"img\" aria-label=\"" + tip + "\"";
      body = "<title>" + tip + "</title>" + body;
    }
    out_ += "<" + tag + " " + attributes;
    out_ += body.empty() ? "/>\n" : ">" + body + "</" + tag + ">\n";
  }

  static std::string points(const std::vector<Point2>& all) {
    std::string out;
    for (const Point2& p : all) out += (out.empty() ? "" : " ") + fixed(p.x) + "," + fixed(p.y);
    return out;
  }

  static void mark(const Mark& m, std::string& tag, std::string& attributes) {
    if (m.shape == Shape::circle) {
      tag = "circle";
      attributes += " cx=\"" + fixed(m.at.x) + "\" cy=\"" + fixed(m.at.y) + "\" r=\"" +
                    fixed(m.radius) + "\"";
    } else {
      tag = "polygon";
      attributes += " points=\"" + points(outline(m)) + "\"";
    }
  }

  static void text(const Text& t, std::string& attributes) {
    attributes += "\" x=\"" + fixed(t.at.x) + "\" y=\"" + fixed(t.at.y) + "\" font-size=\"" +
                  fixed(t.size) + "\"";
    if (t.anchor == Anchor::middle) attributes += " text-anchor=\"middle\"";
    if (t.anchor == Anchor::end) attributes += " text-anchor=\"end\"";
    if (t.bold) attributes += " font-weight=\"600\"";
    if (t.angle != 0)
      attributes += " transform=\"rotate(" + fixed(t.angle) + " " + fixed(t.at.x) + " " +
                    fixed(t.at.y) + ")\"";
  }

  const Scene& scene_;
  const SvgOptions& o_;
  std::string out_;
};

}  // namespace

std::string xml_escape(std::string_view s) {
  std::string out;
  for (std::size_t at = 0; at < s.size();) {
    const char32_t c = next_char(s, at);
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default: {
        const bool allowed = c >= 0x20 || c == '\t' || c == '\n' || c == '\r';
        append_utf8(out, allowed && c != 0xfffe && c != 0xffff ? c : 0xfffd);
      }
    }
  }
  return out;
}

std::string to_svg(const Scene& scene, const SvgOptions& options) {
  return Writer(scene, options).write();
}

}  // namespace rooflens
