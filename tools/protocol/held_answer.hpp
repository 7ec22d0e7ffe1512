#pragma once
/// What an answer holds, about: a session that bounds what is under way asks for room before it is
/// rendered.

#include <cstdint>

#include "mneme/tick.hpp"
#include "tools/protocol/session.hpp"

namespace mneme::protocol {

std::uint64_t held_bytes(const find_result& found);
std::uint64_t held_bytes(const search_result& found);
std::uint64_t held_bytes(const retrieve_result& found);
std::uint64_t held_bytes(const chroma_result& found);
std::uint64_t held_bytes(const context_result& found);
std::uint64_t held_bytes(const memory_reading& found);
std::uint64_t held_bytes(const std::vector<edge_record>& found);

/// busy where there is no room for it; one that tells of an entry, or that `must` be told, is.
template <class Answer>
result<void> hold(session& s, const Answer& found, bool must = false) {
  if constexpr (requires { found.seq; }) must = must || found.seq.has_value();
  return s.hold(held_bytes(found), must);
}

} // namespace mneme::protocol
