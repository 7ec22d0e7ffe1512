#include "postgres/address.hpp"

#include <algorithm>

namespace mneme {

namespace {

constexpr std::size_t longest_log_name = 64;

bool is_log_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_log_name && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
           || c == '-' || c == '.';
  });
}

} // namespace

result<postgres_address> parse_postgres_address(std::string_view text) {
  if (!text.starts_with("postgresql://") && !text.starts_with("postgres://"))
    return fail(errc::bad_value, "a log's address begins with postgresql://", "log");
  const auto mark = text.find('#');
  postgres_address address{.database = std::string(text.substr(0, mark)), .log = "main"};
  if (mark != std::string_view::npos) address.log = text.substr(mark + 1);
  if (address.log.empty())
    return fail(errc::bad_value, "nothing stands behind the '#' of the log's address, where its "
                                 "name belongs: without a '#' it is the log 'main'");
  if (!is_log_name(address.log))
    return fail(errc::bad_value,
                "a log's name, behind the '#' of its address, is up to 64 letters, "
                "digits, '_', '-' and '.'");
  if (address.database.find('\0') != std::string::npos)
    return fail(errc::bad_value, "an address without zero bytes");
  return address;
}

} // namespace mneme
