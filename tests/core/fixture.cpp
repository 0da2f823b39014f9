#include "core/fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>

#include "rooflens/core/requantise.h"
#include "vectors/vector_file.h"

namespace {

thread_local std::size_t allocated = 0;

void* counted(std::size_t bytes) noexcept {
  ++allocated;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* counted_or_throw(std::size_t bytes) {
  void* p = counted(bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

// The whole test binary counts what it allocates; over-aligned types keep the library's operators.
void* operator new(std::size_t bytes) { return counted_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return counted_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace rooflens::fixture {
namespace {

const vectors::File& file() {
  static const vectors::File loaded = [] {
    vectors::Loaded l = vectors::load(source_text("tests/vectors.json"));
    EXPECT_EQ(l.error, "");
    return std::move(l.file);
  }();
  return loaded;
}

}  // namespace

std::string source_text(const std::string& path) {
  std::ifstream in(std::string(ROOFLENS_SOURCE_DIR "/") + path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, m] : file().models) all.push_back(name);
    return all;
  }();
  return names;
}

const Model& model(const std::string& name) { return file().models.at(name); }
const System& machine(const std::string& name) { return file().systems.at(name); }

Storage format(const char* name) {
  const NamedStorage* found = find_storage(name);
  EXPECT_NE(found, nullptr) << name;
  return found != nullptr ? found->storage : Storage{};
}

Model stored_as(Model m, const char* name) {
  requantise(m, Role::linear, format(name));
  requantise(m, Role::experts, format(name));
  return m;
}

const Operator* Step::find(const std::string& name) const {
  for (const Operator& op : ops) {
    if (name == op.name) return &op;
  }
  return nullptr;
}

Step run(const Model& m, const System& s, const Deployment& d, const std::vector<Group>& groups) {
  Step r;
  r.ceilings = ceilings(s, d);
  r.ops.resize(operator_capacity(m));
  r.ops.resize(lower(m, d, r.ceilings, groups, r.ops));
  r.placed.resize(r.ops.size());
  r.totals = place(d, r.ceilings, groups, r.ops, r.placed);
  return r;
}

bool near(double a, double b, double relative) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

std::size_t allocations() { return allocated; }

}  // namespace rooflens::fixture
