#pragma once
/// The naive reference engine: plain maps of histories, no index, no cache. What it holds is built
/// from the requests that were committed; every answer of the real engine is compared with it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/codec/entry.hpp"
#include "messages/text/topic_text.hpp"
#include "mneme/requests.hpp"
#include "mneme/seams.hpp"
#include "mneme/search.hpp"
#include "sim/history.hpp"

namespace mneme::sim {

/// What the engine is given besides the requests, and the model needs too.
struct model_seams {
  std::shared_ptr<const embedder> embeds; ///< null = none
  bool is_late = false; ///< in the engine it is remote: vectors follow in entries of their own
  std::shared_ptr<const token_counter> tokens;
  search_weights search{};
};

class model {
public:
  explicit model(model_seams seams) : seams_(std::move(seams)) {}

  // Changes.
  /// Adds the next entry. Precondition: `seq` follows last().
  void commit(seq_no seq, entry_kind kind, const entry_payload& payload, timestamp created_at);
  /// Forgets every entry after `last`.
  void truncate(seq_no last);

  // States, each as of a seq.
  [[nodiscard]] seq_no last() const { return last_; }
  /// Head, current version and activation.
  [[nodiscard]] std::optional<memory> memory_at(const memory_id& id, seq_no at) const;
  [[nodiscard]] std::optional<head> head_at(const memory_id& id, seq_no at) const;
  /// Of the heads that there were then, also where they were erased since.
  [[nodiscard]] std::vector<std::pair<memory_id, digest>> head_hashes_at(seq_no at) const;
  [[nodiscard]] std::vector<float> vector_at(const memory_id& id, seq_no at) const;
  /// What words are looked for in.
  [[nodiscard]] std::string text_at(const memory_id& id, seq_no at) const;
  /// A version and its vector; nullopt if it was not there yet.
  [[nodiscard]] std::optional<version> version_at(const memory_id& id, std::uint32_t number,
                                                  seq_no at) const;
  /// The trim that has dropped what it said, as the journal has it at `at`.
  [[nodiscard]] std::optional<seq_no> trimmed_by(const memory_id& id, std::uint32_t number,
                                                 seq_no at) const;
  [[nodiscard]] std::vector<float> vector_of_version(const memory_id& id, std::uint32_t number,
                                                     seq_no at) const;
  /// Live memories that have none now.
  [[nodiscard]] std::vector<memory_id> without_vector() const;
  [[nodiscard]] std::optional<edge_record> edge_at(const edge_key& key, seq_no at) const;
  /// From which seq on a live edge has been, a memory tombstoned; nullopt where it is not at `at`.
  [[nodiscard]] std::optional<seq_no> live_since(const edge_key& key, seq_no at) const;
  [[nodiscard]] std::optional<seq_no> tombstoned_since(const memory_id& id, seq_no at) const;
  /// The seq of its newest version or affirmation.
  [[nodiscard]] seq_no affirmed_at(const memory_id& id, seq_no at) const;
  /// The seqs that brought the versions that there are at `at`; number 1 first.
  [[nodiscard]] std::vector<seq_no> written_at(const memory_id& id, seq_no at) const;
  [[nodiscard]] vector_space space_at(seq_no at) const;
  /// The memory that has the key, tombstoned or not.
  [[nodiscard]] std::optional<head> keyed_at(const memory_key& key, seq_no at) const;
  /// Ids in ascending order, but for what is erased: no door comes to it.
  [[nodiscard]] std::vector<memory_id> ids_at(seq_no at) const;
  /// With what is erased.
  [[nodiscard]] std::vector<memory_id> ids_and_stubs() const;

  // Erasing (model_erasure.cpp).
  [[nodiscard]] bool is_erased(const memory_id& id) const;
  /// Erased ones, ascending.
  [[nodiscard]] std::vector<memory_id> stubs() const;
  /// The world has nothing of these entries any more.
  void note_dropped(trim_payload by) { dropped_ = std::move(by); }
  /// The entries about it that there are, ascending.
  [[nodiscard]] std::vector<seq_no> entries_about(const memory_id& id) const;
  /// Those that go with a field of it, which there is, ascending.
  [[nodiscard]] std::vector<seq_no> entries_of_field(const topic_field& field) const;
  /// The vector that the memory has without these entries (ascending).
  [[nodiscard]] std::vector<float> vector_without(const memory_id& id,
                                                  const std::vector<seq_no>& gone) const;
  /// Of an edge those that say something.
  [[nodiscard]] std::vector<seq_no> entries_saying(const edge_key& key) const;
  /// In key order, tombstoned ones too.
  [[nodiscard]] std::vector<edge_record> edges_at(seq_no at) const;
  /// Edges of one end: `out` in (type, other id) order, `in` likewise.
  [[nodiscard]] std::vector<edge_record> edges_out(const memory_id& id, seq_no at) const;
  [[nodiscard]] std::vector<edge_record> edges_in(const memory_id& id, seq_no at) const;
  /// Overall roots of the snapshots that were taken, oldest first.
  [[nodiscard]] std::vector<digest> snapshot_roots() const;
  [[nodiscard]] bool has_snapshot(const digest& root) const;
  /// Of which state the snapshot with that root is.
  [[nodiscard]] std::optional<seq_no> snapshot_seq(const digest& root) const;
  /// The greatest id that the engine drew up to `at`; zero if none.
  [[nodiscard]] memory_id last_drawn(seq_no at) const;

