#pragma once
/// What a retrieve carries from stage to stage. Exactly one party holds it at a time.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "index/vectors/vectors.hpp"
#include "query/deadline.hpp"
#include "query/past_topics.hpp"
#include "query/retrieve/retrieve.hpp"
#include "views/answer_room.hpp"
#include "views/asker.hpp"
#include "views/standing.hpp"

namespace mneme {

enum class retrieve_step : std::uint8_t { select, near, link, fetch, done };

/// A neighbour before its title and kind are read.
struct topic_adjacency {
  node_no node;
  edge_type type{};
  bool outgoing = true;
};

struct retrieve_candidate {
  node_no node;
  std::optional<double> similarity;
  std::vector<topic_adjacency> adjacent;
};

struct retrieve_state {
  retrieve_request request;
  query_context context;
  asker who;
  std::vector<float> query; ///< empty when semantic does not run, or there is no embedder
  deadline time;
  answer_room room;
  distrusted_memories distrusted; ///< below min_trust

  retrieve_step step = retrieve_step::select;
  /// All vectors are compared, and the nearest ones asked whether they are topics' that may be
  /// returned; else just the vectors of these.
  bool compares_all = false;
  std::vector<slot_no> slots; ///< of the topics with a vector that near chooses from; else of one
  std::vector<retrieve_candidate> chosen;
  /// Nodes of topics that have the words of q in nothing but what a field held: as search has it,
  /// they are not among the answers.
  std::set<std::uint32_t> past_topics{};
  known_field_values field_values{};
  retrieve_result answer;

  [[nodiscard]] bool has(retrieve_stage stage) const;
  [[nodiscard]] bool touches() const {
    return request.touch.value_or(!request.at_seq && !context.read_only && who.may_touch());
  }

  // Steps (retrieve.cpp, retrieve_fetch.cpp).
  result<void> run_select(const read_views& views);
  result<void> run_near(const read_views& views);
  result<void> run_link(const read_views& views);
  result<void> run_fetch(const read_views& views);

  /// The time by which it is judged what has ended.
  [[nodiscard]] timestamp instant() const { return request.as_of.value_or(context.now); }
  /// Adds to past_topics those among the nearest that are not named; were there any?
  result<bool> note_past_topics(const std::vector<near_hit>& nearest, const read_views& views);
  [[nodiscard]] bool most_vectors_are_topics(const read_views& views) const;
  [[nodiscard]] std::vector<near_hit>
  nearest_topics(const read_views& views, const std::function<memory_id(slot_no)>& tie) const;
  /// Names the step behind the choice of candidates.
  void selected();
};

/// May a row be a neighbour: a topic that exists, is neither tombstoned nor erased, that the asker
/// may see, and that is trusted enough?
bool may_be_neighbour(const attributes& columns, const visible_rows& visible,
                      const distrusted_memories& distrusted, row_no row);

} // namespace mneme
