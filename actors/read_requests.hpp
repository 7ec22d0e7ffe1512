#pragma once
/// Reads of single records, in the caller's thread over the read views. Shared by the blocking
/// facade and the engine actor.

#include "mneme/engine.hpp"
#include "mneme/tick.hpp"
#include "state/world.hpp"

namespace mneme {

result<memory> read_current(world& w, const memory_id& id, const read_options& options);
result<memory> read_version_of(world& w, const memory_uri& uri, const read_options& options);
/// The same with what is asked for beside the memory, all of it as of one seq.
result<memory_reading> read_whole(world& w, const get_read& request);
result<memory_reading> read_whole(world& w, const resolve_read& request);
result<std::vector<memory>> read_by_type(world& w, memory_type type, std::size_t limit,
                                         const read_options& options, bool include_archived);
/// Of a topic: type_data_mismatch for any other memory.
result<std::vector<topic_field_view>> read_topic_fields(world& w, const memory_id& topic,
                                                        const field_options& fields,
                                                        const read_options& options);
result<std::vector<topic_event>> read_topic_events(world& w, const memory_id& topic,
                                                   const read_options& options);
result<edge_record> read_one_edge(world& w, const edge_key& key, const read_options& options);
result<void> read_edges(world& w, const memory_id& id, edge_direction direction,
                        const edge_filter& filter, const read_options& options,
                        const std::function<bool(const edge_record&)>& visit);
result<void> read_all_memories(world& w, const std::function<bool(const memory_record&)>& visit);
result<void> read_all_edges(world& w, const std::function<bool(const edge_record&)>& visit);
result<std::vector<journal_item>> read_journal_items(world& w, seq_no from, std::size_t limit);
result<world_stats> read_stats(world& w);
result<compact_result> read_compact_record(world& w, const load_compact_request& request);

/// The seq of a root that proofs may be asked against: the current one or a snapshot's.
result<seq_no> seq_of_root(world& w, const digest& root, const root_set& current);
/// Raw keys of a prove request; what the asker cannot see is not_found, or
/// scope_violation where it comes with a scope.
result<ledger::proof_request> proof_keys(world& w, const prove_request& request);

} // namespace mneme
