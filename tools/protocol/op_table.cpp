#include "tools/protocol/op_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/absence_ops.hpp"
#include "tools/protocol/agent_json.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/batch_ops.hpp"
#include "tools/protocol/change_ops.hpp"
#include "tools/protocol/chroma_json.hpp"
#include "tools/protocol/erase_json.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/list_ops.hpp"
#include "tools/protocol/mutation_json.hpp"
#include "tools/protocol/near_name.hpp"
#include "tools/protocol/proof_json.hpp"
#include "tools/protocol/read_ops.hpp"
#include "tools/protocol/receipt.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/search_json.hpp"
#include "tools/protocol/selection_json.hpp"
#include "tools/protocol/source_ops.hpp"
#include "tools/protocol/tick_json.hpp"
#include "tools/protocol/topic_json.hpp"
#include "tools/protocol/topic_ops.hpp"
#include "tools/protocol/trim_json.hpp"
#include "tools/protocol/value_reader.hpp"
#include "tools/protocol/weights_json.hpp"

namespace mneme::protocol {

namespace {

/// A mutation alone.
result<json> run_mutation(session& s, const json& request) {
  const op_spec& op = *find_op(request["op"].get_ref<const std::string&>());
  auto m = op.read(request, {}, {});
  if (!m) return propagate(m);
  auto within = scope_of(request);
  if (!within) return propagate(within);
  auto done = s.target().apply(std::move(*m), durability::durable, std::move(*within),
                               deadline_of(request), s.in_sight_of());
  if (!done) return propagate(done);
  return op.answer_mutation(*done);
}

op_spec mutation_op(std::string_view name, std::string_view summary, std::string_view answer,
                    std::string_view example, std::span<const key_shape> keys,
                    result<mutation> (*read)(const json&, const json_path&, fault_list),
                    json (*answer_mutation)(const mutation_result&)) {
  return {name, summary, answer, example, keys, run_mutation, read, answer_mutation};
}

// A table, as long as there are operations.
const std::array<op_spec, 61>& table() { // NOLINT(readability-function-size)
  static const std::array<op_spec, 61> specs = {
      mutation_op("write", "a new memory", "uri id version seq similar?",
                  R"({"op":"write","type":"Note","data":{"statement":"tea at five"}})",
                  write_keys(), read_write, version_result_json),
      mutation_op("put",
                  "write the memory that has a key of your own, or make it; what was tombstoned "
                  "is back",
                  "uri id version seq outcome",
                  R"({"op":"put","namespace":"tea","key":"today","type":"Note",)"
                  R"("data":{"statement":"tea at five"},"payload":"{\"cups\":2}"})",
                  put_keys(), read_put, put_result_json),
      mutation_op("delete_by", "tombstone the memory that has a key of your own, if there is one",
                  "id changed seq", R"({"op":"delete_by","namespace":"tea","key":"today"})",
                  delete_by_keys(), read_delete_by, delete_by_result_json),
      mutation_op("sweep", "tombstone what has expired (expires_at), the earliest first",
                  "swept more changed seq", R"({"op":"sweep"})", sweep_keys(), read_sweep,
                  sweep_result_json),
      mutation_op("update",
                  "a new version of a memory: data whole, or replace of one span of its text",
                  "uri id version seq",
                  R"({"op":"update","uri":"mneme://Note/00000000000000000000000001#1",)"
                  R"("data":{"statement":"tea at six"}})",
                  update_keys(), read_update, version_result_json),
      mutation_op("update_head",
                  "tags, frames, importance, visibility, lifecycle or metadata; or affirm",
                  "id changed seq",
                  R"({"op":"update_head","uri":"mneme://Note/00000000000000000000000001#1",)"
                  R"("tags":["tea"]})",
                  update_head_keys(), read_update_head, head_result_json),
      mutation_op(
          "tombstone",
          "take a memory out of every answer; its versions stay readable, and restore undoes it",
          "id changed seq",
          R"({"op":"tombstone","uri":"mneme://Note/00000000000000000000000001#1",)"
          R"("reason":"over"})",
          tombstone_keys(), read_tombstone, head_result_json),
      mutation_op("restore",
                  "bring back what was tombstoned or forgotten, or a topic that was archived, as "
                  "it was; what superseded it stays",
                  "uri id changed seq ended? still_archived? superseded_by?",
                  R"({"op":"restore","id":"00000000000000000000000001"})", restore_keys(),
                  read_restore, restore_result_json),
      mutation_op("add_edge", "a typed, directed edge", "changed seq",
                  R"({"op":"add_edge","src":"00000000000000000000000001","type":"references",)"
                  R"("dst":"00000000000000000000000002"})",
                  add_edge_keys(), read_add_edge, edge_result_json),
      mutation_op("remove_edge", "tombstone an edge", "changed seq",
                  R"({"op":"remove_edge","src":"00000000000000000000000001",)"
                  R"("type":"references","dst":"00000000000000000000000002"})",
                  remove_edge_keys(), read_remove_edge, edge_result_json),
      mutation_op("assign_tag", "bind a hashtag to an anchor of the colour space, for good",
                  "tag anchor zone changed seq",
                  R"({"op":"assign_tag","tag":"honey","zone":"Mid"})", assign_tag_keys(),
                  read_assign_tag, assign_tag_result_json),
      mutation_op("set_weights",
                  "what searches weigh by, unless they say otherwise: some of them, or reset to "
                  "those that the world was made with",
                  "weights changed seq",
                  R"({"op":"set_weights","weights":"neighbours=0.2,newer=0"})", set_weights_keys(),
                  read_set_weights, set_weights_result_json),
      mutation_op("ingest", "a new topic, more of one, or the next revision of one field",
                  "topic_id applied revisions same_title_ids similar_topic_ids seq",
                  R"({"op":"ingest","placement":"new_topic","title":"Harbour",)"
                  R"("fields":{"depth":{"value":12.5}}})",
                  ingest_keys(), read_ingest, ingest_result_json),
      {"revise", "merge topics with equal titles into the smallest id", "merged seq",
       R"({"op":"revise"})", acting_keys(), run_revise},
      {"forget", "archive topics whose salience is below 0.05", "archived seq",
       R"({"op":"forget"})", acting_keys(), run_forget},
      {"forget_matching",
       "forget what words mean: by identifier, else by name, else by meaning; dry_run only shows "
       "it",
       "selected forgotten dry_run seq note? embedder_problem?",
       R"({"op":"forget_matching","words":"everything about the harbour","dry_run":true})",
       forget_matching_keys(), run_forget_matching},
      {"supersede_matching",
       "write a memory in place of what said the old (or of what words mean), in one step",
       "superseded dry_run seq uri? id? version? note? embedder_problem?",
       R"({"op":"supersede_matching","write":{"type":"Note","data":{"statement":"tea is at six"}}})",
       supersede_matching_keys(), run_supersede_matching},
      {"unarchive", "bring an archived topic back", "id changed seq",
       R"({"op":"unarchive","id":"00000000000000000000000003"})", unarchive_keys(), run_unarchive},
      {"batch", "many writes (revise, forget and unarchive apart): all or none, one root step",
       "results seq",
       R"({"op":"batch","items":[{"op":"write","type":"Note","data":{"statement":"one"}}]})",
       batch_keys(), run_batch},
      {"get",
       "the newest version of a memory, by id or by namespace and key, of a topic also its fields; "
       "raw adds the canonical head, "
       "history and events what a topic went through",
       "memory raw?", R"({"op":"get","id":"00000000000000000000000001"})", get_keys(), run_get},
      {"resolve", "exactly one version of a memory", "memory",
       R"({"op":"resolve","uri":"mneme://Note/00000000000000000000000001#1"})", resolve_keys(),
       run_resolve},
      {"list", "what there is, newest first, page by page", "memories next at_seq",
       R"({"op":"list","limit":10})", list_keys(), run_list},
      {"history", "all versions of a memory, newest first, and what each changed",
       "id type current_version namespace? key? tombstone versions at_seq",
       R"({"op":"history","id":"00000000000000000000000001"})", history_keys(), run_history},
      {"namespaces", "the namespaces of keys, and how many live memories each has", "namespaces",
       R"({"op":"namespaces"})", count_keys(), run_namespaces},
      {"actors", "the actors, and how many live memories each has", "actors", R"({"op":"actors"})",
       count_keys(), run_actors},
      {"get_edge", "one edge, also a tombstoned one", "edge",
       R"({"op":"get_edge","src":"00000000000000000000000001","type":"references",)"
       R"("dst":"00000000000000000000000002"})",
       get_edge_keys(), run_get_edge},
      {"edges", "the edges of a memory: out first, then in, each by type and other id", "edges",
       R"({"op":"edges","id":"00000000000000000000000001","direction":"both"})", edges_keys(),
       run_edges},
      {"stale_of",
       "what rests on a memory that was tombstoned, superseded or contradicted, and was not "
       "affirmed since, in id order",
       "memories", R"({"op":"stale_of","id":"00000000000000000000000001"})", stale_of_keys(),
       run_stale_of},
      {"find", "the typed query",
       "memories rendered rendered_tokens scores distances hops via? trimmed_by_budget "
       "candidates_scanned? total? form form_defaulted truncated? at_seq near_mode? plan? seq? "
       "receipt?",
       R"({"op":"find","types":["Note"],"limit":5})", find_keys(), run_find},
      {"find_many", "many finds at one seq", "results",
       R"({"op":"find_many","items":[{"types":["Note"],"limit":5}]})", find_many_keys(),
       run_find_many},
      {"context",
       "what an agent should know first: pinned, outcomes, frame-relevant; then what a query "
       "finds, "
       "or without a question what is most salient",
       "tiers tokens budget_tokens more reachable_uris at_seq note? embedder_problem? receipt?",
       R"({"op":"context","query":"when is tea served","budget_tokens":1500})", context_keys(),
       run_context},
      {"compact", "shrink a context: what bears load stays, the rest becomes short",
       "kept compacted tokens skipped seq",
       R"({"op":"compact","in_context":["mneme://Note/00000000000000000000000001#1"],)"
       R"("load_bearing":[],"intent_id":"trip","step_id":"1"})",
       compact_keys(), run_compact},
      {"load_compact", "the newest compact record of an intent's step",
       "kept compacted tokens skipped seq",
       R"({"op":"load_compact","intent_id":"trip","step_id":"1"})", load_compact_keys(),
       run_load_compact},
      {"attest", "what came of an intent; the actor's salience weights learn",
       "skipped learned weights seq",
       R"({"op":"attest","intent_id":"trip","outcome":"success",)"
       R"("cited":["mneme://Note/00000000000000000000000001#1"]})",
       attest_keys(), run_attest},
      {"tick", "reads and writes of many agents: one start, one commit; what fails, fails alone",
       "reads writes seq",
       R"({"op":"tick","reads":[{"op":"find","types":["Note"],"limit":5}],)"
       R"("writes":[{"op":"write","type":"Note","data":{"statement":"one"}}]})",
       tick_keys(), run_tick},
      {"search", "one question over memories and chunks",
       "query results count applied_audience source_type sort similarity_floor include_siblings "
       "coverage metadata? form? tokens? embedder_problem? at_seq receipt?",
       R"({"op":"search","query":"when is tea"})", search_keys(), run_search},
      {"search_many", "many searches at one seq", "results",
       R"({"op":"search_many","items":[{"query":"tea"}]})", search_many_keys(), run_search_many},
      {"ingest_source", "cut a file, folder or git working tree into chunks",
       "files added updated unchanged removed left_out changed seq",
       R"({"op":"ingest_source","path":"docs"})", ingest_source_keys(), run_ingest_source},
      {"promote", "a chunk that was made a memory: searches find the memory", "uri id version seq",
       R"({"op":"promote","chunk":"00000000000000000000000004",)"
       R"("memory":"00000000000000000000000002"})",
       promote_keys(), run_promote},
      {"chroma", "the door by colour: near in hashtags, recent, strong",
       "point results hashtags profile candidates_scanned? at_seq notes? layout_traits? seq?",
       R"({"op":"chroma","hashtags":["tea","leaf","cup","steam","rain","moss","clay","storm"],"k":5})",
       chroma_keys(), run_chroma},
      {"chroma_many", "many chroma queries at one seq", "results",
       R"({"op":"chroma_many","items":[]})", chroma_many_keys(), run_chroma_many},
      {"decay", "one decay cycle of the colour space", "decayed ascended rotten seq",
       R"({"op":"decay"})", decay_keys(), run_decay},
      {"erase",
       "overwrite what memories said, everywhere and for good; roots and proofs stay what they are",
       "erased memories not_found erased_before entries edges branches in_branches? fields? "
       "fields_erased_before? dry_run changed seq",
       R"({"op":"erase","ids":["00000000000000000000000001"],"reason":"asked for","by":"ana",)"
       R"("dry_run":true})",
       erase_keys(), run_erase},
      {"trim", "drop how the world was used before a point; what was said stays",
       "before dropped dropped_bytes versions carried saved_bytes journal_bytes_before "
       "journal_bytes "
       "dry_run changed seq?",
       R"({"op":"trim","dry_run":true})", trim_keys(), run_trim},
      {"point", "the point of a set of hashtags", "L a b node_id counts",
       R"({"op":"point","hashtags":["tea","leaf","cup","steam","rain","moss","clay","storm"]})",
       point_keys(), run_point},
      {"suggest_hashtags", "assigned hashtags that a text names", "hashtags",
       R"({"op":"suggest_hashtags","text":"green tea"})", suggest_hashtags_keys(),
       run_suggest_hashtags},
      {"tags", "every assigned hashtag", "tags", R"({"op":"tags"})", tags_keys(), run_tags},
      {"weights", "what searches weigh by, unless they say otherwise",
       "weights since? set_at? set_by? reset? at_seq", R"({"op":"weights"})", weights_keys(),
       run_weights},
      {"retrieve", "topics near to a question, with neighbours, fields and their history",
       "candidates summary_text at_seq seq? receipt?", R"({"op":"retrieve","q":"harbour"})",
       retrieve_keys(), run_retrieve},
      {"retrieve_many", "many retrieves at one seq", "results",
       R"({"op":"retrieve_many","items":[{"q":"harbour"}]})", retrieve_many_keys(),
       run_retrieve_many},
      {"clock", "set the manual clock (shell --clock manual)", "now",
       R"({"op":"clock","now":"2024-01-31T10:00:00Z"})", clock_keys(), run_clock},
      {"root", "the root over all state", "root seq world_id journal_root state_roots",
       R"({"op":"root"})", root_keys(), run_root},
      {"absent",
       "no memory says that: what was searched, and proofs that ids and fields are not there",
       "absent searched? best_match? nearest? ids? fields? proof? seq root",
       R"({"op":"absent","query":"zeppelin schedules","ids":["00000000000000000000000009"]})",
       absent_keys(), run_absent},
      {"replay_receipt", "ask again what a receipt says was asked: is the answer the same?",
       "equal differences seq receipt",
       R"({"op":"replay_receipt","receipt":{"version":1,"op":"search","request":{"query":"tea",)"
       R"("now":"2024-01-31T10:00:00Z"},"seq":1,"root":"00","world_id":"00","exact":true,)"
       R"("ranking":1,"results":[],)"
       R"("hash":"a7658d0f4d3cc8b99c730464b70adda7a2c4ec6aff0a9e51965735332571d206"}})",
       replay_receipt_keys(), run_replay_receipt},
      {"snapshot", "pin the present roots in the journal", "manifest seq",
       R"({"op":"snapshot","reason":"before the trip"})", snapshot_keys(), run_snapshot},
      {"prove", "proofs of presence or absence against a root",
       "root seq world_id journal_root state_roots proofs", R"({"op":"prove","seqs":[1]})",
       prove_keys(), run_prove},
      {"verify", "check the whole journal: sums, chain and every recorded root",
       "root seq entries frames segments torn_bytes? unfinished?", R"({"op":"verify"})",
       verify_keys(), run_verify},
      {"journal", "entries of the journal", "entries next", R"({"op":"journal","limit":10})",
       journal_keys(), run_journal},
      {"changes", "what was committed behind a seq, in order; waits for it where told to",
       "changes next seq more", R"({"op":"changes","since":0,"limit":10})", changes_keys(),
       run_changes},
      {"checkpoint", "make the next open fast", "seq", R"({"op":"checkpoint"})", checkpoint_keys(),
       run_checkpoint},
      {"stats", "counts and sizes of the world",
       "world world_id embedder language space seq checkpoint_seq memories memories_by_type rows "
       "edges vectors vector_builds_failed fields journal_bytes journal_segments "
       "embeddings_pending "
       "embeddings_refused embedder_problem stopped? disk_full? log?",
       R"({"op":"stats"})", stats_keys(), run_stats},
  };
  return specs;
}

} // namespace

std::span<const op_spec> ops() noexcept {
  return table();
}

const op_spec* find_op(std::string_view name) noexcept {
  const auto found = std::ranges::find(table(), name, &op_spec::name);
  return found == table().end() ? nullptr : &*found;
}

result<void> check_op(const json& request, const json_path& at, const op_spec*& op) {
  const auto name = request.find("op");
  if (name == request.end() || name->is_null())
    return fail(errc::missing_key, "the key \"op\" is missing", at.key("op").text());
  if (!name->is_string()) return wrong_type("the name of an op", *name, at.key("op"));
  const auto& text = name->get_ref<const std::string&>();
  op = find_op(text);
  if (op != nullptr) return {};
  std::vector<std::string_view> names;
  for (const auto& spec : table()) names.push_back(spec.name);
  std::string hint = suggestion(text, names);
  if (hint.empty()) hint = "; mneme help ops lists them";
  return fail(errc::unknown_op, fmt::format("unknown op \"{}\"{}", text, hint),
              at.key("op").text());
}

} // namespace mneme::protocol
