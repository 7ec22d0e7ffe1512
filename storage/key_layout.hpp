#pragma once
/// Byte layout of the table keys. Integers are big-endian so that byte order is number order; a
/// seq is stored complemented, so that the newest row of a key comes first and a read as of S is
/// one seek: the first row at or after (key ‖ ~S).

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/codec/entry.hpp"
#include "mneme/types.hpp"

namespace mneme::keys {

std::string u64be(std::uint64_t v);
/// id ‖ ~seq
std::string head(const memory_id& id, seq_no seq);
/// id ‖ version
std::string version(const memory_id& id, std::uint32_t number);
/// Of the row that says which versions of the memory were dropped: before its first version.
std::string trimmed_versions(const memory_id& id);
/// src ‖ type ‖ dst ‖ ~seq
std::string edge(const edge_key& key, seq_no seq);
/// What belongs to a topic is in one table: topic ‖ kind byte ‖ the rest. Names hold no NUL.
enum class topic_row : std::uint8_t { field = 1, revision = 2, event = 3 };
/// topic ‖ kind
std::string topic_rows(const memory_id& topic, topic_row kind);
/// topic ‖ 1 ‖ name ‖ 0 ‖ ~seq
std::string field(const memory_id& topic, std::string_view name, seq_no seq);
/// The part of it before the seq.
std::string field_prefix(const memory_id& topic, std::string_view name);
/// topic ‖ 2 ‖ name ‖ 0 ‖ number
std::string field_revision(const memory_id& topic, std::string_view name, std::uint32_t number);
/// topic ‖ 3 ‖ seq ‖ index in the entry
std::string topic_event(const memory_id& topic, seq_no seq, std::uint32_t index);
/// seq
std::string manifest(seq_no seq);
/// length ‖ actor ‖ ~seq; the length, here and below, as u16
std::string weights(std::string_view actor, seq_no seq);
/// The part of a weights key before the seq.
std::string weights_prefix(std::string_view actor);
/// length ‖ intent ‖ length ‖ step ‖ ~seq
std::string compact(std::string_view intent, std::string_view step, seq_no seq);
/// The part of a compact key before the seq.
std::string compact_prefix(std::string_view intent, std::string_view step);
/// The seq of a key that ends in ~seq.
seq_no seq_at_end(std::string_view key);
/// The smallest key greater than every key that starts with `prefix` (empty = no bound).
std::string prefix_end(std::string prefix);

} // namespace mneme::keys
