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

#include "messages/entry.hpp"
#include "mneme/seams.hpp"
#include "sim/history.hpp"

namespace mneme::sim {

/// What the engine is given besides the requests, and the model needs too.
struct model_seams {
  std::shared_ptr<const embedder> embeds; ///< null = none
  std::shared_ptr<const token_counter> tokens;
};

class model {
public:
  explicit model(model_seams seams) : seams_(std::move(seams)) {}

  // Changes.
  /// Adds the next entry. Precondition: `seq` follows last().
  void commit(seq_no seq, const entry_payload& payload, timestamp created_at);
  /// Forgets every entry after `last`.
  void truncate(seq_no last);

  // States, each as of a seq.
  [[nodiscard]] seq_no last() const { return last_; }
  /// Head, current version and activation.
  [[nodiscard]] std::optional<memory> memory_at(const memory_id& id, seq_no at) const;
  [[nodiscard]] std::optional<head> head_at(const memory_id& id, seq_no at) const;
  [[nodiscard]] std::vector<float> vector_at(const memory_id& id, seq_no at) const;
  /// A version and its vector; nullopt if it was not there yet.
  [[nodiscard]] std::optional<version> version_at(const memory_id& id, std::uint32_t number,
                                                  seq_no at) const;
  [[nodiscard]] std::vector<float> vector_of_version(const memory_id& id,
                                                     std::uint32_t number) const;
  [[nodiscard]] std::optional<edge_record> edge_at(const edge_key& key, seq_no at) const;
  [[nodiscard]] vector_space space_at(seq_no at) const;
  /// Ids in ascending order.
  [[nodiscard]] std::vector<memory_id> ids_at(seq_no at) const;
  /// In key order, tombstoned ones too.
  [[nodiscard]] std::vector<edge_record> edges_at(seq_no at) const;
  /// Edges of one end: `out` in (type, other id) order, `in` likewise.
  [[nodiscard]] std::vector<edge_record> edges_out(const memory_id& id, seq_no at) const;
  [[nodiscard]] std::vector<edge_record> edges_in(const memory_id& id, seq_no at) const;
  /// The greatest id that the engine drew up to `at`; zero if none.
  [[nodiscard]] memory_id last_drawn(seq_no at) const;

  [[nodiscard]] const model_seams& seams() const { return seams_; }

private:
  struct content {
    seq_no since;
    mneme::version version;
    std::vector<float> vector;
  };
  struct one_memory {
    history<head> heads;
    std::vector<content> versions; ///< number 1 first
    history<activation> used;
  };
  struct reverse_key {
    memory_id dst;
    edge_type type{};
    memory_id src;
    friend auto operator<=>(const reverse_key&, const reverse_key&) = default;
  };

  void commit_head(seq_no seq, const head& h, bool is_new);
  void commit_content(seq_no seq, const version& v, const std::optional<spaced_vector>& vector);

  model_seams seams_;
  seq_no last_;
  std::map<memory_id, one_memory> memories_;
  std::map<edge_key, history<edge_record>> edges_;
  std::set<reverse_key> reverse_; ///< keys of edges_, by destination
  history<vector_space> space_;
  history<memory_id> drawn_;
};

/// Sees `actor` (absent: the host) this memory?
bool sees(const std::optional<std::string>& actor, const head& h);

} // namespace mneme::sim
