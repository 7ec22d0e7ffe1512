#include "tools/protocol/error_text.hpp"

#include <fmt/format.h>

#include "messages/text/utf8_point.hpp"

namespace mneme::protocol {

std::string error_text(std::string_view text) {
  constexpr std::size_t most = 1024;
  constexpr std::size_t shown = 200;
  if (text.size() <= most) return std::string(text);
  return fmt::format("{}…{}", text.substr(0, point_start(text, shown)),
                     text.substr(point_start(text, text.size() - shown)));
}

} // namespace mneme::protocol
