#pragma once
/// How an engine that is an arm comes to a world of its own: it reads its base's until it has
/// something to write.

#include <atomic>
#include <memory>
#include <mutex>

#include "actors/arm_group.hpp"

namespace mneme {

class arm_of_engine {
public:
  /// `options`: those of the base, with the arm's own seed, random source and clock. `reads_own`:
  /// what it reads depends on its clock, so that it never reads the base's world.
  arm_of_engine(std::shared_ptr<arm_group> of, engine_options options, bool reads_own);

  /// Null until it has a world of its own. From any thread.
  [[nodiscard]] const std::shared_ptr<running_engine>* own() const {
    return own_now_.load(std::memory_order_acquire);
  }
  /// Makes it at the first call; a failure leaves the arm as it was. From any thread.
  result<std::shared_ptr<running_engine>> make_own();
  [[nodiscard]] bool reads_own() const { return reads_own_; }

  /// Nobody calls any more: what it has of its own goes.
  void end();

private:
  result<std::shared_ptr<running_engine>> start() const;

  std::shared_ptr<arm_group> group_;
  engine_options options_;
  bool reads_own_;
  std::mutex making_;
  std::shared_ptr<running_engine> own_;
  std::atomic<const std::shared_ptr<running_engine>*> own_now_{nullptr};
};

} // namespace mneme
