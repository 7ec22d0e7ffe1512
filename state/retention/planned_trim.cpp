#include "state/retention/planned_trim.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "journal/journal.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/retention/named_versions.hpp"

namespace mneme {

result<void> planned_trim::look() {
  auto walked =
      read_journal(files_, journal_directory(directory_), world_, seq_no{1}, true,
                   [&](const journal_frame& frame) -> result<bool> { return take(frame); });
  if (!walked) return walked;
  if (options_.before && !is_found_ && *options_.before > before_)
    return fail(errc::seq_unavailable,
                "the journal ends at seq " + std::to_string(before_.value - 1), "before");
  if (auto ok = carry_last(); !ok) return ok;
  plan_.conclude();
  return {};
}

result<void> planned_trim::carry_last() {
  if (const auto due = follower_.at(before_)) plan_.carry(*due);
  if (!farthest_) return {};
  // Of two trims the later one says all, and the world begins at the later point. Of uses there is
  // nothing before that which has not gone, unless the other is not done: then the committer
  // refuses it.
  if (farthest_->before <= before_) {
    plan_.keep(*farthest_);
  } else if (options_.versions) {
    return fail(errc::seq_unavailable,
                fmt::format("history was trimmed to a later point, seq {}: take that, or none",
                            farthest_->before.value),
                "before");
  }
  return {};
}

result<bool> planned_trim::take(const journal_frame& frame) {
  if (frame.prefix.seal) return true;
  if (stops_ != nullptr && *stops_) return fail(errc::shutdown, "the world is closed");
  if (last_seq(frame.prefix) > through_) return false;
  auto trim = trim_in(frame);
  if (!trim) return propagate(trim);
  if (*trim && (!farthest_ || (*trim)->trim.before >= farthest_->before))
    farthest_ = std::move((*trim)->trim);
  if (is_found_ && !options_.versions) return true;
  auto entries = open_entries(frame);
  if (!entries) return propagate(entries);
  if (is_found_) {
    plan_.take_behind(*entries);
    return true;
  }
  is_found_ =
      (options_.before && last_seq(frame.prefix) >= *options_.before)
      || (options_.before_time && entries->back().header.created_at >= *options_.before_time);
  if (is_found_) return take(frame);
  auto due = follower_.before(files_, journal_directory(directory_), world_, frame);
  if (!due) return propagate(due);
  if (*due) plan_.carry(**due);
  follower_.drop(*entries);
  plan_.take(*entries);
  before_ = last_seq(frame.prefix).next();
  if (options_.on_progress) options_.on_progress(before_.value - 1, 0);
  return true;
}

trim_report planned_trim::report() const {
  trim_report report{.at = {}, .before = before_};
  report.dropped = plan_.dropped();
  report.dropped_bytes = plan_.dropped_bytes();
  report.versions = plan_.versions();
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

namespace {

bool drops_version(const trim_payload& trim, const named_version& v) {
  const auto its = std::ranges::lower_bound(trim.versions, v.id, {}, &dropped_versions::id);
  return its != trim.versions.end() && its->id == v.id
         && std::ranges::any_of(its->ranges, [&](const version_range& r) {
              return r.first <= v.number && v.number <= r.last;
            });
}

} // namespace

result<bool> is_named_since(file_system& files, const std::string& directory, const world_id& world,
                            const trim_payload& trim, seq_no planned_at) {
  bool found = false;
  if (trim.versions.empty()) return found;
  auto walked = read_journal(files, journal_directory(directory), world, planned_at.next(), true,
                             [&](const journal_frame& frame) -> result<bool> {
                               auto entries = open_entries(frame);
                               if (!entries) return propagate(entries);
                               for (const entry& e : *entries)
                                 if (e.header.seq > planned_at)
                                   for (const named_version& v : named_versions(e.payload))
                                     found = found || drops_version(trim, v);
                               return !found;
                             });
  if (!walked) return propagate(walked);
  return found;
}

} // namespace mneme
