#include "rooflens/core/startup.h"

#include <cmath>

namespace rooflens {

const char* name_of(Engine e) {
  switch (e) {
    case Engine::llama_cpp:
      return "llama.cpp";
    case Engine::vllm:
      return "vLLM";
    case Engine::sglang:
      return "SGLang";
    case Engine::none:
      break;
  }
  return "";
}

double Printed::step() const { return scale * std::pow(10.0, -decimals); }

bool Printed::rounds_to(double other) const {
  return std::abs(other - value) <= step() * (0.5 + 1e-6);
}

std::string written_like(const Printed& like, double value) {
  const double power = std::pow(10.0, like.decimals);
  const double units = std::nearbyint(std::abs(value) / like.scale * power);  // as printf does
  if (!(units < 1e15)) return "unknown";
  std::string digits = std::to_string(static_cast<long long>(units));
  const auto decimals = static_cast<std::size_t>(like.decimals);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  std::string whole = digits.substr(0, digits.size() - decimals);
  if (like.text.empty() || like.text.find(',') != std::string::npos) {
    for (std::size_t i = whole.size(); i > 3; i -= 3) whole.insert(i - 3, ",");
  }
  std::string out = (value < 0 && units > 0 ? "-" : "") + whole;
  if (decimals > 0) out += "." + digits.substr(digits.size() - decimals);
  if (like.unit.empty()) return out;
  const bool tight = !like.text.empty() && like.text.find(' ') == std::string::npos;  // "0.76%"
  return out + (tight ? "" : " ") + like.unit;
}

const Printed* Startup::find(std::string_view name) const {
  for (const Printed& p : fields) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

double Startup::number(std::string_view name, double fallback) const {
  const Printed* p = find(name);
  return p != nullptr && p->is_number() ? p->value : fallback;
}

std::string_view Startup::text(std::string_view name) const {
  const Printed* p = find(name);
  return p != nullptr ? std::string_view(p->text) : std::string_view();
}

}  // namespace rooflens
