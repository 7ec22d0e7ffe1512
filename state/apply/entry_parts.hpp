#pragma once
/// What an entry carries, whatever its kind: views into the payload, null where it has none.

#include <string_view>
#include <vector>

#include "messages/codec/entry.hpp"

namespace mneme {

/// A memory's new state.
const head* head_of(const entry_payload& payload);
/// Its new content.
const version* version_of(const entry_payload& payload);
/// An edge's new state.
const edge_record* edge_of(const entry_payload& payload);
/// The vector of its content.
const spaced_vector* vector_of(const entry_payload& payload);
/// The memory that a content names: what a Decision replaces, a Chunk is promoted to.
const memory_id* reference_of(const version& v);
/// The data field of that reference; empty if a content of `type` has none.
std::string_view reference_field(memory_type type);
/// What the tombstone of a head, which may be null, names as what took its place; null if none.
const memory_id* successor_of(const head* h);
/// Tombstoned since something took its place: it held before.
bool is_past(const head& h);
/// Whether the edge was made with the tombstone, by what took the place, and is still there.
bool came_with(const std::optional<edge_record>& edge, const tombstone& by);
/// The memories that a content rests on, ascending and each once: those that its provenance is
/// derived from, a Pattern's derived_from, and a Belief's evidence for and against. What is neither
/// an id nor a uri names none.
std::vector<memory_id> sources_of(const version& v);
/// The same of a content that is not written yet.
const memory_id* reference_in(memory_type type, const memory_data& data);
/// A text of the content's data; empty if it has none of that name.
std::string_view data_text(const version& v, std::string_view name);

} // namespace mneme
