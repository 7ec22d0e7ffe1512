#pragma once
/// What the doors answer, written down a second time over the naive model: every memory is looked
/// at, nothing is indexed. Preconditions of all: the request is valid in itself.

#include <expected>
#include <set>
#include <vector>

#include "mneme/agents.hpp"
#include "mneme/chroma.hpp"
#include "mneme/search.hpp"
#include "mneme/selection.hpp"
#include "sim/model_scope.hpp"

namespace mneme::sim {

/// Without `seq`.
std::expected<retrieve_result, errc> retrieve_in(const model& state, const retrieve_request& r,
                                                 seq_no at, timestamp now);
/// Fields of one topic, as fields_message asks for them.
std::vector<topic_field_view> views_in(const model& state, const std::vector<topic_field>& fields,
                                       const field_options& options, const viewer& who, seq_no at);
/// Nobody is told of a topic that it does not see.
void cut_hidden(const model& state, const viewer& who, std::optional<memory_id>& topic, seq_no at);
struct chroma_outcome_of {
  chroma_result answer; ///< without `seq` and `candidates_scanned`
  std::vector<memory_id> touched;
};
std::expected<chroma_outcome_of, errc> chroma_in(const model& state, const chroma_request& asked,
                                                 seq_no at, timestamp now);
/// `by_words`: the embedder could not be asked.
/// `only`: no other memories are searched; null = all.
std::expected<search_result, errc> search_in(const model& state, const search_request& r, seq_no at,
                                             timestamp now, bool by_words = false,
                                             const std::set<memory_id>* only = nullptr);
/// `by_words` as above.
std::expected<context_result, errc> context_in(const model& state, const context_request& r,
                                               seq_no at, timestamp clock_now,
                                               bool by_words = false);

/// Without `because`, `note` and `embedder_problem`. `by_words` as above.
std::expected<select_result, errc> select_in(const model& state, const select_request& r, seq_no at,
                                             timestamp now, bool by_words = false);

/// The vector of a query's text or the one given; empty without an embedder.
std::expected<std::vector<float>, errc> query_vector(const model& state, const std::string& text,
                                                     const std::optional<std::vector<float>>& given,
                                                     seq_no at);

/// A text of a content; "" if it has none of the name.
std::string text_in(const version& v, std::string_view field);

/// As it is rendered in a form.
std::string text_of(const version& v, form_kind form);

/// The least salience of what is pinned.
inline constexpr double pinned_floor = 0.7;
/// An Identity, a hard Constraint, an active Goal.
bool is_pinned_content(const version& v);

// Agents (model_agents.cpp). Nonces are left empty.
struct attest_outcome_of {
  attest_payload attested;
  learn_weights_payload learned;
  attest_result answer; ///< without seq
};
attest_outcome_of attest_in(const model& state, const attest_request& r, seq_no at, timestamp now);
struct compact_outcome_of {
  compact_payload payload;
  compact_result answer; ///< without seq
};
std::expected<compact_outcome_of, errc> compact_in(const model& state, const compact_request& r,
                                                   seq_no at, timestamp now);
std::expected<compact_result, errc> load_compact_in(const model& state,
                                                    const load_compact_request& r, seq_no at);
struct decay_outcome_of {
  std::vector<decayed_item> items;
  decay_result answer; ///< without seq
};
decay_outcome_of decay_in(const model& state, seq_no at, timestamp now);

} // namespace mneme::sim
