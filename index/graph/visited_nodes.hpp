#pragma once
/// The set of nodes one walk (of the edges, or of a vector graph) has met: a hash set whose
/// clearing costs nothing, since every entry carries the number of the walk that made it.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "messages/ensure.hpp"

namespace mneme {

class visited_nodes {
public:
  void clear() {
    count_ = 0;
    if (++walk_ == 0) { // the stamps of old walks would come alive again
      entries_.assign(entries_.size(), 0);
      walk_ = 1;
    }
  }

  /// True if `node` was not there yet.
  bool insert(std::uint32_t node) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    std::uint64_t& entry = entries_[place_of_node(node)];
    const std::uint64_t wanted = std::uint64_t{walk_} << 32 | node;
    if (entry == wanted) return false;
    entry = wanted;
    ++count_;
    return true;
  }

private:
  /// Where `node` is, or the free place where it belongs.
  [[nodiscard]] std::size_t place_of_node(std::uint32_t node) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t i = (node * 0x9E3779B1U >> 7) & mask;
    while ((entries_[i] >> 32) == walk_ && static_cast<std::uint32_t>(entries_[i]) != node)
      i = (i + 1) & mask;
    return i;
  }

  void grow() {
    ensure(walk_ != 0, "a walk begins with clear()"); // else no entry were free
    std::vector<std::uint64_t> old(entries_.empty() ? 512 : 2 * entries_.size(), 0);
    old.swap(entries_);
    for (const std::uint64_t entry : old)
      if ((entry >> 32) == walk_)
        entries_[place_of_node(static_cast<std::uint32_t>(entry))] = entry;
  }

  std::vector<std::uint64_t> entries_; ///< walk << 32 | node; free if of another walk
  std::size_t count_ = 0;
  std::uint32_t walk_ = 0;
};

/// The thread's scratch, cleared and lent out; whoever asks while it is lent gets one of its own.
class visited_loan {
public:
  visited_loan() : set_(std::exchange(kept(), nullptr)) {
    if (!set_) set_ = std::make_unique<visited_nodes>();
    set_->clear();
  }
  visited_loan(const visited_loan&) = delete;
  visited_loan& operator=(const visited_loan&) = delete;
  ~visited_loan() { kept() = std::move(set_); }
  visited_nodes& operator*() { return *set_; }

private:
  static std::unique_ptr<visited_nodes>& kept() {
    thread_local std::unique_ptr<visited_nodes> set;
    return set;
  }
  std::unique_ptr<visited_nodes> set_;
};

} // namespace mneme
