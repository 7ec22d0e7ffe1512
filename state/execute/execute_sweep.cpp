// Sweeps: what has expired is tombstoned.

#include <algorithm>
#include <utility>

#include "messages/ensure.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

namespace {

struct expired_memory {
  timestamp at;
  memory_uri uri;

  friend auto operator<=>(const expired_memory& a, const expired_memory& b) {
    return std::pair(a.at.ns, a.uri.id) <=> std::pair(b.at.ns, b.uri.id);
  }
  friend bool operator==(const expired_memory&, const expired_memory&) = default;
};

/// What has expired by now and is not tombstoned.
result<std::vector<expired_memory>> expired_memories(execution& x) {
  std::vector<expired_memory> found;
  for (const memory_id& id : x.state.may_have_ended(x.now)) {
    if (auto ok = in_time(x); !ok) return propagate(ok);
    auto h = x.state.head(id);
    if (!h) return propagate(h);
    if (!h->has_value() || (*h)->tombstone || (*h)->erased) continue;
    auto v = current_version(x, **h);
    if (!v) return propagate(v);
    ensure(v->number == (*h)->current_version, "what expires is the current version");
    if (v->expires_at && *v->expires_at <= x.now)
      found.push_back({*v->expires_at, {(*h)->type, id, (*h)->current_version}});
  }
  return found;
}

} // namespace

result<void> run(execution& x, const sweep_request& r, const prepared&) {
  auto expired = expired_memories(x);
  if (!expired) return propagate(expired);
  std::ranges::sort(*expired);
  const auto most = static_cast<std::size_t>(r.limit.value_or(max_swept));
  mutation_result done;
  done.more = expired->size() > most;
  if (done.more) expired->resize(most);
  for (const expired_memory& m : *expired) {
    const tombstone_request gone{.uri = m.uri,
                                 .actor = r.actor,
                                 .reason = r.reason.value_or("expired"),
                                 .by = r.by,
                                 .cause = tombstone_cause::expired,
                                 .superseded_by = {},
                                 .expect_version = {}};
    if (auto ok = run_part(x, gone); !ok) return ok;
    x.out.results.pop_back(); // of a part: none of the command's
    done.swept.push_back(m.uri.id);
  }
  ensure(done.swept.size() <= most, "a sweep takes no more than it was asked to");
  done.changed = !done.swept.empty();
  done.seq = {x.current.value + x.out.entries.size()};
  x.out.results.push_back(std::move(done));
  return {};
}

} // namespace mneme
