#include "query/chroma/time_words.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <vector>

#include "messages/text/time_text.hpp"
#include "query/asked_words.hpp"

namespace mneme {

namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;

std::optional<std::int64_t> number_of(std::string_view word) {
  std::int64_t number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

timestamp start_of_year(std::int64_t year) {
  const std::chrono::sys_days day = std::chrono::year(static_cast<int>(year)) / 1 / 1;
  return {static_cast<std::int64_t>(day.time_since_epoch().count()) * day_ns};
}

/// Four digits from 1970 to 2261.
std::optional<time_range> whole_year(const std::string& word) {
  const auto year = number_of(word);
  if (word.size() != 4 || !year || *year < 1970 || *year > 2261) return std::nullopt;
  const timestamp end = *year == 2261 ? max_timestamp : timestamp{start_of_year(*year + 1).ns - 1};
  return time_range{start_of_year(*year), end};
}

time_range last_days(int days, timestamp now) {
  return {timestamp{std::max<std::int64_t>(0, now.ns - days * day_ns)}, now};
}

} // namespace

std::optional<time_range> time_range_in(std::string_view text, timestamp now) {
  const std::vector<std::string> words = asked_words(text);
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  const auto has_pair = [&](std::string_view first, std::string_view second) {
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i - 1] == first && words[i] == second) return true;
    return false;
  };
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i - 1] == "from")
      if (const auto year = whole_year(words[i])) return year;
  const timestamp midnight{now.ns - now.ns % day_ns};
  if (has("yesterday"))
    return time_range{timestamp{std::max<std::int64_t>(0, midnight.ns - day_ns)},
                      timestamp{midnight.ns - 1}};
  if (has("today")) return time_range{midnight, now};
  if (has_pair("last", "year")) return last_days(365, now);
  if (has_pair("last", "month")) return last_days(30, now);
  if (has_pair("last", "week") || has("recent")) return last_days(7, now);
  return std::nullopt;
}

std::optional<std::int64_t> result_count_in(std::string_view text) {
  const std::vector<std::string> words = asked_words(text);
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i - 1] == "top")
      if (const auto n = number_of(words[i])) return n;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] == "results" || (words[i] == "result" && words[i - 1] == "1"))
      if (const auto n = number_of(words[i - 1])) return n;
  return std::nullopt;
}

} // namespace mneme
