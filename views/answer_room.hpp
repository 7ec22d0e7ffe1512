#pragma once
/// How much an answer may take. It is counted while the answer is made, so that one that is too
/// large is refused before it is there whole.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "mneme/error.hpp"

namespace mneme {

class answer_room {
public:
  /// No bound.
  answer_room() = default;
  /// `less` says how to ask for less, `key` by which key of the request; both outlive it.
  answer_room(std::uint64_t most, std::string_view less, std::string_view key = {})
      : most_(most), less_(less), key_(key) {}

  /// limit_exceeded where the answer would take more than it may.
  [[nodiscard]] result<void> take(std::uint64_t bytes) {
    if (bytes > most_ - used_)
      return fail(errc::limit_exceeded,
                  "the answer takes more than the " + std::to_string(most_)
                      + " bytes of max_answer_bytes: " + std::string(less_),
                  std::string(key_));
    used_ += bytes;
    return {};
  }
  /// What was taken, and is no longer in the answer.
  void give_back(std::uint64_t bytes) { used_ -= bytes; }
  [[nodiscard]] std::uint64_t used() const { return used_; }

private:
  std::uint64_t most_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t used_ = 0;
  std::string_view less_;
  std::string_view key_;
};

} // namespace mneme
