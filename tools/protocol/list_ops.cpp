#include "tools/protocol/list_ops.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/read_ops.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array list_table = {key_shape{"types", &shapes::texts},
                                   key_shape{"namespace", &shapes::text},
                                   key_shape{"owner", &shapes::text},
                                   key_shape{"limit", &shapes::integer},
                                   key_shape{"cursor", &shapes::text},
                                   key_shape{"include_tombstoned", &shapes::boolean},
                                   key_shape{"include_archived", &shapes::boolean},
                                   key_shape{"include_ended", &shapes::boolean},
                                   key_shape{"select", &shapes::texts},
                                   key_shape{"actor", &shapes::text},
                                   key_shape{"at_seq", &shapes::integer},
                                   key_shape{"at_least", &shapes::integer},
                                   key_shape{"at", &shapes::time},
                                   key_shape{"scope", &shapes::scope},
                                   key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array history_table = {
    key_shape{"id", &shapes::text},          key_shape{"uri", &shapes::text},
    key_shape{"namespace", &shapes::text},   key_shape{"key", &shapes::text},
    key_shape{"limit", &shapes::integer},    key_shape{"before", &shapes::integer},
    key_shape{"actor", &shapes::text},       key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer}, key_shape{"at", &shapes::time},
    key_shape{"scope", &shapes::scope},      key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array count_table = {
    key_shape{"actor", &shapes::text},       key_shape{"at_seq", &shapes::integer},
    key_shape{"at_least", &shapes::integer}, key_shape{"at", &shapes::time},
    key_shape{"scope", &shapes::scope},      key_shape{"deadline_ms", &shapes::integer}};

result<list_request> read_list(const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  list_request r;
  r.types = read_types(in);
  r.name_space = in.text("namespace");
  r.owner = in.text("owner");
  r.limit = in.integer("limit").value_or(r.limit);
  r.cursor = in.text_or("cursor", "");
  r.include_tombstoned = in.flag("include_tombstoned");
  r.include_archived = in.flag("include_archived");
  r.include_ended = in.flag("include_ended");
  read_select(in); // what it names; the answer is cut to it where it is printed
  const read_options options = read_asker(in, document);
  r.actor = options.actor;
  r.at_seq = options.at_seq;
  r.scope = options.scope;
  r.deadline_ms = read_deadline(in);
  return finish(faults, std::move(r));
}

result<history_request> read_history(const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const named_memory named = read_named(in);
  history_request r;
  r.id = named.id;
  r.key = named.key;
  r.limit = in.integer("limit").value_or(r.limit);
  r.before = in.version("before");
  const read_options options = read_asker(in, document);
  r.actor = options.actor;
  r.at_seq = options.at_seq;
  r.scope = options.scope;
  r.deadline_ms = read_deadline(in);
  return finish(faults, std::move(r));
}

json change_json(const version_change& c) {
  json change{{"field", c.field}};
  if (c.before) change["before"] = *c.before;
  if (c.after) change["after"] = *c.after;
  return change;
}

json past_version_json(const past_version& past) {
  if (past.trimmed_by)
    return {{"version", past.version.number},
            {"trimmed", true},
            {"trimmed_by", past.trimmed_by->value},
            {"changes", json::array()}};
  json version = version_json(past.version);
  json changes = json::array();
  for (const auto& c : past.changes) changes.push_back(change_json(c));
  version["changes"] = std::move(changes);
  return version;
}

/// The counts of names, each as {`kind`: name, memories}.
result<json>
run_counts(session& s, const json& request, const char* list, const char* kind,
           result<std::vector<name_count>> (engine::*ask)(const read_options&,
                                                          std::optional<std::int64_t>)) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const read_options options = read_asker(in, document);
  const auto deadline_ms = read_deadline(in);
  if (faults) return faults.refusal();
  const request_deadline time(s, deadline_ms);
  auto counts = (s.target().*ask)(options, deadline_ms);
  if (!counts) return propagate(counts);
  json rows = json::array();
  for (const auto& c : *counts) rows.push_back({{kind, c.name}, {"memories", c.memories}});
  return time.in_time(json{{list, std::move(rows)}});
}

} // namespace

std::span<const key_shape> list_keys() noexcept {
  return list_table;
}
std::span<const key_shape> history_keys() noexcept {
  return history_table;
}
std::span<const key_shape> count_keys() noexcept {
  return count_table;
}

result<json> run_list(session& s, const json& request) {
  auto r = read_list(request);
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto page = s.target().list(std::move(*r));
  if (!page) return propagate(page);
  if (auto ok = hold(s, page->memories); !ok) return propagate(ok);
  const member_selection selected = selection_of(request);
  auto memories = rows_json(
      page->memories, [&selected](const memory& m) { return memory_json(m, selected); }, time);
  if (!memories) return propagate(memories);
  mark_past(*memories, page->past);
  json answer{{"memories", std::move(*memories)},
              {"next", page->next.empty() ? json(nullptr) : json(page->next)},
              {"at_seq", page->at_seq.value}};
  return time.in_time(std::move(answer));
}

result<json> run_history(session& s, const json& request) {
  auto r = read_history(request);
  if (!r) return propagate(r);
  const request_deadline time(s, r->deadline_ms);
  auto found = s.target().history(*r);
  if (!found) return propagate(found);
  if (auto ok = hold(s, found->versions); !ok) return propagate(ok);
  auto versions = rows_json(found->versions, past_version_json, time);
  if (!versions) return propagate(versions);
  const head& h = found->head;
  json answer{
      {"id", to_string(h.id)}, {"type", to_string(h.type)}, {"current_version", h.current_version}};
  put_key(answer, h);
  answer["tombstone"] = tombstone_of(h);
  answer["versions"] = std::move(*versions);
  answer["at_seq"] = found->at_seq.value;
  return time.in_time(std::move(answer));
}

result<json> run_namespaces(session& s, const json& request) {
  return run_counts(s, request, "namespaces", "namespace", &engine::namespaces);
}

result<json> run_actors(session& s, const json& request) {
  return run_counts(s, request, "actors", "actor", &engine::actors);
}

} // namespace mneme::protocol
