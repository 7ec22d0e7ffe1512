#pragma once
/// How a fuzz target says that a property does not hold.

#include <cstdio>
#include <cstdlib>

namespace mneme::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "property: %s\n", what);
  std::abort();
}

} // namespace mneme::fuzz
