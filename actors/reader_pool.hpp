#pragma once
/// The readers of an engine, as the actor sees them that gives them work: a reader has one thing to
/// do at a time, and what nobody is free for waits here, in the order in which it came. So a long
/// read delays nothing that another reader could do meanwhile.

#include <deque>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include <caf/all.hpp>

#include "actors/messages.hpp"
#include "messages/ensure.hpp"

namespace mneme {

/// A member of that actor, used in its own context.
class reader_pool {
public:
  using work = std::variant<run_effect, run_share, run_read>;
  using on_done = std::function<void(const outcome&)>;
  using on_lost = std::function<void()>;

  reader_pool(caf::event_based_actor* self, std::vector<caf::actor> readers)
      : self_(self), size_(readers.size()), idle_(readers.begin(), readers.end()) {
    ensure(!idle_.empty(), "who gives work to readers has one");
  }

  /// Readers that work or rest, at least 1.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Has it done by whoever has rested longest. `lost`: that reader has ended.
  void give(work w, on_done done, on_lost lost) {
    waiting_.push_back({std::move(w), std::move(done), std::move(lost)});
    go_on();
  }
  /// Lets go of the readers and of what waits.
  void clear() {
    idle_.clear();
    waiting_.clear();
  }

private:
  struct given {
    work what;
    on_done done;
    on_lost lost;
  };

  void go_on() {
    while (!idle_.empty() && !waiting_.empty()) {
      given next = std::move(waiting_.front());
      waiting_.pop_front();
      caf::actor reader = std::move(idle_.front());
      idle_.pop_front();
      std::visit([&](auto& what) { ask(reader, std::move(what), next); }, next.what);
    }
  }
  template <class Message>
  void ask(const caf::actor& reader, Message what, given& of) {
    self_->request(reader, caf::infinite, std::move(what))
        .then(
            [this, reader, done = std::move(of.done)](const outcome& o) {
              idle_.push_back(reader);
              go_on();
              done(o);
            },
            [lost = std::move(of.lost)](const caf::error&) { lost(); });
  }

  caf::event_based_actor* self_;
  std::size_t size_;
  std::deque<caf::actor> idle_; ///< who has rested longest in front
  std::deque<given> waiting_;
};

} // namespace mneme
