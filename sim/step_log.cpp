#include "sim/step_log.hpp"

#include <fmt/format.h>

namespace mneme::sim {

void step_log::add(std::uint64_t step, std::string_view what, std::string_view detail) {
  mix(step);
  mix(what);
  mix(detail);
  if (keep_lines_) lines_.push_back(fmt::format("{} {} {}", step, what, detail));
}

void step_log::add(std::uint64_t step, std::string_view what, std::uint64_t first,
                   std::uint64_t second) {
  mix(step);
  mix(what);
  mix(first);
  mix(second);
  if (keep_lines_) lines_.push_back(fmt::format("{} {} {} of {}", step, what, first, second));
}

void step_log::mix(std::string_view bytes) {
  mix(bytes.size());
  for (const char c : bytes) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
}

void step_log::mix(std::uint64_t value) {
  for (int i = 0; i < 8; ++i) digest_ = (digest_ ^ ((value >> (8 * i)) & 0xFFU)) * 0x100000001B3ULL;
}

} // namespace mneme::sim
