#pragma once
/// A session that bounds what is under way is asked for room before an answer is rendered.

#include "query/answer_bytes.hpp"
#include "tools/protocol/session.hpp"

namespace mneme::protocol {

/// busy where there is no room for it; one that tells of an entry, or that `must` be told, is.
template <class Answer>
result<void> hold(session& s, const Answer& found, bool must = false) {
  if constexpr (requires { found.seq; }) must = must || found.seq.has_value();
  return s.hold(answer_bytes(found), must);
}

} // namespace mneme::protocol
