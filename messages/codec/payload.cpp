#include "messages/codec/payload.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "messages/codec/record_codec.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

template <class Map, class Payload>
void write_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.head);
  m.required(2, p.version);
  m.optional(3, p.vector);
  m.required(4, p.id_drawn);
}

template <class Map, class Payload>
void update_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.head);
  m.required(2, p.version);
  m.optional(3, p.vector);
}

template <class Map, class Payload>
void find_late_layout(Map& m, Payload& p) {
  m.schema();
  m.defaulted(1, p.predicate);
  m.defaulted(2, p.types);
  m.defaulted(3, p.tags);
  m.optional(4, p.limit);
  m.required(5, p.result_count);
  m.defaulted(6, p.accessed);
  m.defaulted(7, p.actor);
  m.defaulted(8, p.nonce);
}

template <class Map, class Payload>
void reinforce_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.door);
  m.defaulted(2, p.actor);
  m.required(3, p.items);
  m.required(4, p.nonce);
}

template <class Map, class Payload>
void decay_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.items);
  m.defaulted(2, p.actor);
  m.required(3, p.nonce);
}

template <class Map, class Payload>
void assign_tag_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.tag);
  m.required(2, p.anchor);
  m.defaulted(3, p.actor);
  m.required(4, p.nonce);
}

template <class Map, class Payload>
void search_weights_layout(Map& m, Payload& p) {
  m.schema();
  m.defaulted(1, p.weights);
  m.defaulted(2, p.actor);
  m.required(3, p.nonce);
}

template <class Map, class Payload>
void erase_layout(Map& m, Payload& p) {
  m.schema();
  m.optional(1, p.head);
  m.optional(2, p.edge);
  m.required(3, p.seqs);
  m.required(4, p.nonce);
  m.optional(5, p.topic);
}

template <class Map, class Payload>
void trim_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.before);
  m.defaulted(2, raw_bytes{p.dropped});
  m.defaulted(3, p.used);
  m.defaulted(4, p.coloured);
  m.defaulted(5, p.reason);
  m.defaulted(6, p.actor);
  m.required(7, p.nonce);
  m.defaulted(8, p.versions);
  m.optional(9, p.last_drawn);
}

/// Bits of a decayed item's last member.
constexpr std::uint8_t decayed_ascended = 1;
constexpr std::uint8_t decayed_rotten = 2;
/// And of carried signals: there was a decay.
constexpr std::uint8_t carried_decay = 4;

template <class Map, class Manifest>
void manifest_layout(Map& m, Manifest& x) {
  m.schema();
  m.required(1, x.seq);
  m.required(2, x.journal_root);
  m.required(3, x.state_roots);
  m.required(4, x.overall_root);
  m.required(5, x.created_at);
  m.defaulted(6, x.trigger);
  m.defaulted(7, x.counters);
}

template <class Map, class Payload>
void attest_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.intent_id);
  m.required(2, p.outcome);
  m.defaulted(3, p.reason);
  m.defaulted(4, p.cited);
  m.defaulted(5, p.actor);
  m.defaulted(6, p.nonce);
}

template <class Map, class Payload>
void learn_weights_layout(Map& m, Payload& p) {
  m.schema();
  m.defaulted(1, p.actor);
  m.required(2, p.skipped);
  m.required(3, p.weights);
  m.defaulted(4, p.nonce);
}

template <class Map, class Payload>
void compact_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.intent_id);
  m.required(2, p.step_id);
  m.defaulted(3, p.actor);
  m.required(4, p.budget_tokens);
  m.required(5, p.tokens);
  m.defaulted(6, p.kept);
  m.defaulted(7, p.compacted);
  m.defaulted(8, p.nonce);
}

template <class Map, class Payload>
void scope_violation_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.grantee);
  m.required(2, p.granter);
  m.required(3, p.actor);
  m.required(4, p.target);
  m.defaulted(5, p.nonce);
}

template <class Map, class Payload>
void field_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.field);
  m.required(2, p.revisions);
}

template <class Map, class Payload>
void topic_archive_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.head);
  m.required(2, p.from_e9);
  m.required(3, p.to_e9);
}

template <class Map, class Payload>
void topic_merge_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.keeper);
  m.required(2, p.head);
}

