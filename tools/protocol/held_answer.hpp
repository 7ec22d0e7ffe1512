#pragma once
/// What the answer of a door holds, about: a session that bounds what is under way counts it before
/// it is rendered.

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

/// busy where there is no room for it; but one that tells of an entry is told.
template <class Answer>
result<void> hold(session& s, const Answer& found) {
  auto has_room = s.hold(held_bytes(found));
  if constexpr (requires { found.seq; })
    if (found.seq) return {};
  return has_room;
}

} // namespace mneme::protocol
