#pragma once
/// What a host has asked for and not been answered yet, bounded: beyond, a request is answered busy
/// at once.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "messages/ensure.hpp"
#include "mneme/error.hpp"
#include "state/commit/busy.hpp"

namespace mneme {

/// One thread enters; whoever answers leaves. Copies count together.
class in_flight {
  struct state {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> bytes{0};
  };

public:
  /// Of one request. Left when it is answered, or nobody can answer it any more.
  class place {
  public:
    place(std::shared_ptr<state> in, std::uint64_t bytes) : in_(std::move(in)), bytes_(bytes) {}
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place() { leave(); }

    void leave() {
      const auto in = std::exchange(in_, nullptr);
      if (in == nullptr) return;
      in->bytes -= bytes_;
      ensure(in->count-- > 0, "who leaves has entered");
    }

  private:
    std::shared_ptr<state> in_; ///< null: left
    std::uint64_t bytes_;
  };
  using place_pointer = std::shared_ptr<place>;

  in_flight(std::uint64_t most, std::uint64_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  /// One request is taken whatever it holds.
  [[nodiscard]] result<place_pointer> enter(std::uint64_t bytes) const {
    if (state_->count >= most_) return std::unexpected(busy_with_requests(most_));
    if (state_->count > 0 && state_->bytes + bytes > most_bytes_)
      return std::unexpected(busy_with_bytes(state_->bytes));
    ++state_->count;
    state_->bytes += bytes;
    return std::make_shared<place>(state_, bytes);
  }

private:
  std::uint64_t most_;
  std::uint64_t most_bytes_;
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

} // namespace mneme
