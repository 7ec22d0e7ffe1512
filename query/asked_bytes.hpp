#pragma once
/// What a request that reads holds while it waits, about: what bounds of a host's messages count.

#include <cstdint>
#include <vector>

#include "mneme/selection.hpp"
#include "mneme/tick.hpp"

namespace mneme {

std::uint64_t asked_bytes(const find_request& r);
std::uint64_t asked_bytes(const context_request& r);
std::uint64_t asked_bytes(const select_request& r);
std::uint64_t asked_bytes(const retrieve_request& r);
std::uint64_t asked_bytes(const chroma_request& r);
std::uint64_t asked_bytes(const search_request& r);
/// Who asks for a record, and by what right.
std::uint64_t asked_bytes(const read_options& o);
/// Of one read of a tick.
std::uint64_t asked_bytes(const tick_read& r);

template <class Request>
std::uint64_t asked_bytes(const std::vector<Request>& requests) {
  std::uint64_t bytes = 0;
  for (const Request& r : requests) bytes += asked_bytes(r);
  return bytes;
}

} // namespace mneme
