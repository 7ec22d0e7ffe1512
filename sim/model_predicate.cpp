#include <algorithm>

#include <re2/re2.h>

#include "messages/validate/schema.hpp"
#include "sim/model_find.hpp"

namespace mneme::sim {

namespace {

/// The value of a field on one memory; monostate where it has none.
using value = std::variant<std::monostate, double, std::string, bool, timestamp, memory_id>;

struct to_value {
  value operator()(const std::string& v) const { return v; }
  value operator()(std::int64_t v) const { return static_cast<double>(v); }
  value operator()(double v) const { return v; }
  value operator()(bool v) const { return v; }
  value operator()(timestamp v) const { return v; }
  value operator()(const memory_id& v) const { return v; }
  template <class Element>
  value operator()(const std::vector<Element>&) const {
    return {};
  }
};

template <class Optional>
value if_any(const Optional& v) {
  return v ? value(*v) : value();
}

value head_value(std::string_view name, const head& h) {
  if (name == "id") return h.id;
  if (name == "type") return std::string(to_string(h.type));
  if (name == "current_version") return static_cast<double>(h.current_version);
  if (name == "actor_scope") return h.actor_scope;
  if (name == "visibility") return std::string(to_string(h.visibility));
  if (name == "declared_importance") return static_cast<double>(h.declared_importance);
  if (name == "tombstoned") return h.tombstone.has_value();
  if (name == "created_at") return h.created_at;
  if (name == "last_updated_at") return h.last_updated_at;
  if (name == "namespace") return h.key ? value(h.key->name_space) : value();
  if (name == "key") return h.key ? value(h.key->name) : value();
  return {};
}

value version_value(std::string_view name, const version& v) {
  if (name == "version") return static_cast<double>(v.number);
  if (name == "created_at") return v.created_at;
  if (name == "created_by") return v.created_by;
  if (name == "expires_at") return if_any(v.expires_at);
  if (name == "confidence") return v.confidence;
  if (name == "provenance.source" || name == "provenance_kind")
    return std::string(to_string(v.provenance.source));
  if (name == "provenance.signed_by_present") return !v.provenance.signed_by.empty();
  if (name == "valid_from") return v.valid_from;
  if (name == "valid_until") return if_any(v.valid_until);
  return {};
}

/// Is `name` a data field of one of the types asked? One of another type only is unknown.
bool is_asked_field(std::string_view name, const std::vector<memory_type>& types) {
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte) {
    const auto type = static_cast<memory_type>(byte);
    const bool asked = types.empty() || std::ranges::find(types, type) != types.end();
    if (asked && find_field(type, name) != nullptr) return true;
  }
  return false;
}

value field_value_of(std::string_view field, const memory& m,
                     const std::vector<memory_type>& types) {
  const auto dot = field.find('.');
  const auto space = field.substr(0, dot);
  const auto name = field.substr(dot + 1);
  if (space == "head") return head_value(name, m.head);
  if (space == "version") return version_value(name, m.version);
  if (space == "data") {
    if (!is_asked_field(name, types)) return {};
    const auto found = m.version->data.find(name);
    return found == m.version->data.end() ? value() : std::visit(to_value{}, found->second);
  }
  const auto found = m.head->metadata.find(name);
  return found == m.head->metadata.end() ? value() : std::visit(to_value{}, found->second);
}

/// The literal read as the kind of `v`; monostate if it cannot be.
struct read_literal_as {
  const literal& text;

  value operator()(std::monostate) const { return {}; }
  value operator()(double) const {
    if (const auto* i = std::get_if<std::int64_t>(&text)) return static_cast<double>(*i);
    if (const auto* d = std::get_if<double>(&text)) return *d;
    return {};
  }
  value operator()(const std::string&) const {
    const auto* s = std::get_if<std::string>(&text);
    return s == nullptr ? value() : value(*s);
  }
  value operator()(bool) const {
    const auto* b = std::get_if<bool>(&text);
    return b == nullptr ? value() : value(*b);
  }
  value operator()(timestamp) const {
    if (const auto* i = std::get_if<std::int64_t>(&text)) return timestamp{*i};
    const auto* s = std::get_if<std::string>(&text);
    auto t = s == nullptr ? result<timestamp>(fail(errc::bad_time, {})) : parse_timestamp(*s);
    return t ? value(*t) : value();
  }
  value operator()(const memory_id&) const {
    const auto* s = std::get_if<std::string>(&text);
    auto id = s == nullptr ? result<memory_id>(fail(errc::bad_id, {})) : parse_memory_id(*s);
    return id ? value(*id) : value();
  }
};

bool compare(comparison op, const value& left, const value& right) {
  if (left.index() == 0 || left.index() != right.index()) return false;
  switch (op) {
  case comparison::eq:
    return left == right;
  case comparison::ne:
    return left != right;
  case comparison::gt:
    return right < left;
  case comparison::gte:
    return !(left < right);
  case comparison::lt:
    return left < right;
  case comparison::lte:
    return !(right < left);
  }
  return false;
}

struct evaluate {
  const memory& m;
  const std::vector<memory_type>& types;

