#include "state/commit/waiting_touches.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t queries_at_most = 100;
constexpr std::int64_t waiting_at_most_ns = 1'000'000'000;
/// A query may touch any number of rows; an entry should not grow without bound.
constexpr std::size_t items_at_most = 100'000;

} // namespace

void waiting_touches::add(reinforce_payload touched, timestamp at) {
  if (queries_++ == 0) {
    payload_ = std::move(touched);
    first_ = at;
    return;
  }
  ensure(payload_.door == touched.door, "touches of one door wait together");
  if (payload_.actor != touched.actor) payload_.actor.clear();
  payload_.items.insert(payload_.items.end(), touched.items.begin(), touched.items.end());
}

bool waiting_touches::is_due(timestamp now) const {
  if (queries_ == 0) return false;
  return queries_ >= queries_at_most || payload_.items.size() >= items_at_most
         || now.ns - first_.ns >= waiting_at_most_ns;
}

reinforce_payload waiting_touches::take() {
  ensure(queries_ > 0, "touches are taken when some wait");
  queries_ = 0;
  return std::exchange(payload_, {});
}

} // namespace mneme
