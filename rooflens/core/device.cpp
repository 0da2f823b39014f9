#include "rooflens/core/device.h"

#include <initializer_list>

namespace rooflens {
namespace {

using Ladder = std::initializer_list<Compute>;

constexpr Ladder kFp32 = {Compute::fp32};
constexpr Ladder kFp16 = {Compute::fp16, Compute::bf16, Compute::fp32};
constexpr Ladder kBf16 = {Compute::bf16, Compute::fp16, Compute::fp32};
constexpr Ladder kFp8 = {Compute::fp8, Compute::bf16, Compute::fp16, Compute::fp32};
constexpr Ladder kFp6 = {Compute::fp6, Compute::fp8, Compute::bf16, Compute::fp16, Compute::fp32};
constexpr Ladder kFp4 = {Compute::fp4,  Compute::fp6,  Compute::fp8,
                         Compute::bf16, Compute::fp16, Compute::fp32};
constexpr Ladder kInt8 = {Compute::int8, Compute::bf16, Compute::fp16, Compute::fp32};
constexpr Ladder kInt4 = {Compute::int4, Compute::int8, Compute::bf16, Compute::fp16,
                          Compute::fp32};

Ladder ladder(Element e) {
  switch (e) {
    case Element::fp32:
      return kFp32;
    case Element::fp16:
      return kFp16;
    case Element::bf16:
      return kBf16;
    case Element::fp8:
      return kFp8;
    case Element::fp6:
      return kFp6;
    case Element::fp4:
      return kFp4;
    case Element::int8:
    case Element::int6:
    case Element::int5:
      return kInt8;
    case Element::int4:
    case Element::int3:
    case Element::int2:
    case Element::int1:
      return kInt4;
  }
  return kBf16;
}

}  // namespace

const char* name_of(Origin o) {
  switch (o) {
    case Origin::none:
      return "none";
    case Origin::datasheet:
      return "datasheet";
    case Origin::derived:
      return "derived";
    case Origin::given:
      return "given";
    case Origin::measured:
      return "measured";
    case Origin::estimated:
      return "estimated";
  }
  return "none";
}

double ridge(const Device& d, Compute c) {
  const double peak = d.peak_of(c);
  return peak > 0 && d.bytes_per_s > 0 ? peak / d.bytes_per_s : 0;
}

Compute promote(const Device& d, Element e) {
  const Ladder steps = ladder(e);
  for (Compute c : steps) {
    if (d.peak_of(c) > 0) return c;
  }
  // A device without even FP32 (a matrix unit only) runs wider types in passes of what it has.
  for (Compute c : {Compute::bf16, Compute::fp16, Compute::fp32}) {
    if (d.peak_of(c) > 0) return c;
  }
  return *steps.begin();  // nothing known: the type itself, with no peak
}

}  // namespace rooflens
