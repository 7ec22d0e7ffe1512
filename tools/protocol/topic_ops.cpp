#include "tools/protocol/topic_ops.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/many.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/topic_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

result<void> check_retrieve_item(const json& value, const json&, const json_path& at) {
  return check_item_of("retrieve", retrieve_keys(), value, at);
}
constexpr shape retrieve_item{.kind = shape_kind::custom,
                              .check = check_retrieve_item,
                              .json_schema = R"({"type":"object"})"};
constexpr shape retrieve_items{
    .kind = shape_kind::list, .name = "[retrieve…]", .item = &retrieve_item};
constexpr std::array retrieve_many_table = {key_shape{"items", &retrieve_items, true},
                                            key_shape{"at_least", &shapes::integer},
                                            key_shape{"deadline_ms", &shapes::integer}};

using mutation_reader = result<mutation> (*)(const json&, const json_path&);

result<json> run_change(session& s, const json& request, mutation_reader read,
                        json (*answer)(const mutation_result&)) {
  auto m = read(request, {});
  if (!m) return propagate(m);
  auto within = scope_of(request);
  if (!within) return propagate(within);
  auto done = s.target().apply(std::move(*m), durability::durable, std::move(*within),
                               deadline_of(request), s.in_sight_of());
  if (!done) return propagate(done);
  return answer(*done);
}

} // namespace

std::span<const key_shape> retrieve_many_keys() noexcept {
  return retrieve_many_table;
}

result<json> run_retrieve(session& s, const json& request) {
  auto r = read_retrieve(request, {});
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto found = s.target().retrieve(std::move(*r));
  if (!found) return propagate(found);
  if (auto ok = hold(s, *found); !ok) return propagate(ok);
  return retrieve_json(*found, time);
}

result<json> run_retrieve_many(session& s, const json& request) {
  return run_many(s, request, "retrieve", read_retrieve, &engine::retrieve_many, retrieve_json);
}

result<json> run_revise(session& s, const json& request) {
  return run_change(s, request, read_revise, revise_result_json);
}

result<json> run_forget(session& s, const json& request) {
  return run_change(s, request, read_forget, forget_result_json);
}

result<json> run_unarchive(session& s, const json& request) {
  return run_change(s, request, read_unarchive, head_result_json);
}

} // namespace mneme::protocol
