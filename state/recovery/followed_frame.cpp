#include "state/recovery/followed_frame.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "journal/log/log_copy.hpp"
#include "journal/trim_payloads.hpp"
#include "messages/ensure.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/recovery/recover.hpp"
#include "state/recovery/replay_check.hpp"

namespace mneme {

result<followed_frame> open_followed(log_frame frame) {
  auto opened = open_log_frame(frame);
  if (!opened) return propagate(opened);
  if (opened->prefix.trimmed_by.value != 0)
    return fail(
        errc::trimmed,
        fmt::format("its history was trimmed by entry {} before this copy had it: close this "
                    "world and open it again, which takes up what is left",
                    opened->prefix.trimmed_by.value));
  auto entries = open_entries(*opened);
  if (!entries) return propagate(entries);
  const auto is = [](entry_kind kind) {
    return [kind](const entry& e) { return e.header.kind == kind; };
  };
  auto trim = trim_in(*opened);
  if (!trim) return propagate(trim);
  const bool erases = std::ranges::any_of(*entries, is(entry_kind::erase));
  return followed_frame{.frame = std::make_shared<const log_frame>(std::move(frame)),
                        .opened = std::move(*opened),
                        .entries = std::move(*entries),
                        .erases = erases,
                        .trim = std::move(*trim)};
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
