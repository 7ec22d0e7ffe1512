#include "index/columns/entry_times.hpp"

#include <algorithm>

#include "messages/ensure.hpp"

namespace mneme {

void entry_times::put(seq_no seq, timestamp at) {
  const std::lock_guard hold(guard_);
  ensure(changes_.empty() || changes_.back().seq < seq.value, "entries come in order");
  if (changes_.empty() || changes_.back().ns != at.ns) changes_.push_back({seq.value, at.ns});
}

void entry_times::retain_from(seq_no seq) {
  const std::lock_guard hold(guard_);
  while (changes_.size() > 1 && changes_[1].seq <= seq.value) changes_.pop_front();
}

std::optional<timestamp> entry_times::find(seq_no at) const {
  const std::lock_guard hold(guard_);
  const auto behind = std::ranges::upper_bound(changes_, at.value, {}, &change::seq);
  if (behind == changes_.begin()) return std::nullopt;
  return timestamp{std::prev(behind)->ns};
}

std::optional<seq_no> entry_times::last_until(timestamp time, seq_no at) const {
  const std::lock_guard hold(guard_);
  std::uint64_t last = at.value;
  for (auto run = changes_.rbegin(); run != changes_.rend(); ++run) {
    if (run->seq > at.value) continue;
    ensure(run->seq <= last, "runs of entries follow each other");
    if (run->ns <= time.ns) return seq_no{last};
    last = run->seq - 1;
  }
  return std::nullopt;
}

void entry_times::save(image_writer& out, seq_no at) const {
  const std::lock_guard hold(guard_);
  const auto behind = std::ranges::upper_bound(changes_, at.value, {}, &change::seq);
  out.put(static_cast<std::uint64_t>(behind - changes_.begin()));
  for (auto it = changes_.begin(); it != behind; ++it) {
    out.put(it->seq);
    out.put(it->ns);
  }
}

bool entry_times::load(image_reader& in, seq_no at) {
  const std::uint64_t count = in.get_count(sizeof(change));
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const seq_no seq{in.get<std::uint64_t>()};
    const timestamp made{in.get<std::int64_t>()};
    if (!in.ok() || seq.value <= before || seq > at) return false;
    before = seq.value;
    put(seq, made);
  }
  return in.ok();
}

} // namespace mneme
