#include "messages/codec/entry.hpp"

#include <array>
#include <utility>

#include "messages/codec/payload.hpp"
#include "messages/codec/record_codec.hpp"
#include "messages/ensure.hpp"
#include "messages/hash.hpp"

namespace mneme {

namespace {

constexpr std::array<std::string_view, 27> kind_names = {
    "write",       "update",     "tombstone",       "update_head",    "add_edge",
    "remove_edge", "field",      "topic_archive",   "topic_merge",    "embed",
    "find_late",   "reinforce",  "decay_cycle",     "attest",         "learn_weights",
    "compact",     "snapshot",   "scope_violation", "config",         "migration",
    "erase",       "assign_tag", "topic_unarchive", "topic_salience", "search_weights",
    "restore",     "trim"};
static_assert(kind_names.size() == static_cast<std::size_t>(entry_kind::trim));

constexpr std::array<std::string_view, state_namespace_count> namespace_names = {"edges", "fields",
                                                                                 "memories"};

/// Domain of path hashes; leaves, nodes and roots have 0, 1 and 2.
constexpr std::uint8_t path_domain = 0x03;

constexpr std::uint32_t header_items = 7;
constexpr std::uint32_t leaf_items = 3;

} // namespace

std::string_view to_string(entry_kind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind) - 1;
  return index < kind_names.size() ? kind_names[index] : std::string_view();
}

std::string_view to_string(reinforcing_door door) noexcept {
  switch (door) {
  case reinforcing_door::retrieve:
    return "retrieve";
  case reinforcing_door::chroma:
    return "chroma";
  }
  return {};
}

std::string_view to_string(state_namespace ns) noexcept {
  const auto index = static_cast<std::size_t>(ns);
  return index < namespace_names.size() ? namespace_names[index] : std::string_view();
}

std::optional<state_namespace> parse_state_namespace(std::string_view name) noexcept {
  for (std::size_t i = 0; i < namespace_names.size(); ++i)
    if (namespace_names[i] == name) return static_cast<state_namespace>(i);
  return std::nullopt;
}

digest state_path(state_namespace ns, std::string_view key) {
  thread_local sha256 hasher;
  hasher.update(path_domain);
  hasher.update(to_string(ns));
  hasher.update(std::uint8_t{0});
  hasher.update(key);
  return hasher.finish();
}

// A namespace stands in a header by its name, which is what an auditor hashes.
void put(canonical_writer& out, const state_leaf& leaf) {
  out.array(leaf_items);
  out.text(to_string(leaf.ns));
  put(out, leaf.path);
  put(out, leaf.value_hash);
}
void get(item_parser& in, state_leaf& leaf) {
  in.array_of(leaf_items);
  const auto ns = parse_state_namespace(in.text());
  if (!ns) return in.refuse("unknown namespace");
  leaf.ns = *ns;
  get(in, leaf.path);
  get(in, leaf.value_hash);
}

void get(item_parser& in, entry_header& h) {
  in.array_of(header_items);
  if (in.unsigned_integer() != record_schema_version) in.refuse("unknown schema version");
  get(in, h.seq);
  if (in.ok() && h.seq.value == 0) in.refuse("entries are numbered from 1");
  get(in, h.kind);
  get(in, h.created_at);
  get(in, h.created_by);
  get(in, h.leaves);
  get(in, h.payload_hash);
}

std::string encode(const entry_header& h) {
  constexpr std::size_t fixed_bytes = 96;
  constexpr std::size_t leaf_bytes = 80;
  canonical_writer out(fixed_bytes + h.created_by.size() + h.leaves.size() * leaf_bytes);
  out.array(header_items);
  out.unsigned_integer(record_schema_version);
  put(out, h.seq);
  put(out, h.kind);
  put(out, h.created_at);
  put(out, h.created_by);
  put(out, h.leaves);
  put(out, h.payload_hash);
  return out.take();
}

result<entry_header> decode_entry_header(std::string_view bytes) {
  return decode_whole<entry_header>(bytes);
}

entry seal_entry(entry_header header, entry_payload payload, const ready_records& ready) {
  ensure(!std::holds_alternative<erased_payload>(payload)
             && !std::holds_alternative<trimmed_payload>(payload),
         "an entry is born with its payload");
  ensure(header.seq.value > 0, "the first entry has the seq 1");
  entry e;
  encode_payload(payload, ready, e);
  e.payload = std::move(payload);
  e.header = std::move(header);
  e.header.payload_hash = sha256_of(e.payload_bytes);
  e.header_bytes = encode(e.header);
  return e;
}

result<entry> open_entry(std::string header_bytes, std::string payload_bytes, bool erased) {
  auto header = decode_entry_header(header_bytes);
  if (!header) return propagate(header);
  entry e;
  e.header = std::move(*header);
  if (erased) {
    e.payload = erased_payload{};
  } else {
    if (sha256_of(payload_bytes) != e.header.payload_hash)
      return fail(errc::corrupt, "the payload does not have the hash that its header names");
    auto payload = decode_entry_payload(e.header.kind, payload_bytes);
    if (!payload) return propagate(payload);
    e.payload = std::move(*payload);
  }
  e.header_bytes = std::move(header_bytes);
  e.payload_bytes = std::move(payload_bytes);
  return e;
}

result<entry> open_trimmed_entry(std::string header_bytes, const trimmed_payload& dropped) {
  auto header = decode_entry_header(header_bytes);
  if (!header) return propagate(header);
  entry e;
  e.header = std::move(*header);
  e.payload = dropped;
  e.header_bytes = std::move(header_bytes);
  return e;
}

} // namespace mneme
