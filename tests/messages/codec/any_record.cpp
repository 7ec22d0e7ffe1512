#include "tests/messages/codec/any_record.hpp"

#include <bit>
#include <cmath>
#include <random>
#include <set>

#include <rapidcheck.h>

#include "messages/text/time_text.hpp"
#include "messages/validate/schema.hpp"
#include "messages/validate/validate.hpp"

namespace mneme::test {

namespace {

std::uint64_t any_word() {
  return *rc::gen::arbitrary<std::uint64_t>();
}
/// In [least, greatest].
int any_int(int least, int greatest) {
  return *rc::gen::inRange(least, greatest + 1);
}
bool any_bool() {
  return any_int(0, 1) == 1;
}
template <class Enum>
Enum any_of(int count) {
  return static_cast<Enum>(any_int(1, count));
}
template <class Make>
auto any_optional(Make make) -> std::optional<decltype(make())> {
  if (any_bool()) return std::nullopt;
  return make();
}
template <class Make>
auto any_list(int max_size, Make make) -> std::vector<decltype(make())> {
  std::vector<decltype(make())> items;
  for (int i = any_int(0, max_size); i > 0; --i) items.push_back(make());
  return items;
}
template <std::size_t Size>
std::array<std::uint8_t, Size> any_array() {
  std::array<std::uint8_t, Size> bytes{};
  for (std::uint8_t& byte : bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  return bytes;
}

void append_utf8(std::string& out, std::uint32_t c) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((c >> shift) & 0x3FU)));
  };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (c >> 6)));
    tail(0);
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (c >> 12)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (c >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

template <class Variant>
Variant any_scalar() {
  switch (any_int(0, 3)) {
  case 0:
    return any_text();
  case 1:
    return any_integer();
  case 2:
    return any_finite();
  default:
    return any_bool();
  }
}

field_value any_field(const field_schema& field) {
  switch (field.kind) {
  case field_kind::text:
    return any_text();
  case field_kind::name:
    return std::string(
        field
            .names[static_cast<std::size_t>(any_int(0, static_cast<int>(field.names.size()) - 1))]);
  case field_kind::integer:
    return any_integer();
  case field_kind::real:
    return field.unit_interval ? any_int(0, 1000) / 1000.0 : any_finite();
  case field_kind::boolean:
    return any_bool();
  case field_kind::time:
    return any_time();
  case field_kind::id:
    return any_id();
  case field_kind::text_list:
    return any_list(4, [] { return any_text(); });
  }
  return {};
}

provenance any_provenance() {
  provenance p;
  p.source = any_of<provenance_source>(4);
  p.derived_from = any_list(2, [] { return any_text(); });
  p.attestations = any_list(2, [] { return any_text(); });
  p.signed_by = any_text();
  p.signed_at = any_optional(any_time);
  p.signature = any_text();
  return p;
}

lifecycle any_lifecycle() {
  lifecycle l;
  l.status = any_optional([] { return any_of<lifecycle_status>(6); });
  l.due_date = any_optional(any_time);
  l.project = any_text();
  l.origin = any_optional([] { return any_of<lifecycle_origin>(4); });
  l.atomic = any_bool();
  l.audience = any_optional([] { return any_of<lifecycle_audience>(2); });
  return l;
}

tombstone any_tombstone() {
  tombstone t;
  t.reason = any_text();
  t.cause = any_of<tombstone_cause>(5);
  t.superseded_by = any_optional(any_id);
  t.at = any_time();
  t.by = any_text();
  return t;
}

colour any_colour() {
  colour c;
  c.hashtags = any_list(9, [] { return any_text(); });
  c.L = any_finite();
  c.a = any_finite();
  c.b = any_finite();
  c.mode = to_string(any_of<memory_mode>(4));
  return c;
}

intent_frame any_frame() {
  return {any_of<verb>(10), any_of<object_kind>(8), any_text()};
}

embedding_ref any_embedding() {
  return {static_cast<std::uint32_t>(any_int(1, static_cast<int>(max_vector_dim))),
          static_cast<std::uint32_t>(any_int(1, 9))};
}

find_late_payload any_find_late() {
  find_late_payload p;
  p.predicate = any_text();
  p.types = any_list(3, any_type);
  p.tags = any_list(3, [] { return any_text(); });
  p.limit = any_optional(any_integer);
  p.result_count = any_integer();
  p.accessed = any_list(3, any_id);
  p.actor = any_text();
  p.nonce = any_array<16>();
  return p;
}

attest_payload any_attest() {
  return {.intent_id = any_text(),
          .outcome = any_integer() % 2 == 0 ? attest_outcome::success : attest_outcome::failure,
          .reason = any_text(),
          .cited = any_list(3, any_id),
          .actor = any_text(),
          .nonce = any_array<16>()};
}

std::int64_t any_weight() {
  return any_integer() & 0x3FFF'FFFF;
}
learn_weights_payload any_learn_weights() {
  return {.actor = any_text(),
          .skipped = any_integer() % 2 == 0,
          .weights = {any_weight(), any_weight(), any_weight(), any_weight(), any_weight()},
          .nonce = any_array<16>()};
}

weighed_uri any_weighed() {
  return {.uri = {any_type(), any_id(), static_cast<std::uint32_t>(any_weight())},
          .salience = any_integer(),
          .tokens = any_integer(),
          .short_form = any_text()};
}
compact_payload any_compact() {
  return {.intent_id = any_text(),
          .step_id = any_text(),
          .actor = any_text(),
          .budget_tokens = any_integer(),
          .tokens = any_integer(),
          .kept = any_list(3, any_weighed),
          .compacted = any_list(3, any_weighed),
          .nonce = any_array<16>()};
}

scope_violation_payload any_scope_violation() {
  return {.grantee = any_text(),
          .granter = any_text(),
          .actor = any_text(),
          .target = any_text(),
          .nonce = any_array<16>()};
}

} // namespace

