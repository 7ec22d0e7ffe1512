#include "state/retention/trim_in_log.hpp"

#include <set>
#include <utility>

#include "journal/entry_reader.hpp"
#include "journal/erase_payloads.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/retention/trimming_note.hpp"

namespace mneme {

namespace {

/// No follower that runs is so far behind.
constexpr std::int64_t time_of_followers_ns = 60'000'000'000;

result<timestamp> made_at(entry_reader& reader, seq_no seq) {
  std::string bytes;
  auto read = reader.read(seq, 1, [&](const raw_entry& raw) { bytes = raw.header; });
  if (!read) return propagate(read);
  auto header = decode_entry_header(bytes);
  if (!header) return propagate(header);
  return header->created_at;
}

} // namespace

result<journaled_trim> part_for_log(file_system& files, const std::string& directory,
                                    const world_id& world, journaled_trim by) {
  ensure(by.trim.before.value > 1 && by.trim.before <= by.at, "a trim is of what was before it");
  auto reader = entry_reader::open(files, journal_directory(directory), world);
  if (!reader) return propagate(reader);
  auto now = made_at(*reader, by.at);
  if (!now) return propagate(now);
  // Times ascend with seqs, but for clocks that were set back or differ between leaders: then more
  // or less stays than that, and a follower that lacks what went halts and is opened again.
  seq_no first{1};
  while (first < by.trim.before) {
    const seq_no middle{first.value + (by.trim.before.value - first.value) / 2};
    auto made = made_at(*reader, middle);
    if (!made) return propagate(made);
    if (made->ns <= now->ns - time_of_followers_ns)
      first = middle.next();
    else
      by.trim.before = middle;
  }
  return by;
}

namespace {

using leaf_place = std::pair<state_namespace, digest>;

template <class Visit>
result<void> each_leaf(const raw_entry& of, const Visit& visit) {
  auto header = decode_entry_header(of.header);
  if (!header) return propagate(header);
  for (const state_leaf& leaf : header->leaves) visit(leaf_place(leaf.ns, leaf.path));
  return {};
}

result<std::set<leaf_place>> leaves_of_frame(file_system& files, const std::string& dir,
                                             const world_id& world, seq_no last) {
  std::set<leaf_place> changed;
  const auto keep = [&](const leaf_place& at) { changed.insert(at); };
  auto read =
      read_journal(files, dir, world, last, true, [&](const journal_frame& frame) -> result<bool> {
        for (const raw_entry& e : frame.entries)
          if (auto ok = each_leaf(e, keep); !ok) return propagate(ok);
        return true;
      });
  if (!read) return propagate(read);
  return changed;
}

/// The last trim says all that is dropped; here no more than what the erasure is about. It changes
/// the leaves of what it takes, which every entry about that has changed, too: headers stay.
result<std::optional<journaled_trim>> dropped_of_erased(world& w) {
  const std::string dir = journal_directory(w.directory);
  auto last = erased_by_last(*w.files, dir, w.info.id);
  if (!last) return propagate(last);
  auto is_any = has_trim_behind(*w.files, dir, w.info.id, seq_no{});
  if (!is_any) return propagate(is_any);
  if (last->seqs.empty() || !*is_any) return std::nullopt;
  auto changed = leaves_of_frame(*w.files, dir, w.info.id, last->at);
  if (!changed) return propagate(changed);
  std::vector<seq_no> dropped;
  std::optional<journaled_trim> newest;
  const auto take = [&](const journal_frame& frame) -> result<bool> {
    auto trim = trim_in(frame);
    if (!trim) return propagate(trim);
    if (*trim) newest = std::move(**trim);
    for (std::size_t i = 0; i < frame.entries.size(); ++i) {
      if (!frame.entries[i].trimmed) continue;
      bool is_of_it = false;
      const auto look = [&](const leaf_place& at) { is_of_it = is_of_it || changed->contains(at); };
      if (auto ok = each_leaf(frame.entries[i], look); !ok) return propagate(ok);
      if (is_of_it) dropped.push_back({frame.prefix.first_seq.value + i});
    }
    return true;
  };
  if (auto read = read_journal(*w.files, dir, w.info.id, seq_no{1}, true, take); !read)
    return propagate(read);
  if (dropped.empty() || !newest) return std::nullopt;
  const std::string all = std::exchange(newest->trim.dropped, {});
  trim_payload said;
  said.dropped = all;
  for (const seq_no seq : dropped)
    if (said.drops(seq)) newest->trim.drop(seq);
  return newest;
}

result<void> drop_in_frames(log_store& log, const journaled_trim& by, log_epoch epoch) {
  auto tail = log.tail();
  if (!tail) return propagate(tail);
  seq_no first{1};
  while (first < by.trim.before && !by.trim.drops(first)) first = first.next();
  std::uint64_t low = 0;
  std::uint64_t high = tail->end.frames;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    auto frame = log.read(middle, 1, 1);
    if (!frame) return propagate(frame);
    if (frame->empty()) return fail(errc::corrupt, "the log lacks a frame before its end");
    if (frame->front().last_seq < first)
      low = middle + 1;
    else
      high = middle;
  }
  for (;;) {
    auto reached = log.trim(by, low, epoch);
    if (!reached) return propagate(reached);
    if (*reached == low) return {};
    low = *reached;
  }
}

} // namespace

