#include "views/record_cache.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

record_cache::record_cache(std::uint64_t most_bytes) : most_of_shard_(most_bytes / shard_count) {
}

record_cache::answer record_cache::take(seq_no made) {
  ensure(made.value != 0, "a record is kept by the seq that made it");
  if (most_of_shard_ == 0) return {};
  shard& s = shards_[made.value % shard_count];
  const std::scoped_lock lock(s.guard);
  if (const std::uint32_t place = s.places.find(made); place != no_number) {
    kept& k = s.ring[place];
    k.asked_for = true;
    return {.record = k.record, .is_asked_again = true};
  }
  if (s.asked_lately.empty()) s.asked_lately.resize(seqs_remembered);
  const auto last_bits = static_cast<std::uint32_t>(made.value);
  std::uint32_t& lately = s.asked_lately[made.value / shard_count % seqs_remembered];
  return {.record = {}, .is_asked_again = std::exchange(lately, last_bits) == last_bits};
}

void record_cache::expect(seq_no made) const {
  if (most_of_shard_ == 0) return;
  const shard& s = shard_of(made);
  const std::scoped_lock lock(s.guard);
  s.places.prefetch(made);
}

bool record_cache::expect_kept(seq_no made) const {
  if (most_of_shard_ == 0) return false;
  const shard& s = shard_of(made);
  const std::scoped_lock lock(s.guard);
  const std::uint32_t place = s.places.find(made);
  if (place == no_number) return false;
  __builtin_prefetch(&s.ring[place]);
  return true;
}

void record_cache::expect_look(seq_no made) const {
  if (most_of_shard_ == 0) return;
  const shard& s = shard_of(made);
  const std::scoped_lock lock(s.guard);
  const std::uint32_t place = s.places.find(made);
  if (place == no_number) return;
  s.ring[place].record.head.expect();
  s.ring[place].record.version.expect();
}

void record_cache::keep(seq_no made, const taken_record& record) {
  ensure(made.value != 0, "a record is kept by the seq that made it");
  if (record.held > most_of_shard_) return;
  shard& s = shards_[made.value % shard_count];
  const std::scoped_lock lock(s.guard);
  if (s.places.find(made) != no_number) return;
  make_room(s, most_of_shard_ - record.held);
  if (s.free.empty()) {
    s.free.push_back(static_cast<std::uint32_t>(s.ring.size()));
    s.ring.emplace_back();
  }
  const std::uint32_t at = s.free.back();
  s.free.pop_back();
  s.ring[at] = {.record = record, .made = made.value, .asked_for = false};
  s.places.insert(made, at);
  s.bytes += record.held;
}

void record_cache::forget(seq_no made) {
  shard& s = shards_[made.value % shard_count];
  const std::scoped_lock lock(s.guard);
  const std::uint32_t at = s.places.find(made);
  if (at != no_number) free_place(s, at);
}

std::uint64_t record_cache::bytes() const {
  std::uint64_t sum = 0;
  for (const shard& s : shards_) {
    const std::scoped_lock lock(s.guard);
    sum += s.bytes;
  }
  return sum;
}

/// Frees records until no more than `most` bytes are held. Each is passed twice at most.
void record_cache::make_room(shard& s, std::uint64_t most) {
  while (s.bytes > most) {
    ensure(!s.ring.empty(), "bytes are held by records");
    if (s.hand >= s.ring.size()) s.hand = 0;
    const std::uint32_t at = s.hand++;
    kept& k = s.ring[at];
    if (k.made == 0 || std::exchange(k.asked_for, false)) continue;
    free_place(s, at);
  }
}

void record_cache::free_place(shard& s, std::uint32_t at) {
  kept& k = s.ring[at];
  s.bytes -= k.record.held;
  s.places.erase({k.made});
  s.free.push_back(at);
  k = {};
}

} // namespace mneme
