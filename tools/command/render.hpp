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

} // namespace mneme::command
