#pragma once
/// How full the dense numberings of a world are. What needs more than there are is refused while a
/// command is executed: once it is in the journal every owner has to take it.

#include <cstdint>

#include "state/apply/apply.hpp"

namespace mneme {

/// Numbers that are taken, or that entries would take at most.
struct dense_numbers {
  std::uint64_t nodes = 0;     ///< ids of memories, of ends of edges, and that contents name
  std::uint64_t slots = 0;     ///< contents
  std::uint64_t rows = 0;      ///< visible states of memories, each with its record's place
  std::uint64_t row_terms = 0; ///< tags and frames, by row
  std::uint64_t names = 0;     ///< distinct tags, frames, actors, paths and projects
  std::uint64_t terms = 0;     ///< distinct words
  std::uint64_t colours = 0;   ///< places in the colour space
  /// Earlier activation and signals of memories. They go when no read can ask for them any more; of
  /// learned weights there are never so many, since a seq takes one.
  std::uint64_t activations = 0;
  std::uint64_t signals = 0;

  dense_numbers& operator+=(const dense_numbers& more);
};

/// A number of 32 bits, and one of them says "none": neither a list nor a table of numbers holds
/// more. CHECKPOINT takes that one for no count of nodes or slots. With each state of a memory the
/// size of its corpus may change three times, and each time is kept: its content before ends, its
/// new one begins and, if it is restored as a tombstone, ends.
inline constexpr dense_numbers dense_numbers_max{.nodes = no_number - 1,
                                                 .slots = no_number - 1,
                                                 .rows = no_number / 3,
                                                 .row_terms = no_number,
                                                 .names = no_number,
                                                 .terms = no_number,
                                                 .colours = no_number,
                                                 .activations = no_number,
                                                 .signals = no_number};

/// At most what an entry takes.
dense_numbers most_taken_by(const entry_payload& payload, const node_table& nodes);

/// What a batch may still take. Owned by the committer.
class number_room {
public:
  number_room(const dense_numbers& used, const dense_numbers& limits)
      : used_(used), limits_(limits) {}

  /// limit_exceeded if so many more do not fit.
  [[nodiscard]] result<void> check(const dense_numbers& more) const;
  void take(const dense_numbers& more) { used_ += more; }

private:
  dense_numbers used_;
  dense_numbers limits_;
};

} // namespace mneme
