#include "messages/codec/records.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "messages/codec/record_codec.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

// -- parts of records -------------------------------------------------------------------------

namespace {

template <class Map, class Lifecycle>
void lifecycle_layout(Map& m, Lifecycle& l) {
  m.optional(1, l.status);
  m.optional(2, l.due_date);
  m.defaulted(3, l.project);
  m.optional(4, l.origin);
  m.defaulted(5, l.atomic);
  m.optional(6, l.audience);
}

template <class Map, class Tombstone>
void tombstone_layout(Map& m, Tombstone& t) {
  m.defaulted(1, t.reason);
  m.required(2, t.cause);
  m.optional(3, t.superseded_by);
  m.required(4, t.at);
  m.defaulted(5, t.by);
}

template <class Map, class Provenance>
void provenance_layout(Map& m, Provenance& p) {
  m.defaulted(1, p.source, provenance_source::user_input);
  m.defaulted(2, p.derived_from);
  m.defaulted(3, p.attestations);
  m.defaulted(4, p.signed_by);
  m.optional(5, p.signed_at);
  m.defaulted(6, p.signature);
  m.optional(7, p.trust);
  m.optional(8, p.source_class);
}

/// What a tombstoned edge says about its end.
template <class Map, class Edge>
void edge_end_layout(Map& m, Edge& e) {
  m.optional(1, e.tombstoned_at);
  m.defaulted(2, e.tombstoned_reason);
  m.defaulted(3, e.tombstoned_by);
}

/// Which forms are the caller's own, as bits.
constexpr std::uint8_t short_is_own = 1;
constexpr std::uint8_t medium_is_own = 2;

} // namespace

void put(canonical_writer& out, const intent_frame& f) {
  out.array(3);
  put(out, f.action);
  put(out, f.kind);
  put(out, f.ref);
}
void get(item_parser& in, intent_frame& f) {
  in.array_of(3);
  get(in, f.action);
  get(in, f.kind);
  get(in, f.ref);
}

void put(canonical_writer& out, const lifecycle& l) {
  map_writer m(out);
  lifecycle_layout(m, l);
  m.finish();
}
void get(item_parser& in, lifecycle& l) {
  map_parser m(in);
  lifecycle_layout(m, l);
  m.finish();
}

void put(canonical_writer& out, const colour& c) {
  out.array(5);
  put(out, c.hashtags);
  put(out, c.L);
  put(out, c.a);
  put(out, c.b);
  put(out, c.mode);
}
void get(item_parser& in, colour& c) {
  in.array_of(5);
  get(in, c.hashtags);
  get(in, c.L);
  get(in, c.a);
  get(in, c.b);
  get(in, c.mode);
  if (in.ok() && !parse_enum<memory_mode>(c.mode)) in.refuse("not a mode");
}

void put(canonical_writer& out, const tombstone& t) {
  map_writer m(out);
  tombstone_layout(m, t);
  m.finish();
}
void get(item_parser& in, tombstone& t) {
  map_parser m(in);
  tombstone_layout(m, t);
  m.finish();
}

void put(canonical_writer& out, const memory_key& k) {
  out.array(2);
  put(out, k.name_space);
  put(out, k.name);
}
void get(item_parser& in, memory_key& k) {
  in.array_of(2);
  get(in, k.name_space);
  get(in, k.name);
  if (in.ok() && (k.name_space.empty() || k.name.empty())) in.refuse("a key has two names");
}

void put(canonical_writer& out, const embedding_ref& e) {
  out.array(2);
  put(out, e.dim);
  put(out, e.version);
}
void get(item_parser& in, embedding_ref& e) {
  in.array_of(2);
  get(in, e.dim);
  get(in, e.version);
  if (in.ok() && (e.dim == 0 || e.dim > max_vector_dim || e.version == 0))
    in.refuse("a reference to no possible vector");
}

void put(canonical_writer& out, const provenance& p) {
  map_writer m(out);
  provenance_layout(m, p);
  m.finish();
}
void get(item_parser& in, provenance& p) {
  map_parser m(in);
  provenance_layout(m, p);
  m.finish();
  if (in.ok() && p.trust && !(*p.trust >= 0 && *p.trust <= 1)) in.refuse("trust is in [0, 1]");
}

void put(canonical_writer& out, const forms& f) {
  out.array(2);
  put(out, f.short_form);
  put(out, f.medium_form);
}
void get(item_parser& in, forms& f) {
  in.array_of(2);
  get(in, f.short_form);
  get(in, f.medium_form);
}

// -- records ----------------------------------------------------------------------------------

