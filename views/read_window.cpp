#include "views/read_window.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mneme {

seq_no read_window::first_before(seq_no last) const {
  return {std::max(begin_.load(), last.value - std::min(last.value, retained_seqs_))};
}

result<seq_no> read_window::readable(std::optional<seq_no> at, seq_no last) const {
  if (!at) return last;
  if (*at > last)
    return fail(errc::seq_unavailable,
                fmt::format("seq {} is after the end, which is {}", at->value, last.value),
                "at_seq");
  if (const std::uint64_t begin = begin_; at->value < begin)
    return fail(errc::seq_unavailable,
                fmt::format("seq {} is before seq {}, the first that this world keeps for reads",
                            at->value, begin),
                "at_seq");
  if (*at < first_before(published()))
    return fail(errc::seq_unavailable,
                fmt::format("seq {} is before the retained window of {} entries", at->value,
                            retained_seqs_),
                "at_seq");
  return *at;
}

} // namespace mneme
