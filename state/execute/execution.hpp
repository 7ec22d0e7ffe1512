#pragma once
/// The execution of one command, and what its parts share. Private to execute*.cpp.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/codec/leaf_of.hpp"
#include "messages/codec/topic_records.hpp"
#include "state/execute/execute.hpp"

namespace mneme {

/// What a mutation needs that depends on the request and the clock only; computed once.
struct prepared {
  memory_data data;
  mneme::forms forms;
  std::optional<std::vector<float>> vector; ///< given, or embedded
  bool vector_given = false;
  /// The vector is of more than the content: it comes with the text of the topic (text_change).
  bool vector_is_later = false;
  timestamp now;
  std::optional<memory_key> key{}; ///< of a memory that a put makes
};

/// Of a topic whose text a request changes.
struct text_change {
  std::optional<std::vector<float>> vector; ///< of the new text; default: embedded, where one can
  bool keeps_vector = false;                ///< default: the one that it has
};

struct execution {
  overlay& state;
  id_source& draw;
  const execution_seams& seams;
  timestamp now;
  seq_no current;
  const std::vector<memory_id>& given; ///< by the command's items, ascending
  executed_command out{};
  std::uint64_t payload_bytes = 0; ///< of the entries so far
  std::map<memory_id, text_change> changed_texts{};

  /// Whether a drawn id would meet a memory, an end of an edge, or an id that the command gives.
  [[nodiscard]] bool is_taken(const memory_id& id) const {
    return state.knows(id) || std::ranges::binary_search(given, id);
  }
};

/// Seals the entry with the next seq.
void append_entry(execution& x, entry_kind kind, std::string created_by,
                  std::vector<state_leaf> leaves, entry_payload payload,
                  const ready_records& ready = {});
mutation_result changed_memory(const execution& x, const memory_uri& uri);
mutation_result changed_memory(const execution& x, const head& h);
mutation_result changed_edge(const execution& x, bool changed);
/// What a request that found nothing to do answers.
mutation_result unchanged(const execution& x, std::optional<memory_uri> uri = {});

/// deadline_exceeded once the command is late. Only while nothing was drawn.
inline result<void> in_time(const execution& x) {
  return x.seams.in_time != nullptr && *x.seams.in_time ? (*x.seams.in_time)() : result<void>();
}
/// Whether whoever writes may change the memory: outside of a scope everybody may.
bool is_open(const execution& x, const head& h);
bool is_archived(const head& h);
/// version_conflict at "expect_version" unless it is the current one, where one is expected.
result<head> with_version(head h, const std::optional<std::uint32_t>& expected);
/// Sets the lifecycle status.
void archive(head& h, timestamp now);

/// A remote embedder's vectors come later, as entries of their own.
bool embeds_at_once(const embedder* by);

/// What a content is embedded as. What an update makes of a topic with its fields shows in its turn
/// alone.
struct embedded_content {
  bool is_known = true;
  std::vector<topic_value> values{}; ///< of a new topic
};
result<prepared> prepare_content(memory_type type, const memory_data& data,
                                 const forms_override& own,
                                 const std::optional<std::vector<float>>& vector, timestamp now,
                                 const execution_seams& seams, const prepared_ahead& ahead = {},
                                 const embedded_content& embedded = {});

/// The space that a content's vector lives in; the first explicit vector of a world without an
/// embedder fixes it.
result<std::optional<spaced_vector>> place_vector(const prepared& p, const overlay& state,
                                                  const execution_seams& seams);

// Parts of larger requests: as the requests alone, and each adds its own result.
result<void> run_part(execution& x, const write_request& r, const prepared& p);
result<void> run_part(execution& x, const update_request& r, const prepared& p);
result<void> run_part(execution& x, const tombstone_request& r);
result<void> run_part(execution& x, const add_edge_request& r);
result<void> run_part(execution& x, const remove_edge_request& r);

/// Gives the memory, whose head may have been changed already, its next version. `data` of `r` is
/// that of `p`.
result<void> append_version(execution& x, head h, const update_request& r, prepared p);

/// The memory's current version, with what the batch has done to it (execute_replace.cpp).
result<version> current_version(execution& x, const head& h);
/// The update with all data that an update of a span is (execute_replace.cpp). `h` is the memory's.
result<update_request> replacement_of(execution& x, const update_request& r, const head& h);

// topic_texts.cpp
/// What the topic is embedded as.
result<std::string> embedded_topic_text(overlay& state, const head& topic);
/// Of an update: the vector is its content's, or is later where the topic has fields.
result<void> embed_update(execution& x, const head& topic, prepared& p);
/// The vector comes with the topic's text, and not with its content.
void hold_back(execution& x, head& topic, std::optional<spaced_vector>& vector);
/// One entry for each topic of `changed_texts` that has fields, in id order.
result<void> settle_topic_texts(execution& x);

// execute_topics.cpp, execute_revise.cpp, execute_restore.cpp, execute_put.cpp, execute_sweep.cpp,
// execute_put_record.cpp
result<prepared> prepare_ingest(const ingest_request& r, timestamp now,
                                const execution_seams& seams, const prepared_ahead& ahead);
/// The memory that an ingest of a new topic writes.
write_request topic_write_of(const ingest_request& r);
/// A topic that has taken in text with this provenance rests on what that rests on, and is trusted
/// no further: it gets a version that says so, unless it says so already.
result<void> trust_no_further(execution& x, const memory_id& topic, const provenance& added,
                              const std::string& actor);
/// What its fields hold then, by name.
std::vector<topic_value> values_of(const ingest_request& r);
result<void> run(execution& x, const ingest_request& r, const prepared& p);
result<void> run(execution& x, const revise_request& r, const prepared& p);
result<void> run(execution& x, const forget_request& r, const prepared& p);
result<void> run(execution& x, const unarchive_request& r, const prepared& p);
result<void> run(execution& x, const restore_request& r, const prepared& p);
result<void> run(execution& x, const put_request& r, prepared p);
result<void> run(execution& x, const delete_by_request& r, const prepared& p);
result<void> run(execution& x, const sweep_request& r, const prepared& p);
result<void> run(execution& x, const put_record_request& r, const prepared& p);
result<void> run(execution& x, const put_edge_record_request& r, const prepared& p);
result<void> run(execution& x, const put_field_record_request& r, const prepared& p);

} // namespace mneme
