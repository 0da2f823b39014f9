#include "rooflens/readers/json_kind.h"

#include <algorithm>
#include <array>

#include "rooflens/core/ascii.h"
#include "rooflens/readers/json_text.h"

namespace rooflens {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view what, hint;
};

constexpr std::array kMagics{
    Magic{"GGUF", "a GGUF model file, not JSON", "give the .gguf file as the model itself"},
    Magic{"PK\x03\x04", "a zip archive (a PyTorch .bin or an archive), not JSON",
          "give config.json instead"},
    Magic{"\x1F\x8B", "a gzip archive, not JSON", "unpack it first"},
    Magic{"\xFF\xFE", "UTF-16 text", "save the file as UTF-8"},
    Magic{"\xFE\xFF", "UTF-16 text", "save the file as UTF-8"},
};

Error malformed(std::string_view what, std::string_view where, std::string_view hint) {
  return {ErrorCode::malformed, std::string(what), std::string(where), std::string(hint)};
}

// A safetensors file: eight bytes of header length, then a JSON object.
bool is_safetensors(std::string_view text) {
  if (text.size() < 10 || (text[8] != '{')) return false;
  return text[5] == 0 && text[6] == 0 && text[7] == 0;
}

}  // namespace

double lfs_pointer_size(std::string_view text) {
  if (text.substr(0, 42) != "version https://git-lfs.github.com/spec/v1") return -1;
  const std::size_t at = text.find("\nsize ");
  if (at == std::string_view::npos || text.size() > 1024) return 0;
  double size = 0;
  for (std::size_t i = at + 6; i < text.size() && is_digit(text[i]); ++i) {
    size = size * 10 + (text[i] - '0');
  }
  return size;
}

std::optional<Error> not_json(std::string_view text, std::string_view where) {
  if (text.size() > kJsonBytes) {
    return Error{ErrorCode::out_of_range,
                 number_text(static_cast<double>(text.size())) +
                     " bytes of JSON, more than the limit of 32 MiB",
                 std::string(where), "give config.json, not a weight or tokenizer file"};
  }
  if (const double size = lfs_pointer_size(text); size >= 0) {
    return malformed(
        "this is a Git LFS pointer of " + number_text(size) + " bytes; fetch the file itself",
        where, "run `git lfs pull`, or download the file from its page");
  }
  for (const Magic& magic : kMagics) {
    if (text.substr(0, magic.bytes.size()) == magic.bytes) {
      return malformed(magic.what, where, magic.hint);
    }
  }
  if (is_safetensors(text)) {
    return malformed("a safetensors weight file, not JSON", where,
                     "give the config.json beside it");
  }
  std::string_view body = text.substr(text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0);
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return malformed("the file is empty", where, "fetch the file again");
  }
  body = body.substr(first);
  const std::string head = lower(body.substr(0, 512));
  if (head.rfind("<!doctype", 0) == 0 || head.rfind("<html", 0) == 0 ||
      head.rfind("<?xml", 0) == 0) {
    return malformed("a web page, not JSON", where,
                     "save the raw file (its download link), not the page that shows it");
  }
  if (body.substr(0, 4096).find('\0') != std::string_view::npos) {
    return malformed("binary data, not JSON", where, "give config.json instead");
  }
  return std::nullopt;
}

}  // namespace rooflens
