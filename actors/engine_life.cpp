#include "actors/engine_life.hpp"

#include <utility>

#include "actors/sure_reply.hpp"
#include "messages/ensure.hpp"

namespace mneme {

engine_life::engine_life(internal_engine_actor::pointer self,
                         std::shared_ptr<running_engine> engine)
    : self_(self),
      engine_(std::move(engine)),
      checkpointer_(engine_->actors.checkpointer.address()) {
  const auto owners = owned_actors(engine_->actors);
  for (const auto& owner : owners) self_->monitor(owner);
  alive_ = owners.size();
  self_->set_down_handler([this](const caf::down_msg& m) { owner_ended(m.source); });
}

void engine_life::kept() {
  ensure(unanswered_ > 0, "a promise is kept once, after it was made");
  --unanswered_;
  quit_when_idle();
}

void engine_life::read_ended() {
  ensure(reading_ > 0, "a read ends once, after it began");
  --reading_;
  stop_when_read();
}

void engine_life::close(std::function<void(result<void>)> when_ended) {
  ensure(stage_ == stage::open, "an engine is closed once");
  stage_ = stage::closing;
  engine_->member.reset();
  when_ended_ = std::move(when_ended);
  auto reached = [this, self = internal_engine_actor(self_)](const result<seq_no>& r) {
    caf::anon_send(self, run_closure{[this, r] { barrier_passed(r); }});
  };
  hand_over_last(*engine_,
                 checkpoint_command{.reply = sure_reply<seq_no>(std::move(reached)), .last = true});
}

void engine_life::abandon() {
  if (stage_ == stage::open) stop_actors(engine_->actors);
}

void engine_life::barrier_passed(result<seq_no> at) {
  ensure(stage_ != stage::open, "only close() asks for the last barrier");
  ensure(!passed_, "the last barrier is passed once");
  passed_ = true;
  engine_->last_barrier = std::move(at);
  stop_when_read();
}

void engine_life::stop_when_read() {
  if (stage_ != stage::closing || !passed_ || reading_ > 0) return;
  stage_ = stage::stopping;
  stop_all_but_checkpointer(engine_->actors);
  if (checkpointer_alive_ && alive_ == 1) seal(); // the others had ended by themselves
}

/// One that dies on its own takes the others along.
void engine_life::owner_ended(const caf::actor_addr& who) {
  ensure(alive_ > 0, "an owner ends once");
  engine_->member.reset();
  ensure(stage_ != stage::ended, "the engine ends after its owners");
  if (who == checkpointer_) checkpointer_alive_ = false;
  if (--alive_ == 0) return end();
  if (stage_ == stage::open) stop_actors(engine_->actors);
  if (stage_ == stage::stopping && checkpointer_alive_ && alive_ == 1) seal();
}

/// Whoever has the last hold of the world waits for the disk when it lets go: the checkpointer.
void engine_life::seal() {
  ensure(stage_ == stage::stopping && alive_ == 1, "a world is sealed when its owners are gone");
  stage_ = stage::sealing;
  engine_->state.reset();
  const bool seals = engine_->last_barrier.has_value() && !engine_->options.commits.read_only;
  self_->request(engine_->actors.checkpointer, caf::infinite, seal_world{seals})
      .then(
          [this](const outcome& o) {
            if (o.problem) sealed_ = std::unexpected(*o.problem);
          },
          [this](const caf::error& e) {
            sealed_ = mneme::fail(errc::shutdown,
                                  "the world was not sealed: " + self_->system().render(e));
          });
}

void engine_life::end() {
  ensure(!checkpointer_alive_, "the engine ends after its checkpointer");
  // Where an owner died there was no seal.
  if (!engine_->last_barrier && !engine_->options.commits.read_only)
    sealed_ = propagate(engine_->last_barrier);
  else if (stage_ == stage::stopping)
    sealed_ = mneme::fail(errc::shutdown, "the checkpointer ended before the world was sealed");
  stage_ = stage::ended;
  engine_->actors = {}; // no handle is left in a cycle
  if (when_ended_) {
    engine_->state.reset();
    std::exchange(when_ended_, {})(std::move(sealed_));
  }
  quit_when_idle();
}

void engine_life::quit_when_idle() {
  if (stage_ == stage::ended && unanswered_ == 0) self_->quit();
}

} // namespace mneme