  bool operator()(const compare_predicate& p) const {
    const value v = field_value_of(p.field, m, types);
    return compare(p.op, v, std::visit(read_literal_as{p.value}, v));
  }
  bool operator()(const in_predicate& p) const {
    const value v = field_value_of(p.field, m, types);
    return std::ranges::any_of(p.values, [&](const literal& l) {
      return compare(comparison::eq, v, std::visit(read_literal_as{l}, v));
    });
  }
  bool operator()(const has_tag_predicate& p) const {
    return std::ranges::find(m.head->tags, p.tag) != m.head->tags.end();
  }
  bool operator()(const matches_predicate& p) const {
    const value v = field_value_of(p.field, m, types);
    const auto* text = std::get_if<std::string>(&v);
    return text != nullptr && re2::RE2::PartialMatch(*text, p.pattern);
  }
  bool operator()(const and_predicate& p) const {
    return std::ranges::all_of(p.items, [&](const predicate& i) { return holds(i, m, types); });
  }
  bool operator()(const or_predicate& p) const {
    return std::ranges::any_of(p.items, [&](const predicate& i) { return holds(i, m, types); });
  }
  bool operator()(const not_predicate& p) const { return !holds(*p.item, m, types); }
};

bool fits(const literal& l, field_kind kind) {
  switch (kind) {
  case field_kind::text:
  case field_kind::name:
    return std::holds_alternative<std::string>(l);
  case field_kind::id:
    return std::holds_alternative<std::string>(l);
  case field_kind::integer:
  case field_kind::real:
    return std::holds_alternative<std::int64_t>(l) || std::holds_alternative<double>(l);
  case field_kind::time:
    return std::holds_alternative<std::int64_t>(l) || std::holds_alternative<std::string>(l);
  case field_kind::boolean:
    return std::holds_alternative<bool>(l);
  case field_kind::text_list:
    return false;
  }
  return false;
}

bool is_misfit(std::string_view field, const literal& l, const std::vector<memory_type>& types) {
  if (!field.starts_with("data.")) return false;
  bool known = false;
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte) {
    const auto type = static_cast<memory_type>(byte);
    if (!types.empty() && std::ranges::find(types, type) == types.end()) continue;
    const auto* schema = find_field(type, field.substr(5));
    if (schema == nullptr || schema->kind == field_kind::text_list) continue;
    if (fits(l, schema->kind)) return false;
    known = true;
  }
  return known;
}

struct find_misfit {
  const std::vector<memory_type>& types;

  bool operator()(const compare_predicate& p) const { return is_misfit(p.field, p.value, types); }
  bool operator()(const in_predicate& p) const {
    return std::ranges::any_of(p.values,
                               [&](const literal& l) { return is_misfit(p.field, l, types); });
  }
  bool operator()(const has_tag_predicate&) const { return false; }
  bool operator()(const matches_predicate&) const { return false; }
  bool operator()(const and_predicate& p) const { return any_of(p.items); }
  bool operator()(const or_predicate& p) const { return any_of(p.items); }
  bool operator()(const not_predicate& p) const { return has_misfit_literal(*p.item, types); }

  bool any_of(const std::vector<predicate>& items) const {
    return std::ranges::any_of(items,
                               [&](const predicate& p) { return has_misfit_literal(p, types); });
  }
};

void collect_tags(const predicate& p, std::vector<std::string>& tags) {
  if (const auto* tag = std::get_if<has_tag_predicate>(&p.node)) {
    if (std::ranges::find(tags, tag->tag) == tags.end()) tags.push_back(tag->tag);
  } else if (const auto* all = std::get_if<and_predicate>(&p.node)) {
    for (const auto& item : all->items) collect_tags(item, tags);
  }
}

} // namespace

bool holds(const predicate& p, const memory& m, const std::vector<memory_type>& types) {
  return std::visit(evaluate{m, types}, p.node);
}

bool has_misfit_literal(const predicate& p, const std::vector<memory_type>& types) {
  return std::visit(find_misfit{types}, p.node);
}

std::vector<std::string> tags_demanded(const find_request& r) {
  std::vector<std::string> tags;
  if (r.where) collect_tags(*r.where, tags);
  return tags;
}

} // namespace mneme::sim
