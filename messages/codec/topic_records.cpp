#include "messages/codec/topic_records.hpp"

#include <algorithm>

#include "messages/codec/record_codec.hpp"
#include "messages/hash.hpp"

namespace mneme {

namespace {

constexpr std::size_t max_field_name_bytes = 128;

template <class Map, class Field>
void field_head_layout(Map& m, Field& f) {
  m.schema();
  m.required(1, f.topic);
  m.required(2, f.name);
  m.required(3, f.type);
  m.optional(4, f.ref_topic_id);
  m.required(5, f.revisions);
  m.required(6, f.newest_hash);
}

template <class Map, class Erasure>
void field_erasure_layout(Map& m, Erasure& e) {
  m.schema();
  m.required(1, e.since);
  m.required(2, e.at);
  m.required(3, e.by);
  m.required(4, e.reason);
}

template <class Map, class Field>
void topic_field_layout(Map& m, Field& f) {
  m.schema();
  m.required(1, f.head);
  m.required(2, f.current);
  m.defaulted(3, f.salience_e9, salience_one_e9);
  m.optional(4, f.erased);
}

template <class Map, class Revision>
void revision_layout(Map& m, Revision& r) {
  m.schema();
  m.required(1, r.topic);
  m.required(2, r.field);
  m.required(3, r.number);
  m.required(4, r.value);
  m.required(5, r.valid_from);
  m.optional(6, r.valid_until);
  m.defaulted(7, r.why_changed);
  m.defaulted(8, r.impact_expected);
  m.defaulted(9, r.operation);
  m.defaulted(10, r.provenance);
  m.required(11, r.created_at);
  m.defaulted(12, r.created_by);
  m.optional(13, r.merged_from);
  m.required(14, r.nonce);
  m.required(15, r.hash);
}

template <class Map, class Event>
void event_layout(Map& m, Event& e) {
  m.schema();
  m.required(1, e.seq);
  m.required(2, e.ts);
  m.required(3, e.kind);
  m.optional(4, e.from_e9);
  m.optional(5, e.to_e9);
  m.defaulted(6, e.reason);
  m.defaulted(7, e.field);
  m.optional(8, e.revision);
  m.optional(9, e.topic);
}

void get_value(item_parser& in, json_value& v, std::size_t depth);

void get_list(item_parser& in, json_value& v, std::size_t depth) {
  auto& list = v.node.emplace<std::vector<json_value>>();
  const std::uint32_t size = in.array();
  for (std::uint32_t i = 0; i < size && in.ok(); ++i) get_value(in, list.emplace_back(), depth);
}

void get_object(item_parser& in, json_value& v, std::size_t depth) {
  auto& object = v.node.emplace<std::vector<json_member>>();
  const std::uint32_t size = in.map();
  for (std::uint32_t i = 0; i < size && in.ok(); ++i) {
    std::string name(in.text());
    if (!object.empty() && in.ok() && name <= object.back().name)
      return in.refuse("member names do not ascend");
    object.push_back({std::move(name), {}});
    get_value(in, object.back().value, depth);
  }
}

void get_value(item_parser& in, json_value& v, std::size_t depth) {
  if (depth > max_json_depth) return in.refuse("a value is nested too deeply");
  switch (in.peek()) {
  case canonical_reader::kind::nil:
    in.nil();
    v.node = std::monostate{};
    return;
  case canonical_reader::kind::boolean:
    v.node = in.boolean();
    return;
  case canonical_reader::kind::integer:
    v.node = in.integer();
    return;
  case canonical_reader::kind::real64:
    get(in, v.node.emplace<double>());
    return;
  case canonical_reader::kind::array:
    return get_list(in, v, depth + 1);
  case canonical_reader::kind::map:
    return get_object(in, v, depth + 1);
  default:
    v.node = std::string(in.text());
  }
}

bool is_field_name(const std::string& name) {
  return !name.empty() && name.size() <= max_field_name_bytes
         && name.find('\0') == std::string::npos;
}

template <class Record, class Layout>
void put_map(canonical_writer& out, const Record& record, const Layout& layout) {
  map_writer m(out);
  layout(m, record);
  m.finish();
}
template <class Record, class Layout>
void get_map(item_parser& in, Record& record, const Layout& layout) {
  map_parser m(in);
  layout(m, record);
  m.finish();
}

constexpr auto field_erasure_of = [](auto& m, auto& e) { field_erasure_layout(m, e); };
constexpr auto field_head_of = [](auto& m, auto& f) { field_head_layout(m, f); };
constexpr auto topic_field_of = [](auto& m, auto& f) { topic_field_layout(m, f); };
constexpr auto revision_of = [](auto& m, auto& r) { revision_layout(m, r); };
constexpr auto event_of = [](auto& m, auto& e) { event_layout(m, e); };

template <class Record>
std::string encoded(const Record& record) {
  canonical_writer out;
  put(out, record);
  return out.take();
}

} // namespace

bool operator==(const json_value& a, const json_value& b) {
  return a.node == b.node;
}

void put(canonical_writer& out, const json_value& v) {
  if (const auto* truth = std::get_if<bool>(&v.node)) {
    out.boolean(*truth);
  } else if (const auto* integer = std::get_if<std::int64_t>(&v.node)) {
    out.integer(*integer);
  } else if (const auto* number = std::get_if<double>(&v.node)) {
    out.real64(*number);
  } else if (const auto* text = std::get_if<std::string>(&v.node)) {
    out.text(*text);
  } else if (const auto* list = std::get_if<std::vector<json_value>>(&v.node)) {
    out.array(static_cast<std::uint32_t>(list->size()));
    for (const auto& item : *list) put(out, item);
  } else if (const auto* object = std::get_if<std::vector<json_member>>(&v.node)) {
    out.map(static_cast<std::uint32_t>(object->size()));
    for (const auto& member : *object) {
      out.text(member.name);
      put(out, member.value);
    }
  } else {
    out.nil();
  }
}
void get(item_parser& in, json_value& v) {
  get_value(in, v, 0);
}

void put(canonical_writer& out, const field_head& f) {
  put_map(out, f, field_head_of);
}
void get(item_parser& in, field_head& f) {
  get_map(in, f, field_head_of);
  if (!in.ok()) return;
  if (!is_field_name(f.name)) in.refuse("not the name of a field");
}

void put(canonical_writer& out, const field_erasure& e) {
  put_map(out, e, field_erasure_of);
}
void get(item_parser& in, field_erasure& e) {
  get_map(in, e, field_erasure_of);
}

void put(canonical_writer& out, const topic_field& f) {
  put_map(out, f, topic_field_of);
}
void get(item_parser& in, topic_field& f) {
  get_map(in, f, topic_field_of);
  if (!in.ok()) return;
  if (f.erased) {
    if (f != erased_field(f.head.topic, f.head.name, *f.erased))
      in.refuse("an erased field that still says something");
    return;
  }
  if (f.current == 0 || f.current > f.head.revisions) in.refuse("there is no such revision");
  if (f.salience_e9 < 0 || f.salience_e9 > 10 * salience_one_e9)
    in.refuse("a field's salience is in [0, 10]");
}

void put(canonical_writer& out, const field_revision& r) {
  put_map(out, r, revision_of);
}
void get(item_parser& in, field_revision& r) {
  get_map(in, r, revision_of);
  if (!in.ok()) return;
  if (!is_field_name(r.field)) in.refuse("not the name of a field");
  if (r.number == 0) in.refuse("revisions are numbered from 1");
}

void put(canonical_writer& out, const topic_event& e) {
  put_map(out, e, event_of);
}
void get(item_parser& in, topic_event& e) {
  get_map(in, e, event_of);
}

topic_field erased_field(const memory_id& topic, std::string name, field_erasure why) {
  topic_field left;
  left.head.topic = topic;
  left.head.name = std::move(name);
  left.erased = std::move(why);
  return left;
}

std::string encode(const field_head& f) {
  return encoded(f);
}
std::string encode(const topic_field& f) {
  return encoded(f);
}
std::string encode(const field_revision& r) {
  return encoded(r);
}
std::string encode(const topic_event& e) {
  return encoded(e);
}
std::string encode(const json_value& v) {
  return encoded(v);
}

result<field_head> decode_field_head(std::string_view bytes) {
  return decode_whole<field_head>(bytes);
}
result<topic_field> decode_topic_field(std::string_view bytes) {
  return decode_whole<topic_field>(bytes);
}
result<field_revision> decode_field_revision(std::string_view bytes) {
  return decode_whole<field_revision>(bytes);
}
result<topic_event> decode_topic_event(std::string_view bytes) {
  return decode_whole<topic_event>(bytes);
}

digest hash_of(const field_revision& r) {
  // The hash is the last item: 32 bytes that are zeroed after encoding, without a copy of `r`.
  std::string bytes = encode(r);
  std::ranges::fill(bytes.end() - static_cast<std::ptrdiff_t>(r.hash.bytes.size()), bytes.end(),
                    '\0');
  return sha256_of(bytes);
}

std::string field_key_bytes(const memory_id& topic, std::string_view name) {
  std::string bytes(topic.raw());
  bytes.append(name);
  return bytes;
}

} // namespace mneme
