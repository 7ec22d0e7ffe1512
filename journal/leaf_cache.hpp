#pragma once
/// Buckets of leaves that stay in memory, so that a change reads nothing from the source. Bounded;
/// what was not asked for since the hand came by last goes first (CLOCK). Single owner; not
/// thread-safe.

#include <cstdint>
#include <vector>

#include "journal/leaf_bucket.hpp"

namespace mneme {

/// Where a bucket was put. It may be gone from there.
struct leaf_page {
  std::uint32_t frame = 0;
  std::uint64_t put = 0; ///< which put it was; 0: none
};

class leaf_cache {
public:
  /// Keeps about `most_bytes`; 0 = nothing.
  explicit leaf_cache(std::uint64_t most_bytes) : most_(most_bytes) {}

  /// Null if it is gone. Good until the next put or drop.
  [[nodiscard]] leaf_bucket* find(leaf_page page);
  /// Puts a copy in the place of what is at `page`, if that is still there.
  [[nodiscard]] leaf_page put(leaf_page page, const bucket_view& bucket);
  /// To be called when what is at `page` was changed.
  void changed(leaf_page page);
  void drop(leaf_page page);
  /// What all buckets hold, about.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
  struct frame {
    std::uint64_t put = 0; ///< 0: free
    std::uint64_t bytes = 0;
    bool asked_for = false; ///< since the hand came by
    leaf_bucket bucket;
  };
  [[nodiscard]] bool holds(leaf_page page) const;
  std::uint32_t free_frame();
  void let_go(std::uint32_t index);
  void make_room();

  std::uint64_t most_;
  std::uint64_t bytes_ = 0;
  std::uint64_t puts_ = 0;
  std::vector<frame> ring_;
  std::vector<std::uint32_t> free_;
  std::uint32_t hand_ = 0;
};

} // namespace mneme
