#pragma once
/// Random valid values of everything that is stored. Call inside a rapidcheck property only: the
/// parts are drawn one by one, so that failures shrink.

#include <cstdint>
#include <string>

#include "messages/codec/entry.hpp"

namespace mneme::test {

/// UTF-8 of up to `max_code_points`, of one to four bytes each.
std::string any_text(int max_code_points = 12);
std::string any_bytes(int max_size = 40);
timestamp any_time();
memory_id any_id();
digest any_digest();
double any_finite();
std::int64_t any_integer();
memory_type any_type();
metadata_map any_metadata();
memory_data any_data(memory_type type);
head any_head();
version any_version();
edge_record any_edge();
spaced_vector any_vector();
manifest any_manifest();
entry_header any_header();
/// A payload and a kind that it goes with.
std::pair<entry_kind, entry_payload> any_payload();

/// One step of damage: a byte changed, inserted or removed, the end cut, two parts swapped.
std::string damaged(std::string bytes, std::uint64_t seed);

} // namespace mneme::test
