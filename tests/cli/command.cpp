#include "cli/command.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/io.h"

namespace rooflens::cli {
namespace {

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  bool open = false, quoted = false;
  for (char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

nlohmann::json value_at(const std::string& json, const std::string& pointer) {
  const auto all = nlohmann::json::parse(json, nullptr, false);
  const nlohmann::json::json_pointer at(pointer);
  return all.is_discarded() || !all.contains(at) ? nlohmann::json() : all[at];
}

}  // namespace

Outcome command(const std::vector<std::string>& words, const World& world) {
  std::ostringstream out, err;
  Io io{.out = out, .err = err, .env = {}, .run_command = {}};
  io.env = [&](const char* name) -> std::optional<std::string> {
    const auto it = world.env.find(name);
    return it == world.env.end() ? std::nullopt : std::optional(it->second);
  };
  io.run_command = [&](const std::vector<std::string>& c) -> std::optional<std::string> {
    const auto it = world.programs.find(c.at(0));
    return it == world.programs.end() ? std::nullopt : std::optional(it->second);
  };
  io.width = world.width;
  io.tty = io.err_tty = world.tty;
  const std::vector<std::string_view> args(words.begin(), words.end());
  Outcome outcome;
  outcome.code = run(args, io);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

Outcome command(std::string_view line, const World& world) { return command(split(line), world); }

double number_at(const std::string& json, const std::string& pointer) {
  const auto value = value_at(json, pointer);
  return value.is_number() ? value.get<double>() : std::nan("");
}

std::string text_at(const std::string& json, const std::string& pointer) {
  const auto value = value_at(json, pointer);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool valid_json(const std::string& json) { return nlohmann::json::accept(json); }

Folder::Folder() {
  static std::atomic<int> count{0};
  root_ = ::testing::TempDir() + "rooflens-cli-" + std::to_string(::getpid()) + "-" +
          std::to_string(count++);
  std::filesystem::create_directories(root_);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

std::string Folder::path(const std::string& name) const { return root_ + "/" + name; }

std::string Folder::file(const std::string& name, std::string_view content) const {
  const std::string at = path(name);
  std::filesystem::create_directories(std::filesystem::path(at).parent_path());
  std::ofstream(at, std::ios::binary) << content;
  return at;
}

std::string Folder::folder(const std::string& name) const {
  std::filesystem::create_directories(path(name));
  return path(name);
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool exists(const std::string& path) { return std::filesystem::exists(path); }

// The modules lie beside the command, the test program in a folder next to it.
std::string module_folder() {
  std::error_code none;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
  return (self.parent_path().parent_path() / "cli").string();
}

World with_modules() {
  World world;
  world.env["ROOFLENS_MODULES"] = module_folder();
  return world;
}

bool has_module(std::string_view name) {
  return exists(module_folder() + "/librooflens_" + std::string(name) + ".so");
}

}  // namespace rooflens::cli
