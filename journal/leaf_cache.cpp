#include "journal/leaf_cache.hpp"

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Of what is allocated for a vector, beside what is in it.
constexpr std::uint64_t allocation_bytes = 16;

} // namespace

bool leaf_cache::holds(leaf_page page) const {
  return page.put != 0 && page.frame < ring_.size() && ring_[page.frame].put == page.put;
}

leaf_bucket* leaf_cache::find(leaf_page page) {
  if (!holds(page)) return nullptr;
  frame& found = ring_[page.frame];
  found.asked_for = true;
  return &found.bucket;
}

std::uint32_t leaf_cache::free_frame() {
  if (free_.empty()) {
    ensure(ring_.size() < UINT32_MAX, "there are fewer buckets than numbers");
    ring_.emplace_back();
    return static_cast<std::uint32_t>(ring_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

leaf_page leaf_cache::put(leaf_page page, const bucket_view& bucket) {
  if (!holds(page)) page = {free_frame(), ++puts_};
  frame& at = ring_[page.frame];
  at.put = page.put;
  at.asked_for = true;
  at.bucket.leaves.assign(bucket.leaves.begin(), bucket.leaves.end());
  at.bucket.forks.assign(bucket.forks.begin(), bucket.forks.end());
  changed(page);
  return page;
}

void leaf_cache::changed(leaf_page page) {
  ensure(holds(page), "what was changed is there");
  frame& at = ring_[page.frame];
  bytes_ -= at.bytes;
  at.bytes = sizeof(frame) + 2 * allocation_bytes + at.bucket.leaves.capacity() * sizeof(tree_leaf)
             + at.bucket.forks.capacity() * sizeof(digest);
  bytes_ += at.bytes;
  make_room();
}

void leaf_cache::drop(leaf_page page) {
  if (holds(page)) let_go(page.frame);
}

void leaf_cache::let_go(std::uint32_t index) {
  frame& gone = ring_[index];
  bytes_ -= gone.bytes;
  gone = {};
  free_.push_back(index);
}

void leaf_cache::make_room() {
  for (; bytes_ > most_; ++hand_) {
    if (hand_ >= ring_.size()) hand_ = 0;
    frame& at = ring_[hand_];
    if (at.put == 0) continue;
    if (at.asked_for)
      at.asked_for = false;
    else
      let_go(hand_);
  }
}

} // namespace mneme
