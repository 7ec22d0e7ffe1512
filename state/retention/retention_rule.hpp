#pragma once
/// When a world that keeps not all of its history is trimmed by itself: the journal has 4 MiB or
/// more and has grown by half since that was looked at last, which the note TRIMMED tells, and
/// would become a quarter smaller.

#include <cstdint>
#include <memory>
#include <string>

#include "mneme/retention.hpp"
#include "storage/file.hpp"

namespace mneme {

[[nodiscard]] bool is_worth_a_look(std::uint64_t journal_bytes, std::uint64_t looked_at_bytes);
/// Of what was looked at.
[[nodiscard]] bool is_worth_it(const trim_report& report);

/// How long the journal was when it was looked at last; 0: that is not known.
[[nodiscard]] std::uint64_t looked_at_bytes(file_system& files, const std::string& directory);
/// What cannot be noted is looked at once more.
void note_look(file_system& files, const std::string& directory, std::uint64_t journal_bytes);

/// Without the point that is counted in entries.
[[nodiscard]] trim_options trim_of(const kept_history& kept, std::shared_ptr<clock> time);

} // namespace mneme
