#pragma once
/// Random requests, made to fit what the model knows: most hit something, some miss on purpose,
/// some are wrong in themselves and must be refused.

#include <string>
#include <vector>

#include "sim/model.hpp"
#include "sim/operation.hpp"
#include "sim/profile.hpp"
#include "sim/random_stream.hpp"

namespace mneme::sim {

struct planned_request {
  request_message request;
  std::optional<errc> expected_error; ///< it must be refused with this, whatever the state
};

class workload {
public:
  workload(const profile& how, random_stream& draw, const model& truth)
      : how_(how), draw_(draw), truth_(truth) {}

  planned_request next(timestamp now);

private:
  planned_request some_request();
  planned_request some_keyed_read();

  // Single choices.
  memory_id some_id();
  memory_id known_id();
  memory_id fresh_id();
  std::optional<head> some_head();
  std::string some_text();
  std::vector<std::string> some_sources();
  std::string some_tag();
  std::string some_actor();
  std::optional<std::string> some_asker();
  memory_type some_type();
  timestamp some_time();
  std::vector<float> some_vector(std::size_t dim);
  std::optional<seq_no> some_past();
  read_options some_options();
  std::uint32_t version_of(const head& h);
  std::optional<std::int64_t> some_deadline();

  // Mutations (workload_write.cpp).
  field_value some_field(const struct field_choice& field);
  memory_data some_data(memory_type type);
  metadata_map some_metadata();
  std::optional<lifecycle> some_lifecycle();
  template <class Request>
  void fill_content(Request& r, memory_type type);
  write_request some_write();
  mutation some_update();
  void make_replacement(update_request& r, const head& h);
  mutation some_update_head();
  mutation some_tombstone();
  bool puts(); ///< one of several writes, where any does
  memory_key some_key();
  mutation some_put();
  mutation some_keyed_write();
  mutation some_restore();
  bool restores(); ///< one of several writes, where any does
  mutation some_edge();
  mutation some_edge_removal();
  mutation mutation_of(operation_kind kind);
  planned_request invalid_mutation();
  planned_request some_batch();
  durability some_durability();

  // Questions (workload_find.cpp).
  void ask_for_keyed(find_request& r);
  find_request some_find(bool late);
  predicate some_predicate(int depth);
  predicate some_comparison();
  void add_order(find_request& r);
  void add_near(find_request& r);
  planned_request invalid_find();
  prove_request some_proof();

  // Scopes (workload_scope.cpp).
  std::shared_ptr<const scope> some_scope();
  scope_selector some_selector();
  void spoil(scope& s);
  void add_proofs(scope& s);
  /// Now and then, and never beside what is wrong anyway.
  void add_scopes(planned_request& planned);

  // Topics (workload_topics.cpp).
  std::optional<memory_id> some_topic();
  std::string some_title();
  json_value some_value();
  field_input some_field_input();
  ingest_request some_ingest();
  mutation some_unarchive();
  retrieve_request some_retrieve();
  planned_request invalid_retrieve();

  // Colours, search and agents (workload_doors.cpp).
  std::vector<std::string> some_hashtags();
  assign_tag_request some_assignment();
  set_weights_request some_weights();
  batch_message some_assignments();
  chroma_request some_chroma();
  void add_words(chroma_request& r);
  void add_patch(chroma_request& r);
  std::string some_paradigm();
  std::string some_domain();
  planned_request invalid_chroma();
  search_request some_search();
  planned_request invalid_search();
  select_request some_selection();
  context_request some_context();
  std::vector<std::string> some_uris(std::size_t most);
  attest_request some_attest();
  compact_request some_compact();
  load_compact_request some_load_compact();
  tick_read some_tick_read();
  tick_message some_tick();
  std::optional<planned_request> next_door(operation_kind kind);

  const profile& how_;
  random_stream& draw_;
  const model& truth_;
  timestamp now_;
};

} // namespace mneme::sim
