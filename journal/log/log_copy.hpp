#pragma once
/// A directory's journal as the copy of a log: what it lacks is fetched.

#include "journal/journal.hpp"
#include "journal/log/log_store.hpp"

namespace mneme {

/// How many frames of the log a copy has that ends with the frame of this hash, whose last entry is
/// `last`. corrupt if the log does not have that frame: it was rolled back, or is another's.
result<std::uint64_t> frames_in_copy(log_store& log, const log_tail& tail, seq_no last,
                                     const digest& last_frame);

/// Whether the log has the frame, and so all before it.
result<bool> has_frame(log_store& log, seq_no last, const digest& frame);

/// Of those that the log has up to `tail`, some behind the first `from`: at least one if there is
/// any.
result<std::vector<log_frame>> frames_behind(log_store& log, const log_tail& tail,
                                             std::uint64_t from);
/// Of the log's frame, which is whole: what a reader of the journal would get. corrupt.
result<journal_frame> open_log_frame(const log_frame& frame);

/// Appends to the journal of `world` in `dir` what the log has behind it, up to `tail`; what a
/// frame erases is erased here before the next one, and so is dropped what it trims. Durable when
/// it returns: the number of frames.
result<std::uint64_t> copy_from_log(log_store& log, const log_tail& tail, journal& to,
                                    file_system& files, const std::string& dir,
                                    const world_id& world);

} // namespace mneme
