#include "tools/protocol/read_ops.hpp"

#include <array>
#include <chrono>

#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/base64.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/many.hpp"
#include "tools/protocol/proof_json.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/topic_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array get_table = {
    key_shape{"id", &shapes::text},          key_shape{"uri", &shapes::text},
    key_shape{"namespace", &shapes::text},   key_shape{"key", &shapes::text},
    key_shape{"actor", &shapes::text},       key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer}, key_shape{"at", &shapes::time},
    key_shape{"raw", &shapes::boolean},      key_shape{"events", &shapes::boolean},
    key_shape{"history", &shapes::boolean},  key_shape{"history_limit", &shapes::integer},
    key_shape{"scope", &shapes::scope},      key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array resolve_table = {
    key_shape{"uri", &shapes::text, true},  key_shape{"actor", &shapes::text},
    key_shape{"at_seq", &shapes::integer},  key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time},         key_shape{"events", &shapes::boolean},
    key_shape{"history", &shapes::boolean}, key_shape{"history_limit", &shapes::integer},
    key_shape{"scope", &shapes::scope},     key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array get_edge_table = {key_shape{"src", &shapes::text, true},
                                       key_shape{"type", &shapes::text, true},
                                       key_shape{"dst", &shapes::text, true},
                                       key_shape{"actor", &shapes::text},
                                       key_shape{"at_seq", &shapes::integer},
                                       key_shape{"at_least", &shapes::integer},
                                       key_shape{"at", &shapes::time},
                                       key_shape{"scope", &shapes::scope},
                                       key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array edges_table = {key_shape{"id", &shapes::text},
                                    key_shape{"uri", &shapes::text},
                                    key_shape{"direction", &shapes::text},
                                    key_shape{"types", &shapes::texts},
                                    key_shape{"include_tombstoned", &shapes::boolean},
                                    key_shape{"limit", &shapes::integer},
                                    key_shape{"offset", &shapes::integer},
                                    key_shape{"actor", &shapes::text},
                                    key_shape{"at_seq", &shapes::integer},
                                    key_shape{"at_least", &shapes::integer},
                                    key_shape{"at", &shapes::time},
                                    key_shape{"deadline_ms", &shapes::integer},
                                    key_shape{"scope", &shapes::scope}};

constexpr std::array stale_of_table = {key_shape{"id", &shapes::text},
                                       key_shape{"uri", &shapes::text},
                                       key_shape{"limit", &shapes::integer},
                                       key_shape{"offset", &shapes::integer},
                                       key_shape{"actor", &shapes::text},
                                       key_shape{"at_seq", &shapes::integer},
                                       key_shape{"at_least", &shapes::integer},
                                       key_shape{"at", &shapes::time},
                                       key_shape{"deadline_ms", &shapes::integer},
                                       key_shape{"scope", &shapes::scope}};

result<void> check_find_item(const json& value, const json&, const json_path& at) {
  return check_item_of("find", find_keys(), value, at);
}
constexpr shape find_item{
    .kind = shape_kind::custom, .check = check_find_item, .json_schema = R"({"type":"object"})"};
constexpr shape find_items{.kind = shape_kind::list, .name = "[find…]", .item = &find_item};
constexpr std::array find_many_table = {key_shape{"items", &find_items, true},
                                        key_shape{"at_least", &shapes::integer},
                                        key_shape{"deadline_ms", &shapes::integer}};

constexpr std::array clock_table = {key_shape{"now", &shapes::time, true}};
constexpr std::array root_table = {
    key_shape{"at_seq", &shapes::integer}, key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time}, key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array snapshot_table = {key_shape{"reason", &shapes::text},
                                       key_shape{"actor", &shapes::text},
                                       key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array checkpoint_table = {key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array stats_table = {key_shape{"at_least", &shapes::integer},
                                    key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array verify_table = {key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array journal_table = {
    key_shape{"from", &shapes::integer}, key_shape{"limit", &shapes::integer},
    key_shape{"at_least", &shapes::integer}, key_shape{"deadline_ms", &shapes::integer}};

constexpr std::int64_t default_journal_limit = 100;
constexpr std::int64_t max_journal_limit = 10'000;

} // namespace

read_options read_asker(value_reader& in, const json_path& at) {
  read_options options{
      .actor = in.text("actor"), .at_seq = in.seq("at_seq"), .scope = read_scope(in)};
  if (options.actor && options.actor->size() > max_actor_bytes)
    in.fail_at(at.key("actor"), errc::limit_exceeded,
               "actor is over " + std::to_string(max_actor_bytes) + " bytes");
  return options;
}

namespace {

/// Whichever of them is given holds an id or a uri; null where none is.
const char* key_of_id(value_reader& in) {
  const bool has_uri = in.find("uri") != nullptr;
  if (in.find("id") == nullptr) return has_uri ? "uri" : nullptr;
  if (has_uri) in.fail_key("uri", errc::bad_value, "give id or uri, not both");
  return "id";
}

memory_id read_id(value_reader& in) {
  const char* const key = key_of_id(in);
  if (key != nullptr) return in.id_or_uri(key).value_or(memory_id{});
  in.fail_key("id", errc::missing_key, "the key \"id\" (or \"uri\") is missing");
  return {};
}

} // namespace

named_memory read_named(value_reader& in) {
  named_memory named;
  const char* const id = key_of_id(in);
  const bool has_id = id != nullptr;
  const bool has_key = in.find("namespace") != nullptr || in.find("key") != nullptr;
  if (has_id && has_key) in.fail_key("id", errc::bad_value, "give id, or namespace and key");
  if (has_key) {
    for (const char* name : {"namespace", "key"})
      if (in.find(name) == nullptr)
        in.fail_key(name, errc::missing_key, "a key is named by namespace and key");
    named.key = {.name_space = in.text_or("namespace", ""), .name = in.text_or("key", "")};
  } else if (!has_id) {
    in.fail_key("id", errc::missing_key,
                "the key \"id\" (or \"uri\", or \"namespace\" and \"key\") is missing");
  } else {
    named.id = in.id_or_uri(id).value_or(memory_id{});
  }
  return named;
}

namespace {

memory_parts read_parts(value_reader& in) {
  return {.raw = in.flag("raw"),
          .history = in.flag("history"),
          .events = in.flag("events"),
          .history_limit = in.integer("history_limit").value_or(default_history_limit)};
}

template <class Request>
result<json> run_reading(session& s, result<Request> r) {
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto whole = s.target().read(*r);
  if (!whole) return propagate(whole);
  if (auto ok = hold(s, *whole); !ok) return propagate(ok);
  return time.in_time(reading_json(*whole));
}

} // namespace

std::span<const key_shape> get_keys() noexcept {
  return get_table;
}
std::span<const key_shape> resolve_keys() noexcept {
  return resolve_table;
}
std::span<const key_shape> get_edge_keys() noexcept {
  return get_edge_table;
}
std::span<const key_shape> edges_keys() noexcept {
  return edges_table;
}
std::span<const key_shape> stale_of_keys() noexcept {
  return stale_of_table;
}
std::span<const key_shape> find_many_keys() noexcept {
  return find_many_table;
}
std::span<const key_shape> clock_keys() noexcept {
  return clock_table;
}
std::span<const key_shape> root_keys() noexcept {
  return root_table;
}
std::span<const key_shape> snapshot_keys() noexcept {
  return snapshot_table;
}
std::span<const key_shape> checkpoint_keys() noexcept {
  return checkpoint_table;
}
std::span<const key_shape> stats_keys() noexcept {
  return stats_table;
}
std::span<const key_shape> verify_keys() noexcept {
  return verify_table;
}
std::span<const key_shape> journal_keys() noexcept {
  return journal_table;
}

result<get_read> read_get(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  const named_memory named = read_named(in);
  get_read r{.id = named.id,
             .options = read_asker(in, at),
             .parts = read_parts(in),
             .deadline_ms = read_deadline(in),
             .key = named.key};
  return finish(faults, std::move(r));
}

result<resolve_read> read_resolve(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  resolve_read r{.uri = in.uri("uri").value_or(memory_uri{}),
                 .options = read_asker(in, at),
                 .parts = read_parts(in),
                 .deadline_ms = read_deadline(in)};
  return finish(faults, std::move(r));
}

result<edges_read> read_edges(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  edges_read r{.id = read_id(in),
               .direction = in.direction_or("direction", edge_direction::both),
               .filter = {.types = in.edge_types("types"),
                          .include_tombstoned = in.flag("include_tombstoned"),
                          .limit = in.integer("limit"),
                          .offset = in.integer("offset").value_or(0)},
               .options = read_asker(in, at),
               .deadline_ms = read_deadline(in)};
  return finish(faults, std::move(r));
}

json reading_json(const memory_reading& whole) {
  json m = memory_json(whole.found);
  if (whole.fields) m["fields"] = fields_json(*whole.fields);
  if (!whole.erased_fields.empty()) m["erased_fields"] = erased_fields_json(whole.erased_fields);
  if (whole.events) m["events"] = events_json(*whole.events);
  json answer{{"memory", std::move(m)}};
  if (whole.raw) answer["raw"] = to_base64(*whole.raw);
  return answer;
}

result<json> run_get(session& s, const json& request) {
  return run_reading(s, read_get(request, {}));
}

result<json> run_resolve(session& s, const json& request) {
  return run_reading(s, read_resolve(request, {}));
}

result<json> run_get_edge(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const auto type = static_cast<edge_type>(in.edge_type_byte("type"));
  const edge_key key{.src = in.id_or_uri("src").value_or(memory_id{}),
                     .type = type,
                     .dst = in.id_or_uri("dst").value_or(memory_id{})};
  const read_options options = read_asker(in, document);
  const auto deadline_ms = read_deadline(in);
  if (faults) return faults.refusal();
  const request_deadline time(s, deadline_ms);
  auto edge = s.target().get_edge(key, options, deadline_ms);
  if (!edge) return propagate(edge);
  return time.in_time(json{{"edge", edge_json(*edge)}});
}

result<json> run_edges(session& s, const json& request) {
  auto r = read_edges(request, {});
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto found = s.target().edges(*r);
  if (!found) return propagate(found);
  if (auto ok = hold(s, *found); !ok) return propagate(ok);
  auto list = rows_json(*found, edge_json, time);
  if (!list) return propagate(list);
  return time.in_time(json{{"edges", std::move(*list)}});
}

result<json> run_stale_of(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const stale_read r{.id = read_id(in),
                     .limit = in.integer("limit"),
                     .offset = in.integer("offset").value_or(0),
                     .options = read_asker(in, document),
                     .deadline_ms = read_deadline(in)};
  if (faults) return faults.refusal();
  const request_deadline time(s, r.deadline_ms);
  auto found = s.target().stale_of(r);
  if (!found) return propagate(found);
  if (auto ok = hold(s, *found); !ok) return propagate(ok);
  auto list = rows_json(*found, [](const memory& m) { return memory_json(m); }, time);
  if (!list) return propagate(list);
  return time.in_time(json{{"memories", std::move(*list)}});
}

result<json> run_find(session& s, const json& request) {
  auto r = read_find(request, {});
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto found = s.target().find(std::move(*r));
  if (!found) return propagate(found);
  if (auto ok = hold(s, *found); !ok) return propagate(ok);
  return find_json(*found, time, request, s.rows());
}

result<json> run_find_many(session& s, const json& request) {
  const auto print_one = [rows = s.rows()](const find_result& found, const request_deadline& time,
                                           const json& item) {
    return find_json(found, time, item, rows);
  };
  return run_many(s, request, "find", read_find, &engine::find_many, print_one);
}

result<json> run_clock(session& s, const json& request) {
  if (s.clock() == nullptr)
    return fail(
        errc::unsupported,
        "the clock of this world is that of the machine; one that is set belongs to a world "
        "that was opened so: mneme shell --clock manual, or manual_clock of a host");
  auto now = read_time(request["now"]);
  if (!now) return fail(now.error().code, now.error().message, "now");
  s.clock()->set(*now);
  return json{{"now", to_string(*now)}};
}

result<json> run_root(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const auto at_seq = in.seq("at_seq");
  const auto deadline_ms = read_deadline(in);
  if (faults) return faults.refusal();
  const request_deadline time(s, deadline_ms);
  auto roots = s.target().root(at_seq, deadline_ms);
  if (!roots) return propagate(roots);
  return time.in_time(roots_json(*roots));
}

result<json> run_snapshot(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  auto taken =
      s.target().snapshot(in.text_or("reason", ""), in.text_or("actor", ""), deadline_of(request));
  if (!taken) return propagate(taken);
  return json{{"manifest", manifest_json(taken->manifest)}, {"seq", taken->seq.value}};
}

result<json> run_prove(session& s, const json& request) {
  auto r = read_prove(request, {});
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto bundle = s.target().prove(*r);
  if (!bundle) return propagate(bundle);
  return time.in_time(proof_json(*bundle));
}

result<json> run_journal(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const seq_no from = in.seq("from").value_or(seq_no{1});
  const std::int64_t limit = in.integer("limit").value_or(default_journal_limit);
  if (limit < 1 || limit > max_journal_limit)
    in.fail_key("limit", errc::out_of_range,
                "limit is from 1 to " + std::to_string(max_journal_limit));
  const auto deadline_ms = read_deadline(in);
  if (faults) return faults.refusal();
  const request_deadline time(s, deadline_ms);
  const seq_no last = s.target().published();
  auto items = s.target().journal(from, static_cast<std::size_t>(limit), deadline_ms);
  if (!items) return propagate(items);
  auto answer = journal_json(*items, last, [&] { return time.check(); });
  if (!answer) return propagate(answer);
  return time.in_time(std::move(*answer));
}

result<json> run_checkpoint(session& s, const json& request) {
  auto seq = s.target().checkpoint(deadline_of(request));
  if (!seq) return propagate(seq);
  return json{{"seq", seq->value}};
}

result<json> run_verify(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const auto deadline_ms = read_deadline(in);
  if (faults) return faults.refusal();
  auto checked = s.target().verify(deadline_ms);
  if (!checked) return propagate(checked);
  if (!checked->ok)
    return fail(errc::corrupt, fmt::format("damage behind {} good entries: {}", checked->entries,
                                           checked->problem));
  return verify_json(*checked);
}

result<json> run_stats(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const request_deadline time(s, read_deadline(in));
  if (faults) return faults.refusal();
  auto stats = s.target().stats();
  if (!stats) return propagate(stats);
  return time.in_time(stats_json(*stats));
}

} // namespace mneme::protocol