std::string any_text(int max_code_points) {
  std::string out;
  for (int i = any_int(0, max_code_points); i > 0; --i) {
    switch (any_int(0, 5)) {
    case 0:
      append_utf8(out, static_cast<std::uint32_t>(any_int(0x80, 0x7FF)));
      break;
    case 1:
      append_utf8(out, static_cast<std::uint32_t>(any_int(0x800, 0xD7FF)));
      break;
    case 2:
      append_utf8(out, static_cast<std::uint32_t>(any_int(0xE000, 0xFFFF)));
      break;
    case 3:
      append_utf8(out, static_cast<std::uint32_t>(any_int(0x10000, 0x10FFFF)));
      break;
    default:
      append_utf8(out, static_cast<std::uint32_t>(any_int(0, 0x7F)));
      break;
    }
  }
  return out;
}

std::string any_bytes(int max_size) {
  std::string out;
  for (int i = any_int(0, max_size); i > 0; --i)
    out.push_back(static_cast<char>(*rc::gen::arbitrary<std::uint8_t>()));
  return out;
}

timestamp any_time() {
  const auto range = static_cast<std::uint64_t>(max_timestamp.ns) + 1;
  return {static_cast<std::int64_t>(any_word() % range)};
}

memory_id any_id() {
  return {any_array<16>()};
}

digest any_digest() {
  return {any_array<32>()};
}

double any_finite() {
  if (any_bool()) return any_int(-1000, 1000) / 8.0;
  const auto value = std::bit_cast<double>(any_word());
  return std::isfinite(value) ? value : 0.5;
}

/// Of every width that the encoding has.
std::int64_t any_integer() {
  return std::bit_cast<std::int64_t>(any_word()) >> any_int(0, 63);
}

memory_type any_type() {
  return any_of<memory_type>(memory_type_count);
}

metadata_map any_metadata() {
  metadata_map metadata;
  for (int i = any_int(0, 4); i > 0; --i) {
    meta_value value;
    if (any_int(0, 4) == 0)
      value = any_list(4, [] { return any_scalar<scalar>(); });
    else
      value = any_scalar<meta_value>();
    metadata.insert_or_assign(any_text(), std::move(value));
  }
  return metadata;
}

memory_data any_data(memory_type type) {
  memory_data data;
  for (const field_schema& field : fields_of(type))
    if (any_int(0, 3) != 0) data.emplace(std::string(field.name), any_field(field));
  return data;
}

