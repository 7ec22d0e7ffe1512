#include "tools/protocol/tick_json.hpp"

#include <array>
#include <charconv>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mneme/tick.hpp"
#include "tools/protocol/agent_json.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/chroma_json.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/memory_name.hpp"
#include "tools/protocol/op_table.hpp"
#include "tools/protocol/read_ops.hpp"
#include "tools/protocol/receipt.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/search_json.hpp"
#include "tools/protocol/topic_json.hpp"
#include "tools/protocol/value_reader.hpp"
#include "tools/protocol/write_faults.hpp"

namespace mneme::protocol {

namespace {

template <class Item, class Request>
result<Item> as_item(result<Request> r) {
  if (!r) return propagate(r);
  return Item(std::move(*r));
}

/// How an op becomes a read of a tick, and what it answers. A new door is one line of the table.
struct read_spec {
  std::string_view op;
  result<tick_read> (*read)(const json& request, const json_path& at);
  result<json> (*answer)(tick_read_answer& a, const request_deadline& time, const json& item,
                         row_form rows);
};

result<json> memory_answer(tick_read_answer& a, const request_deadline&, const json&, row_form) {
  return reading_json(std::get<memory_reading>(a));
}
result<json> edges_answer(tick_read_answer& a, const request_deadline& time, const json&,
                          row_form) {
  auto list = rows_json(std::get<std::vector<edge_record>>(a), edge_json, time);
  if (!list) return propagate(list);
  return json{{"edges", std::move(*list)}};
}
template <class Answer, auto Print>
result<json> door_answer(tick_read_answer& a, const request_deadline& time, const json& item,
                         row_form rows) {
  if constexpr (std::is_invocable_v<decltype(Print), const Answer&, const request_deadline&,
                                    const json&, row_form>)
    return Print(std::get<Answer>(a), time, item, rows);
  else if constexpr (std::is_invocable_v<decltype(Print), const Answer&, const request_deadline&>)
    return Print(std::get<Answer>(a), time);
  else
    return Print(std::get<Answer>(a), time, item);
}

constexpr std::array read_specs = {
    read_spec{
        "find",
        [](const json& r, const json_path& at) { return as_item<tick_read>(read_find(r, at)); },
        door_answer<find_result, find_json>},
    read_spec{
        "context",
        [](const json& r, const json_path& at) { return as_item<tick_read>(read_context(r, at)); },
        door_answer<context_result, context_json>},
    read_spec{
        "retrieve",
        [](const json& r, const json_path& at) { return as_item<tick_read>(read_retrieve(r, at)); },
        door_answer<retrieve_result, retrieve_json>},
    read_spec{
        "chroma",
        [](const json& r, const json_path& at) { return as_item<tick_read>(read_chroma(r, at)); },
        door_answer<chroma_result, chroma_json>},
    read_spec{
        "search",
        [](const json& r, const json_path& at) { return as_item<tick_read>(read_search(r, at)); },
        door_answer<search_result, search_json>},
    read_spec{
        "get",
        [](const json& r, const json_path& at) { return as_item<tick_read>(read_get(r, at)); },
        memory_answer},
    read_spec{
        "resolve",
        [](const json& r, const json_path& at) { return as_item<tick_read>(read_resolve(r, at)); },
        memory_answer},
    read_spec{
        "edges",
        [](const json& r, const json_path& at) { return as_item<tick_read>(read_edges(r, at)); },
        edges_answer},
};

const read_spec* find_read(std::string_view op) {
  for (const auto& spec : read_specs)
    if (spec.op == op) return &spec;
  return nullptr;
}

bool is_tick_write(const op_spec& op) {
  return op.read != nullptr || op.name == "attest" || op.name == "compact";
}

result<const op_spec*> checked_item(const json& item, const json_path& at,
                                    bool (*allowed)(const op_spec&), std::string_view list,
                                    fault_list faults = {}) {
  if (!item.is_object()) return wrong_type("a request, an object with an op", item, at);
  const op_spec* op = nullptr;
  if (auto ok = check_op(item, at, op); !ok) return propagate(ok);
  if (!allowed(*op))
    return fail(errc::bad_value,
                fmt::format("\"{}\" cannot stand in the {} of a tick", op->name, list),
                at.key("op").text());
  if (auto ok = check_no_receipt(item, at); !ok) return propagate(ok);
  check_members(item, op->keys, true, at, faults);
  if (!faults) return op;
  if (op->read == nullptr) return faults.refusal();
  return std::unexpected(with_other_faults(*op, item, at, std::move(faults)));
}

result<tick_read> read_of(const json& item, const json_path& at) {
  auto op = checked_item(
      item, at, [](const op_spec& o) { return find_read(o.name) != nullptr; }, "reads");
  if (!op) return propagate(op);
  return find_read((*op)->name)->read(item, at);
}

result<tick_write> write_of(const json& item, const json_path& at, fault_list faults = {}) {
  auto op = checked_item(item, at, is_tick_write, "writes", std::move(faults));
  if (!op) return propagate(op);
  if (deadline_of(item))
    return fail(errc::bad_value, "the deadline of a tick stands beside its writes",
                at.key("deadline_ms").text());
  if ((*op)->name == "attest") return as_item<tick_write>(read_attest(item, at));
  if ((*op)->name == "compact") return as_item<tick_write>(read_compact(item, at));
  auto request = (*op)->read(item, at, {});
  if (!request) return propagate(request);
  auto within = scope_of(item, at);
  if (!within) return propagate(within);
  return scoped_mutation{std::move(*request), std::move(*within)};
}

json write_answer(const json& item, tick_write_answer& a) {
  if (const auto* done = std::get_if<attest_result>(&a)) return attest_json(*done);
  if (const auto* done = std::get_if<compact_result>(&a)) return compact_json(*done);
  const op_spec* op = find_op(item["op"].get_ref<const std::string&>());
  return op->answer_mutation(std::get<mutation_result>(a));
}

/// The items of one list: what can be read goes to the engine, the rest has failed already.
template <class Item>
struct item_list {
  std::vector<Item> items;
  std::vector<std::optional<error>> failed; ///< by position in the request

