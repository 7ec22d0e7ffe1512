#pragma once
/// A bar on standard error, on a terminal only: how far, counts, rate.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace mneme::command {

class progress_bar {
public:
  explicit progress_bar(std::string_view what);
  ~progress_bar(); ///< clears the line
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// Draws at most ten times a second. `items` is what the rate counts; total 0 = unknown.
  void show(std::uint64_t done, std::uint64_t total, std::uint64_t items,
            std::string_view item_name);

private:
  using clock = std::chrono::steady_clock;

  std::string what_;
  bool enabled_;
  bool drawn_ = false;
  clock::time_point started_ = clock::now();
  clock::time_point last_ = started_;
};

} // namespace mneme::command
