#pragma once
/// What a reader needs of a world: the owners' read sides, all safe to use from any thread beside
/// the one writer. A read picks a seq at or below the published one and passes it everywhere.

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "index/graph/graph.hpp"
#include "index/lexical/text_terms.hpp"
#include "index/rows/node_table.hpp"
#include "index/vectors/slot_filter.hpp"
#include "mneme/scope.hpp"
#include "mneme/seams.hpp"
#include "mneme/search.hpp"
#include "storage/kv_store.hpp"
#include "views/erased_elsewhere.hpp"
#include "views/index_generation.hpp"
#include "views/journaled_records.hpp"
#include "views/late_indexes.hpp"
#include "views/read_window.hpp"
#include "views/record_cache.hpp"

namespace mneme {

struct read_views {
  /// Keeps `attributes`, `places`, `lexical` and `vectors`; null in views of indexes that somebody
  /// else keeps.
  std::shared_ptr<const index_generation> generation{};
  const node_table* nodes = nullptr;
  const mneme::attributes* attributes = nullptr;
  const record_places* places = nullptr; ///< with `journaled`
  const mneme::graph* graph = nullptr;
  const mneme::graph* order = nullptr;   ///< those of order_edges.hpp alone
  const mneme::graph* lineage = nullptr; ///< those of lineage_edges.hpp alone
  late_index<mneme::lexical> lexical{};  ///< likewise `vectors`: after wait_for_late()
  late_index<mneme::vectors> vectors{};
  std::string_view language = default_language; ///< of the lexical index
  kv_store* store = nullptr;
  record_cache* records = nullptr;              ///< null = every record is read from the store
  const journaled_records* journaled = nullptr; ///< null = what the cache lacks is, too
  const read_window* window = nullptr;          ///< null in views that nobody publishes
  /// Of a copy as it was before an erasure: what was erased behind it; null = nothing.
  const mneme::erased_elsewhere* erased_elsewhere = nullptr;
  /// What readers may know of: the newest seq published; of views that nobody publishes, any.
  seq_no published{std::numeric_limits<std::uint64_t>::max()};
  std::shared_ptr<clock> time{}; ///< by which scopes expire; null = that of the last entry
  timestamp last_entry_at{};     ///< only without a clock
  std::shared_ptr<const mneme::embedder> embedder; ///< null = none
  seq_no vectors_since{};                          ///< the first entry whose vectors are of it
  std::shared_ptr<const token_counter> tokens;
  std::shared_ptr<const key_resolver> keys;   ///< null = no scope is taken
  search_weights search;                      ///< of the world
  std::optional<lifecycle_audience> audience; ///< whom searches are for unless they say
  std::uint64_t max_answer_bytes = std::numeric_limits<std::uint64_t>::max(); ///< answer_room.hpp

  /// Before the first look at words or vectors, which an opening may have left for later.
  [[nodiscard]] result<void> wait_for_late() const {
    return generation == nullptr ? result<void>() : generation->wait_for_late();
  }
  [[nodiscard]] bool is_erased_elsewhere(const memory_id& id) const {
    return erased_elsewhere != nullptr && erased_elsewhere->memories.contains(id);
  }
  /// What is left of a topic's fields that were erased elsewhere, beside those that rows tell of.
  void add_erased_elsewhere(const memory_id& topic, seq_no at, std::span<const topic_field> live,
                            std::vector<topic_field>& erased) const {
    if (erased_elsewhere != nullptr)
      mneme::add_erased_elsewhere(*erased_elsewhere, topic, at, live, erased);
  }
  /// As of the window, among what these views know of. Precondition: there is a window.
  [[nodiscard]] result<seq_no> readable(std::optional<seq_no> at) const {
    ensure(window != nullptr, "a seq is asked for of a world that is published");
    return window->readable(at, published);
  }
  /// Whether a scope has expired is a question to this clock.
  [[nodiscard]] result<timestamp> now() const;
};

/// The state of one record as of `at`; nullopt if there was none then.
result<std::optional<head>> read_head(kv_reader& reader, const memory_id& id, seq_no at);
/// The same, where what is left of an erased memory says so as of any seq: so does every door that
/// is asked for one memory.
result<std::optional<head>> read_head_or_stub(kv_reader& reader, const memory_id& id, seq_no at);
result<std::optional<version>> read_version(kv_reader& reader, const memory_id& id,
                                            std::uint32_t number);
/// Of a version that is not there: the trim that dropped what it said, if one did.
result<std::optional<seq_no>> read_trimmed(kv_reader& reader, const memory_id& id,
                                           std::uint32_t number);
result<std::optional<edge_record>> read_edge(kv_reader& reader, const edge_key& key, seq_no at);
/// Head, current version and activation as of `at`; nullopt if the memory did not exist then.
result<std::optional<memory>> read_memory(const read_views& views, kv_reader& reader,
                                          const memory_id& id, seq_no at);
/// Hints that these memories are read next, and what they rest on: of few rows, that all of it is
/// still near when they are.
void expect_rows(const read_views& views, std::span<const row_no> rows);
inline constexpr std::size_t rows_expected = 32;
/// Runs of contents that no row has as of `at`. For as long as `views` is.
slots_left_out slots_over(const read_views& views, seq_no at);
/// The same, of a memory whose row as of `at` is known, and how many bytes its head and version
/// hold, about.
struct sized_memory {
  memory what;
  std::uint64_t held = 0;
};
result<std::optional<sized_memory>> read_memory(const read_views& views, kv_reader& reader,
                                                node_no node, row_no row, seq_no at);

} // namespace mneme
