#include "messages/text/time_text.hpp"

#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace mneme {

namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t seconds_per_day = 86'400;

struct civil_date {
  std::int64_t year = 0;
  std::int64_t month = 0; ///< 1..12
  std::int64_t day = 0;   ///< 1..31
};

/// Days since 1970-01-01 of a proleptic Gregorian date (years start in March, so that the leap
/// day is the last of its year; 400 years are one era of 146,097 days).
constexpr std::int64_t days_from_civil(civil_date date) {
  const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t march_month = (date.month + 9) % 12;
  const std::int64_t day_of_year = (153 * march_month + 2) / 5 + date.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}
static_assert(days_from_civil({1970, 1, 1}) == 0);
static_assert(days_from_civil({2262, 1, 1}) * seconds_per_day * ns_per_second - 1
              == max_timestamp.ns);

constexpr civil_date civil_from_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const std::int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = day_of_year - (153 * march_month + 2) / 5 + 1};
}
static_assert(days_from_civil(civil_from_days(11'016)) == 11'016);

constexpr std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

/// Consumes fixed-width pieces of RFC 3339 text from the left.
class time_scanner {
public:
  explicit time_scanner(std::string_view text) : rest_(text) {}

  std::optional<std::int64_t> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  bool one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    taken_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] char taken() const { return taken_; }
  [[nodiscard]] std::size_t leading_digits() const {
    const auto end = rest_.find_first_not_of("0123456789");
    return end == std::string_view::npos ? rest_.size() : end;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
  std::string_view rest_;
  char taken_ = '\0';
};

std::optional<std::int64_t> scan_date_days(time_scanner& in) {
  const auto year = in.digits(4);
  if (!year || !in.one_of("-")) return std::nullopt;
  const auto month = in.digits(2);
  if (!month || *month < 1 || *month > 12 || !in.one_of("-")) return std::nullopt;
  const auto day = in.digits(2);
  if (!day || *day < 1 || *day > days_in_month(*year, *month)) return std::nullopt;
  return days_from_civil({*year, *month, *day});
}

std::optional<std::int64_t> scan_clock_seconds(time_scanner& in) {
  const auto hour = in.digits(2);
  if (!hour || *hour > 23 || !in.one_of(":")) return std::nullopt;
  const auto minute = in.digits(2);
  if (!minute || *minute > 59 || !in.one_of(":")) return std::nullopt;
  const auto second = in.digits(2);
  if (!second || *second > 59) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

std::optional<std::int64_t> scan_fraction_ns(time_scanner& in) {
  if (!in.one_of(".")) return 0;
  const std::size_t length = in.leading_digits();
  if (length == 0 || length > 9) return std::nullopt;
  std::int64_t ns = *in.digits(length);
  for (std::size_t i = length; i < 9; ++i) ns *= 10;
  return ns;
}

/// Seconds that the local time is ahead of UTC.
std::optional<std::int64_t> scan_offset_seconds(time_scanner& in) {
  if (in.one_of("Zz")) return 0;
  if (!in.one_of("+-")) return std::nullopt;
  const std::int64_t sign = in.taken() == '-' ? -1 : 1;
  const auto hour = in.digits(2);
  if (!hour || *hour > 23 || !in.one_of(":")) return std::nullopt;
  const auto minute = in.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  return sign * (*hour * 3600 + *minute * 60);
}

} // namespace

std::string date_text(timestamp t) {
  const civil_date date =
      civil_from_days(floor_divide(floor_divide(t.ns, ns_per_second), seconds_per_day));
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string to_string(timestamp t) {
  const std::int64_t seconds = floor_divide(t.ns, ns_per_second);
  const std::int64_t fraction_ns = t.ns - seconds * ns_per_second;
  const std::int64_t second_of_day =
      seconds - floor_divide(seconds, seconds_per_day) * seconds_per_day;
  std::string text = date_text(t);
  fmt::format_to(std::back_inserter(text), "T{:02}:{:02}:{:02}", second_of_day / 3600,
                 second_of_day / 60 % 60, second_of_day % 60);
  if (fraction_ns != 0) {
    fmt::format_to(std::back_inserter(text), ".{:09}", fraction_ns);
    text.resize(text.find_last_not_of('0') + 1);
  }
  text.push_back('Z');
  return text;
}

result<timestamp> parse_timestamp(std::string_view text) {
  const auto malformed = [] {
    return fail(errc::bad_time,
                "a time is RFC 3339, such as 2024-01-31T10:00:00Z, or a date alone");
  };
  const auto at = [](std::int64_t seconds, std::int64_t fraction_ns) -> result<timestamp> {
    if (seconds < 0 || seconds > max_timestamp.ns / ns_per_second)
      return fail(errc::bad_time, "a time is from 1970 to the end of 2261");
    return timestamp{seconds * ns_per_second + fraction_ns};
  };
  time_scanner in(text);
  const auto days = scan_date_days(in);
  if (days && in.at_end()) return at(*days * seconds_per_day, 0);
  if (!days || !in.one_of("Tt")) return malformed();
  const auto clock_seconds = scan_clock_seconds(in);
  if (!clock_seconds) return malformed();
  const auto fraction_ns = scan_fraction_ns(in);
  if (!fraction_ns) return malformed();
  const auto offset_seconds = scan_offset_seconds(in);
  if (!offset_seconds || !in.at_end()) return malformed();
  return at(*days * seconds_per_day + *clock_seconds - *offset_seconds, *fraction_ns);
}

} // namespace mneme
