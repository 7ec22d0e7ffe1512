#include "actors/arm_of_engine.hpp"

#include <latch>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Unlike that of the base's, so that no two seeded things draw from one stream.
constexpr std::uint64_t branch_stream = 0x6272616E63686573;

branch_id draw_branch_of_arm(const engine_options& options, const arm_source& source) {
  const auto random = options.random != nullptr ? options.random
                      : options.seed            ? make_seeded_random(*options.seed, branch_stream)
                                                : make_system_random();
  branch_id drawn{};
  do random->fill(drawn);
  while (drawn == source.base().info.branch || drawn == branch_id{});
  return drawn;
}

/// Asks them to end, and waits until they have: the system has others that go on.
void end_actors(const engine_actors& actors) {
  const auto all = owned_actors(actors);
  const auto left = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(all.size()));
  for (const caf::actor& each : all)
    caf::actor_cast<caf::abstract_actor*>(each)->attach_functor([left] { left->count_down(); });
  stop_actors(actors);
  left->wait();
}

} // namespace

arm_of_engine::arm_of_engine(std::shared_ptr<arm_group> of, engine_options options, bool reads_own)
    : group_(std::move(of)), options_(std::move(options)), reads_own_(reads_own) {
}

result<std::shared_ptr<running_engine>> arm_of_engine::make_own() {
  if (const auto* there = own()) return *there;
  const std::lock_guard one_at_a_time(making_);
  if (own_ != nullptr) return own_;
  auto started = start();
  if (!started) return started;
  own_ = std::move(*started);
  own_now_.store(&own_, std::memory_order_release);
  return own_;
}

result<std::shared_ptr<running_engine>> arm_of_engine::start() const {
  auto branched = arm_source::branch_off(
      group_->source, draw_branch_of_arm(options_, *group_->source), options_.clock);
  if (!branched) return propagate(branched);
  // Now: its actors may write at once, vectors that were due.
  ensure((*branched)->published_seq() == group_->source->at(), "an arm begins where its base ends");
  actor_options acting = actor_options_of(options_, **branched);
  acting.threads = thread_use::scheduled; // a thousand arms have the threads of one system
  acting.readers = 1;
  acting.checkpoint_journal_bytes = 0;
  return group_->home.start(std::shared_ptr<world>(std::move(*branched)), std::move(acting));
}

void arm_of_engine::end() {
  if (own_ == nullptr) return;
  ensure(own_->state != nullptr, "an arm ends once");
  own_->state->embedding.end();
  end_actors(own_->actors);
  own_->actors = {};
  own_->state.reset();
}

} // namespace mneme
