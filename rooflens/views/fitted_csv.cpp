#include <cmath>

#include "rooflens/views/validation_report.h"

namespace rooflens {
namespace {

// Four significant digits.
std::string rounded(double v) {
  if (!(v > 0)) return "0";
  const double unit = std::pow(10.0, std::floor(std::log10(v)) - 3);
  return json_number(unit < 1 ? std::round(v / unit) / std::round(1 / unit)
                              : std::round(v / unit) * unit);
}

void append(std::string& line, const std::optional<Range>& r, double scale) {
  for (const double v : r ? std::vector<double>{r->low, r->mid, r->high} : std::vector<double>{}) {
    line += ',';
    line += rounded(v * scale);
  }
  if (!r) line += ",,,";
}

}  // namespace

std::string fitted_csv(std::span<const FittedEfficiency> rows) {
  std::string text =
      "memory,who,engine,format,memory_low,memory_mid,memory_high,compute_low,compute_mid,"
      "compute_high,launch_us_low,launch_us_mid,launch_us_high,fixed_us_low,fixed_us_mid,"
      "fixed_us_high,memory_points,compute_points,sources,date,origin\n";
  for (const FittedEfficiency& f : rows) {
    std::string line =
        f.device.memory + ',' + f.device.who + ',' + f.served.engine + ',' + f.served.format;
    append(line, f.memory, 1);
    append(line, f.compute, 1);
    append(line, f.launch_s, 1e6);
    append(line, f.fixed_s, 1e6);
    line += ',' + std::to_string(f.memory_points) + ',' + std::to_string(f.compute_points) + ',' +
            std::to_string(f.sources) + ',' + f.date;
    line += ",fitted on data/measurements/points.csv\n";
    text += line;
  }
  return text;
}

}  // namespace rooflens