head any_head() {
  head h;
  h.id = any_id();
  h.type = any_type();
  h.current_version = static_cast<std::uint32_t>(any_int(1, 1'000'000));
  h.actor_scope = any_text();
  h.visibility = any_of<visibility>(3);
  h.declared_importance = static_cast<std::uint8_t>(any_int(0, 10));
  h.tags = normalise_tags(any_list(5, [] { return any_text(); }));
  h.frames = any_list(3, any_frame);
  h.metadata = any_metadata();
  h.lifecycle = any_optional(any_lifecycle);
  h.colour = any_optional(any_colour);
  h.tombstone = any_optional(any_tombstone);
  h.embedding = any_optional(any_embedding);
  h.created_at = any_time();
  h.last_updated_at = any_time();
  h.version_hash = any_digest();
  h.erased = any_bool();
  h.nonce = any_array<16>();
  return h;
}

version any_version() {
  version v;
  v.id = any_id();
  v.number = static_cast<std::uint32_t>(any_int(1, 1'000'000));
  v.type = any_type();
  v.data = any_data(v.type);
  v.created_at = any_time();
  v.created_by = any_text();
  v.expires_at = any_optional(any_time);
  v.confidence = any_int(0, 100) / 100.0;
  if (any_bool()) v.provenance = any_provenance();
  v.forms = {any_text(), any_text()};
  v.short_overridden = any_bool();
  v.medium_overridden = any_bool();
  v.valid_from = any_time();
  v.valid_until = any_optional(any_time);
  v.nonce = any_array<16>();
  v.hash = any_digest();
  return v;
}

edge_record any_edge() {
  edge_record e;
  e.key = {any_id(), any_of<edge_type>(edge_type_count), any_id()};
  e.created_at = any_time();
  e.created_by = any_text();
  e.weight = static_cast<float>(any_int(-800, 800)) / 8.0F;
  e.data = any_bytes();
  e.kind = any_text();
  e.tombstoned = any_bool();
  if (e.tombstoned) {
    e.tombstoned_at = any_optional(any_time);
    e.tombstoned_reason = any_text();
    e.tombstoned_by = any_text();
  }
  e.nonce = any_array<16>();
  return e;
}

spaced_vector any_vector() {
  spaced_vector v;
  v.space.model = any_text();
  for (int i = any_int(1, 20); i > 0; --i)
    v.values.push_back(static_cast<float>(any_int(-100, 100)) / 64.0F);
  v.space.dim = static_cast<std::uint32_t>(v.values.size());
  return v;
}

manifest any_manifest() {
  manifest m;
  m.seq = {any_word()};
  m.journal_root = any_digest();
  for (digest& root : m.state_roots) root = any_digest();
  m.overall_root = any_digest();
  m.created_at = any_time();
  m.trigger = any_text();
  for (int i = any_int(0, 4); i > 0; --i) m.counters.insert_or_assign(any_text(), any_word());
  return m;
}

entry_header any_header() {
  entry_header h;
  h.seq = {any_word() | 1U};
  h.kind = any_of<entry_kind>(24);
  h.created_at = any_time();
  h.created_by = any_text();
  h.leaves = any_list(4, [] {
    return state_leaf{static_cast<state_namespace>(any_int(0, 2)), any_digest(), any_digest()};
  });
  h.payload_hash = any_digest();
  return h;
}

embed_payload any_embed() {
  embed_payload p{any_head(), any_vector()};
  p.vector->values.front() = 1; // the zero vector is refused
  p.head.embedding = embedding_ref{.dim = p.vector->space.dim, .version = p.head.current_version};
  if (any_bool()) {
    p.head.type = memory_type::topic;
    p.text = "t" + any_text();
  }
  if (!p.text.empty() && any_bool()) {
    p.vector.reset();
    p.head.embedding.reset();
  }
  p.head.tombstone.reset();
  p.head.erased = false;
  return p;
}

