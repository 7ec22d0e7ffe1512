#pragma once
/// How far a memory can be relied on: the least trust of all that it rests on, and whether any of
/// that has fallen since it was last affirmed. Both follow from rows and lineage as of a seq;
/// nothing is marked anywhere, so that both are exact at any seq.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "index/loop_watch.hpp"
#include "mneme/types.hpp"
#include "views/lineage_edges.hpp"
#include "views/read_views.hpp"
#include "views/supersession.hpp"

namespace mneme {

/// Of what a memory rests on so many memories are looked at, nearest first.
inline constexpr std::size_t lineage_most = 4096;

/// What a memory's own content says, in units of 1e-9 below 1. Where it tells no trust: that of its
/// class (user 0, tool 0.2, model 0.4, web 0.7), or 0.
std::uint32_t own_distrust_e9(const provenance& p);
/// The trust that this leaves.
double trust_of(std::uint32_t distrust_e9);
/// The least distrust that is too much for `min_trust`, which is in [0,1].
std::uint32_t distrust_above(double min_trust);

/// What one walk over the lineage of a memory found.
struct lineage_standing {
  std::uint32_t distrust_e9 = 0; ///< the most, its own too
  bool stale = false;
  bool truncated = false;
};

/// Who asks sees nothing of it: what an asker may not see counts, and is not named.
class lineage_reader {
public:
  /// `views` must outlive it.
  lineage_reader(const read_views& views, seq_no at)
      : rows_(*views.attributes),
        lineage_(*views.lineage),
        nodes_(*views.nodes),
        elsewhere_(views.erased_elsewhere),
        at_(at),
        supersessions_(*views.attributes) {}

  /// Of the memory of a row that is alive. Costs a look where it rests on nothing.
  [[nodiscard]] lineage_standing of(row_no row) const;
  /// The same as a reader is told it.
  [[nodiscard]] memory_standing standing_of(row_no row) const;
  /// Those of many rows, side by side: what each needs to look at comes from memory while others
  /// are looked at. Where the check said no, some are not what they are.
  [[nodiscard]] std::vector<memory_standing> standings_of(std::span<const row_no> rows,
                                                          const goes_on_check& goes_on = {}) const;
  /// The memories that are stale because `fallen` has fallen, by node: all that rest on it, through
  /// any number of steps, and were not affirmed since. A part, where the check said no. Costs as
  /// much as there are memories that rest on it, or on what speaks against it.
  [[nodiscard]] std::vector<node_no> stale_because_of(node_no fallen,
                                                      const goes_on_check& goes_on) const;

private:
  struct objection {
    std::uint32_t by; ///< node
    std::uint64_t since;
  };
  /// All that a memory rests on, nearest first. Most rest on few, which a glance goes over.
  struct reach {
    row_no row;
    node_no start;
    std::vector<node_no> nodes;
    std::unordered_set<std::uint32_t> many; ///< the same, where they are more; only looked up
    bool truncated = false;

    void add(node_no node);
    [[nodiscard]] bool knows(std::uint32_t node) const;
  };
  [[nodiscard]] reach reach_of(row_no row) const;
  /// The same of many, a step of all and then the next. Parts, where the watch is over.
  [[nodiscard]] std::vector<reach> reaches_of(std::span<const row_no> rows,
                                              loop_watch& watch) const;
  /// Adds what `node` rests on.
  void expand(reach& to, node_no node) const;
  /// What the memory of the row and all that it reaches say.
  [[nodiscard]] lineage_standing judge(const reach& from) const;
  /// Whether what rests on it needs to know more of `support` than that it is there.
  [[nodiscard]] bool is_of_note(node_no support) const {
    return rows_.ever_in_doubt(support) || was_objected_to(lineage_, support);
  }
  /// Whether the memory of `objector` is there and may speak against that of the row.
  [[nodiscard]] bool counts(node_no objector, const row_line& against) const;
  /// Hints at what judge() looks at first.
  void expect_supports(std::span<const reach> of) const;
  /// What speaks against the memory of a row, newer than `since`, until `goes_on(objection)` is
  /// false.
  template <class GoesOn>
  void for_each_objection(row_no row, std::uint64_t since, const GoesOn& goes_on) const;

  /// The seq at which somebody last stood by the memory of a row. What is tombstoned has taken in
  /// all that was so then: of it the seq of the tombstone, with which its row begins.
  [[nodiscard]] std::uint64_t stands_since(row_no row) const {
    const row_line& line = rows_.rows().line(row);
    return (line.flags & row_tombstoned) != 0 ? line.begin : rows_.facets(row).stands_since;
  }

  /// What is not here because it was erased where this copy is not of: an objection to it, newer
  /// than all that the copy has in common with there.
  [[nodiscard]] std::optional<objection> erased_elsewhere(node_no node) const;

  const attributes& rows_;
  const graph& lineage_;
  const node_table& nodes_;
  const mneme::erased_elsewhere* elsewhere_;
  seq_no at_;
  supersession supersessions_;
};

/// The trust of all memories, their lineages whole. Costs as much as there are memories of an own
/// trust below 1, and memories that rest on these.
class known_distrust {
public:
  /// A part, where the check said no.
  known_distrust(const read_views& views, seq_no at, const goes_on_check& goes_on);

  [[nodiscard]] std::uint32_t e9(node_no node) const {
    return node.value < by_node_.size() ? by_node_[node.value] : 0;
  }

private:
  std::vector<std::uint32_t> by_node_;
};

/// The memories whose trust is below a bound. Made once for a query; costs as much as there are
/// memories of their own trust below the bound, and memories that rest on those.
class distrusted_memories {
public:
  /// None.
  distrusted_memories() = default;
  /// A part, where the check said no.
  distrusted_memories(const read_views& views, seq_no at, double min_trust,
                      const goes_on_check& goes_on);

  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  [[nodiscard]] bool contains(std::uint32_t node) const {
    return node < member_.size() && member_[node];
  }
  /// Each once, in no order.
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }

private:
  void add(std::uint32_t node);

  std::vector<bool> member_; ///< by node; empty where there are none
  std::vector<std::uint32_t> nodes_;
};

} // namespace mneme
