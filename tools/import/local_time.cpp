#include "tools/import/local_time.hpp"

#include <string>

namespace mneme::importing {

result<timestamp> parse_local_time(std::string_view text) {
  constexpr std::size_t date_size = 10;   // 2024-01-31
  constexpr std::size_t minute_size = 16; // 2024-01-31T10:00
  if (text.size() == date_size) return parse_timestamp(text);
  std::string full(text);
  if (full.size() > date_size && full[date_size] == ' ') full[date_size] = 'T';
  const std::size_t offset = full.find_first_of("Zz+-", date_size);
  std::string clock = full.substr(0, offset);
  if (clock.size() == minute_size) clock += ":00";
  full = clock + (offset == std::string::npos ? "Z" : full.substr(offset));
  return parse_timestamp(full);
}

} // namespace mneme::importing
