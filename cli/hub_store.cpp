// Adding to the cache: every file appears whole or not at all, whoever else works there.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/hub_cache.h"

namespace rooflens::cli {
namespace {

namespace fs = std::filesystem;

Failure cannot_store(const fs::path& at, const std::string& why) {
  return fail(ErrorCode::invalid, "cannot write to the cache: " + why, at.string());
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? Result<void>(cannot_store(folder, error.message())) : Result<void>();
}

// Beside the place it will have, so that a rename is enough.
fs::path unfinished(const fs::path& at) {
  return at.string() + "." + std::to_string(getpid()) + ".incomplete";
}

Result<void> move_there(const fs::path& from, const fs::path& to) {
  std::error_code error, ignored;
  fs::rename(from, to, error);
  if (!error) return {};
  fs::remove(from, ignored);
  return cannot_store(to, error.message());
}

Result<void> put_text(const fs::path& at, std::string_view text) {
  const fs::path part = unfinished(at);
  errno = 0;
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) {
    const std::string why = std::strerror(errno);
    std::error_code ignored;
    fs::remove(part, ignored);
    return cannot_store(at, why);
  }
  return move_there(part, at);
}

// A link to the blob; the text itself where the disk knows no links.
Result<void> put_link(const fs::path& at, const fs::path& target, std::string_view text) {
  std::error_code error, ignored;
  const fs::path part = unfinished(at);
  fs::remove(part, ignored);
  fs::create_symlink(target, part, error);
  return error ? put_text(at, text) : move_there(part, at);
}

Result<void> put_file(const fs::path& repository, const std::string& commit, const HubFile& f) {
  if (f.absent) {
    const fs::path folder = repository / ".no_exist" / commit;
    if (auto r = make_folder(folder); !r) return r;
    return put_text(folder / f.name, "");
  }
  if (f.etag.empty()) return {};
  const fs::path blob = repository / "blobs" / f.etag;
  std::error_code error;
  if (fs::file_size(blob, error) != f.text.size() || error) {
    if (auto r = put_text(blob, f.text); !r) return r;
  }
  const fs::path link = repository / "snapshots" / commit / f.name;
  if (fs::exists(link, error) && !fs::is_symlink(link, error)) return {};  // a whole copy
  return put_link(link, fs::path("..") / ".." / "blobs" / f.etag, f.text);
}

}  // namespace

Result<void> store_cached(const std::string& root, const std::string& name,
                          const std::string& commit, const std::string& ref,
                          const std::vector<HubFile>& files) {
  const fs::path repository = fs::path(root) / cache_folder_name(name);
  for (const fs::path& f : {repository / "blobs", repository / "snapshots" / commit}) {
    if (auto r = make_folder(f); !r) return r;
  }
  // config.json last: who sees it sees its side files.
  for (auto it = files.rbegin(); it != files.rend(); ++it) {
    if (auto r = put_file(repository, commit, *it); !r) return r;
  }
  if (ref.empty()) return {};
  const fs::path at = repository / "refs" / ref;
  if (auto r = make_folder(at.parent_path()); !r) return r;
  return put_text(at, commit);
}

}  // namespace rooflens::cli
