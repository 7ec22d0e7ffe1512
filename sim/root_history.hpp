#pragma once
/// Roots of every seq, folded from the entries that the model expected: what the engine's roots are
/// compared with.

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "journal/ledger.hpp"
#include "sim/model.hpp"

namespace mneme::sim {

class root_history {
public:
  explicit root_history(const world_id& world);
  root_history(const root_history& other);
  root_history& operator=(const root_history&) = delete;
  ~root_history();

  void append(const entry& e);
  void truncate(seq_no last);
  [[nodiscard]] seq_no last() const { return {entries_.size()}; }
  [[nodiscard]] const root_set& at(seq_no seq) const { return roots_.at(seq.value); }
  /// Precondition: 1 <= seq <= last().
  [[nodiscard]] const entry& entry_at(seq_no seq) const { return entries_.at(seq.value - 1); }

private:
  using leaf_map = std::map<digest, digest>;

  /// All again.
  void fold();
  void restart();
  void apply(const entry& e);

  world_id world_;
  std::vector<entry> entries_;
  std::vector<root_set> roots_; ///< by seq, the empty world's first
  std::array<leaf_map, state_namespace_count> leaves_;
  std::unique_ptr<ledger> ledger_;
};

/// The roots of a world that came to the model's last state at once: trees built from the records
/// that there are, whatever happened before.
result<root_set> roots_of_contents(const world_id& world, const model& state,
                                   const root_history& past);

} // namespace mneme::sim
