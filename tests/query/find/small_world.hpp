#pragma once
/// A world of a few memories whose read sides are filled directly, and its whole history in plain
/// structs, so that a model can answer the same questions row by row.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mneme/query.hpp"
#include "views/read_views.hpp"

namespace mneme::testing {

struct memory_state {
  seq_no seq;
  mneme::head head;
  mneme::version version;
  std::vector<float> vector; ///< empty = none
};
struct activation_state {
  seq_no seq;
  mneme::activation values;
};
struct edge_state {
  seq_no seq;
  bool tombstoned = false;
};

/// Maps a few words to vectors of three numbers; anything else holds nothing to embed.
class word_embedder : public embedder {
public:
  [[nodiscard]] vector_space space() const override { return {"words", 3}; }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override;
};

class small_world {
public:
  explicit small_world(bool background_segments = false);

  [[nodiscard]] read_views views() const;
  [[nodiscard]] seq_no seq() const { return seq_; }

  /// A new memory with defaults for what the type requires.
  static memory_state draft(std::uint64_t id_number, memory_type type, std::string statement);
  /// Writes the head; the version and the vector too if the version is a new one. Its activation
  /// becomes `used`.
  void put(memory_state state, const activation& used);
  void put(const memory_state& state) { put(state, {.last_used = state.head.created_at}); }
  void put_edge(const memory_id& src, edge_type type, const memory_id& dst,
                bool tombstoned = false);
  /// An entry that only touches.
  void touch(const memory_id& id, const activation& used);

  std::map<memory_id, std::vector<memory_state>> memories;
  std::map<memory_id, std::vector<activation_state>> activations;
  std::map<edge_key, std::vector<edge_state>> edges;
  bool has_embedder = true;

  void wait_for_segments() { vectors_->wait_for_segments(); }

private:
  seq_no seq_;
  std::uint32_t next_slot_ = 0;
  std::unique_ptr<node_table> nodes_;
  std::unique_ptr<attributes> rows_;
  std::unique_ptr<graph> graph_;
  std::unique_ptr<graph> lineage_; ///< nothing but what supersedes what
  std::unique_ptr<mneme::vectors> vectors_;
  std::unique_ptr<kv_store> store_;
  std::shared_ptr<const embedder> embedder_;
  std::shared_ptr<const token_counter> tokens_;
};

/// The id whose last bytes are `number`.
memory_id numbered_id(std::uint64_t number);

/// Compiles and runs inline. The find reads at `at` (default: the newest seq).
result<find_result> find_inline(const small_world& world, const find_request& request,
                                timestamp now = {}, std::optional<seq_no> at = {});
/// The ids of an answer, in order.
std::vector<memory_id> ids_of(const find_result& answer);

// Predicates in few words.
predicate compare(comparison op, std::string field, literal value);
predicate in(std::string field, std::vector<literal> values);
predicate has_tag(std::string tag);
predicate matches(std::string field, std::string pattern);
predicate all_of(std::vector<predicate> items);
predicate any_of(std::vector<predicate> items);
predicate negate(predicate item);

} // namespace mneme::testing
