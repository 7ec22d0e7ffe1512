#pragma once
/// The key operations whose instructions are counted.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/counted/counted_world.hpp"
#include "bench/workloads/dataset.hpp"

namespace mneme::counted {

struct operation {
  std::string name;
  /// What is counted; i = 0, 1, 2, … of as many calls as are made.
  std::function<void(std::size_t i)> run;
  /// Before each call, not counted; may be empty.
  std::function<void(std::size_t i)> prepare{};
};

/// Worlds that the operations run on, and the data that they hold: the same on every run.
struct counted_worlds {
  counted_worlds();

  workloads::dataset data;
  counted_world memories;
  counted_world topics;
  counted_world colours;
};

/// In the order in which they must run: those that write come last. They hold on to `worlds`.
std::vector<operation> operations_of(counted_worlds& worlds);

} // namespace mneme::counted
