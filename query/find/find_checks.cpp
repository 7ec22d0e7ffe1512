#include "query/find/find_checks.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "messages/text/composed.hpp"
#include "messages/validate/validate.hpp"
#include "query/enum_range.hpp"
#include "query/request_numbers.hpp"
#include "query/vector_check.hpp"
#include "views/memory_keys.hpp"

namespace mneme {

namespace {

bool is_memory_type(memory_type type) noexcept {
  const auto byte = static_cast<std::uint8_t>(type);
  return byte >= 1 && byte <= memory_type_count;
}

bool is_edge_type(edge_type type) noexcept {
  const auto byte = static_cast<std::uint8_t>(type);
  return byte >= 1 && byte <= edge_type_count;
}

result<void> check_numbers(const find_request& r) {
  if (!r.limit && !r.budget_tokens)
    return fail(errc::unbounded, "give limit or budget_tokens: an answer must have a bound");
  if (auto ok = check_positive(r.limit, "limit"); !ok) return ok;
  if (r.offset < 0) return fail(errc::out_of_range, "offset must not be negative", "offset");
  if (auto ok = check_positive(r.budget_tokens, "budget_tokens"); !ok) return ok;
  if (auto ok = check_positive(r.near_k, "near_k"); !ok) return ok;
  if (auto ok = check_share(r.min_trust, "min_trust"); !ok) return ok;
  return check_positive(r.deadline_ms, "deadline_ms");
}

result<void> check_names(const find_request& r) {
  for (std::size_t i = 0; i < r.types.size(); ++i) {
    if (!is_memory_type(r.types[i]))
      return fail(errc::bad_value, "not a memory type", fmt::format("types[{}]", i));
  }
  for (std::size_t i = 0; i < r.order.size(); ++i) {
    if (!in_enum(r.order[i].field, order_field::head_id))
      return fail(errc::bad_value, "not an order field", fmt::format("order_by[{}].field", i));
  }
  if (r.form && !in_enum(*r.form, form_kind::full))
    return fail(errc::bad_value, "not a form", "form");
  if (r.rank && !in_enum(*r.rank, rank_kind::distance))
    return fail(errc::bad_value, "not a rank", "rank");
  return {};
}

result<void> check_texts(const find_request& r) {
  if (r.near && !is_utf8(*r.near)) return fail(errc::bad_utf8, "near is not UTF-8", "near");
  if (r.near && r.near->size() > max_query_bytes)
    return fail(errc::limit_exceeded, "near is over 1 MiB", "near");
  if (!r.actor) return {};
  if (!is_utf8(*r.actor)) return fail(errc::bad_utf8, "actor is not UTF-8", "actor");
  if (r.actor->size() > max_actor_bytes)
    return fail(errc::limit_exceeded, fmt::format("actor is over {} bytes", max_actor_bytes),
                "actor");
  return {};
}

/// The second of two keys that exclude each other; empty if there is at most one.
std::string_view excluded_near(const find_request& r) {
  if (r.near_vector && (r.near || r.near_uri)) return "near_vector";
  if (r.near_uri && r.near) return "near_uri";
  return {};
}

void collect_tags(const predicate& p, std::vector<std::string>& tags) {
  if (const auto* tag = std::get_if<has_tag_predicate>(&p.node)) {
    std::string asked = composed(tag->tag);
    if (std::ranges::find(tags, asked) == tags.end()) tags.push_back(std::move(asked));
  } else if (const auto* all = std::get_if<and_predicate>(&p.node)) {
    for (const auto& item : all->items) collect_tags(item, tags);
  }
}

void collect_namespaces(const predicate& p, std::vector<std::string>& tags) {
  if (const auto* test = std::get_if<compare_predicate>(&p.node)) {
    const auto* name = std::get_if<std::string>(&test->value);
    if (test->field == "head.namespace" && test->op == comparison::eq && name != nullptr)
      tags.push_back(namespace_tag(*name));
  } else if (const auto* all = std::get_if<and_predicate>(&p.node)) {
    for (const auto& item : all->items) collect_namespaces(item, tags);
  }
}

} // namespace

bool has_near(const find_request& r) noexcept {
  return r.near || r.near_uri || r.near_vector;
}

type_set types_asked(const find_request& r) noexcept {
  if (r.types.empty()) return all_memory_types;
  type_set types = 0;
  for (const auto type : r.types) types = static_cast<type_set>(types | type_bit(type));
  return types;
}

std::uint64_t page_end(const find_request& r) noexcept {
  if (!r.limit) return std::numeric_limits<std::uint64_t>::max();
  // Both are at most 2^63 - 1, so that the sum fits.
  return static_cast<std::uint64_t>(*r.limit) + static_cast<std::uint64_t>(r.offset);
}

bool fills_budget(const find_request& r) noexcept {
  return has_near(r) && !r.limit && !r.near_k;
}

std::uint64_t near_count(const find_request& r) noexcept {
  const std::uint64_t end = r.limit ? page_end(r) : 0;
  if (r.near_k) return std::max(static_cast<std::uint64_t>(*r.near_k), end);
  if (fills_budget(r)) {
    // Memories tend to have more tokens, so that a few are looked at that do not fit.
    constexpr std::uint64_t tokens_of_memory = 8;
    return std::clamp(static_cast<std::uint64_t>(*r.budget_tokens) / tokens_of_memory, least_near_k,
                      most_near_k);
  }
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return end > most / 4 ? most : 4 * end;
}

std::vector<std::string> required_tags(const find_request& r) {
  std::vector<std::string> tags;
  if (r.where) collect_tags(*r.where, tags);
  return tags;
}

std::vector<std::string> driving_tags(const find_request& r) {
  std::vector<std::string> tags = required_tags(r);
  if (r.where) collect_namespaces(*r.where, tags);
  return tags;
}

std::vector<order_by> order_asked(const find_request& r) {
  if (!r.order.empty()) {
    // A field that was named before decides nothing more.
    std::vector<order_by> order;
    for (const auto& by : r.order) {
      if (std::ranges::find(order, by.field, &order_by::field) == order.end()) order.push_back(by);
    }
    return order;
  }
  const order_by by_salience{order_field::salience, true};
  const order_by by_distance{order_field::near_distance, false};
  if (r.rank) return {*r.rank == rank_kind::salience ? by_salience : by_distance};
  if (r.from) return {order_by{order_field::hop, false}};
  if (has_near(r)) return {by_distance};
  return {by_salience};
}

result<void> check_bounds(const find_request& r) {
  if (auto ok = check_numbers(r); !ok) return ok;
  if (auto ok = check_names(r); !ok) return ok;
  if (auto ok = check_texts(r); !ok) return ok;
  if (auto ok = check_time(r.as_of, "as_of"); !ok) return ok;
  if (auto ok = check_time(r.now, "now"); !ok) return ok;
  if (r.late_binding && r.at_seq)
    return fail(errc::unsupported, "late_binding writes, and the past cannot be written",
                "late_binding");
  if (const auto key = excluded_near(r); !key.empty())
    return fail(errc::bad_value, "near, near_uri and near_vector exclude each other",
                std::string(key));
  return check_vector(r.near_vector, "near_vector");
}

result<void> check_follow(const find_request& r) {
  if (!r.follow) return {};
  if (!r.from) return fail(errc::unsupported, "follow needs from", "follow");
  const follow_spec& f = *r.follow;
  for (std::size_t i = 0; i < f.types.size(); ++i) {
    if (!is_edge_type(f.types[i]))
      return fail(errc::invalid_edge_type, "not an edge type", fmt::format("follow.types[{}]", i));
  }
  if (!in_enum(f.direction, edge_direction::both))
    return fail(errc::bad_value, "not a direction", "follow.direction");
  if (f.min_hops < 0)
    return fail(errc::bad_hops, "min_hops must not be negative", "follow.min_hops");
  if (f.max_hops < 0)
    return fail(errc::bad_hops, "max_hops must not be negative", "follow.max_hops");
  if (f.max_hops > max_follow_hops)
    return fail(errc::max_hops_exceeded, fmt::format("max_hops is at most {}", max_follow_hops),
                "follow.max_hops");
  // The start is never returned, so that 0 hops mean 1.
  if (std::max<std::int64_t>(1, f.min_hops) > f.max_hops)
    return fail(errc::bad_hops,
                fmt::format("min_hops {} is above max_hops {}", f.min_hops, f.max_hops),
                "follow.min_hops");
  if (f.max_visited <= 0)
    return fail(errc::out_of_range, "max_visited must be at least 1", "follow.max_visited");
  return {};
}

result<void> check_order(const find_request& r) {
  if (r.rank == rank_kind::distance && !has_near(r))
    return fail(errc::unsupported, "rank distance needs near, near_uri or near_vector", "rank");
  for (std::size_t i = 0; i < r.order.size(); ++i) {
    const auto at = [&] { return fmt::format("order_by[{}].field", i); };
    if (r.order[i].field == order_field::near_distance && !has_near(r))
      return fail(errc::unsupported, "order near.distance needs near, near_uri or near_vector",
                  at());
    if (r.order[i].field == order_field::hop && !r.from)
      return fail(errc::unsupported, "order hop needs from", at());
  }
  return {};
}

} // namespace mneme
