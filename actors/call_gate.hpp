#pragma once
/// Counts the calls that are under way, so that whoever closes can wait for them.

#include <atomic>
#include <cstdint>
#include <memory>

#include "messages/ensure.hpp"

namespace mneme {

/// Thread-safe. A call holds a pass while it runs; after close() there are no passes.
class call_gate {
  struct state {
    static constexpr std::uint64_t closed = 1;
    static constexpr std::uint64_t one_call = 2;
    std::atomic<std::uint64_t> calls{0}; ///< one_call each, plus closed

    void leave() {
      const std::uint64_t before = calls.fetch_sub(one_call);
      ensure(before >= one_call, "a call leaves once, after it entered");
      if (before == closed + one_call) calls.notify_all();
    }
  };

public:
  class pass {
  public:
    explicit pass(std::shared_ptr<state> at) : at_(std::move(at)) {}
    ~pass() {
      if (at_ != nullptr) at_->leave();
    }
    pass(pass&&) noexcept = default;
    pass& operator=(pass&&) = delete;
    /// False: the gate is closed.
    explicit operator bool() const { return at_ != nullptr; }

  private:
    std::shared_ptr<state> at_; ///< its own: the gate may go when the last call has left
  };

  [[nodiscard]] pass enter() const {
    if ((state_->calls.fetch_add(state::one_call) & state::closed) == 0) return pass(state_);
    state_->leave();
    return pass(nullptr);
  }

  /// Lets nobody in any more and waits for the calls under way. Not from inside one.
  void close() {
    state_->calls.fetch_or(state::closed);
    for (auto now = state_->calls.load(); now != state::closed; now = state_->calls.load())
      state_->calls.wait(now);
  }

private:
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

} // namespace mneme
