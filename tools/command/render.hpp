#pragma once
/// Answers as text for people. What is not known here is shown as indented JSON, so that nothing
/// is hidden.

#include <string>
#include <string_view>

#include "tools/protocol/json_text.hpp"

namespace mneme::command {

struct page {
  std::size_t width; ///< columns, or no_width
  bool colour = false;
};

/// `answer` without `ok`. Ends in a line end.
std::string render(std::string_view op, const protocol::json& answer, const page& on);
/// What people should know besides, and scripts need not read: what was there before in the same
/// words. Lines, perhaps none.
std::string remarks(std::string_view op, const protocol::json& answer);

/// A change of the feed, as one line without its end.
std::string change_text(const protocol::json& change);

} // namespace mneme::command
