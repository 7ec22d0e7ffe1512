#pragma once
/// What chroma queries have touched and is not reinforced yet. Owned by the committer, which makes
/// one entry of it.

#include <cstdint>

#include "messages/codec/entry.hpp"

namespace mneme {

class waiting_touches {
public:
  /// Of one query, which was asked at `at`.
  void add(reinforce_payload touched, timestamp at);
  [[nodiscard]] bool is_empty() const { return queries_ == 0; }
  /// 100 queries wait, or the first of them has waited for 1 s or more.
  [[nodiscard]] bool is_due(timestamp now) const;
  /// All of them as one touch, in the order of the queries; nobody's if they are of several actors.
  reinforce_payload take();

private:
  reinforce_payload payload_;
  std::size_t queries_ = 0;
  timestamp first_;
};

} // namespace mneme
