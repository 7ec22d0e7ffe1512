#include <array>

#include "sim/workload.hpp"

namespace mneme::sim {

namespace {

struct asked_field {
  std::string_view name;
  enum class kind : std::uint8_t { text, number, time, boolean, id } holds;
};
using enum asked_field::kind;

/// Fields that every set of types knows, and meta fields, which are never unknown.
constexpr std::array<asked_field, 17> common_fields = {{{"head.declared_importance", number},
                                                        {"head.current_version", number},
                                                        {"head.type", text},
                                                        {"head.actor_scope", text},
                                                        {"head.visibility", text},
                                                        {"head.id", id},
                                                        {"head.tombstoned", boolean},
                                                        {"head.created_at", time},
                                                        {"head.last_updated_at", time},
                                                        {"version.confidence", number},
                                                        {"version.version", number},
                                                        {"version.valid_from", time},
                                                        {"version.valid_until", time},
                                                        {"version.expires_at", time},
                                                        {"version.provenance.source", text},
                                                        {"meta.level", number},
                                                        {"meta.place", text}}};
/// Fields of some types only.
constexpr std::array<asked_field, 6> data_fields = {{{"data.statement", text},
                                                     {"data.status", text},
                                                     {"data.strength", number},
                                                     {"data.strength", text},
                                                     {"data.as_of", time},
                                                     {"data.persistent", boolean}}};

bool is_ordered(comparison op) {
  return op != comparison::eq && op != comparison::ne;
}

} // namespace

predicate workload::some_comparison() {
  const bool of_data = draw_.percent(30);
  const asked_field field = of_data ? draw_.pick(data_fields) : draw_.pick(common_fields);
  auto op = static_cast<comparison>(draw_.below(6));
  literal value;
  switch (field.holds) {
  case text: {
    constexpr std::array<std::string_view, 10> texts = {
        "active", "hard", "ana", "Fact", "private", "actor_public", "rain", "moss", "observed", ""};
    value = std::string(draw_.pick(texts));
    break;
  }
  case number:
    if (draw_.percent(50))
      value = draw_.between(0, 8);
    else
      value = static_cast<double>(draw_.below(9)) / 4.0;
    break;
  case time:
    if (draw_.percent(50))
      value = some_time().ns;
    else
      value = to_string(some_time());
    break;
  case boolean:
    value = draw_.percent(50);
    break;
  case id:
    value = to_string(some_id());
    break;
  }
  const bool has_order = field.holds != boolean && field.holds != id;
  // An ordered comparison on what none of the types asked has is refused: not drawn here.
  if (is_ordered(op) && (!has_order || of_data)) op = comparison::eq;
  if (draw_.percent(20)) return {in_predicate{std::string(field.name), {value}}};
  return {compare_predicate{op, std::string(field.name), value}};
}

predicate workload::some_predicate(int depth) {
  const auto list = [&] {
    std::vector<predicate> items;
    for (auto n = draw_.below(3) + (draw_.one_in(8) ? 0 : 1); n > 0; --n)
      items.push_back(some_predicate(depth - 1));
    return items;
  };
  switch (draw_.below(depth > 0 ? 6 : 3)) {
  case 0:
    return {has_tag_predicate{some_tag()}};
  case 1:
    return some_comparison();
  case 2:
    if (draw_.percent(20)) return {matches_predicate{"meta.place", "^(rain|moss)"}};
    return some_comparison();
  case 3:
    return {and_predicate{list()}};
  case 4:
    return {or_predicate{list()}};
  default:
    return {not_predicate{std::make_shared<const predicate>(some_predicate(depth - 1))}};
  }
}

void workload::add_near(find_request& r) {
  const bool embeds = how_.setup.embedder != "none";
  const auto h = some_head();
  switch (draw_.below(3)) {
  case 0:
    if (embeds) {
      r.near = some_text();
      break;
    }
    [[fallthrough]];
  case 1:
    r.near_vector = some_vector(embeds ? 16 : 4);
    break;
  default:
    if (h) r.near_uri = memory_uri{h->type, h->id, version_of(*h)};
    break;
  }
  if (draw_.percent(40)) r.near_k = draw_.between(1, 12);
}

void workload::add_order(find_request& r) {
  std::vector<order_field> fields = {order_field::salience, order_field::version_created_at,
                                     order_field::head_last_updated_at,
                                     order_field::head_declared_importance};
  const bool near = r.near || r.near_uri || r.near_vector;
  if (near) fields.push_back(order_field::near_distance);
  if (r.from) fields.push_back(order_field::hop);
  for (auto n = draw_.below(3); n > 0; --n)
    r.order.push_back({draw_.pick(fields), draw_.percent(50)});
  if (draw_.percent(20))
    r.rank = near && draw_.percent(50) ? rank_kind::distance : rank_kind::salience;
}

/// In runs that put memories: of a namespace, in the order of ids, or of all that there is.
void workload::ask_for_keyed(find_request& r) {
  if (draw_.one_in(8)) {
    const memory_key key = some_key();
    const auto op = draw_.one_in(4) ? comparison::ne : comparison::eq;
    std::vector<predicate> all{{compare_predicate{op, "head.namespace", key.name_space}}};
    if (draw_.one_in(3)) all.push_back({compare_predicate{comparison::eq, "head.key", key.name}});
    if (r.where) all.push_back(*r.where);
    r.where = predicate{and_predicate{std::move(all)}};
  }
  if (draw_.one_in(6))
    r.order.push_back(
        {draw_.one_in(2) ? order_field::head_id : order_field::head_created_at, draw_.one_in(2)});
  const bool has_driver = r.from || r.near || r.near_uri || r.near_vector;
  if (r.limit && !has_driver && draw_.one_in(6)) r.types.clear();
}

find_request workload::some_find(bool late) {
  find_request r;
  if (draw_.percent(50)) r.types.push_back(some_type());
  if (draw_.percent(20)) r.types.push_back(some_type());
  if (draw_.percent(45)) {
    r.from = some_id();
    if (draw_.percent(70)) {
      follow_spec f;
      if (draw_.percent(40)) f.types = {static_cast<edge_type>(1 + draw_.below(3))};
      f.direction = static_cast<edge_direction>(draw_.below(3));
      f.max_hops = draw_.between(1, 6);
      f.min_hops = draw_.between(0, f.max_hops);
      f.include_tombstoned = draw_.percent(20);
      if (draw_.percent(15)) f.max_visited = draw_.between(1, 8);
      r.follow = f;
    }
  }
  if (draw_.percent(25)) add_near(r);
  if (draw_.percent(50)) r.where = some_predicate(2);
  const bool near = r.near || r.near_uri || r.near_vector;
  // Something must narrow it.
  if (r.types.empty() && !r.from && !near) r.types.push_back(some_type());
  add_order(r);
  if (draw_.percent(85)) r.limit = draw_.between(1, draw_.percent(50) ? 5 : 60);
  if (!r.limit || draw_.percent(15))
    r.budget_tokens = draw_.between(1, draw_.percent(25) ? 2000 : 200);
  if (draw_.percent(25)) r.offset = draw_.between(0, 6);
  if (draw_.percent(30)) r.form = static_cast<form_kind>(draw_.below(3));
  if (draw_.percent(15)) r.as_of = some_time();
  if (draw_.percent(10)) r.now = some_time();
  r.include_tombstoned = draw_.percent(20);
  r.include_archived = draw_.percent(30);
  r.include_ended = draw_.percent(30);
  if (draw_.percent(10)) r.stale = draw_.percent(40);
  if (draw_.percent(20)) r.min_trust = static_cast<double>(draw_.below(5)) / 4.0;
  r.count = draw_.percent(30);
  r.explain = draw_.percent(10);
  r.actor = some_asker();
  r.deadline_ms = some_deadline();
  r.late_binding = late;
  if (!late) r.at_seq = some_past();
  if (how_.weights[static_cast<std::size_t>(operation_kind::put)] > 0) ask_for_keyed(r);
  return r;
}

planned_request workload::invalid_find() {
  find_request r = some_find(false);
  r.where.reset();
  r.near.reset();
  r.near_uri.reset();
  r.near_vector.reset();
  r.near_k.reset();
  r.order.clear();
  r.rank.reset();
  r.from.reset();
  r.follow.reset();
  r.at_seq.reset();
  r.types = {memory_type::fact};
  const auto refused = [&](errc code) { return planned_request{find_message{r}, code}; };
  switch (draw_.below(9)) {
  case 8:
    r.deadline_ms = 0;
    return refused(errc::out_of_range);
  case 0:
    r.limit.reset();
    r.budget_tokens.reset();
    return refused(errc::unbounded);
  case 1:
    r.limit = 0;
    return refused(errc::out_of_range);
  case 2:
    r.types.clear();
    r.limit.reset();
    r.budget_tokens = 100;
    return refused(errc::too_broad);
  case 3:
    r.follow.emplace();
    return refused(errc::unsupported);
  case 4:
    r.from = some_id();
    r.follow.emplace().max_hops = 7;
    return refused(errc::max_hops_exceeded);
  case 5:
    r.late_binding = true;
    r.at_seq = truth_.last();
    return refused(errc::unsupported);
  case 6:
    r.where = predicate{compare_predicate{comparison::gt, "data.nonsense", std::int64_t{1}}};
    return refused(errc::field_unknown);
  default:
    r.where = predicate{compare_predicate{comparison::eq, "head.type", std::int64_t{1}}};
    return refused(errc::type_mismatch);
  }
}

prove_request workload::some_proof() {
  prove_request r;
  for (auto n = draw_.below(3); n > 0; --n) r.ids.push_back(some_id());
  if (draw_.percent(50)) {
    const auto edges = truth_.edges_out(known_id(), truth_.last());
    if (!edges.empty()) r.edges.push_back(draw_.pick(edges).key);
  }
  const auto last = truth_.last().value;
  if (last > 0 && draw_.percent(60)) r.seqs.push_back({1 + draw_.below(last)});
  return r;
}

} // namespace mneme::sim