namespace {

result<void> drop_patiently(log_store& log, const journaled_trim& by, log_epoch epoch) {
  constexpr unsigned attempts = 20;
  result<void> dropped;
  for (unsigned i = 0; i < attempts; ++i) {
    if (!log.pause(i)) break;
    dropped = drop_in_frames(log, by, epoch);
    if (dropped) return dropped;
    const errc why = dropped.error().code;
    if (why != errc::busy && why != errc::outcome_unknown) return dropped;
  }
  return dropped;
}

/// The first that fails stays, with those behind it.
result<void> drop_owed(world& w) {
  if (w.owed_drops.empty()) return {};
  auto log = w.connect_log();
  if (!log) return propagate(log);
  while (!w.owed_drops.empty()) {
    auto dropped = drop_patiently(**log, w.owed_drops.front().by, w.standing->epoch());
    if (!dropped) return dropped;
    w.owed_drops.erase(w.owed_drops.begin());
  }
  return {};
}

} // namespace

result<void> drop_erased_in_log(world& w, log_store& log, log_epoch epoch) {
  auto by = dropped_of_erased(w);
  if (!by) return propagate(by);
  if (!*by || (*by)->trim.dropped.empty()) return {};
  auto dropped = drop_patiently(log, **by, epoch);
  if (!dropped && dropped.error().code == errc::version_conflict) return {};
  return dropped;
}

result<bool> drop_or_owe_in_log(world& w, const std::vector<seq_no>& erased) {
  if (!w.journal->is_led() || w.standing == nullptr || !w.connect_log) return true;
  auto by = dropped_of_erased(w);
  if (!by) return propagate(by);
  if (*by && !(*by)->trim.dropped.empty())
    w.owed_drops.push_back({.by = std::move(**by), .erased = erased});
  return drop_owed(w).has_value();
}

result<void> settle_erasure_in_log(world& w) {
  if (!w.owed_drops.empty()) {
    const auto erased = w.owed_drops.front().erased;
    if (auto ok = drop_owed(w); !ok)
      return fail(errc::busy, "the log still has of what was erased what trims left there: "
                                  + ok.error().message);
    // Its relations are written anew behind that.
    if (!w.journal->owes_erasure()) w.journal->owe_erasure(erased);
  }
  return w.journal->settle_erasure();
}

result<void> end_trimming_note(world& w) {
  return w.has_left_segments ? result<void>() : remove_trimming_note(*w.files, w.directory);
}

result<std::optional<journaled_trim>> trim_left_in_log(world& w) {
  const seq_no at = noted_trim(*w.files, w.directory);
  if (at.value == 0) return std::nullopt;
  const std::string dir = journal_directory(w.directory);
  auto by = read_trim(*w.files, dir, w.info.id, at);
  if (!by && by.error().code != errc::corrupt) return propagate(by);
  // One behind it, maybe of another leader, names what it left as well.
  auto is_done = has_trim_behind(*w.files, dir, w.info.id, at);
  if (!is_done) return propagate(is_done);
  if (by && by->at == at && !*is_done) return std::move(*by);
  // Done, or its entry was never written.
  if (auto ok = end_trimming_note(w); !ok) return propagate(ok);
  return std::nullopt;
}

void finish_trim_in_log(world& w, log_leader& leader) {
  auto left = trim_left_in_log(w);
  if (!left || !*left) return;
  auto by = part_for_log(*w.files, w.directory, w.info.id, std::move(**left));
  if (!by) return;
  for (std::uint64_t done = 0;;) {
    const auto reached = leader.store().trim(*by, done, leader.epoch());
    if (!reached) return;
    if (*reached == done) break;
    done = *reached;
  }
  // A note that stays is looked at again.
  (void)end_trimming_note(w);
}

} // namespace mneme
