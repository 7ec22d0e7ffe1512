#include "tools/protocol/answer_json.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

#include "messages/validate/fault_list.hpp"
#include "tools/protocol/base64.hpp"
#include "tools/protocol/data_json.hpp"
#include "tools/protocol/error_text.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/memory_json.hpp"
#include "tools/protocol/part_json.hpp"

namespace mneme::protocol {

namespace {

json state_roots_json(const state_root_array& roots) {
  json object = json::object();
  for (std::size_t i = 0; i < roots.size(); ++i)
    object[to_string(static_cast<state_namespace>(i))] = to_hex(roots[i]);
  return object;
}

json plan_json(const query_plan& plan) {
  json stages = json::array();
  for (const auto& s : plan.stages)
    stages.push_back({{"name", s.name},
                      {"detail", s.detail},
                      {"in", s.in},
                      {"out", s.out},
                      {"time_ns", s.time_ns}});
  return {{"driver", plan.driver}, {"predicate", plan.predicate}, {"stages", std::move(stages)}};
}

json via_json(const std::vector<std::optional<edge_key>>& via) {
  json list = json::array();
  for (const auto& key : via) {
    if (key)
      list.push_back({{"type", to_string(key->type)},
                      {"src", to_string(key->src)},
                      {"dst", to_string(key->dst)}});
    else
      list.push_back(nullptr);
  }
  return list;
}

/// The number behind `word` in an error's text, such as the pid of "open in process 4711".
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const char* first = text.data() + at + word.size();
  std::uint64_t number = 0;
  const auto read = std::from_chars(first, text.data() + text.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

std::optional<std::string> word_after(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = text.substr(at + word.size());
  return std::string(rest.substr(0, rest.find_first_of(" ,:;)")));
}

} // namespace

json hashtag_counts_json(const hashtag_counts& counts) {
  return {{"core", counts.core},
          {"mid", counts.mid},
          {"outer", counts.outer},
          {"total", counts.total()}};
}

json edge_json(const edge_record& e) {
  return {{"type", to_string(e.key.type)},
          {"src", to_string(e.key.src)},
          {"dst", to_string(e.key.dst)},
          {"created_at", to_string(e.created_at)},
          {"created_by", e.created_by},
          {"weight", shortest(e.weight)},
          {"data", to_base64(e.data)},
          {"kind", e.kind},
          {"tombstoned", e.tombstoned},
          {"tombstoned_at", time_json(e.tombstoned_at)},
          {"tombstoned_reason", e.tombstoned_reason},
          {"tombstoned_by", e.tombstoned_by}};
}

namespace {

/// The memories of a find, with what it says of each.
result<json> found_json(const find_result& found, const request_deadline& time,
                        const member_selection& selected) {
  auto memories = rows_json(
      found.memories, [&selected](const memory& m) { return memory_json(m, selected); }, time);
  if (!memories) return memories;
  mark_past(*memories, found.past);
  for (std::size_t i = 0; i < found.told.size(); ++i)
    if (!found.told[i].empty()) (*memories)[i]["told"] = found.told[i];
  return memories;
}

/// The same as they are printed.
result<json> found_printed(const find_result& found, const request_deadline& time,
                           const member_selection& selected) {
  std::size_t i = 0;
  return rows_json(
      found.memories,
      [&](const memory& m) {
        const found_marks marks{.past = i < found.past.size() ? found.past[i] : past_marks{},
                                .told = i < found.told.size() ? found.told[i] : std::string()};
        ++i;
        return printed_before(memory_text(m, selected, marks));
      },
      time);
}

} // namespace

result<json> find_json(const find_result& found, const request_deadline& time, const json& item,
                       row_form rows) {
  const member_selection selected = selection_of(item);
  const request_deadline own_time = time.unless_written(found.seq);
  auto memories = rows == row_form::values ? found_json(found, own_time, selected)
                                           : found_printed(found, own_time, selected);
  if (!memories) return propagate(memories);
  json answer{{"memories", std::move(*memories)},
              {"rendered", found.rendered},
              {"rendered_tokens", found.rendered_tokens},
              {"scores", found.scores},
              {"distances", found.distances},
              {"hops", found.hops}};
  if (!found.via.empty()) answer["via"] = via_json(found.via);
  answer["trimmed_by_budget"] = found.trimmed_by_budget;
  answer["candidates_scanned"] = found.candidates_scanned;
  if (found.total) answer["total"] = *found.total;
  answer["form"] = found.form ? json(to_text(*found.form)) : json(nullptr);
  answer["form_defaulted"] = found.form_defaulted;
  if (found.truncated) answer["truncated"] = true;
  answer["at_seq"] = found.at_seq.value;
  if (found.near_mode)
    answer["near_mode"] = *found.near_mode == near_mode::exact ? "exact" : "hnsw";
  if (found.plan) answer["plan"] = plan_json(*found.plan);
  if (found.seq) answer["seq"] = found.seq->value;
  return answer;
}

json roots_json(const root_set& roots) {
  return {{"root", to_hex(roots.overall)},
          {"seq", roots.seq.value},
          {"world_id", to_hex(roots.world)},
          {"journal_root", to_hex(roots.journal_root)},
          {"state_roots", state_roots_json(roots.state_roots)}};
}

json verify_json(const verify_report& checked) {
  json answer{{"root", to_hex(checked.roots.overall)},
              {"seq", checked.roots.seq.value},
              {"entries", checked.entries},
              {"frames", checked.frames},
              {"segments", checked.segments}};
  // A frame that a crash tore, or that a running writer has not finished: said, but no damage.
  if (checked.torn_bytes > 0) answer["torn_bytes"] = checked.torn_bytes;
  if (!checked.unfinished.empty()) answer["unfinished"] = checked.unfinished;
  return answer;
}

result<json> journal_json(const std::vector<journal_item>& items, seq_no last,
                          const std::function<result<void>()>& in_time) {
  json entries = json::array();
  for (const auto& item : items) {
    if (auto ok = in_time(); !ok) return propagate(ok);
    json leaves = json::array();
    for (const auto& leaf : item.leaves)
      leaves.push_back({{"namespace", to_string(leaf.ns)},
                        {"key_hash", to_hex(leaf.path)},
                        {"value_hash", to_hex(leaf.value_hash)}});
    entries.push_back({{"seq", item.seq.value},
                       {"kind", item.kind},
                       {"created_at", to_string(item.created_at)},
                       {"created_by", item.created_by},
                       {"leaves", std::move(leaves)},
                       {"payload_hash", to_hex(item.payload_hash)},
                       {"header", to_base64(item.header)}});
  }
  const bool more = !items.empty() && items.back().seq < last;
  return json{{"entries", std::move(entries)},
              {"next", more ? json(items.back().seq.next().value) : json(nullptr)}};
}

json manifest_json(const manifest& m) {
  json counters = json::object();
  for (const auto& [name, count] : m.counters) counters[name] = count;
  return {{"seq", m.seq.value},
          {"overall_root", to_hex(m.overall_root)},
          {"journal_root", to_hex(m.journal_root)},
          {"state_roots", state_roots_json(m.state_roots)},
          {"created_at", to_string(m.created_at)},
          {"trigger", m.trigger},
          {"counters", std::move(counters)}};
}

json log_status_json(const log_status& s) {
  json answer{{"role", s.role == log_role::leader ? "leader" : "follower"},
              {"epoch", s.epoch},
              {"leader", s.leader},
              {"seq", s.log_seq.value},
              {"lag_seqs", s.lag_seqs ? json(*s.lag_seqs) : json(nullptr)},
              {"lag_ms", s.lag_ms}};
  if (s.away_ms) answer["away_ms"] = *s.away_ms;
  if (!s.leader_address.empty()) answer["leader_address"] = s.leader_address;
  if (!s.problem.empty()) answer["problem"] = s.problem;
  return answer;
}

json stats_json(const world_stats& s) {
  json by_type = json::object();
  for (const auto& [type, count] : s.memories_by_type) by_type[to_string(type)] = count;
  const json space =
      s.space.dim == 0 ? json(nullptr) : json{{"model", s.space.model}, {"dim", s.space.dim}};
  json answer{{"world", s.world_name},
              {"world_id", to_hex(s.world)},
              {"embedder", s.embedder},
              {"language", s.language},
              {"space", space},
              {"seq", s.seq.value},
              {"checkpoint_seq", s.checkpoint_seq.value},
              {"memories", s.memories},
              {"memories_by_type", std::move(by_type)},
              {"rows", s.rows},
              {"edges", s.edges},
              {"vectors", s.vectors},
              {"vector_builds_failed", s.vector_builds_failed},
              {"fields", s.fields},
              {"journal_bytes", s.journal_bytes},
              {"journal_segments", s.journal_segments},
              {"embeddings_pending", s.embeddings_pending},
              {"embeddings_refused", s.embeddings_refused},
              {"embedder_problem", s.embedder_problem}};
  if (!s.stopped.empty()) answer["stopped"] = s.stopped;
  if (!s.disk_full.empty()) answer["disk_full"] = s.disk_full;
  if (s.log) answer["log"] = log_status_json(*s.log);
  return answer;
}

json ids_json(const std::vector<memory_id>& ids) {
  json list = json::array();
  for (const auto& id : ids) list.push_back(to_string(id));
  return list;
}

json version_result_json(const mutation_result& r) {
  json answer{{"uri", to_string(*r.uri)},
              {"id", to_string(r.uri->id)},
              {"version", r.uri->version},
              {"seq", r.seq.value}};
  if (r.similar)
    answer["similar"] = {{"same_text", ids_json(r.similar->same_text)},
                         {"resembles", ids_json(r.similar->resembles)}};
  return answer;
}

json head_result_json(const mutation_result& r) {
  return {{"id", to_string(r.uri->id)}, {"changed", r.changed}, {"seq", r.seq.value}};
}

json restore_result_json(const mutation_result& r) {
  json answer{{"uri", to_string(*r.uri)},
              {"id", to_string(r.uri->id)},
              {"changed", r.changed},
              {"seq", r.seq.value}};
  if (!r.restored) return answer;
  if (r.restored->ended) answer["ended"] = time_json(r.restored->ended);
  if (r.restored->archived) answer["still_archived"] = true;
  if (r.restored->newer) answer["superseded_by"] = to_string(*r.restored->newer);
  return answer;
}

json put_result_json(const mutation_result& r) {
  json answer = version_result_json(r);
  constexpr std::array<std::string_view, 3> names = {"created", "updated", "revived"};
  answer["outcome"] = names[static_cast<std::size_t>(r.put.value()) - 1];
  return answer;
}

json delete_by_result_json(const mutation_result& r) {
  return {{"id", r.uri ? json(to_string(r.uri->id)) : json(nullptr)},
          {"changed", r.changed},
          {"seq", r.seq.value}};
}

json sweep_result_json(const mutation_result& r) {
  return {
      {"swept", ids_json(r.swept)}, {"more", r.more}, {"changed", r.changed}, {"seq", r.seq.value}};
}

json edge_result_json(const mutation_result& r) {
  return {{"changed", r.changed}, {"seq", r.seq.value}};
}

json ok_json(json answer) {
  json line{{"ok", true}};
  for (auto& [key, value] : answer.get_ref<json::object_t&>())
    line.get_ref<json::object_t&>().append(key, std::move(value));
  return line;
}

json error_json(error e, const json_path& item) {
  return error_json(placed_within(std::move(e), item.text()));
}

json error_json(const error& e) {
  json body{{"code", to_string(e.code)}, {"message", error_text(e.message)}};
  if (!e.at.empty()) body["at"] = error_text(e.at);
  for (const error& fault : e.faults)
    body["faults"].push_back({{"code", to_string(fault.code)},
                              {"message", error_text(fault.message)},
                              {"at", error_text(fault.at)}});
  if (const auto refusal = hashtag_refusal_of(e)) {
    body["reason"] = to_string(refusal->reason);
    body["counts"] = hashtag_counts_json(refusal->counts);
  }
  if (e.code == errc::busy) {
    if (const auto pid = number_after(e.message, "process ")) body["pid"] = *pid;
    body["retry"] = true;
  }
  if (e.code == errc::corrupt) {
    if (const auto segment = word_after(e.message, "segment ")) body["segment"] = *segment;
    if (const auto offset = number_after(e.message, "offset ")) body["offset"] = *offset;
  }
  return {{"ok", false}, {"error", std::move(body)}};
}

} // namespace mneme::protocol
