#include "state/retention/planned_trim.hpp"

#include "journal/journal.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/recovery/entry_check.hpp"

namespace mneme {

result<void> planned_trim::look() {
  auto walked =
      read_journal(files_, journal_directory(directory_), world_, seq_no{1}, true,
                   [&](const journal_frame& frame) -> result<bool> { return take(frame); });
  if (!walked) return walked;
  if (options_.before && !is_found_ && *options_.before > before_)
    return fail(errc::seq_unavailable,
                "the journal ends at seq " + std::to_string(before_.value - 1), "before");
  return {};
}

result<bool> planned_trim::take(const journal_frame& frame) {
  if (frame.prefix.seal) return true;
  if (stops_ != nullptr && *stops_) return fail(errc::shutdown, "the world is closed");
  if (last_seq(frame.prefix) > through_) return false;
  auto entries = open_entries(frame);
  if (!entries) return propagate(entries);
  is_found_ =
      (options_.before && last_seq(frame.prefix) >= *options_.before)
      || (options_.before_time && entries->back().header.created_at >= *options_.before_time);
  if (is_found_) return false;
  auto due = follower_.before(files_, journal_directory(directory_), world_, frame);
  if (!due) return propagate(due);
  if (*due) plan_.carry(**due);
  plan_.take(*entries);
  before_ = last_seq(frame.prefix).next();
  if (options_.on_progress) options_.on_progress(before_.value - 1, 0);
  return true;
}

trim_report planned_trim::report() const {
  trim_report report{.at = {}, .before = before_};
  report.dropped = plan_.dropped();
  report.dropped_bytes = plan_.dropped_bytes();
  if (report.dropped == 0) return report;
  ensure(report.before.value > 1, "what is dropped is before the point");
  const trim_payload payload = plan_.finish(before_);
  report.carried = payload.used.size();
  const std::uint64_t written =
      encode(entry_payload(payload)).size() + frame_prefix_bytes + plan_.marks_bytes();
  if (written < report.dropped_bytes) report.saved_bytes = report.dropped_bytes - written;
  return report;
}

trim_payload planned_trim::payload() const {
  trim_payload made = plan_.finish(before_);
  made.reason = options_.reason;
  made.actor = options_.by;
  return made;
}

} // namespace mneme