template <class Map, class Payload>
void topic_salience_layout(Map& m, Payload& p) {
  m.schema();
  m.required(1, p.topic);
  m.required(2, p.from_e9);
  m.required(3, p.to_e9);
  m.defaulted(4, p.reason);
  m.required(5, p.nonce);
}

using counter_map = std::map<std::string, std::uint64_t, std::less<>>;

} // namespace

/// [model, dim, little-endian float32s].
void put(canonical_writer& out, const spaced_vector& v) {
  std::string bytes(v.values.size() * sizeof(float), '\0');
  for (std::size_t i = 0; i < v.values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(v.values[i] == 0 ? 0.0F : v.values[i]);
    for (std::size_t k = 0; k < sizeof bits; ++k)
      bytes[i * sizeof bits + k] = static_cast<char>((bits >> (8 * k)) & 0xFFU);
  }
  out.array(3);
  put(out, v.space.model);
  put(out, v.space.dim);
  out.binary(bytes);
}
void get(item_parser& in, spaced_vector& v) {
  in.array_of(3);
  get(in, v.space.model);
  get(in, v.space.dim);
  const std::string_view bytes = in.binary();
  if (!in.ok()) return;
  if (v.space.dim == 0 || v.space.dim > max_vector_dim
      || bytes.size() != v.space.dim * sizeof(float))
    return in.refuse("a vector has as many numbers as its space");
  v.values.resize(v.space.dim);
  for (std::size_t i = 0; i < v.values.size(); ++i) {
    std::uint32_t bits = 0;
    for (std::size_t k = sizeof bits; k-- > 0;)
      bits = (bits << 8) | static_cast<std::uint8_t>(bytes[i * sizeof bits + k]);
    v.values[i] = std::bit_cast<float>(bits);
    if (!std::isfinite(v.values[i]) || (v.values[i] == 0 && bits != 0))
      return in.refuse("a number of a vector is not finite, or -0");
  }
}

/// [recency, access, citations, importance, similarity], none negative.
void put(canonical_writer& out, const learned_weights& w) {
  out.array(5);
  for (const std::int64_t part : {w.recency, w.access, w.citations, w.importance, w.similarity})
    out.integer(part);
}
void get(item_parser& in, learned_weights& w) {
  in.array_of(5);
  for (std::int64_t* part : {&w.recency, &w.access, &w.citations, &w.importance, &w.similarity}) {
    get(in, *part);
    if (*part < 0) in.refuse("a weight is negative");
  }
}

/// [id, type, version, salience, tokens, short form].
void put(canonical_writer& out, const weighed_uri& w) {
  out.array(6);
  put(out, w.uri.id);
  put(out, w.uri.type);
  put(out, w.uri.version);
  put(out, w.salience);
  put(out, w.tokens);
  put(out, w.short_form);
}
void get(item_parser& in, weighed_uri& w) {
  in.array_of(6);
  get(in, w.uri.id);
  get(in, w.uri.type);
  get(in, w.uri.version);
  get(in, w.salience);
  get(in, w.tokens);
  get(in, w.short_form);
}

/// [id, from, to].
void put(canonical_writer& out, const reinforced_item& item) {
  out.array(3);
  put(out, item.id);
  put(out, item.from_e9);
  put(out, item.to_e9);
}
void get(item_parser& in, reinforced_item& item) {
  in.array_of(3);
  get(in, item.id);
  get(in, item.from_e9);
  get(in, item.to_e9);
}

/// [id, strength, flags].
void put(canonical_writer& out, const decayed_item& item) {
  out.array(3);
  put(out, item.id);
  put(out, item.strength_e9);
  put(out, static_cast<std::uint8_t>((item.ascended ? decayed_ascended : 0)
                                     | (item.rotten ? decayed_rotten : 0)));
}
void get(item_parser& in, decayed_item& item) {
  in.array_of(3);
  get(in, item.id);
  get(in, item.strength_e9);
  const std::uint64_t flags = in.unsigned_up_to(decayed_rotten);
  item.ascended = (flags & decayed_ascended) != 0;
  item.rotten = (flags & decayed_rotten) != 0;
  if (in.ok() && item.strength_e9 < 0) in.refuse("a strength is not negative");
}

