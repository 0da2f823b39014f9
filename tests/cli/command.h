// Whole commands, run in-process: arguments in; exit code, standard output and standard error out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflens::cli {

// The world a command is run in. Nothing of the real environment is seen.
struct World {
  std::map<std::string, std::string> env{{"LANG", "C.UTF-8"}, {"TERM", "xterm"}};
  std::map<std::string, std::string> programs;  // first word of a command -> what it prints
  int width = 80;
  bool tty = false;
};

// The folder of the optional modules that were built, and a world that knows it.
[[nodiscard]] std::string module_folder();
[[nodiscard]] World with_modules();
[[nodiscard]] bool has_module(std::string_view name);  // "image"

struct Outcome {
  int code = -1;
  std::string out, err;
};

// Words separated by blanks; text in single quotes is one word.
[[nodiscard]] Outcome command(std::string_view line, const World& world = {});

// As above, word by word.
[[nodiscard]] Outcome command(const std::vector<std::string>& words, const World& world = {});

// The number at a JSON pointer ("/results/memory/max_batch"); NaN when it is not there. `valid` is
// false when the text is no strict JSON.
[[nodiscard]] double number_at(const std::string& json, const std::string& pointer);
[[nodiscard]] std::string text_at(const std::string& json, const std::string& pointer);
[[nodiscard]] bool valid_json(const std::string& json);

// A folder of its own, removed with everything in it at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  // Writes a file (folders on the way are made) and returns its path.
  std::string file(const std::string& name, std::string_view content) const;  // NOLINT
  std::string folder(const std::string& name) const;                          // NOLINT
  [[nodiscard]] std::string path(const std::string& name) const;

 private:
  std::string root_;
};

[[nodiscard]] std::string content_of(const std::string& path);
[[nodiscard]] bool exists(const std::string& path);

}  // namespace rooflens::cli
