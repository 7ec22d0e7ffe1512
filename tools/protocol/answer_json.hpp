#pragma once
/// Answers as JSON: the keys, their order and their texts. None has the `ok` that every answer line
/// starts with; ok_line and error_line add it.

#include <functional>
#include <string>
#include <vector>

#include "mneme/engine.hpp"
#include "tools/protocol/json_path.hpp"
#include "tools/protocol/json_text.hpp"
#include "tools/protocol/memory_json.hpp"
#include "tools/protocol/request_deadline.hpp"

namespace mneme::protocol {

json hashtag_counts_json(const hashtag_counts& counts);
json edge_json(const edge_record& e);
/// `item`: the request, for what it selects.
result<json> find_json(const find_result& found, const request_deadline& time, const json& item,
                       row_form rows = row_form::values);
json roots_json(const root_set& roots);
/// Of a journal in which all is well.
json verify_json(const verify_report& checked);
/// `in_time` is asked before each entry; its refusal ends the rendering.
result<json> journal_json(const std::vector<journal_item>& items, seq_no last,
                          const std::function<result<void>()>& in_time);
json manifest_json(const manifest& m);
json stats_json(const world_stats& s);

/// {uri, id, version, seq}: write, update.
json ids_json(const std::vector<memory_id>& ids);
json version_result_json(const mutation_result& r);
/// {id, changed, seq}: update_head, tombstone.
json head_result_json(const mutation_result& r);
/// {uri, id, changed, seq, ended?, still_archived?, superseded_by?}: restore.
json restore_result_json(const mutation_result& r);
/// {uri, id, version, seq, outcome}: put.
json put_result_json(const mutation_result& r);
/// {id, changed, seq}: delete_by; the id is null where the key has no memory.
json delete_by_result_json(const mutation_result& r);
/// {swept, more, changed, seq}: sweep.
json sweep_result_json(const mutation_result& r);
/// {changed, seq}: add_edge, remove_edge.
json edge_result_json(const mutation_result& r);

/// {"ok":true, …members of `answer`}.
json ok_json(json answer);
/// {"ok":false,"error":{…}}; busy carries pid and retry, corrupt segment and offset, where known.
json error_json(const error& e);
/// Of an item of a list that fails alone: the path of what is wrong starts at the document.
json error_json(error e, const json_path& item);

} // namespace mneme::protocol
