#pragma once
/// Activation by node and seq.

#include "index/columns/seq_chain.hpp"
#include "mneme/types.hpp"

namespace mneme {

template <>
struct chain_words<activation> {
  static constexpr std::size_t count = 5;

  static std::array<std::uint64_t, count> pack(const activation& a) {
    return {static_cast<std::uint64_t>(a.last_used.ns), static_cast<std::uint64_t>(a.access_count),
            static_cast<std::uint64_t>(a.citations), a.importance,
            static_cast<std::uint64_t>(a.topic_salience_e9)};
  }
  static activation unpack(const std::array<std::uint64_t, count>& w) {
    return {.last_used = {static_cast<std::int64_t>(w[0])},
            .access_count = static_cast<std::int64_t>(w[1]),
            .citations = static_cast<std::int64_t>(w[2]),
            .importance = static_cast<std::uint8_t>(w[3]),
            .topic_salience_e9 = static_cast<std::int64_t>(w[4])};
  }
};

using activation_chain = seq_chain<activation>;
using activation_record = chain_record<activation>;

} // namespace mneme
