#pragma once
/// What the command knows of the terminal, and how it reports errors and exit statuses.

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "mneme/error.hpp"

namespace mneme::command {

/// Exit statuses, the same for every command.
enum class status : int {
  done = 0,
  no = 1,        ///< the answer is no: damage found, proof false
  bad_input = 2, ///< bad usage, or a request that was refused
  store = 3,     ///< busy, damaged, of another format, or refused by the system
};
status status_of(errc code) noexcept;

bool is_terminal(std::FILE* stream);
/// A terminal, and the user has not switched colour off (NO_COLOR).
bool has_colour(std::FILE* stream);
/// Columns of the terminal on standard output; no_width where there is none.
inline constexpr std::size_t no_width = static_cast<std::size_t>(-1);
std::size_t terminal_width();

/// `text` without control bytes that could drive a terminal. What could turn or hide the text
/// around it, as marks of direction do, is shown by its number: \u{202E}.
std::string printable(std::string_view text);

/// `mneme: <message> (<code> at <path>)`, and what to do next where that is known.
/// `can_read_beside`: the command has --read-only.
void print_error(const error& e, std::string_view directory = {}, bool can_read_beside = false);

/// Writes to standard error. Where nobody can read that, the exit status says it all.
void tell_text(std::string_view text);
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  tell_text(fmt::format(format, std::forward<Args>(args)...));
}

/// Before anything else: a standard stream that the caller closed must not lend its number to a
/// file of a world, and a reader that goes away must not end the process in the middle of a write.
void prepare_streams();

/// Writes to standard output; false when it is gone.
bool put(std::string_view text);
bool put_line(std::string_view line);
bool flush_output();
/// At the end: flushes standard output. False, and said on standard error, if any of it was lost.
bool finish_output();

} // namespace mneme::command
