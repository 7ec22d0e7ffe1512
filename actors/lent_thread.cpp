#include "actors/lent_thread.hpp"

#include <utility>

#include "actors/messages.hpp"
#include "messages/ensure.hpp"

namespace mneme {

lent_thread::lent_thread(caf::actor committer)
    : caf::execution_unit(&committer->home_system()), committer_(std::move(committer)) {
}

lent_thread::~lent_thread() {
  if (turns_ != nullptr) system().scheduler().enqueue(turns_);
}

void lent_thread::hand_over(commit_command command) {
  hands_over_ = true;
  caf::actor_cast<caf::abstract_actor*>(committer_)
      ->enqueue(caf::make_mailbox_element(
                    nullptr, caf::make_message_id(), {},
                    commit_request{std::make_shared<commit_command>(std::move(command))}),
                this);
  hands_over_ = false;
}

void lent_thread::exec_later(caf::resumable* who) {
  if (!hands_over_) return system().scheduler().enqueue(who);
  ensure(turns_ == nullptr, "an actor that has turns to run does not rest");
  turns_ = who;
}

/// One message: the thread leaves as soon as it has its answer.
bool lent_thread::run_turn() {
  if (turns_ == nullptr) return false;
  if (turns_->resume(this, 1) == caf::resumable::resume_later) return true;
  turns_->intrusive_ptr_release_impl(); // it rests, or has ended
  turns_ = nullptr;
  return false;
}

} // namespace mneme
