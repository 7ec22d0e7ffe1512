#include "views/record_cache.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

record_cache::record_cache(std::uint64_t most_bytes) : most_of_shard_(most_bytes / shard_count) {
}

record_cache::kept* record_cache::kept_of(shard& s, seq_no made) {
  ensure(made.value != 0, "a record is kept by the seq that made it");
  const auto place = s.places.find(made.value);
  return place == s.places.end() ? nullptr : &s.ring[place->second];
}

std::optional<taken_record> record_cache::take(seq_no made) {
  shard& s = shards_[made.value % shards_.size()];
  std::optional<packed_record> packed;
  bool is_asked_again = false;
  {
    const std::scoped_lock lock(s.guard);
    kept* k = kept_of(s, made);
    if (k == nullptr) return {};
    is_asked_again = std::exchange(k->asked_for, true);
    if (k->decoded) return k->decoded;
    packed = k->what;
  }
  taken_record record = packed->unpack();
  if (is_asked_again) keep_decoded(s, made, record);
  return record;
}

void record_cache::keep_decoded(shard& s, seq_no made, const taken_record& record) const {
  if (record.held > most_of_shard_ / 2) return;
  const std::scoped_lock lock(s.guard);
  if (kept* k = kept_of(s, made); k == nullptr || k->decoded) return;
  make_room(s, most_of_shard_ - record.held);
  // It may have been what had to go.
  kept* k = kept_of(s, made);
  if (k == nullptr) return;
  k->decoded = record;
  s.bytes += record.held;
}

std::optional<packed_record> record_cache::find(seq_no made) const {
  const shard& s = shards_[made.value % shards_.size()];
  const std::scoped_lock lock(s.guard);
  const auto place = s.places.find(made.value);
  return place == s.places.end() ? std::nullopt : s.ring[place->second].what;
}

void record_cache::put(seq_no made, packed_record what) {
  ensure(made.value != 0, "a record is kept by the seq that made it");
  shard& s = shards_[made.value % shards_.size()];
  const std::uint64_t bytes = what.size();
  if (bytes > most_of_shard_) return;
  const std::scoped_lock lock(s.guard);
  if (s.places.contains(made.value)) return;
  make_room(s, most_of_shard_ - bytes);
  if (s.free.empty()) {
    s.free.push_back(static_cast<std::uint32_t>(s.ring.size()));
    s.ring.emplace_back();
  }
  const std::uint32_t at = s.free.back();
  s.free.pop_back();
  // Not asked for yet: a scan that reads everything once does not drive out what is asked for.
  s.ring[at] = {.made = made.value, .asked_for = false, .what = std::move(what), .decoded = {}};
  s.places.emplace(made.value, at);
  s.bytes += bytes;
}

std::uint64_t record_cache::bytes() const {
  std::uint64_t sum = 0;
  for (const shard& s : shards_) {
    const std::scoped_lock lock(s.guard);
    sum += s.bytes;
  }
  return sum;
}

/// Frees records until no more than `most` bytes are held. Each is passed three times at most.
void record_cache::make_room(shard& s, std::uint64_t most) {
  while (s.bytes > most) {
    ensure(!s.ring.empty(), "bytes are held by records");
    if (s.hand >= s.ring.size()) s.hand = 0;
    const std::uint32_t at = s.hand++;
    kept& k = s.ring[at];
    if (k.made == 0 || std::exchange(k.asked_for, false)) continue;
    if (k.decoded) {
      s.bytes -= k.decoded->held;
      k.decoded.reset();
      continue;
    }
    s.bytes -= k.what->size();
    s.places.erase(k.made);
    s.free.push_back(at);
    k = {};
  }
}

} // namespace mneme
