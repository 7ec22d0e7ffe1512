#include "tools/server/access/log_address.hpp"

#include <algorithm>

namespace mneme::server {

namespace {

bool holds_password(std::string_view address) {
  const auto user = address.find("://");
  const auto at = address.find('@');
  if (user != std::string_view::npos && at != std::string_view::npos
      && address.substr(user + 3, at - user - 3).contains(':'))
    return true;
  // A name may be written in percents, which libpq reads: none of those that it has needs any.
  const auto options = address.find('?');
  if (options == std::string_view::npos) return false;
  for (std::string_view left = address.substr(options + 1); !left.empty();) {
    const std::string_view option = left.substr(0, left.find('&'));
    const std::string_view name = option.substr(0, option.find('='));
    if (name.ends_with("password") || name.contains('%')) return true;
    left.remove_prefix(std::min(left.size(), option.size() + 1));
  }
  return false;
}

} // namespace

result<void> check_log_address(std::string_view address) {
  if (!holds_password(address)) return {};
  return fail(errc::bad_value,
              "an address with a password is not kept in a directory: put the password into "
              "~/.pgpass, or name a service of ~/.pg_service.conf",
              "log");
}

} // namespace mneme::server