  item_list(const json& request, std::string_view key,
            const std::function<result<Item>(const json&, const json_path&)>& read) {
    const auto given = request.find(key);
    if (given == request.end() || given->is_null()) return;
    const json_path document;
    const json_path list = document.key(key);
    for (std::size_t i = 0; i < given->size(); ++i) {
      auto item = read((*given)[i], list.item(i));
      failed.push_back(item ? std::nullopt : std::optional(item.error()));
      if (item) items.push_back(std::move(*item));
    }
  }
  /// An error of one of `items`, where the request has it.
  error placed(error e, std::string_view key) const {
    const std::string list = fmt::format("{}[", key);
    const std::size_t end = e.at.find(']');
    if (!e.at.starts_with(list) || end == std::string::npos) return e;
    std::size_t left = 0;
    std::from_chars(e.at.data() + list.size(), e.at.data() + end, left);
    for (std::size_t i = 0; i < failed.size(); ++i)
      if (!failed[i] && left-- == 0) {
        e.at = fmt::format("{}{}{}", list, i, e.at.substr(end));
        break;
      }
    return e;
  }
  /// The answers in the order of the request.
  template <class Answer>
  json answers(const json& request, std::string_view key, std::vector<result<Answer>>& done,
               const std::function<result<json>(const json&, Answer&)>& to_json,
               row_form rows = row_form::values) const {
    json list = json::array();
    const auto add = [&](json answer) {
      list.push_back(rows == row_form::in_lines ? printed_on_a_line(answer) : std::move(answer));
    };
    const json_path document;
    const json_path path = document.key(key);
    std::size_t next = 0;
    for (std::size_t i = 0; i < failed.size(); ++i) {
      if (failed[i]) {
        add(error_json(*failed[i]));
        continue;
      }
      auto& answer = done[next++];
      const json& item = request[std::string(key)][i];
      if (!answer) answer.error() = named_as_asked(std::move(answer.error()), item, document);
      auto printed = answer ? to_json(item, *answer) : result<json>(propagate(answer));
      add(printed ? ok_json(std::move(*printed))
                  : error_json(std::move(printed.error()), path.item(i)));
    }
    return list;
  }
};

result<void> check_anything(const json&, const json&, const json_path&) {
  return {};
}
/// Items are checked one by one when they are read, because each fails alone.
constexpr shape any_item{
    .kind = shape_kind::custom, .check = check_anything, .json_schema = R"({"type":"object"})"};
constexpr shape any_items{.kind = shape_kind::list, .name = "[request…]", .item = &any_item};
constexpr std::array tick_table = {key_shape{"reads", &any_items}, key_shape{"writes", &any_items},
                                   key_shape{"deadline_ms", &shapes::integer}};

} // namespace

std::span<const key_shape> tick_keys() noexcept {
  return tick_table;
}

result<json> run_tick(session& s, const json& request) {
  for (const auto* const key : {"reads", "writes"})
    if (const auto list = request.find(key); list != request.end() && list->size() > max_tick_items)
      return fail(errc::limit_exceeded,
                  fmt::format("a tick has at most {} {}", max_tick_items, key), key);
  item_list<tick_read> reads(request, "reads", read_of);
  name_resolver names(s.target(), s.in_sight_of());
  item_list<tick_write> writes(
      request, "writes", [&names](const json& item, const json_path& at) -> result<tick_write> {
        if (!names_by_id(item)) {
          names.note_made(item);
          return write_of(item, at);
        }
        json named = item;
        fault_list faults;
        names.resolve(named, at, faults);
        auto write = write_of(named, at, std::move(faults));
        if (write) return write;
        return std::unexpected(named_as_asked(std::move(write.error()), item, at));
      });
  const request_deadline time(s, deadline_of(request));
  // What was written is told, and what was read beside it, whatever the time and the room.
  const bool must = !writes.items.empty();
  auto done = s.target().tick({.reads = std::move(reads.items),
                               .writes = std::move(writes.items),
                               .deadline_ms = deadline_of(request),
                               .in_sight_of = s.in_sight_of()});
  if (!done) return std::unexpected(writes.placed(std::move(done.error()), "writes"));
  const auto read_answer = [&](const json& item, tick_read_answer& a) -> result<json> {
    if (auto ok = std::visit([&](const auto& found) { return hold(s, found, must); }, a); !ok)
      return propagate(ok);
    return find_read(item["op"].get_ref<const std::string&>())
        ->answer(a, must ? request_deadline() : time.or_sooner(s, deadline_of(item)), item,
                 s.rows());
  };
  return json{
      {"reads",
       reads.answers<tick_read_answer>(request, "reads", done->reads, read_answer, s.rows())},
      {"writes", writes.answers<tick_write_answer>(request, "writes", done->writes, write_answer)},
      {"seq", done->seq.value}};
}

} // namespace mneme::protocol
