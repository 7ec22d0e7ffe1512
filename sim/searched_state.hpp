#pragma once
/// What the parts of a naive search share: the live memories of one state, and what a hit says.

#include <map>
#include <optional>
#include <set>

#include "messages/text/topic_text.hpp"
#include "sim/model_current.hpp"
#include "sim/model_doors.hpp"

namespace mneme::sim {

/// What a Decision replaces, or a Chunk was promoted to.
std::optional<memory_id> reference_in(const version& v);
/// The lifecycle of a memory, or an empty one.
lifecycle state_of(const head& h);
bool is_overdue(const lifecycle& l, timestamp now);

struct searched_state {
  const model& state;
  const search_request& r;
  seq_no at;
  timestamp now;
  std::map<memory_id, memory> live;          ///< not tombstoned, but as superseded
  const std::set<memory_id>* only = nullptr; ///< null = nothing is left out but by the request
  /// Topics that nothing but what a field held has words of the question for.
  std::set<memory_id> past_topics{};

  /// Null if it is not live.
  [[nodiscard]] const memory* find(const memory_id& id) const;
  /// By when it is judged what holds.
  [[nodiscard]] judged_by when() const;
  /// Has it begun, where a time is asked for?
  [[nodiscard]] bool has_begun(const version& v) const;
  /// By as_of, or else by now.
  [[nodiscard]] bool has_ended(const version& v) const;
  /// It was tombstoned as superseded, a Decision replaces it, or something supersedes it.
  [[nodiscard]] bool is_superseded(const memory_id& id) const;
  /// Was the chunk made a memory that the asker finds instead?
  [[nodiscard]] bool is_promoted(const memory& chunk) const;
};

/// What the fields of a topic tell by then, with the ends of what is told though it has ended.
std::vector<topic_value> told_fields(const model& state, const memory_id& topic, seq_no at,
                                     judged_by when, bool includes_ended);
/// The field with most words of a question, function words for `function_words`; empty = none.
std::string field_asked_for(const std::string& question, double function_words,
                            const std::vector<topic_value>& values);
/// Which of the fields that tell by then.
std::string field_asked_for(const std::string& question, double function_words, const model& state,
                            const memory_id& topic, seq_no at, judged_by when, bool includes_ended);
/// Has nothing but what a field held by then words of the question?
bool is_past_topic(const model& state, const memory& m, seq_no at, const std::string& question,
                   judged_by when, bool includes_ended);
bool is_past_topic(const searched_state& s, const memory& m);

/// What an answer shows of a text.
std::string first_bytes(std::string text, bool& truncated);
/// Rendered in the form of `out`, if it has one.
search_hit hit_of(const searched_state& s, const search_result& out, const memory& m, double score,
                  double raw);
/// What does not fit the budget any more is cut, hit by hit as they are ranked.
void pack(const search_request& r, search_result& out);
/// Fills the answer of a search by ids.
void look_up(const searched_state& s, search_result& out);

} // namespace mneme::sim
