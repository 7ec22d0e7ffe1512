#include "state/branch/branch_point.hpp"

#include "journal/journal.hpp"
#include "messages/codec/entry.hpp"
#include "messages/text/time_text.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme {

namespace {

result<seq_no> last_committed_until(file_system& files, const std::string& journal,
                                    const world_id& world, timestamp time) {
  seq_no found;
  auto walked = read_journal(files, journal, world, seq_no{1}, true,
                             [&](const journal_frame& frame) -> result<bool> {
                               if (frame.entries.empty()) return true; // a seal
                               auto last = decode_entry_header(frame.entries.back().header);
                               if (!last) return propagate(last);
                               if (last->created_at <= time) found = last->seq;
                               return true;
                             });
  if (!walked) return propagate(walked);
  return found;
}

} // namespace

result<std::optional<seq_no>> branch_point(file_system& files, const std::string& directory,
                                           const world_id& world, std::optional<seq_no> at_seq,
                                           std::optional<timestamp> at) {
  if (!at) return at_seq;
  if (at_seq) return fail(errc::bad_value, "give at or at_seq, not both", "at");
  if (!is_valid(*at)) return fail(errc::bad_time, "a time is from 1970 to the end of 2261", "at");
  auto found = last_committed_until(files, journal_directory(directory), world, *at);
  if (!found) return propagate(found);
  return *found;
}

} // namespace mneme
