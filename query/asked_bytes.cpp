#include "query/asked_bytes.hpp"

#include "messages/held_bytes.hpp"

namespace mneme {

namespace {

std::uint64_t of_predicate(const predicate& p) {
  return std::visit(
      [](const auto& c) {
        std::uint64_t bytes = sizeof(predicate);
        if constexpr (requires { c.field; }) bytes += c.field.size();
        if constexpr (requires { c.value; }) bytes += held_bytes(c.value);
        if constexpr (requires { c.values; }) bytes += held_bytes(c.values);
        if constexpr (requires { c.tag; }) bytes += c.tag.size();
        if constexpr (requires { c.pattern; }) bytes += c.pattern.size();
        if constexpr (requires { c.item; }) bytes += of_predicate(*c.item);
        if constexpr (requires { c.items; })
          for (const predicate& item : c.items) bytes += of_predicate(item);
        return bytes;
      },
      p.node);
}

std::uint64_t of_filters(const metadata_filters& filters) {
  std::uint64_t bytes = 0;
  for (const auto& [name, f] : filters)
    bytes += sizeof(f) + name.size() + held_bytes(f.any_of) + held_bytes(f.gte) + held_bytes(f.gt)
             + held_bytes(f.lte) + held_bytes(f.lt) + held_bytes(f.contains);
  return bytes;
}

} // namespace

std::uint64_t asked_bytes(const read_options& o) {
  return sizeof(o) + held_bytes(o.actor) + held_bytes(o.scope);
}

std::uint64_t asked_bytes(const find_request& r) {
  return sizeof(r) + r.types.size() * sizeof(memory_type) + (r.where ? of_predicate(*r.where) : 0)
         + r.order.size() * sizeof(order_by) + held_bytes(r.near) + held_bytes(r.near_vector)
         + (r.follow ? r.follow->types.size() * sizeof(edge_type) : 0) + held_bytes(r.actor)
         + held_bytes(r.scope);
}

std::uint64_t asked_bytes(const context_request& r) {
  std::uint64_t bytes = sizeof(r) + held_bytes(r.query) + held_bytes(r.vector) + held_bytes(r.actor)
                        + held_bytes(r.scope)
                        + (r.tiers ? r.tiers->size() * sizeof(context_tier) : 0);
  for (const auto& object : r.objects) bytes += sizeof(object) + object.second.size();
  return bytes;
}

std::uint64_t asked_bytes(const retrieve_request& r) {
  return sizeof(r) + r.q.size() + (r.stages ? r.stages->size() * sizeof(retrieve_stage) : 0)
         + held_bytes(r.topic_ids) + held_bytes(r.field_names) + held_bytes(r.vector)
         + held_bytes(r.actor) + held_bytes(r.scope);
}

std::uint64_t asked_bytes(const chroma_request& r) {
  return sizeof(r) + held_bytes(r.hashtags) + held_bytes(r.text) + of_filters(r.filters)
         + held_bytes(r.profile) + held_bytes(r.actor) + held_bytes(r.scope);
}

std::uint64_t asked_bytes(const search_request& r) {
  return sizeof(r) + r.query.size() + held_bytes(r.weights) + held_bytes(r.memory_ids)
         + held_bytes(r.project) + held_bytes(r.tag) + held_bytes(r.source_filter)
         + held_bytes(r.vector) + held_bytes(r.actor) + held_bytes(r.scope);
}

std::uint64_t asked_bytes(const select_request& r) {
  return sizeof(r) + r.words.size() + r.types.size() * sizeof(memory_type) + held_bytes(r.tags)
         + held_bytes(r.vector) + held_bytes(r.actor) + held_bytes(r.scope);
}

std::uint64_t asked_bytes(const tick_read& read) {
  return std::visit(
      []<class Read>(const Read& r) -> std::uint64_t {
        if constexpr (std::is_same_v<Read, edges_read>)
          return sizeof(r) + asked_bytes(r.options) + r.filter.types.size() * sizeof(edge_type);
        else if constexpr (requires { r.options; })
          return sizeof(r) + asked_bytes(r.options);
        else
          return asked_bytes(r);
      },
      read);
}

} // namespace mneme
