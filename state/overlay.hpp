#pragma once
/// The published state plus what the batch being built has changed: what execute() reads. A command
/// works on a layer of its own that is kept or dropped whole. Owned by the committer.

#include <map>
#include <optional>

#include "messages/entry.hpp"
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

  void put(const mneme::head& h);
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
    vector_space space;
  };

  const read_views& views_;
  kv_reader& reader_;
  seq_no at_;
  layer base_;
  layer top_;
};

} // namespace mneme
