#include "cli/help.h"

#include <algorithm>

#include "cli/exit_code.h"
#include "cli/verbs.h"
#include "rooflens/catalogue/names.h"
#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"
#include "rooflens/render/text.h"

namespace rooflens::embedded {
extern const std::string_view cli_md;
}

namespace rooflens::cli {
namespace {

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

bool starts(std::string_view line, std::string_view with) {
  return line.substr(0, with.size()) == with;
}

// Backticks and emphasis off; a link keeps its text.
std::string plain_words(std::string_view s) {
  std::string out;
  bool code = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '`') {
      code = !code;
    } else if (!code && starts(s.substr(i), "**")) {
      ++i;
    } else if (!code && s[i] == '[' && s.find("](", i) != std::string_view::npos) {
      const std::size_t middle = s.find("](", i), end = s.find(')', middle);
      out += plain_words(s.substr(i + 1, middle - i - 1));
      i = std::min(end, s.size() - 1);
    } else {
      out += s[i];
    }
  }
  return out;
}

// Paragraphs and list entries are gathered, then broken anew.
class Printer {
 public:
  explicit Printer(const TextOptions& o) : options_(o) {}

  void line(std::string_view raw) {
    if (starts(raw, "```")) {
      flush();
      code_ = !code_;
    } else if (code_) {
      out_ += "    " + clean(raw, options_.ascii) + '\n';
    } else if (trim(raw).empty()) {
      flush();
      if (!out_.empty() &&
          out_.substr(out_.size() - std::min<std::size_t>(2, out_.size())) != "\n\n")
        out_ += '\n';
    } else if (raw[0] == '#') {
      flush();
      heading(trim(raw.substr(raw.find_first_not_of('#'))));
    } else if (starts(raw, "- ")) {
      flush();
      hang_ = 6;
      text_ = raw.substr(2);
    } else {
      text_ += (text_.empty() ? "" : " ") + std::string(trim(raw));
    }
  }

  std::string take() {
    flush();
    while (!out_.empty() && out_.back() == '\n') out_.pop_back();
    return std::move(out_) + '\n';
  }

 private:
  void heading(std::string_view title) {
    const std::string words = upper(clean(plain_words(title), options_.ascii));
    out_ += (options_.color ? "\x1b[1m" + words + "\x1b[0m" : words) + '\n';
  }

  void flush() {
    if (text_.empty()) return;
    const int indent = hang_ > 0 ? 2 : 0;
    const std::string words = clean(plain_words(text_), options_.ascii);
    bool first = true;
    for (const std::string& l :
         wrap(words, std::max(20, options_.width - indent), hang_ > 0 ? 4 : 0)) {
      out_ += std::string(static_cast<std::size_t>(indent + (first || hang_ == 0 ? 0 : 4)), ' ') +
              l + '\n';
      first = false;
    }
    text_.clear();
    hang_ = 0;
  }

  TextOptions options_;
  std::string out_, text_;
  int hang_ = 0;
  bool code_ = false;
};

}  // namespace

std::string_view cli_document() { return embedded::cli_md; }

std::string help_section(std::string_view title) {
  std::string out;
  std::string_view rest = cli_document();
  bool inside = false, code = false;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    if (starts(line, "```")) code = !code;
    if (!code && starts(line, "## ")) {
      inside = line.substr(3) == title;
      continue;
    }
    if (!inside) continue;
    if (!starts(line, "<!-- help: ")) {
      out += std::string(line) + '\n';
      continue;
    }
    std::string_view names = line.substr(11, line.find(" -->") - 11);
    while (!names.empty()) {
      const std::size_t comma = std::min(names.find(','), names.size());
      const std::string_view name = trim(names.substr(0, comma));
      out += "### " + std::string(name) + "\n" + help_section(name) + '\n';
      names.remove_prefix(std::min(comma + 1, names.size()));
    }
  }
  return out;
}

std::string readable(std::string_view markdown, const TextOptions& options) {
  Printer printer(options);
  while (!markdown.empty()) printer.line(next_line(markdown));
  return printer.take();
}

int print_help(std::string_view verb, Context& c) {
  TextOptions options = c.text;
  options.width = std::min(options.width, 100);
  return print_text(readable(help_section(verb.empty() ? "rooflens" : verb), options), c, kDone);
}

int help_verb(const Options& o, Context& c) {
  if (o.words.empty()) return print_help("", c);
  if (find_verb(o.words[0]) != nullptr) return print_help(o.words[0], c);
  std::vector<std::string_view> names;
  for (const Verb& v : verb_table()) names.push_back(v.name);
  const std::string_view near = nearest(o.words[0], names);
  return complain(c.io,
                  {ErrorCode::not_found, "there is no verb " + rooflens::quoted(o.words[0]), "help",
                   near.empty() ? "`rooflens help` lists the verbs"
                                : "did you mean " + std::string(near) + "?"});
}

}  // namespace rooflens::cli
