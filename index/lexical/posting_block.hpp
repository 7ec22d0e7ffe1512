#pragma once
/// The contents that have one term, in blocks of at most 128: in slot order, three bytes each, with
/// what bounds whatever a query may give them. One thread appends while others read.
///
///     first 70,000     before 384     5 of 128     most_count 3     least_length 11
///     offsets   0   2   3   9  14      slot = first + offset
///     counts    1   1   3   1   2      255 = or more: the content's terms say
///
/// A block ends when it is full, or when the next slot is too far for an offset. Blocks are small
/// first and grow with their list, since most terms are rare; what is in one never moves.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "index/columns/append_list.hpp"
#include "index/lexical/append_room.hpp"

namespace mneme {

class posting_block {
public:
  static constexpr std::uint32_t capacity_max = 128;
  static constexpr std::uint32_t many = 255; ///< a count that is so large or larger

  /// Grows under a reader, who therefore looks once; what it covers is there to be read.
  [[nodiscard]] std::uint32_t size() const { return load_acquire(size_); }
  /// Of the term, in earlier blocks.
  [[nodiscard]] std::uint32_t before() const { return before_; }
  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::uint32_t slot(std::uint32_t i) const { return first_ + data_[i]; }
  [[nodiscard]] const std::uint16_t* offsets() const { return data_; }
  [[nodiscard]] const std::uint8_t* counts() const {
    return reinterpret_cast<const std::uint8_t*>(data_ + capacity_);
  }
  /// No content of it has the term more often.
  [[nodiscard]] std::uint32_t most_count() const { return load_relaxed(most_count_); }
  /// No content of it is shorter.
  [[nodiscard]] std::uint32_t least_length() const { return load_relaxed(least_length_); }
  /// How many of its first `size` have slots below `slot`.
  [[nodiscard]] std::uint32_t count_below(std::uint32_t slot, std::uint32_t size) const {
    if (slot <= first_) return 0;
    const auto* end = std::lower_bound(data_, data_ + size, slot - first_);
    return static_cast<std::uint32_t>(end - data_);
  }
  /// Hints that it is read soon: blocks of one list lie apart.
  void prefetch() const {
    constexpr std::uint32_t line = 64;
    const auto* data = reinterpret_cast<const char*>(data_);
    for (std::uint32_t at = 0; at < 3U * capacity_; at += line) __builtin_prefetch(data + at);
  }

private:
  friend struct posting_blocks;

  [[nodiscard]] bool has_room_for(std::uint32_t slot) const {
    return size_ < capacity_ && slot - first_ <= UINT16_MAX;
  }
  /// Precondition: has_room_for(slot), above the last one.
  void add(std::uint32_t slot, std::uint32_t count, std::uint32_t length) {
    data_[size_] = static_cast<std::uint16_t>(slot - first_);
    reinterpret_cast<std::uint8_t*>(data_ + capacity_)[size_] =
        static_cast<std::uint8_t>(std::min(count, many));
    store_release(most_count_, std::max(most_count_, count));
    store_release(least_length_, std::min(least_length_, length));
    store_release(size_, static_cast<std::uint16_t>(size_ + 1));
  }

  /// Of offsets and counts, in numbers of two bytes.
  [[nodiscard]] std::uint32_t data_size() const { return capacity_ + capacity_ / 2U; }

  std::uint16_t* data_; ///< offsets, and behind them the counts
  std::uint32_t first_;
  std::uint32_t before_;
  std::uint32_t most_count_;
  std::uint32_t least_length_;
  std::uint16_t size_; ///< release-published
  std::uint16_t capacity_;
};

/// Where the blocks of any number of lists lie.
struct posting_room {
  array_graveyard<posting_block> heads;
  append_room<std::uint16_t> data;
};

/// Plain, and empty as zero bytes, so that it can be an entry of a paged column.
struct posting_blocks {
  append_list<posting_block> blocks;

  /// Writer. Precondition: slots ascend.
  void append(std::uint32_t slot, std::uint32_t count, std::uint32_t length, posting_room& room) {
    posting_block* last = blocks.size == 0 ? nullptr : &blocks.entries[blocks.size - 1];
    ensure(last == nullptr || last->slot(last->size_ - 1U) < slot, "postings come in slot order");
    if (last != nullptr && last->has_room_for(slot)) return last->add(slot, count, length);
    posting_block fresh;
    fresh.first_ = slot;
    fresh.before_ = last == nullptr ? 0 : last->before_ + last->size_;
    fresh.most_count_ = 0;
    fresh.least_length_ = length;
    fresh.size_ = 0;
    fresh.capacity_ = static_cast<std::uint16_t>(capacity_behind(last));
    fresh.data_ = room.data.add(fresh.data_size()).data();
    fresh.add(slot, count, length);
    blocks.append(fresh, room.heads);
  }
  [[nodiscard]] std::span<const posting_block> view() const { return blocks.view(); }

  // For an image, while nothing is appended.
  /// How many numbers save_data() appends.
  [[nodiscard]] std::uint64_t data_size() const {
    std::uint64_t size = 0;
    for (const posting_block& block : blocks.view()) size += block.data_size();
    return size;
  }
  /// Appends the blocks, of which what is in the first one stands at `at` among all data, and moves
  /// that behind theirs.
  void save_heads(std::vector<posting_block>& heads, std::size_t& at) const {
    for (const posting_block& block : blocks.view()) {
      posting_block& head = heads.emplace_back();
      std::memset(static_cast<void*>(&head), 0, sizeof head); // what is between its members, too
      head.data_ = reinterpret_cast<std::uint16_t*>(at);
      head.first_ = block.first_;
      head.before_ = block.before_;
      head.most_count_ = block.most_count_;
      head.least_length_ = block.least_length_;
      head.size_ = block.size_;
      head.capacity_ = block.capacity_;
      at += block.data_size();
    }
  }
  /// Appends what is in them.
  void save_data(std::vector<std::uint16_t>& data) const {
    for (const posting_block& block : blocks.view()) {
      const std::size_t at = data.size();
      data.resize(at + block.data_size());
      std::copy_n(block.data_, block.size_, data.begin() + static_cast<std::ptrdiff_t>(at));
      std::memcpy(data.data() + at + block.capacity_, block.counts(), block.size_);
    }
  }
  /// Makes blocks of an image find what is in them; false if it is not there.
  [[nodiscard]] static bool place(std::span<posting_block> heads, std::span<std::uint16_t> data) {
    for (posting_block& head : heads) {
      const auto at = reinterpret_cast<std::size_t>(head.data_);
      if (head.size_ == 0 || head.size_ > head.capacity_
          || head.capacity_ > posting_block::capacity_max || at > data.size()
          || head.data_size() > data.size() - at)
        return false;
      head.data_ = data.data() + at;
    }
    return true;
  }

private:
  /// Twice what the block before has come to.
  static std::uint32_t capacity_behind(const posting_block* last) {
    constexpr std::uint32_t least = 4;
    if (last == nullptr) return least;
    return std::clamp(2 * std::bit_ceil(std::uint32_t{last->size_}), least,
                      posting_block::capacity_max);
  }
};

/// How many postings the blocks of a list had when they were looked at.
inline std::uint64_t posting_count(std::span<const posting_block> blocks) {
  return blocks.empty() ? 0 : std::uint64_t{blocks.back().before()} + blocks.back().size();
}

} // namespace mneme
