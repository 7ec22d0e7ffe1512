#include "state/retention/trim_in_log.hpp"

#include "journal/entry_reader.hpp"
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
  if (auto ok = remove_trimming_note(*w.files, w.directory); !ok) return propagate(ok);
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
  (void)remove_trimming_note(*w.files, w.directory);
}

} // namespace mneme
