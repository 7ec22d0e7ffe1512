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
  auto known = turns_.find(speaker);
  if (known == turns_.end()) known = turns_.emplace(speaker, 0).first;
  ++known->second;
  bytes_ += text.size();
}

bool talk_shape::is_among_peers() const {
  std::uint64_t turns = 0;
  for (const auto& [speaker, count] : turns_) {
    if (is_role(speaker)) return false;
    turns += count;
  }
  return turns_.size() > 1 && bytes_ <= short_turn_bytes * turns;
}

bool asks(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\r\n\"')");
  return last != std::string_view::npos && text[last] == '?';
}

} // namespace mneme::importing
