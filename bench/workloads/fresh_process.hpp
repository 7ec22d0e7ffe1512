#pragma once
/// Errands in processes of their own: what opening costs with nothing warm but the page cache, and
/// how much memory one thing takes. The forking is done by a child that was made before the run had
/// any thread or world, so that an errand starts from nothing but the data.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "mneme/error.hpp"

namespace mneme::workloads {

/// What an errand came to: numbers, of which it alone knows the meaning.
using errand_answer = result<std::vector<double>>;

class fresh_process {
public:
  /// Precondition: this process has one thread. Errands see what is in memory now.
  explicit fresh_process(std::vector<std::function<errand_answer()>> errands);
  ~fresh_process();
  fresh_process(const fresh_process&) = delete;
  fresh_process& operator=(const fresh_process&) = delete;

  /// Runs one in a new process and waits for it.
  errand_answer run(std::size_t errand);

private:
  int requests_ = -1;
  int answers_ = -1;
  int child_ = -1;
};

/// Bytes of memory that this process has in use.
double resident_bytes();

} // namespace mneme::workloads
