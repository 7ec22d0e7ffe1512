#pragma once
/// The signals of coloured memories by node and seq.

#include "index/columns/seq_chain.hpp"
#include "mneme/types.hpp"

namespace mneme {

template <>
struct chain_words<colour_signals> {
  static constexpr std::size_t count = 4;
  static constexpr std::uint64_t ascended_flag = 1;
  static constexpr std::uint64_t rotten_flag = 2;
  static constexpr std::uint64_t decayed_flag = 4; ///< last_decay_at has a value

  static std::array<std::uint64_t, count> pack(const colour_signals& s) {
    const std::uint64_t flags = (s.ascended ? ascended_flag : 0) | (s.rotten ? rotten_flag : 0)
                                | (s.last_decay_at ? decayed_flag : 0);
    return {static_cast<std::uint64_t>(s.strength_e9),
            static_cast<std::uint64_t>(s.last_accessed.ns),
            static_cast<std::uint64_t>(s.last_decay_at ? s.last_decay_at->ns : 0), flags};
  }
  static colour_signals unpack(const std::array<std::uint64_t, count>& w) {
    colour_signals s;
    s.strength_e9 = static_cast<std::int64_t>(w[0]);
    s.last_accessed.ns = static_cast<std::int64_t>(w[1]);
    if ((w[3] & decayed_flag) != 0) s.last_decay_at = timestamp{static_cast<std::int64_t>(w[2])};
    s.ascended = (w[3] & ascended_flag) != 0;
    s.rotten = (w[3] & rotten_flag) != 0;
    return s;
  }
};

using signal_chain = seq_chain<colour_signals>;
using signal_record = chain_record<colour_signals>;

} // namespace mneme
