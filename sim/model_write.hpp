#pragma once
/// What a mutation has to do to a state: the rules of writing, written down a second time over the
/// naive model. A mutation may take several entries; each is in the model before the next is made.

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/requests.hpp"
#include "sim/model_scope.hpp"

namespace mneme::sim {

/// What the engine draws at random. The model cannot know it: it is read off the entry, and checked
/// to be fresh elsewhere.
struct drawn_values {
  memory_id id;
  mneme::nonce head_nonce{};
  mneme::nonce version_nonce{};
  mneme::nonce edge_nonce{};
  std::vector<mneme::nonce> revision_nonces; ///< of a field's new revisions
  std::string target;                        ///< of a scope violation; it is for people to read
  mneme::nonce nonce{};                      ///< of the payload itself
};
drawn_values drawn_in(const entry_payload& payload);

/// An entry that a request has to make.
struct expected_entry {
  entry_kind kind{};
  std::string created_by;
  std::vector<state_leaf> leaves;
  entry_payload payload;
};

/// Where the entries of a request go.
class entry_sink {
public:
  virtual ~entry_sink() = default;
  /// What was drawn for the next entry.
  virtual drawn_values next_drawn() = 0;
  /// Takes the next entry; the model has it when this returns.
  virtual void take(expected_entry e) = 0;
};

/// Entries that nobody has made: what would be, with placeholders for what is drawn.
class imagined_entries final : public entry_sink {
public:
  imagined_entries(model& state, timestamp now) : state_(state), now_(now) {}
  drawn_values next_drawn() override;
  void take(expected_entry e) override;

private:
  model& state_;
  timestamp now_;
  unsigned taken_ = 0;
};

/// What one mutation does.
struct write_outcome {
  std::optional<errc> refused; ///< nothing else is set then; entries taken before do not count
  bool changed = false;
  std::optional<memory_uri> uri;       ///< that the reply names
  std::optional<topic_changes> topics; ///< without the similar topics
  std::optional<tag_assignment> tag;
  std::string weights; ///< of search
  std::optional<restored_memory> restored;
  std::optional<put_outcome> put;
  std::vector<memory_id> swept;
  bool more = false; ///< beyond those swept
};

/// Outcome of `m` on the model's last state, executed at `now`; its entries go to `entries`, which
/// commits them to `state`. Precondition: the request itself is well-formed, so that only the state
/// may refuse it. `within`: the scope it came through, which lets revise and forget see what it
/// opens alone.
write_outcome outcome_of(const model& state, const mutation& m, timestamp now, entry_sink& entries,
                         const scope* within = nullptr);

/// A vector that a request gives, or keeps, of a topic whose text comes when all of it has changed.
using held_vector = std::optional<std::vector<float>>;
/// outcome_of a topic's content alone, without its text.
write_outcome content_outcome_of(const model& state, const write_request& r, timestamp now,
                                 entry_sink& entries, held_vector& held);
write_outcome content_outcome_of(const model& state, const update_request& r, timestamp now,
                                 entry_sink& entries, held_vector& held);
/// The text that a topic with fields is found by.
void take_topic_text(const model& state, const memory_id& topic, const held_vector& held,
                     entry_sink& entries);

// The part of it that is about topics (model_write_topics.cpp).
write_outcome topic_outcome_of(const model& state, const ingest_request& r, timestamp now,
                               entry_sink& entries);
write_outcome topic_outcome_of(const model& state, const revise_request& r, timestamp now,
                               entry_sink& entries, const scope* within);
write_outcome topic_outcome_of(const model& state, const forget_request& r, timestamp now,
                               entry_sink& entries, const scope* within);
write_outcome topic_outcome_of(const model& state, const unarchive_request& r, timestamp now,
                               entry_sink& entries);

/// The topics that an ingest should name as similar, as of `at`.
std::vector<memory_id> similar_topics(const model& state, const memory_id& topic,
                                      const std::vector<float>& vector, const viewer& who,
                                      seq_no at);

/// What a write that asks for it, or an ingest with a title, should name, as of `at`.
resemblance resemblance_of(const model& state, const memory_id& written, const viewer& who,
                           seq_no at);
std::vector<memory_id> same_titles(const model& state, const memory_id& topic, const viewer& who,
                                   seq_no at);

/// Hashtags with their anchors, in byte order; bad_hashtags if they have no colour.
struct hashtag_mix {
  std::vector<std::string> tags;
  std::vector<std::uint32_t> anchors;
};
std::expected<hashtag_mix, errc>
mixed_hashtags(const model& state, const std::vector<std::string>& hashtags, seq_no at);

/// What a write leaves that went outside its scope.
expected_entry violation_entry(const scope& within, const drawn_values& drawn);

} // namespace mneme::sim
