#include "query/changes/changes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "journal/frame_scan.hpp"
#include "messages/ensure.hpp"
#include "query/answer_bytes.hpp"
#include "query/changes/told_change.hpp"
#include "query/records/read_for.hpp"
#include "views/answer_room.hpp"

namespace mneme {

namespace {

result<void> check_between(std::int64_t value, std::int64_t least, std::int64_t most,
                           std::string_view key) {
  if (value >= least && value <= most) return {};
  return fail(errc::out_of_range, fmt::format("{} is from {} to {}", key, least, most),
              std::string(key));
}

/// The seq to read behind: one that can be read at.
result<seq_no> start_of(const read_views& views, const changes_request& request, seq_no last) {
  if (!request.since) return last;
  auto since = views.readable(request.since);
  if (since) return since;
  error problem = std::move(since.error());
  problem.at = "since";
  return std::unexpected(std::move(problem));
}

} // namespace

result<void> check_changes(const changes_request& request) {
  if (auto ok = check_between(request.limit, 1, most_changes, "limit"); !ok) return ok;
  return check_between(request.wait_ms, 0, most_wait_ms, "wait_ms");
}

result<changes_result> read_changes(const read_views& views, const change_source& source,
                                    const changes_request& request, const deadline& time) {
  auto since = start_of(views, request, source.last);
  if (!since) return propagate(since);
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  auto who = asker_of(views, {.actor = request.actor, .at_seq = {}, .scope = request.scope});
  if (!who) return propagate(who);
  changes_result page{
      .changes = {}, .next = *since, .seq = std::max(source.last, *since), .more = false};
  if (*since >= source.last) return page;

  const change_match match(request.filter);
  change_teller teller(views, **reader, *who, match, request.with_record);
  answer_room room(views.max_answer_bytes, "ask for fewer by limit", "limit");
  const auto take = [&](const raw_entry& raw) -> result<bool> {
    ensure(page.next < source.last, "what is not to be told yet is not looked at");
    auto told = teller.tell(raw);
    if (!told) return propagate(told);
    if (*told) {
      // What does not fit is the next page's, unless it fits in none.
      if (auto ok = room.take(answer_bytes(**told)); !ok) {
        if (page.changes.empty()) return propagate(ok);
        return false;
      }
      page.changes.push_back(std::move(**told));
    }
    page.next = page.next.next();
    ++page.scanned;
    return page.next < source.last && page.scanned < most_scanned
           && page.changes.size() < static_cast<std::size_t>(request.limit);
  };
  auto read = scan_frames(
      source.files, source.journal, source.world, {.from = since->next(), .last = source.last},
      source.places, [&](const journal_frame& frame) -> result<bool> {
        if (auto ok = time.check(); !ok) return propagate(ok);
        const std::uint64_t first = frame.prefix.first_seq.value;
        for (std::size_t i = page.next.value + 1 - first; i < frame.entries.size(); ++i) {
          auto more = take(frame.entries[i]);
          if (!more || !*more) return more;
        }
        return true;
      });
  if (!read) return propagate(read);
  page.more = page.next < source.last;
  // What was read as of a seq that the window has left meanwhile may lack something.
  if (auto still = start_of(views, request, source.last); !still) return propagate(still);
  return page;
}

} // namespace mneme
