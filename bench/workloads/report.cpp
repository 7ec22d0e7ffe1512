#include "bench/workloads/report.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace mneme::workloads {

double cost_of(const side_report& side) {
  return side.bytes > 0 ? side.bytes : side.p50_us;
}

std::string time_text(double us) {
  if (us <= 0) return {};
  if (us < 1000) return fmt::format("{:.1f} µs", us);
  return us < 1e6 ? fmt::format("{:.2f} ms", us / 1000) : fmt::format("{:.2f} s", us / 1e6);
}

std::string size_text(double bytes) {
  if (bytes < 10e3) return fmt::format("{:.0f} B", bytes);
  return bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3)
                     : fmt::format("{:.1f} MB", bytes / 1e6);
}

std::string cost_text(const side_report& side) {
  return side.bytes > 0 ? size_text(side.bytes) : time_text(side.p50_us);
}

std::string fact_text(const std::string& name, double value) {
  const auto named = [&](std::string_view unit, const std::string& text) {
    std::string words = name.substr(0, name.size() - unit.size());
    std::ranges::replace(words, '_', ' ');
    return words + " " + text;
  };
  if (name.ends_with("_us")) return named("_us", time_text(value));
  if (name.ends_with("_bytes")) return named("_bytes", size_text(value));
  if (name.ends_with("_percent")) return named("_percent", fmt::format("{:.0f} %", value));
  return named("", fmt::format("{:.4g}", value));
}

} // namespace mneme::workloads