/// [id, last used, uses, citations, importance, salience].
void put(canonical_writer& out, const carried_use& c) {
  out.array(6);
  put(out, c.id);
  put(out, c.used.last_used);
  put(out, c.used.access_count);
  put(out, c.used.citations);
  put(out, c.used.importance);
  put(out, c.used.topic_salience_e9);
}
void get(item_parser& in, carried_use& c) {
  in.array_of(6);
  get(in, c.id);
  get(in, c.used.last_used);
  get(in, c.used.access_count);
  get(in, c.used.citations);
  get(in, c.used.importance);
  get(in, c.used.topic_salience_e9);
}

/// [id, strength, last accessed, last decay, flags].
void put(canonical_writer& out, const carried_signals& c) {
  out.array(5);
  put(out, c.id);
  put(out, c.signals.strength_e9);
  put(out, c.signals.last_accessed);
  put(out, c.signals.last_decay_at.value_or(timestamp{}));
  put(out, static_cast<std::uint8_t>((c.signals.ascended ? decayed_ascended : 0)
                                     | (c.signals.rotten ? decayed_rotten : 0)
                                     | (c.signals.last_decay_at ? carried_decay : 0)));
}
void get(item_parser& in, carried_signals& c) {
  in.array_of(5);
  get(in, c.id);
  get(in, c.signals.strength_e9);
  get(in, c.signals.last_accessed);
  timestamp decay;
  get(in, decay);
  const std::uint64_t flags = in.unsigned_up_to(carried_decay | decayed_rotten | decayed_ascended);
  c.signals.ascended = (flags & decayed_ascended) != 0;
  c.signals.rotten = (flags & decayed_rotten) != 0;
  if ((flags & carried_decay) != 0) c.signals.last_decay_at = decay;
  if (!in.ok()) return;
  if (c.signals.strength_e9 < 0) in.refuse("a strength is not negative");
  if (!c.signals.last_decay_at && decay != timestamp{}) in.refuse("a decay that there was not");
}

/// [first, last].
void put(canonical_writer& out, const version_range& r) {
  out.array(2);
  put(out, r.first);
  put(out, r.last);
}
void get(item_parser& in, version_range& r) {
  in.array_of(2);
  get(in, r.first);
  get(in, r.last);
  if (in.ok() && (r.first == 0 || r.first > r.last)) in.refuse("no versions, or not as numbered");
}

void check_ranges(item_parser& in, const std::vector<version_range>& ranges) {
  if (!in.ok()) return;
  const auto touches = [](const version_range& a, const version_range& b) {
    return b.first <= a.last || b.first - a.last == 1;
  };
  if (ranges.empty() || std::ranges::adjacent_find(ranges, touches) != ranges.end())
    in.refuse("dropped versions ascend, and what follows each other is one range");
}

/// [id, ranges].
void put(canonical_writer& out, const dropped_versions& d) {
  out.array(2);
  put(out, d.id);
  put(out, d.ranges);
}
void get(item_parser& in, dropped_versions& d) {
  in.array_of(2);
  get(in, d.id);
  get(in, d.ranges);
  check_ranges(in, d.ranges);
}

void put(canonical_writer& out, const state_root_array& roots) {
  out.array(state_namespace_count);
  for (const digest& root : roots) put(out, root);
}
void get(item_parser& in, state_root_array& roots) {
  in.array_of(state_namespace_count);
  for (digest& root : roots) get(in, root);
}

/// [[name, count]…] in bytewise order of the names.
void put(canonical_writer& out, const counter_map& counters) {
  out.array(static_cast<std::uint32_t>(counters.size()));
  for (const auto& [name, count] : counters) {
    out.array(2);
    put(out, name);
    put(out, count);
  }
}
void get(item_parser& in, counter_map& counters) {
  const std::uint32_t size = in.array();
  for (std::uint32_t i = 0; i < size && in.ok(); ++i) {
    in.array_of(2);
    std::string name(in.text());
    const std::uint64_t count = in.unsigned_integer();
    if (!in.ok()) return;
    if (!counters.empty() && name <= counters.rbegin()->first)
      return in.refuse("counter names do not ascend");
    counters.emplace_hint(counters.end(), std::move(name), count);
  }
}