std::pair<entry_kind, entry_payload> any_payload() {
  switch (any_int(0, 18)) {
  case 0:
    return {entry_kind::write,
            write_payload{any_head(), any_version(), any_optional(any_vector), any_bool()}};
  case 1:
    return {entry_kind::update,
            update_payload{any_head(), any_version(), any_optional(any_vector)}};
  case 2:
    return {entry_kind::tombstone, head_payload{any_head()}};
  case 3:
    return {entry_kind::update_head, head_payload{any_head()}};
  case 4:
    return {entry_kind::add_edge, edge_payload{any_edge()}};
  case 5:
    return {entry_kind::remove_edge, edge_payload{any_edge()}};
  case 6:
    return {entry_kind::find_late, any_find_late()};
  case 7:
    return {entry_kind::attest, any_attest()};
  case 8:
    return {entry_kind::learn_weights, any_learn_weights()};
  case 9:
    return {entry_kind::compact, any_compact()};
  case 10:
    return {entry_kind::scope_violation, any_scope_violation()};
  case 11:
    return {entry_kind::embed, any_embed()};
  case 12:
    return {entry_kind::reinforce,
            reinforce_payload{
                static_cast<reinforcing_door>(any_int(1, 2)), any_text(),
                any_list(4, [] { return reinforced_item{any_id(), any_int(0, 9), any_int(0, 9)}; }),
                any_array<16>()}};
  case 13:
    return {entry_kind::decay_cycle,
            decay_cycle_payload{any_list(4,
                                         [] {
                                           const bool is_high = any_bool();
                                           return decayed_item{any_id(), any_int(0, 900), is_high,
                                                               !is_high && any_bool()};
                                         }),
                                any_text(), any_array<16>()}};
  case 14:
    return {entry_kind::assign_tag,
            assign_tag_payload{"t" + any_text(), static_cast<std::uint32_t>(any_int(1, 10'000)),
                               any_text(), any_array<16>()}};
  case 15:
    return {entry_kind::search_weights,
            search_weights_payload{any_text(), any_text(), any_array<16>()}};
  case 16: {
    erase_payload p;
    if (any_bool())
      p.head = any_head();
    else
      p.edge = any_edge();
    std::uint64_t seq = 0;
    p.seqs = any_list(4, [&] { return seq_no{seq += static_cast<std::uint64_t>(any_int(1, 99))}; });
    p.seqs.push_back({seq + 1});
    p.nonce = any_array<16>();
    return {entry_kind::erase, std::move(p)};
  }
  case 17: {
    trim_payload p;
    std::uint64_t seq = 0;
    const auto drops = any_int(1, 9);
    for (std::int64_t i = 0; i < drops; ++i)
      p.drop({seq += static_cast<std::uint64_t>(any_int(1, 30))});
    p.before = {seq + static_cast<std::uint64_t>(any_int(1, 99))};
    std::set<memory_id> ids;
    for (const memory_id& id : any_list(4, any_id)) ids.insert(id);
    for (const memory_id& id : ids) {
      p.used.push_back({id,
                        {.last_used = {any_int(0, 900)},
                         .access_count = any_int(0, 900),
                         .citations = any_int(0, 900),
                         .importance = static_cast<std::uint8_t>(any_int(0, 10)),
                         .topic_salience_e9 = any_int(0, 900)}});
      carried_signals& c = p.coloured.emplace_back();
      c.id = id;
      c.signals.strength_e9 = any_int(0, 900);
      c.signals.last_accessed = {any_int(0, 900)};
      if (any_bool()) c.signals.last_decay_at = timestamp{any_int(0, 900)};
      c.signals.ascended = any_bool();
      c.signals.rotten = !c.signals.ascended && any_bool();
    }
    for (const memory_id& id : ids) {
      dropped_versions& d = p.versions.emplace_back();
      d.id = id;
      std::uint32_t number = 0;
      for (auto ranges = any_int(1, 3); ranges > 0; --ranges) {
        const std::uint32_t first = number + 2 + static_cast<std::uint32_t>(any_int(0, 9));
        number = first + static_cast<std::uint32_t>(any_int(0, 9));
        d.ranges.push_back({.first = first - 1, .last = number - 1});
      }
      if (any_bool()) p.last_drawn = id;
    }
    if (any_bool()) p.versions.clear();
    p.reason = any_text();
    p.actor = any_text();
    p.nonce = any_array<16>();
    return {entry_kind::trim, std::move(p)};
  }
  default:
    return {entry_kind::snapshot, snapshot_payload{any_manifest(), any_array<16>()}};
  }
}

std::string damaged(std::string bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto any_byte = [&] { return static_cast<char>(random() & 0xFFU); };
  if (bytes.empty()) return std::string(1, any_byte());
  const std::size_t at = below(bytes.size());
  switch (below(6)) {
  case 0:
    bytes[at] = any_byte();
    break;
  case 1:
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    break;
  case 2:
    bytes.insert(at, 1, any_byte());
    break;
  case 3:
    bytes.erase(at, 1 + below(4));
    break;
  case 4:
    bytes.resize(at);
    break;
  default:
    bytes = bytes.substr(at) + bytes.substr(0, at);
    break;
  }
  return bytes;
}

} // namespace mneme::test
