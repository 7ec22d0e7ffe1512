#pragma once
/// What answers and their parts hold, about.

#include <cstdint>
#include <vector>

#include "mneme/changes.hpp"
#include "mneme/chroma.hpp"
#include "mneme/search.hpp"
#include "mneme/tick.hpp"
#include "mneme/topics.hpp"

namespace mneme {

std::uint64_t answer_bytes(const memory& m);
std::uint64_t answer_bytes(const change& c);
std::uint64_t answer_bytes(const past_version& v);
std::uint64_t answer_bytes(const edge_record& e);
std::uint64_t answer_bytes(const topic_field_view& f);
std::uint64_t answer_bytes(const topic_event& e);
std::uint64_t answer_bytes(const topic_bundle& b);
std::uint64_t answer_bytes(const search_hit& h);
std::uint64_t answer_bytes(const chroma_row& r);
std::uint64_t answer_bytes(const memory_reading& r);
std::uint64_t answer_bytes(const context_item& i);

template <class Part>
std::uint64_t answer_bytes(const std::vector<Part>& parts) {
  std::uint64_t bytes = 0;
  for (const Part& p : parts) bytes += answer_bytes(p);
  return bytes;
}

std::uint64_t answer_bytes(const find_result& r);
std::uint64_t answer_bytes(const search_result& r);
std::uint64_t answer_bytes(const retrieve_result& r);
std::uint64_t answer_bytes(const chroma_result& r);
std::uint64_t answer_bytes(const context_result& r);

} // namespace mneme
