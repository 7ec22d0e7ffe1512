#pragma once
/// Room for arrays that never move, taken from blocks that go with it. For one writer.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace mneme {

template <class T>
class append_room {
public:
  /// So many entries of any value.
  std::span<T> add(std::size_t count) {
    constexpr std::size_t block_bytes = std::size_t{1} << 19;
    if (count > left_) {
      left_ = std::max(block_bytes / sizeof(T), count);
      blocks_.push_back(std::make_unique_for_overwrite<T[]>(left_));
      next_ = blocks_.back().get();
    }
    const std::span<T> added(next_, count);
    next_ += count;
    left_ -= count;
    return added;
  }

private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t left_ = 0;
  T* next_ = nullptr;
};

} // namespace mneme
