#include "messages/validate/request_checker.hpp"

#include <cmath>

#include <fmt/format.h>

#include "messages/text/composed.hpp"
#include "messages/text/time_text.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

std::string key_path::text() const {
  return index ? fmt::format("{}[{}]{}", base, *index, tail) : fmt::format("{}{}", base, tail);
}

void request_checker::refuse(errc code, std::string message, const key_path& at) {
  faults_.add({code, std::move(message), at.text()});
}

void request_checker::require(result<void> other) {
  if (!other) faults_.add(std::move(other.error()));
}

void request_checker::require(const fault_list& other) {
  if (other) faults_.add(other.refusal().error());
}

bool request_checker::text(const key_path& at, std::string_view value, std::size_t max_bytes) {
  if (!is_utf8(value)) {
    refuse(errc::bad_utf8, "not UTF-8", at);
    return false;
  }
  if (value.size() <= max_bytes) return true;
  refuse(errc::limit_exceeded, fmt::format("over the limit of {} bytes", max_bytes), at);
  return false;
}

void request_checker::optional_text(const key_path& at, const std::optional<std::string>& value,
                                    std::size_t max_bytes) {
  if (value) text(at, std::string_view(*value), max_bytes);
}

void request_checker::name(const key_path& at, std::string_view value, std::size_t max_bytes) {
  if (!text(at, value, max_bytes)) return;
  if (const auto fault = name_fault(value); !fault.empty())
    refuse(errc::bad_value, std::string(fault), at);
}

void request_checker::optional_name(const key_path& at, const std::optional<std::string>& value,
                                    std::size_t max_bytes) {
  if (value) name(at, std::string_view(*value), max_bytes);
}

void request_checker::time(const key_path& at, const std::optional<timestamp>& value) {
  if (value && !is_valid(*value))
    refuse(errc::bad_time, "a time is from 1970 to the end of 2261", at);
}

void request_checker::finite(const key_path& at, double value) {
  if (!std::isfinite(value)) refuse(errc::out_of_range, "not a finite number", at);
}

void request_checker::unit_interval(const key_path& at, double value) {
  if (!(value >= 0 && value <= 1)) refuse(errc::out_of_range, "not in [0, 1]", at);
}

void request_checker::range(const key_path& at, std::int64_t value, std::int64_t least,
                            std::int64_t greatest) {
  if (value < least || value > greatest)
    refuse(errc::out_of_range, fmt::format("not in {}..{}", least, greatest), at);
}

result<void> request_checker::done() const {
  if (faults_) return faults_.refusal();
  return {};
}

} // namespace mneme