namespace {

template <class Map, class Head>
void head_layout(Map& m, Head& h) {
  m.schema();
  m.required(1, h.id);
  m.required(2, h.type);
  m.required(3, h.current_version);
  m.defaulted(4, h.actor_scope);
  m.required(5, h.visibility);
  m.required(6, h.declared_importance);
  m.defaulted(7, h.tags);
  m.defaulted(8, h.frames);
  m.defaulted(9, h.metadata);
  m.optional(10, h.lifecycle);
  m.optional(11, h.colour);
  m.optional(12, h.tombstone);
  m.optional(13, h.embedding);
  m.required(14, h.created_at);
  m.required(15, h.last_updated_at);
  m.required(16, h.version_hash);
  m.defaulted(17, h.erased);
  m.required(18, h.nonce);
  m.optional(19, h.key);
}

/// `own_forms` stands for the two flags of the version.
template <class Map, class Version, class Flags>
void version_layout(Map& m, Version& v, Flags& own_forms) {
  m.schema();
  m.required(1, v.id);
  m.required(2, v.number);
  m.required(3, v.type);
  m.required(4, typed_data{v.type, v.data});
  m.required(5, v.created_at);
  m.defaulted(6, v.created_by);
  m.optional(7, v.expires_at);
  m.defaulted(8, v.confidence, 1.0);
  m.defaulted(9, v.provenance);
  m.required(10, v.forms);
  m.defaulted(11, own_forms);
  m.required(12, v.valid_from);
  m.optional(13, v.valid_until);
  m.required(14, v.nonce);
  m.required(15, v.hash);
  m.defaulted(16, v.payload);
}

template <class Map, class Edge, class Bytes>
void edge_layout(Map& m, Edge& e, const raw_bytes<Bytes>& data) {
  m.schema();
  m.required(1, e.key.src);
  m.required(2, e.key.type);
  m.required(3, e.key.dst);
  m.required(4, e.created_at);
  m.defaulted(5, e.created_by);
  m.required(6, e.weight);
  m.defaulted(7, data);
  m.defaulted(8, e.kind);
}

/// Marks the end of an edge, so that it is a value of its own in the map.
template <class Edge>
struct edge_end {
  Edge& edge;
};

bool strictly_ascending(const std::vector<std::string>& items) {
  return std::ranges::adjacent_find(items, std::greater_equal<>()) == items.end();
}

} // namespace

void put(canonical_writer& out, const edge_end<const edge_record>& end) {
  map_writer m(out);
  edge_end_layout(m, end.edge);
  m.finish();
}
void get(item_parser& in, const edge_end<edge_record>& end) {
  map_parser m(in);
  edge_end_layout(m, end.edge);
  m.finish();
}

void put(canonical_writer& out, const head& h) {
  map_writer m(out);
  head_layout(m, h);
  m.finish();
}
void get(item_parser& in, head& h) {
  map_parser m(in);
  head_layout(m, h);
  m.finish();
  if (!in.ok()) return;
  if (h.current_version == 0) in.refuse("versions are numbered from 1");
  if (h.declared_importance > 10) in.refuse("importance is at most 10");
  if (!strictly_ascending(h.tags)) in.refuse("tags do not ascend");
}

void put(canonical_writer& out, const version& v) {
  map_writer m(out);
  const auto own_forms = static_cast<std::uint8_t>((v.short_overridden ? short_is_own : 0)
                                                   | (v.medium_overridden ? medium_is_own : 0));
  version_layout(m, v, own_forms);
  m.finish();
}
void get(item_parser& in, version& v) {
  map_parser m(in);
  std::uint8_t own_forms = 0;
  version_layout(m, v, own_forms);
  m.finish();
  v.short_overridden = (own_forms & short_is_own) != 0;
  v.medium_overridden = (own_forms & medium_is_own) != 0;
  if (!in.ok()) return;
  if (own_forms > (short_is_own | medium_is_own)) in.refuse("unknown form flags");
  if (v.number == 0) in.refuse("versions are numbered from 1");
  if (v.confidence < 0 || v.confidence > 1) in.refuse("confidence is in [0, 1]");
}

void put(canonical_writer& out, const edge_record& e) {
  map_writer m(out);
  edge_layout(m, e, raw_bytes{e.data});
  if (e.tombstoned) m.required(9, edge_end<const edge_record>{e});
  m.required(10, e.nonce);
  m.finish();
}
void get(item_parser& in, edge_record& e) {
  map_parser m(in);
  edge_layout(m, e, raw_bytes{e.data});
  e.tombstoned = m.next_is(9);
  if (e.tombstoned) m.required(9, edge_end<edge_record>{e});
  m.required(10, e.nonce);
  m.finish();
}

std::string encode(const head& h) {
  canonical_writer out(384);
  put(out, h);
  return out.take();
}
std::string encode(const version& v) {
  // A form has most of a text once more.
  canonical_writer out(512 + 3 * v.forms.medium_form.size());
  put(out, v);
  return out.take();
}
std::string encode(const edge_record& e) {
  canonical_writer out(160 + e.data.size());
  put(out, e);
  return out.take();
}

result<head> decode_head(std::string_view bytes) {
  return decode_whole<head>(bytes);
}
result<version> decode_version(std::string_view bytes) {
  return decode_whole<version>(bytes);
}
result<edge_record> decode_edge(std::string_view bytes) {
  return decode_whole<edge_record>(bytes);
}

namespace {

/// The item behind the hash: none of most versions.
std::size_t payload_item_bytes(const version& v) {
  if (v.payload.empty()) return 0;
  canonical_writer out(16 + v.payload.size());
  out.unsigned_integer(16);
  put(out, v.payload);
  return out.take().size();
}

/// The 32 bytes of the hash, which only a payload follows.
std::span<char> hash_within(std::string& bytes, const version& v) {
  const std::size_t size = v.hash.bytes.size();
  ensure(bytes.size() > payload_item_bytes(v) + size, "a version is more than its end");
  return std::span(bytes).subspan(bytes.size() - payload_item_bytes(v) - size, size);
}

std::string encode_without_hash(const version& v) {
  std::string bytes = encode(v);
  std::ranges::fill(hash_within(bytes, v), '\0');
  return bytes;
}

} // namespace

digest hash_of(const version& v) {
  return sha256_of(encode_without_hash(v));
}

std::string seal(version& v) {
  std::string bytes = encode_without_hash(v);
  v.hash = sha256_of(bytes);
  std::ranges::copy(v.hash.bytes, hash_within(bytes, v).begin());
  return bytes;
}

std::string key_bytes(const edge_key& key) {
  std::string bytes;
  bytes.reserve(33);
  bytes.append(key.src.raw());
  bytes.push_back(static_cast<char>(key.type));
  bytes.append(key.dst.raw());
  return bytes;
}

} // namespace mneme