void put(canonical_writer& out, const manifest& x) {
  map_writer m(out);
  manifest_layout(m, x);
  m.finish();
}
void get(item_parser& in, manifest& x) {
  map_parser m(in);
  manifest_layout(m, x);
  m.finish();
}

namespace {

// Which layout a payload has; the same for both directions.
template <class Map, class Payload>
void payload_layout(Map& m, Payload& p) {
  using plain = std::remove_const_t<Payload>;
  if constexpr (std::is_same_v<plain, write_payload>) {
    write_layout(m, p);
  } else if constexpr (std::is_same_v<plain, update_payload>) {
    update_layout(m, p);
  } else if constexpr (std::is_same_v<plain, embed_payload>) {
    m.schema();
    m.required(1, p.head);
    m.optional(2, p.vector);
    m.defaulted(3, p.text);
  } else if constexpr (std::is_same_v<plain, find_late_payload>) {
    find_late_layout(m, p);
  } else if constexpr (std::is_same_v<plain, attest_payload>) {
    attest_layout(m, p);
  } else if constexpr (std::is_same_v<plain, learn_weights_payload>) {
    learn_weights_layout(m, p);
  } else if constexpr (std::is_same_v<plain, compact_payload>) {
    compact_layout(m, p);
  } else if constexpr (std::is_same_v<plain, scope_violation_payload>) {
    scope_violation_layout(m, p);
  } else if constexpr (std::is_same_v<plain, field_payload>) {
    field_layout(m, p);
  } else if constexpr (std::is_same_v<plain, topic_archive_payload>) {
    topic_archive_layout(m, p);
  } else if constexpr (std::is_same_v<plain, topic_merge_payload>) {
    topic_merge_layout(m, p);
  } else if constexpr (std::is_same_v<plain, topic_salience_payload>) {
    topic_salience_layout(m, p);
  } else if constexpr (std::is_same_v<plain, reinforce_payload>) {
    reinforce_layout(m, p);
  } else if constexpr (std::is_same_v<plain, decay_cycle_payload>) {
    decay_layout(m, p);
  } else if constexpr (std::is_same_v<plain, assign_tag_payload>) {
    assign_tag_layout(m, p);
  } else if constexpr (std::is_same_v<plain, search_weights_payload>) {
    search_weights_layout(m, p);
  } else if constexpr (std::is_same_v<plain, erase_payload>) {
    erase_layout(m, p);
  } else if constexpr (std::is_same_v<plain, trim_payload>) {
    trim_layout(m, p);
  } else {
    m.schema();
    if constexpr (std::is_same_v<plain, head_payload>) {
      m.required(1, p.head);
      m.defaulted(2, p.affirms);
    } else if constexpr (std::is_same_v<plain, edge_payload>) {
      m.required(1, p.edge);
    } else {
      m.required(1, p.manifest);
      m.defaulted(2, p.nonce);
    }
  }
}

template <class Payload>
result<entry_payload> decode_payload(std::string_view bytes) {
  item_parser in(bytes);
  map_parser m(in);
  Payload p;
  payload_layout(m, p);
  m.finish();
  if (auto ok = in.finish(); !ok) return propagate(ok);
  return entry_payload(std::move(p));
}

/// The head must speak of this vector, or of none, and the vector must have a direction.
result<entry_payload> decode_embed(std::string_view bytes) {
  auto decoded = decode_payload<embed_payload>(bytes);
  if (!decoded) return decoded;
  const auto& p = std::get<embed_payload>(*decoded);
  std::optional<embedding_ref> expected;
  if (p.vector)
    expected = embedding_ref{.dim = p.vector->space.dim, .version = p.head.current_version};
  if (p.head.embedding != expected || p.head.tombstone || p.head.erased)
    return fail(errc::corrupt, "the head of an embed entry does not go with its vector");
  if (p.vector && !validate_vector(p.vector->values))
    return fail(errc::corrupt, "the vector of an embed entry has no direction");
  if (!p.vector && p.text.empty())
    return fail(errc::corrupt, "an embed entry without a vector and without a text");
  if (!p.text.empty() && p.head.type != memory_type::topic)
    return fail(errc::corrupt, "an embed entry with the text of a memory that is no topic");
  return decoded;
}

/// One thing is erased, and something of it.
result<entry_payload> decode_erase(std::string_view bytes) {
  auto p = decode_payload<erase_payload>(bytes);
  if (!p) return p;
  const auto& erased = std::get<erase_payload>(*p);
  if (int{erased.head.has_value()} + int{erased.edge.has_value()} + int{erased.topic.has_value()}
      != 1)
    return fail(errc::corrupt, "an erase entry is of one memory, of one edge or of a field");
  const auto& seqs = erased.seqs;
  if (seqs.empty() || seqs.front().value == 0
      || std::ranges::adjacent_find(seqs, std::ranges::greater_equal{}, &seq_no::value)
             != seqs.end())
    return fail(errc::corrupt, "the seqs of an erase entry ascend from 1");
  return p;
}

template <class Item>
bool ascend_by_id(const std::vector<Item>& items) {
  return std::ranges::adjacent_find(items, std::ranges::greater_equal{}, &Item::id) == items.end();
}

/// What is dropped is of before, and each memory is there once.
result<entry_payload> decode_trim(std::string_view bytes) {
  auto p = decode_payload<trim_payload>(bytes);
  if (!p) return p;
  const auto& trim = std::get<trim_payload>(*p);
  if (trim.dropped.empty() || trim.dropped.back() == '\0')
    return fail(errc::corrupt, "a trim that drops nothing, or not as it is written");
  const auto top = static_cast<unsigned char>(trim.dropped.back());
  if (trim.before.value <= (trim.dropped.size() - 1) * 8 + std::bit_width(top))
    return fail(errc::corrupt, "a trim of what is not before its point");
  if (!ascend_by_id(trim.used) || !ascend_by_id(trim.coloured) || !ascend_by_id(trim.versions))
    return fail(errc::corrupt, "what a trim carries is in id order, each once");
  return p;
}

result<entry_payload> decode_assignment(std::string_view bytes) {
  auto p = decode_payload<assign_tag_payload>(bytes);
  if (!p) return p;
  const auto& assigned = std::get<assign_tag_payload>(*p);
  if (assigned.tag.empty() || assigned.anchor == 0 || assigned.anchor > anchor_count)
    return fail(errc::corrupt, "an assignment of no tag, or to an anchor that does not exist");
  return p;
}

} // namespace

