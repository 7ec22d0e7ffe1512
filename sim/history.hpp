#pragma once
/// The states that one thing had, by the seq from which each one held.

#include <optional>
#include <utility>
#include <vector>

#include "messages/ensure.hpp"
#include "mneme/ids.hpp"

namespace mneme::sim {

template <class State>
class history {
public:
  /// Seqs ascend; the same seq again replaces.
  void put(seq_no since, State state) {
    ensure(states_.empty() || states_.back().first <= since, "history is written in order");
    if (!states_.empty() && states_.back().first == since)
      states_.back().second = std::move(state);
    else
      states_.emplace_back(since, std::move(state));
  }
  /// The state as of `seq`, or nullptr before the first.
  [[nodiscard]] const State* at(seq_no seq) const {
    for (auto it = states_.rbegin(); it != states_.rend(); ++it)
      if (it->first <= seq) return &it->second;
    return nullptr;
  }
  /// From which seq on every state up to `seq` is like this; nullopt where that of `seq` is not.
  template <class Like>
  [[nodiscard]] std::optional<seq_no> since(seq_no seq, const Like& like) const {
    std::optional<seq_no> first;
    for (const auto& [from, state] : states_) {
      if (from > seq) break;
      if (!like(state))
        first.reset();
      else if (!first)
        first = from;
    }
    return first;
  }
  /// All that was is forgotten; this is how it is from `since` on.
  void restart(seq_no since, State state) {
    states_.clear();
    put(since, std::move(state));
  }
  /// States that began when `is_gone` says were never there.
  template <class IsGone>
  void forget(const IsGone& is_gone) {
    std::erase_if(states_, [&](const auto& state) { return is_gone(state.first); });
  }
  /// From when on each state held, oldest first.
  [[nodiscard]] const std::vector<std::pair<seq_no, State>>& states() const { return states_; }
  /// Forgets what came after `last`.
  void truncate(seq_no last) {
    while (!states_.empty() && states_.back().first > last) states_.pop_back();
  }
  [[nodiscard]] bool empty() const { return states_.empty(); }

private:
  std::vector<std::pair<seq_no, State>> states_;
};

} // namespace mneme::sim
