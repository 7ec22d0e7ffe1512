#pragma once
/// Which seqs may be read. The writer publishes and moves the window on; readers ask from any
/// thread.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "messages/ensure.hpp"
#include "mneme/types.hpp"

namespace mneme {

class read_window {
public:
  /// Writer, before the first read: how many seqs before the published one can be read.
  void retain(std::uint64_t seqs) { retained_seqs_ = seqs; }
  /// Writer: what there is is whole from `seq` on.
  void begin_at(seq_no seq) { begin_ = std::max(begin_.load(), seq.value); }
  /// Writer: lets readers see `seq`. Everything it covers must be in place.
  void publish(seq_no seq) {
    ensure(seq >= published(), "what is published stays so");
    published_.store(seq.value, std::memory_order_release);
  }

  /// The last seq that readers may see.
  [[nodiscard]] seq_no published() const { return {published_.load(std::memory_order_acquire)}; }
  [[nodiscard]] std::uint64_t retained_seqs() const { return retained_seqs_; }
  /// The first seq of the window whose last one is `last`.
  [[nodiscard]] seq_no first_before(seq_no last) const;
  /// The published seq if none is asked for. seq_unavailable unless `at` is published and retained:
  /// inside the window, and not before what this world was opened from, or was trimmed to, holds.
  [[nodiscard]] result<seq_no> readable(std::optional<seq_no> at) const {
    return readable(at, published());
  }
  /// The same for who knows of nothing behind `last`, which was published.
  [[nodiscard]] result<seq_no> readable(std::optional<seq_no> at, seq_no last) const;

private:
  std::uint64_t retained_seqs_ = 0;
  std::atomic<std::uint64_t> begin_{0};
  std::atomic<std::uint64_t> published_{0};
};

} // namespace mneme