namespace {

/// A map_writer that takes records which are there already, and tells where each stands.
class record_writer {
public:
  record_writer(canonical_writer& out, const ready_records& ready, entry& noted)
      : out_(out), map_(out), ready_(ready), noted_(noted) {}

  void schema() { map_.schema(); }
  template <class T>
  void required(std::uint8_t key, const T& value) {
    map_.required(key, value);
  }
  void required(std::uint8_t key, const head& h) { note(key, h, ready_.head, noted_.head_span); }
  void required(std::uint8_t key, const version& v) {
    note(key, v, ready_.version, noted_.version_span);
  }
  void required(std::uint8_t key, const edge_record& e) {
    note(key, e, ready_.edge, noted_.edge_span);
  }
  template <class T>
  void defaulted(std::uint8_t key, const T& value) {
    map_.defaulted(key, value);
  }
  template <class T>
  void optional(std::uint8_t key, const std::optional<T>& value) {
    map_.optional(key, value);
  }
  void finish() { map_.finish(); }

private:
  template <class Record>
  void note(std::uint8_t key, const Record& record, std::string_view ready, record_span& span) {
    map_.begin(key);
    const std::size_t begin = out_.bytes().size();
    if (ready.empty())
      put(out_, record);
    else
      out_.encoded(ready);
    span = {.begin = static_cast<std::uint32_t>(begin),
            .size = static_cast<std::uint32_t>(out_.bytes().size() - begin)};
  }

