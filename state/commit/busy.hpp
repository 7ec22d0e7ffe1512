#pragma once
/// What a request is told that meets too many before it.

#include <cstdint>
#include <string>

#include "mneme/error.hpp"

namespace mneme {

inline error busy_with_requests(std::uint64_t most) {
  return {errc::busy,
          std::to_string(most) + " requests are waiting; retry when some have been answered",
          {}};
}
inline error busy_with_bytes(std::uint64_t waiting) {
  return {errc::busy,
          "requests of " + std::to_string(waiting)
              + " bytes are waiting; retry when some have been answered",
          {}};
}

} // namespace mneme
