#pragma once
/// An erasure of more than goes at once: the same request until nothing is left of it, and one
/// answer.

#include <algorithm>
#include <utility>

#include "mneme/erasure.hpp"
#include "mneme/error.hpp"

namespace mneme {

/// Into the answer of the portions before it; what was not found and what was erased before is as
/// the first one has it.
inline void add_portion(erase_result& all, erase_result portion) {
  all.erased.insert(all.erased.end(), std::make_move_iterator(portion.erased.begin()),
                    std::make_move_iterator(portion.erased.end()));
  std::ranges::sort(all.erased, {}, &erased_memory::id);
  all.entries += portion.entries;
  all.edges += portion.edges;
  all.changed = all.changed || portion.changed;
  all.seq = portion.seq;
  all.left = portion.left;
  all.branches = std::move(portion.branches);
}

/// What `erase_one` answers, called until nothing is left. What fails on the way fails as a whole;
/// the same request goes on from there.
template <class Erase>
result<erase_result> erase_in_portions(const Erase& erase_one) {
  result<erase_result> all = erase_one();
  while (all && all->left > 0) {
    result<erase_result> next = erase_one();
    if (!next) return next;
    if (!next->changed) break;
    add_portion(*all, std::move(*next));
  }
  return all;
}

} // namespace mneme
