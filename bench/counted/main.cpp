// Runs each key operation under valgrind's callgrind and has it write the instructions of each
// down. Without valgrind it runs them all the same, and counts nothing. scripts/check-speed calls
// it.

#include <cstdio>

#include <valgrind/callgrind.h>

#include "bench/counted/operations.hpp"

using namespace mneme::counted;

namespace {

/// Calls before the counted ones: tables that grow once have grown, and what is kept is there.
constexpr std::size_t warm_up_calls = 20;
constexpr std::size_t counted_calls = 20;

void count(const operation& o) {
  for (std::size_t i = 0; i < warm_up_calls + counted_calls; ++i) {
    if (o.prepare) o.prepare(i);
    const bool is_counted = i >= warm_up_calls;
    if (is_counted) CALLGRIND_START_INSTRUMENTATION;
    o.run(i);
    if (is_counted) CALLGRIND_STOP_INSTRUMENTATION;
  }
  CALLGRIND_DUMP_STATS_AT(o.name.c_str());
  std::printf("%s %zu\n", o.name.c_str(), counted_calls);
}

} // namespace

int main() {
  counted_worlds worlds;
  for (const operation& o : operations_of(worlds)) count(o);
}
