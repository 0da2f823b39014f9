// Files of others that tests may read where they are: the folder ROOFLENS_CORPUS, or the default.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace rooflens::test {

// A file or folder of the corpus; an empty path when it is not there.
inline std::filesystem::path in_corpus(const std::string& name) {
  const char* folder = std::getenv("ROOFLENS_CORPUS");
#ifdef ROOFLENS_CORPUS_DEFAULT
  if (folder == nullptr) folder = ROOFLENS_CORPUS_DEFAULT;
#endif
  if (folder == nullptr) return {};
  std::filesystem::path path = std::filesystem::path(folder) / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

// The whole file, "" when it cannot be read.
inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace rooflens::test
