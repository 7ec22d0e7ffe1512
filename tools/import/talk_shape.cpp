#include "tools/import/talk_shape.hpp"

#include <algorithm>
#include <array>

#include "messages/text/lower_case.hpp"

namespace mneme::importing {

namespace {

/// About a hundred words.
constexpr std::uint64_t short_turn_bytes = 600;

bool is_role(std::string_view speaker) {
  static constexpr std::array<std::string_view, 8> roles = {"user",  "assistant", "system",  "tool",
                                                            "human", "ai",        "chatbot", "bot"};
  return std::ranges::find(roles, lower_ascii(speaker)) != roles.end();
}

} // namespace

void talk_shape::add(std::string_view speaker, std::string_view text) {
  if (!speakers_.contains(speaker)) speakers_.emplace(speaker);
  ++turns_;
  bytes_ += text.size();
}

bool talk_shape::is_among_peers() const {
  return speakers_.size() > 1 && std::ranges::none_of(speakers_, is_role)
         && bytes_ <= short_turn_bytes * turns_;
}

bool asks(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\r\n\"')");
  return last != std::string_view::npos && text[last] == '?';
}

} // namespace mneme::importing
