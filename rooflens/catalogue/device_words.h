// key=value words that describe or override a device: bw=3.9TB/s, bf16=836T, mem=94GB.
#pragma once

#include <string_view>
#include <vector>

#include "rooflens/core/device.h"
#include "rooflens/core/result.h"

namespace rooflens {

// One key=value word and the place to blame it on.
struct DeviceWord {
  std::string_view key, value;
  std::string where;
};

// Sets the figures of the words on `d`. What they set is of origin `given`, unless an `origin=`
// word says otherwise. Errors: an unknown key (hint: the nearest), a key given twice, a value of
// the wrong unit, an impossible value, group= or latency= without a link.
Result<bool> apply_device_words(const std::vector<DeviceWord>& words, Device& d);

// Splits "a=1,b=2" at commas into words; blank parts are skipped. Errors: a part without '='.
Result<bool> split_device_words(std::string_view text, std::string_view where,
                                std::vector<DeviceWord>& out);

}  // namespace rooflens
