#include "state/checkpoint/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace mneme {

result<void> run_side_by_side(std::span<const std::function<result<void>()>> works) {
  std::vector<std::optional<result<void>>> done(works.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < works.size(); i = next++) done[i] = works[i]();
  };
  const std::size_t wanted =
      std::min<std::size_t>(works.size(), std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> helpers; // joined at the end of this block
    try {
      while (helpers.size() + 1 < wanted) helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // No thread is to be had: those that are there do it.
    }
    work();
  }
  for (const auto& outcome : done)
    if (!*outcome) return *outcome;
  return {};
}

} // namespace mneme
