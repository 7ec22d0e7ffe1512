#include "state/recovery/followed_frame.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "journal/log/log_copy.hpp"
#include "messages/ensure.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/recovery/replay_check.hpp"

namespace mneme {

result<followed_frame> open_followed(log_frame frame) {
  if (frame.is_trimmed)
    return fail(errc::format_unsupported,
                "the log was trimmed, and this program follows none that was");
  auto opened = open_log_frame(frame);
  if (!opened) return propagate(opened);
  auto entries = open_entries(*opened);
  if (!entries) return propagate(entries);
  const auto is = [](entry_kind kind) {
    return [kind](const entry& e) { return e.header.kind == kind; };
  };
  if (std::ranges::any_of(*entries, is(entry_kind::trim)))
    return fail(errc::format_unsupported, "the log has a trim, which this program does not follow");
  const bool erases = std::ranges::any_of(*entries, is(entry_kind::erase));
  return followed_frame{.frame = std::make_shared<const log_frame>(std::move(frame)),
                        .opened = std::move(*opened),
                        .entries = std::move(*entries),
                        .erases = erases};
}

result<void> check_followed(world& w, const followed_frame& next) {
  const root_set here = w.ledger->roots();
  ensure(here.seq == w.journal->last_seq(), "the ledger has what the journal has");
  const digest& there = next.opened.prefix.previous_root;
  if (there != here.overall)
    return fail(errc::corrupt,
                fmt::format("this copy has another state than the leader's: in epoch {} at seq {} "
                            "its root is {}, and the log's next frame says {}",
                            w.standing != nullptr ? w.standing->epoch().value : 0, here.seq.value,
                            to_hex(here.overall), to_hex(there)));
  if (next.entries.empty()) return {};
  if (auto ok = check_entries(w, next.opened, next.entries, here.seq); !ok) return ok;
  return check_embeddings(w, next.entries);
}

} // namespace mneme
