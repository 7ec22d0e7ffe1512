#include "state/branch/join.hpp"

#include <fmt/format.h>

#include "journal/log/log_copy.hpp"
#include "messages/ensure.hpp"
#include "state/branch/backup.hpp"

namespace mneme {

namespace {

/// The log has the copy's last entry, and where it says what the root is behind that, it is the
/// copy's.
result<void> check_in_log(log_store& log, const journal_cut& cut) {
  auto tail = log.tail();
  if (!tail) return propagate(tail);
  auto frames = frames_in_copy(log, *tail, cut.at, cut.entry_frame);
  if (!frames) return propagate(frames);
  ensure(*frames <= tail->end.frames, "a copy has no more frames than its log");
  if (*frames == tail->end.frames || !cut.root) return {};
  auto behind = frames_behind(log, *tail, *frames);
  if (!behind) return propagate(behind);
  auto next = check_log_frame(behind->front());
  if (!next) return propagate(next);
  if (next->previous_root == *cut.root) return {};
  return fail(errc::corrupt,
              fmt::format("at seq {} the root is {}, and the log says that it is {}", cut.at.value,
                          to_hex(*cut.root), to_hex(next->previous_root)));
}

} // namespace

result<branch_report> join_files(file_system& files, const std::string& from,
                                 const std::string& into, const std::string& address,
                                 log_store& log) {
  auto founding = log.founding();
  if (!founding) return propagate(founding);
  auto founded = decode_world_file(*founding);
  if (!founded) return propagate(founded);
  return copy_for_log(files, from, into, address,
                      [&](const world_file& info, const journal_cut& cut) -> result<void> {
                        if (info.id != founded->id || info.branch != founded->branch)
                          return fail(errc::bad_value,
                                      from + " and the log are of two worlds, or of two branches",
                                      "from");
                        return check_in_log(log, cut);
                      });
}

} // namespace mneme
