#pragma once
/// Canonical bytes of what belongs to topics: fields, their revisions, audit events. As
/// records.hpp: one value has one encoding, and decode refuses every other (errc::corrupt).

#include <string>
#include <string_view>

#include "mneme/topics.hpp"

namespace mneme {

class canonical_writer;
class item_parser;

/// Lists and objects inside each other; deeper values are neither accepted nor decoded.
inline constexpr std::size_t max_json_depth = 64;

/// The value in the `fields` tree.
std::string encode(const field_head& f);
result<field_head> decode_field_head(std::string_view bytes);

std::string encode(const topic_field& f);
result<topic_field> decode_topic_field(std::string_view bytes);

/// What is left of a field that is erased: its name.
topic_field erased_field(const memory_id& topic, std::string name, field_erasure why);

/// Includes `hash` as it stands in the record.
std::string encode(const field_revision& r);
result<field_revision> decode_field_revision(std::string_view bytes);
/// SHA-256 over the canonical bytes with an all-zero hash.
digest hash_of(const field_revision& r);

std::string encode(const topic_event& e);
result<topic_event> decode_topic_event(std::string_view bytes);

/// Canonical bytes of a value alone (what its 1 MiB limit counts).
std::string encode(const json_value& v);

/// Raw key bytes in the `fields` tree: topic id (16) ‖ name.
std::string field_key_bytes(const memory_id& topic, std::string_view name);

// Records inside other records.
void put(canonical_writer& out, const json_value& v);
void put(canonical_writer& out, const field_erasure& e);
void put(canonical_writer& out, const topic_field& f);
void put(canonical_writer& out, const field_revision& r);
void get(item_parser& in, json_value& v);
void get(item_parser& in, field_erasure& e);
void get(item_parser& in, topic_field& f);
void get(item_parser& in, field_revision& r);

} // namespace mneme
