#pragma once
/// Canonical bytes of the domain records (key tables: docs/FORMATS.md). decode(encode(x)) == x,
/// and decode refuses whatever encode would not have written (errc::corrupt). Precondition of
/// encode: what validate.hpp checks (text is UTF-8, no number is NaN, data fields are of the type);
/// a broken one ends the process.

#include <string>
#include <string_view>

#include "messages/hash.hpp"
#include "mneme/types.hpp"

namespace mneme {

std::string encode(const head& h);
result<head> decode_head(std::string_view bytes);

/// Includes `hash` as it stands in the record.
std::string encode(const version& v);
result<version> decode_version(std::string_view bytes);
/// SHA-256 over the canonical bytes with an all-zero hash.
digest hash_of(const version& v);
/// Gives it that hash; the bytes with it.
std::string seal(version& v);

std::string encode(const edge_record& e);
result<edge_record> decode_edge(std::string_view bytes);

/// Canonical bytes of data alone (what the 1 MiB limit counts). Precondition: every field is one
/// of `type`.
std::string encode_data(memory_type type, const memory_data& data);

/// Canonical bytes of metadata alone (what its 64 KiB limit counts).
std::string encode_metadata(const metadata_map& metadata);

/// Raw key bytes: src(16) ‖ type(1) ‖ dst(16).
std::string key_bytes(const edge_key& key);

} // namespace mneme
