#pragma once
/// The published state plus what the batch being built has changed: what execute() reads. A command
/// works on a layer of its own that is kept or dropped whole. Owned by the committer.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/codec/entry.hpp"
#include "messages/text/topic_text.hpp"
#include "mneme/requests.hpp"
#include "state/apply/capacity.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"

namespace mneme {

class overlay {
public:
  /// Reads the published state `at` through `reader`; both must outlive the overlay.
  overlay(const read_views& views, kv_reader& reader, seq_no at, vector_space space)
      : views_(views), reader_(reader), at_(at) {
    base_.space = std::move(space);
  }

  result<std::optional<mneme::head>> head(const memory_id& id);
  /// The memory that has the key, tombstoned or not; none if it was erased.
  result<std::optional<mneme::head>> keyed(const memory_key& key);
  /// Memories whose content may have ended by `now`; each once, ascending, and not all of them
  /// have.
  std::vector<memory_id> may_have_ended(timestamp now) const;
  /// Whether the id is a memory's or an end of a published edge's. Never touches the store.
  [[nodiscard]] bool knows(const memory_id& id) const;
  /// Published as erased, or erased in a branch that this world is an earlier copy of. Never
  /// touches the store.
  [[nodiscard]] bool is_erased(const memory_id& id) const;
  /// Dense numbers that an entry will take, at most.
  [[nodiscard]] dense_numbers most_taken_by(const entry_payload& payload) const {
    return mneme::most_taken_by(payload, *views_.nodes);
  }
  result<std::optional<edge_record>> edge(const edge_key& key);
  /// The vector that the memory's current version has; empty if it has none.
  std::vector<float> vector_of(const memory_id& id);
  [[nodiscard]] const vector_space& space() const;
  [[nodiscard]] std::optional<tag_assignment> tag(std::string_view normalised) const;
  [[nodiscard]] bool is_taken(std::uint32_t anchor) const;
  /// What searches weigh by, as text; empty: those that the world was made with.
  [[nodiscard]] std::string search() const;
  /// Those that the world was made with.
  [[nodiscard]] const search_weights& made_with() const { return views_.search; }
  [[nodiscard]] std::optional<colour_signals> signals_of(const memory_id& id) const;
  [[nodiscard]] std::optional<memory_mode> mode_of(const memory_id& id) const;

  // Of topics.
  /// Every topic that there is, in id order.
  std::vector<memory_id> topics();
  /// The current version of a topic.
  result<version> topic_version(const mneme::head& h);
  std::int64_t topic_salience_e9(const memory_id& id);
  result<std::optional<topic_field>> field(const memory_id& topic, const std::string& name);
  /// Published as erased, and not set anew.
  result<bool> is_field_erased(const memory_id& topic, const std::string& name);
  /// By name.
  result<std::vector<topic_field>> fields(const memory_id& topic);
  /// What they hold now, by name.
  result<std::vector<topic_value>> values(const memory_id& topic);
  /// By number.
  result<std::vector<field_revision>> revisions(const field_head& field);
  /// Edges from and to `id` that are not tombstoned, in key order.
  result<std::vector<edge_record>> live_edges(const memory_id& id);

  /// Of a tombstone that names what took the memory's place: the edge that says so there, if it was
  /// made with it. One that somebody made by hand stands elsewhere in the journal.
  result<std::optional<edge_key>> edge_of_tombstone(const mneme::head& h);
  /// The first memory that takes this one out of the answers, if any does: it supersedes or
  /// replaces it, in the name of the same actor or of the host. Of those that `actor` may see
  /// ("": the host).
  result<std::optional<memory_id>> superseded_by(const mneme::head& h, const std::string& actor);

  void put(const mneme::head& h);
  void put(const tag_assignment& assignment);
  void put(const memory_id& id, const colour_signals& signals);
  void put_search(std::string weights);
  void put(const edge_record& e);
  void put_vector(const memory_id& id, const spaced_vector& v);
  /// Kept for topics only: nothing else is read back.
  void put(const version& v);
  void put(const topic_field& f, const std::vector<field_revision>& fresh);
  void put_topic_salience(const memory_id& id, std::int64_t e9);

  /// Makes the current layer part of the base, or forgets it.
  void keep_layer();
  void drop_layer();

private:
  [[nodiscard]] bool is_unpublished(const memory_id& id) const {
    return top_.heads.contains(id) || base_.heads.contains(id);
  }
  [[nodiscard]] bool is_unpublished(const edge_key& key) const {
    return top_.edges.contains(key) || base_.edges.contains(key);
  }
  /// False where no published edge has this key.
  [[nodiscard]] bool may_be_published(const edge_key& key) const;

  struct layer {
    std::map<memory_id, mneme::head> heads;
    std::map<memory_key, memory_id> keys; ///< of `heads`
    std::map<edge_key, edge_record> edges;
    std::set<std::pair<memory_id, edge_key>> edges_in; ///< keys of `edges`, by where they lead
    std::map<memory_id, std::vector<float>> vectors;
    std::map<std::string, tag_assignment, std::less<>> tags; ///< by hashtag_key
    std::set<std::uint32_t> taken;                           ///< anchors of `tags`
    std::map<memory_id, colour_signals> signals;
    std::optional<std::string> search;
    vector_space space;
    std::map<memory_id, version> versions;
    std::map<memory_id, std::int64_t> saliences_e9;
    std::map<std::pair<memory_id, std::string>, topic_field> fields;
    std::map<std::pair<memory_id, std::string>, std::vector<field_revision>> revisions;
  };

  const read_views& views_;
  kv_reader& reader_;
  seq_no at_;
  layer base_;
  layer top_;
};

} // namespace mneme