  canonical_writer& out_;
  map_writer map_;
  const ready_records& ready_;
  entry& noted_;
};

/// Of all but lists and long texts that no record has.
std::size_t expected_bytes(const entry_payload& payload, const ready_records& ready) {
  constexpr std::size_t of_the_rest = 128;
  constexpr std::size_t of_a_record = 256;
  const std::size_t records = ready.head.size() + ready.version.size() + ready.edge.size();
  const auto* w = std::get_if<write_payload>(&payload);
  const std::size_t vector = w != nullptr && w->vector ? w->vector->values.size() : 0;
  return of_the_rest + std::max(records, of_a_record) + vector * sizeof(float);
}

} // namespace

void encode_payload(const entry_payload& payload, const ready_records& ready, entry& into) {
  into.payload_bytes.clear();
  if (std::holds_alternative<erased_payload>(payload)
      || std::holds_alternative<trimmed_payload>(payload))
    return;
  canonical_writer out(expected_bytes(payload, ready));
  record_writer m(out, ready, into);
  std::visit(
      [&](const auto& p) {
        using plain = std::decay_t<decltype(p)>;
        if constexpr (!std::is_same_v<plain, erased_payload>
                      && !std::is_same_v<plain, trimmed_payload>)
          payload_layout(m, p);
      },
      payload);
  m.finish();
  into.payload_bytes = out.take();
}

std::string encode(const entry_payload& payload) {
  entry sealed;
  encode_payload(payload, {}, sealed);
  return std::move(sealed.payload_bytes);
}

result<entry_payload> decode_entry_payload(entry_kind kind, std::string_view bytes) {
  switch (kind) {
  case entry_kind::write:
    return decode_payload<write_payload>(bytes);
  case entry_kind::update:
    return decode_payload<update_payload>(bytes);
  case entry_kind::tombstone:
  case entry_kind::update_head:
  case entry_kind::topic_unarchive:
  case entry_kind::restore:
    return decode_payload<head_payload>(bytes);
  case entry_kind::add_edge:
  case entry_kind::remove_edge:
    return decode_payload<edge_payload>(bytes);
  case entry_kind::embed:
    return decode_embed(bytes);
  case entry_kind::find_late:
    return decode_payload<find_late_payload>(bytes);
  case entry_kind::snapshot:
    return decode_payload<snapshot_payload>(bytes);
  case entry_kind::attest:
    return decode_payload<attest_payload>(bytes);
  case entry_kind::learn_weights:
    return decode_payload<learn_weights_payload>(bytes);
  case entry_kind::compact:
    return decode_payload<compact_payload>(bytes);
  case entry_kind::scope_violation:
    return decode_payload<scope_violation_payload>(bytes);
  case entry_kind::field:
    return decode_payload<field_payload>(bytes);
  case entry_kind::topic_archive:
    return decode_payload<topic_archive_payload>(bytes);
  case entry_kind::topic_merge:
    return decode_payload<topic_merge_payload>(bytes);
  case entry_kind::topic_salience:
    return decode_payload<topic_salience_payload>(bytes);
  case entry_kind::reinforce:
    return decode_payload<reinforce_payload>(bytes);
  case entry_kind::decay_cycle:
    return decode_payload<decay_cycle_payload>(bytes);
  case entry_kind::assign_tag:
    return decode_assignment(bytes);
  case entry_kind::search_weights:
    return decode_payload<search_weights_payload>(bytes);
  case entry_kind::erase:
    return decode_erase(bytes);
  case entry_kind::trim:
    return decode_trim(bytes);
  default:
    return fail(errc::format_unsupported,
                fmt::format("this version reads no payload of kind {} ({})",
                            static_cast<unsigned>(kind), to_string(kind)));
  }
}

std::string encode(const trimmed_versions& v) {
  canonical_writer out;
  out.array(2);
  put(out, v.ranges);
  put(out, v.by);
  return out.take();
}

result<trimmed_versions> decode_trimmed_versions(std::string_view bytes) {
  item_parser in(bytes);
  trimmed_versions v;
  in.array_of(2);
  get(in, v.ranges);
  get(in, v.by);
  check_ranges(in, v.ranges);
  if (auto ok = in.finish(); !ok) return propagate(ok);
  return v;
}

std::string encode(const manifest& m) {
  canonical_writer out;
  put(out, m);
  return out.take();
}

result<manifest> decode_manifest(std::string_view bytes) {
  return decode_whole<manifest>(bytes);
}

} // namespace mneme
