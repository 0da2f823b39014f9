#include "cli/machine_source.h"

#include "rooflens/core/ascii.h"
#include "rooflens/core/quantity.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kMostDeviceFile = std::size_t{1} << 20;

// The value of "Model name:   Intel(R) Xeon(R)" in lscpu's output.
std::string line_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    if (line.substr(0, key.size()) == key) return std::string(trim(line.substr(key.size())));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

// What a tool calls the machine, or "".
std::string ask(const Io& io, const std::vector<std::string>& command, std::string_view key) {
  if (!io.run_command) return {};
  const auto text = io.run_command(command);
  if (!text) return {};
  return key.empty() ? std::string(trim(*text)) : line_value(*text, key);
}

bool looks_like_device_file(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] == '.' || text[0] == '/' || text[0] == '~') return true;
  const std::size_t dot = text.rfind('.');
  const std::string_view tail = dot == std::string_view::npos ? "" : text.substr(dot);
  return tail == ".txt" || tail == ".device" || tail == ".conf" || tail == ".csv";
}

}  // namespace

Result<Machine> machine_here(const Catalogue& c, const Io& io, std::string* said) {
  struct Question {
    std::vector<std::string> command;
    std::string_view key;
  };
  const Question questions[] = {
      {{"nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"}, ""},
      {{"rocm-smi", "--showproductname"}, ""},
      {{"sysctl", "-n", "machdep.cpu.brand_string"}, ""},
      {{"lscpu"}, "Model name:"}};
  std::string names;
  Error last{ErrorCode::not_found, "no tool on this machine says what it is", "--on this",
             "name the device; `rooflens devices` lists them"};
  for (const Question& q : questions) {
    const std::string name = ask(io, q.command, q.key);
    if (name.empty()) continue;
    if (names.empty()) names = name;
    auto machine = find_machine(c, name);
    if (machine) {
      if (said != nullptr) *said = name;
      return machine;
    }
    last = std::move(machine.error());
    last.where = q.command[0];
    if (last.code == ErrorCode::ambiguous || last.code == ErrorCode::unsupported) break;
  }
  if (said != nullptr) *said = names;
  return Failure(std::move(last));
}

Result<Machine> load_machine(const std::string& text, const Catalogue& c, const Io& io) {
  if (text == "this") return machine_here(c, io);
  const FileKind kind = io.files->kind(text);
  if (kind == FileKind::file || kind == FileKind::other) {
    auto content = io.files->read(text, kMostDeviceFile);
    if (!content) return Failure(std::move(content.error()));
    auto device = parse_device_text(*content, text);
    if (!device) return Failure(std::move(device.error()));
    return Machine{.device = std::move(*device), .count = 0, .matched_as = text, .caution = {}};
  }
  if (kind == FileKind::none && looks_like_device_file(text)) {
    return fail(ErrorCode::not_found, "there is no device file " + rooflens::quoted(text), "--on",
                "a device file holds words as bw=3.9TB/s, bf16=836T, mem=94GB");
  }
  auto machine = find_machine(c, text);
  if (!machine && machine.error().where.empty()) machine.error().where = "--on";
  return machine;
}

}  // namespace rooflens::cli
