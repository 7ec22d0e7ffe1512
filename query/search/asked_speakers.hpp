#pragma once
/// Who is named in a question, so that what he or she said counts for more: a memory whose tag is
/// "speaker:NAME" (in lower case) was said by NAME, where NAME is a word of the question, two that
/// follow each other (a space, a hyphen or an apostrophe between them) or three. Roles that every
/// chat with a machine has name nobody; but who asks by "I" or "my" asks for what the
/// "speaker:user" of such chats said.

#include <string_view>
#include <vector>

#include "index/columns/attributes.hpp"

namespace mneme {

class asked_speakers {
public:
  asked_speakers() = default;
  asked_speakers(std::string_view question, const attributes& rows);

  [[nodiscard]] bool said(row_no row, const attributes& rows) const;

private:
  std::vector<term_no> tags_;
};

} // namespace mneme