  // Topics (model_topics.cpp).
  [[nodiscard]] std::optional<topic_field> field_at(const memory_id& topic, std::string_view name,
                                                    seq_no at) const;
  /// Of one topic, by name.
  [[nodiscard]] std::vector<topic_field> fields_at(const memory_id& topic, seq_no at) const;
  /// What is left of those that were erased, and not set anew by then; by name.
  [[nodiscard]] std::vector<topic_field> erased_fields_at(const memory_id& topic, seq_no at) const;
  [[nodiscard]] std::vector<topic_field> fields_at(seq_no at) const;
  /// What they held, by name.
  [[nodiscard]] std::vector<topic_value> values_at(const memory_id& topic, seq_no at) const;
  /// Number 1 first, as many as the field has.
  [[nodiscard]] std::vector<field_revision> revisions_of(const topic_field& field) const;
  [[nodiscard]] std::vector<topic_event> events_at(const memory_id& topic, seq_no at) const;

  // Colours and agents (model_signals.cpp).
  [[nodiscard]] std::optional<colour_signals> signals_at(const memory_id& id, seq_no at) const;
  /// In the order in which they were assigned.
  [[nodiscard]] std::vector<tag_assignment> tags_at(seq_no at) const;
  [[nodiscard]] std::optional<tag_assignment> tag_at(std::string_view tag, seq_no at) const;
  [[nodiscard]] learned_weights weights_at(const std::string& actor, seq_no at) const;
  /// What searches weigh by, unless they say otherwise.
  [[nodiscard]] search_weights search_at(seq_no at) const;
  /// As text; empty: those of the seams.
  [[nodiscard]] std::string search_text_at(seq_no at) const;
  /// When that entry was made; nullopt of seq 0.
  [[nodiscard]] std::optional<timestamp> made_at(seq_no at) const;
  struct compact_record {
    seq_no seq;
    compact_payload payload;
  };
  /// Of all intents and steps, oldest first.
  [[nodiscard]] const std::vector<compact_record>& compacts() const { return compacts_; }

  [[nodiscard]] const model_seams& seams() const { return seams_; }

private:
  struct content {
    seq_no since;
    mneme::version version;
    history<std::vector<float>> vectors; ///< empty: none then
  };
  struct one_memory {
    history<head> heads;
    history<digest> hashes;        ///< of the heads that there were, also of erased ones
    std::vector<content> versions; ///< number 1 first
    history<std::string> texts;
    history<activation> used;
    std::vector<seq_no> affirmed;    ///< apart from its versions
    history<colour_signals> signals; ///< of a memory with a colour
  };
  struct one_field {
    history<topic_field> states;
    std::vector<std::pair<seq_no, field_revision>> revisions; ///< number 1 first
  };
  struct one_tag {
    seq_no since;
    tag_assignment assignment;
  };
  struct reverse_key {
    memory_id dst;
    edge_type type{};
    memory_id src;
    friend auto operator<=>(const reverse_key&, const reverse_key&) = default;
  };

  void commit_head(seq_no seq, const head& h, bool is_new, bool is_restored = false);
  void commit_content(seq_no seq, const version& v, const std::optional<spaced_vector>& vector);
  void commit_embedding(seq_no seq, const embed_payload& late);
  // model_erasure.cpp
  void commit_erasure(seq_no seq, const erase_payload& p);
  void commit_stub(seq_no seq, const head& left);
  void commit_field_erasure(const erase_payload& p);
  void renew_space();
  void commit_touch(seq_no seq, const find_late_payload& late, timestamp at);
  void set_topic_salience(seq_no seq, const memory_id& topic, std::int64_t to_e9);
  // model_topics.cpp
  void commit_topics(seq_no seq, const entry_payload& payload);
  void note_events(seq_no seq, entry_kind kind, const entry_payload& payload, timestamp at);
  void truncate_topics(seq_no last);
  // model_signals.cpp
  void commit_signals(seq_no seq, const entry_payload& payload, timestamp at);
  void reinforce(seq_no seq, const reinforce_payload& p, timestamp at);
  void truncate_signals(seq_no last);

  model_seams seams_;
  seq_no last_;
  std::map<memory_id, one_memory> memories_;
  trim_payload dropped_;
  std::vector<std::pair<seq_no, std::vector<dropped_versions>>> trims_;
  std::map<edge_key, history<edge_record>> edges_;
  std::set<reverse_key> reverse_; ///< keys of edges_, by destination
  history<vector_space> space_;
  history<memory_id> drawn_;
  std::vector<std::pair<seq_no, digest>> snapshots_;
  std::map<std::pair<memory_id, std::string>, one_field> fields_;
  std::map<memory_id, std::vector<topic_event>> events_;
  std::vector<one_tag> tags_;
  std::map<std::string, history<learned_weights>> weights_;
  history<std::string> searches_;
  history<timestamp> made_;
  std::vector<compact_record> compacts_;
};

/// Whether the live edge, which says what took the place of where it leads, was made by the entry
/// right behind the tombstone there.
bool made_with_tombstone(const model& state, const edge_key& key);
/// Too long for an embedder that is late.
bool is_refused_text(const model& state, const std::string& text);
/// Of a memory with a colour.
memory_mode mode_in(const head& h);
/// Of status archived: what finds, rather than is asked by id, passes over it.
bool is_archived(const head& h);
/// Sees `actor` (absent: the host) this memory?
bool sees(const std::optional<std::string>& actor, const head& h);

} // namespace mneme::sim
