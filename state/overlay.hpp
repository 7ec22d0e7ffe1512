#pragma once
/// The published state plus what the batch being built has changed: what execute() reads. A command
/// works on a layer of its own that is kept or dropped whole. Owned by the committer.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "messages/entry.hpp"
#include "mneme/requests.hpp"
#include "state/read_views.hpp"

namespace mneme {

class overlay {
public:
  /// Reads the published state `at` through `reader`; both must outlive the overlay.
  overlay(const read_views& views, kv_reader& reader, seq_no at, vector_space space)
      : views_(views), reader_(reader), at_(at) {
    base_.space = std::move(space);
  }

  result<std::optional<mneme::head>> head(const memory_id& id);
  /// Whether the id is a memory's or an end of a published edge's. Never touches the store.
  [[nodiscard]] bool knows(const memory_id& id) const;
  result<std::optional<edge_record>> edge(const edge_key& key);
  /// The vector that the memory's current version has; empty if it has none.
  std::vector<float> vector_of(const memory_id& id);
  [[nodiscard]] const vector_space& space() const;
  /// The assignment of a normalised hashtag.
  [[nodiscard]] std::optional<tag_assignment> tag(std::string_view normalised) const;
  [[nodiscard]] bool is_taken(std::uint32_t anchor) const;
  /// The signals of a memory with a colour.
  [[nodiscard]] std::optional<colour_signals> signals_of(const memory_id& id) const;
  [[nodiscard]] std::optional<memory_mode> mode_of(const memory_id& id) const;

  void put(const mneme::head& h);
  void put(const tag_assignment& assignment);
  void put(const memory_id& id, const colour_signals& signals);
  void put(const edge_record& e);
  void put_vector(const memory_id& id, const spaced_vector& v);

  /// Makes the current layer part of the base, or forgets it.
  void keep_layer();
  void drop_layer();

private:
  struct layer {
    std::map<memory_id, mneme::head> heads;
    std::map<edge_key, edge_record> edges;
    std::map<memory_id, std::vector<float>> vectors;
    std::map<std::string, tag_assignment, std::less<>> tags; ///< by hashtag_key
    std::set<std::uint32_t> taken;                           ///< anchors of `tags`
    std::map<memory_id, colour_signals> signals;
    vector_space space;
  };

  const read_views& views_;
  kv_reader& reader_;
  seq_no at_;
  layer base_;
  layer top_;
};

} // namespace mneme
