#include "views/late_indexes.hpp"

#include <system_error>
#include <utility>

namespace mneme {

late_indexes::late_indexes(load_function load) : load_(std::move(load)) {
  ensure(load_ != nullptr, "late indexes are loaded from somewhere");
}

late_indexes::~late_indexes() {
  stops_ = true;
  if (beside_.joinable()) beside_.join();
}

void late_indexes::begin() {
  ensure(!beside_.joinable(), "late indexes are loaded once");
  try {
    beside_ = std::thread([this] { static_cast<void>(wait()); });
  } catch (const std::system_error&) {
    // No thread is to be had: who needs them first loads them.
  }
}

result<void> late_indexes::wait() {
  if (are_there()) return {};
  const std::lock_guard hold(guard_);
  if (are_there()) return {};
  if (problem_) return std::unexpected(*problem_);
  ensure(load_ != nullptr, "late indexes are loaded once");
  auto loaded = std::exchange(load_, nullptr)(stops_);
  if (!loaded) {
    problem_ = loaded.error();
    has_failed_.store(true, std::memory_order_release);
    return propagate(loaded);
  }
  vectors_ = *loaded;
  are_there_.store(true, std::memory_order_release);
  return {};
}

std::optional<error> late_indexes::problem() const {
  if (!has_failed_.load(std::memory_order_acquire)) return std::nullopt;
  const std::lock_guard hold(guard_);
  return problem_;
}

std::uint64_t late_indexes::vectors() const {
  ensure(are_there(), "vectors that are not there yet are not counted");
  return vectors_;
}

} // namespace mneme
