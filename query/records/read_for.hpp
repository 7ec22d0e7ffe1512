#pragma once
/// How every read of single records begins and ends: the seq is readable, the store gives a reader,
/// the asker is verified; afterwards the window still holds what was read.

#include <utility>

#include "mneme/engine.hpp"
#include "query/deadline.hpp"
#include "storage/kv_store.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"
#include "views/scope_check.hpp"

namespace mneme {

/// Who asks, the scope verified.
inline result<asker> asker_of(const read_views& views, const read_options& options) {
  if (options.scope == nullptr) return asker(options.actor);
  auto now = views.now();
  if (!now) return propagate(now);
  return verify_asker(options.actor, options.scope, *now, views);
}

/// What `read` answers, unless the window has moved on meanwhile, and what was read with it.
template <class Read>
auto read_inside_window(const read_views& views, seq_no at, Read read) -> decltype(read()) {
  auto answer = read();
  if (auto still = views.readable(at); answer && !still) return propagate(still);
  return answer;
}

/// Runs `read` for who asks, at the seq asked. Before each record it looks at `time`.
template <class Read>
auto read_for(const read_views& views, const read_options& options, const deadline& time, Read read)
    -> decltype(read(std::declval<kv_reader&>(), std::declval<const asker&>(), seq_no{})) {
  auto at = views.readable(options.at_seq);
  if (!at) return propagate(at);
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  auto who = asker_of(views, options);
  if (!who) return propagate(who);
  return read_inside_window(views, *at, [&] { return read(**reader, *who, *at); });
}

/// A memory that exists at `at` and that the asker may see. `key` is what the request calls it.
result<memory> visible_memory(const read_views& views, kv_reader& reader, const memory_id& id,
                              const asker& who, seq_no at, std::string_view key);
/// The same without its standing, for who knows that.
result<memory> visible_record(const read_views& views, kv_reader& reader, const memory_id& id,
                              const asker& who, seq_no at, std::string_view key);

} // namespace mneme
