#pragma once
/// What a row looks like in the answer, and how many tokens that is.

#include <string>

#include "mneme/query.hpp"
#include "mneme/seams.hpp"

namespace mneme {

struct rendered_text {
  std::string text;
  std::int64_t tokens = 0; ///< never negative
};

/// The stored short or medium form, or the full text rendered now.
rendered_text render(const memory& m, form_kind form, const token_counter& counter);
/// A text of one's own.
rendered_text counted(std::string text, const token_counter& counter);

} // namespace mneme
