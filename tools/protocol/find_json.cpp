#include "tools/protocol/find_json.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/memory_json.hpp"
#include "tools/protocol/near_name.hpp"
#include "tools/protocol/predicate_json.hpp"
#include "tools/protocol/receipt.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array order_keys = {key_shape{"field", &shapes::text, true},
                                   key_shape{"dir", &shapes::text}};
constexpr shape order_item{.kind = shape_kind::object, .keys = order_keys};
constexpr shape order_shape{
    .kind = shape_kind::list, .name = "[{field, dir}…]", .item = &order_item};

constexpr std::array follow_keys = {
    key_shape{"types", &shapes::texts},         key_shape{"direction", &shapes::text},
    key_shape{"min_hops", &shapes::integer},    key_shape{"max_hops", &shapes::integer},
    key_shape{"max_visited", &shapes::integer}, key_shape{"include_tombstoned", &shapes::boolean}};
constexpr shape follow_shape{
    .kind = shape_kind::object,
    .name = "{types, direction, min_hops, max_hops, max_visited, include_tombstoned}",
    .keys = follow_keys};

constexpr std::array find_table = {
    key_shape{"types", &shapes::texts},
    key_shape{"tags", &shapes::texts},
    key_shape{"where", &shapes::predicate},
    key_shape{"order_by", &order_shape},
    key_shape{"limit", &shapes::integer},
    key_shape{"offset", &shapes::integer},
    key_shape{"budget_tokens", &shapes::integer},
    key_shape{"form", &shapes::text},
    key_shape{"near", &shapes::text},
    key_shape{"query", &shapes::text},
    key_shape{"near_uri", &shapes::text},
    key_shape{"near_vector", &shapes::vector},
    key_shape{"near_k", &shapes::integer},
    key_shape{"rank", &shapes::text},
    key_shape{"from", &shapes::text},
    key_shape{"follow", &follow_shape},
    key_shape{"as_of", &shapes::time},
    key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time},
    key_shape{"now", &shapes::time},
    key_shape{"include_tombstoned", &shapes::boolean},
    key_shape{"include_archived", &shapes::boolean},
    key_shape{"include_ended", &shapes::boolean},
    key_shape{"min_trust", &shapes::number},
    key_shape{"stale", &shapes::boolean},
    key_shape{"late_binding", &shapes::boolean},
    key_shape{"exact", &shapes::boolean},
    key_shape{"count", &shapes::boolean},
    key_shape{"explain", &shapes::boolean},
    key_shape{"select", &shapes::texts},
    receipt_key,
    key_shape{"actor", &shapes::text},
    key_shape{"deadline_ms", &shapes::integer},
    key_shape{"scope", &shapes::scope},
};

constexpr std::string_view form_texts[] = {"short", "medium", "full"};
constexpr std::string_view rank_names[] = {"salience", "distance"};
constexpr std::string_view direction_names[] = {"asc", "desc"};
/// In the order of order_field.
constexpr std::string_view order_names[] = {"salience",
                                            "version.created_at",
                                            "head.last_updated_at",
                                            "head.declared_importance",
                                            "near.distance",
                                            "hop",
                                            "head.created_at",
                                            "head.id"};

enum class sort_direction : std::uint8_t { ascending, descending };

std::vector<order_by> read_order(value_reader& in) {
  std::vector<order_by> order;
  in.items("order_by", [&](const json& item, const json_path& at) {
    value_reader by(item, at, in.faults());
    order.push_back(
        {.field = by.name_among<order_field>("field", order_names).value_or(order_field::salience),
         .descending =
             by.name_among<sort_direction>("dir", direction_names) == sort_direction::descending});
  });
  return order;
}

/// `where`, and each of `tags` beside it.
std::optional<predicate> read_where(value_reader& in) {
  and_predicate all;
  if (const json* where = in.find("where")) all.items.push_back(read_predicate(*where));
  in.items("tags", [&all](const json& tag, const json_path&) {
    all.items.push_back({has_tag_predicate{tag.get<std::string>()}});
  });
  if (all.items.empty()) return std::nullopt;
  if (all.items.size() == 1) return std::move(all.items.front());
  return predicate{std::move(all)};
}

std::optional<follow_spec> read_follow(value_reader& in) {
  std::optional<follow_spec> follow;
  in.object("follow", [&](value_reader& f) {
    follow = follow_spec{.types = f.edge_types("types"),
                         .direction = f.direction_or("direction", edge_direction::out),
                         .min_hops = f.integer("min_hops").value_or(1),
                         .max_hops = f.integer("max_hops").value_or(1),
                         .include_tombstoned = f.flag("include_tombstoned"),
                         .max_visited = f.integer("max_visited").value_or(100'000)};
  });
  return follow;
}

} // namespace

std::vector<memory_type> read_types(value_reader& in) {
  std::vector<memory_type> types;
  in.items("types", [&](const json& item, const json_path& at) {
    const auto& name = item.get_ref<const std::string&>();
    if (const auto type = parse_enum<memory_type>(name))
      types.push_back(*type);
    else
      in.fail_at(at, errc::bad_value, not_a_memory_type(name));
  });
  return types;
}

std::span<const key_shape> find_keys() noexcept {
  return find_table;
}

std::span<const std::string_view> form_names() noexcept {
  return form_texts;
}

std::string_view to_text(form_kind form) noexcept {
  return form_texts[static_cast<std::size_t>(form)];
}

result<find_request> read_find(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  find_request r;
  r.types = read_types(in);
  r.where = read_where(in);
  r.order = read_order(in);
  r.limit = in.integer("limit");
  r.offset = in.integer("offset").value_or(0);
  r.budget_tokens = in.integer("budget_tokens");
  r.form = in.name_among<form_kind>("form", form_texts);
  if (in.find("near") != nullptr && in.find("query") != nullptr)
    in.fail_key("query", errc::bad_value, "near and query are the same: give one of them");
  r.near = in.text(in.find("near") != nullptr ? "near" : "query");
  r.near_uri = in.uri("near_uri");
  r.near_vector = in.vector("near_vector");
  r.near_k = in.integer("near_k");
  r.rank = in.name_among<rank_kind>("rank", rank_names);
  r.from = in.id_or_uri("from");
  r.follow = read_follow(in);
  r.as_of = in.time("as_of");
  r.at_seq = in.seq("at_seq");
  r.now = in.time("now");
  r.include_tombstoned = in.flag("include_tombstoned");
  r.include_archived = in.flag("include_archived");
  r.include_ended = in.flag("include_ended");
  r.min_trust = in.number("min_trust");
  if (in.find("stale") != nullptr) r.stale = in.flag("stale");
  r.late_binding = in.flag("late_binding");
  r.exact = in.flag("exact");
  r.count = in.flag("count");
  r.explain = in.flag("explain");
  r.actor = in.text("actor");
  r.deadline_ms = in.integer("deadline_ms");
  r.scope = read_scope(in);
  read_select(in); // what it names; the answer is cut to it where it is printed
  return finish(faults, std::move(r));
}

} // namespace mneme::protocol
