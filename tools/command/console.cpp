#include "tools/command/console.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace mneme::command {

namespace {

/// What a person can do about it; empty where the message says it all.
std::string hint(const error& e, std::string_view directory) {
  const std::string dir(directory.empty() ? "DIR" : directory);
  switch (e.code) {
  case errc::unbounded:
    return "say how much you want: --limit N or --budget N";
  case errc::too_broad:
    return "narrow it down: --type, --tag, --near or --from";
  case errc::busy:
    return e.message.find("process") == std::string::npos
               ? "try again"
               : "close the other process, or read beside it with --read-only";
  case errc::corrupt:
    return fmt::format("see what is damaged with: mneme verify {}", dir);
  case errc::format_unsupported:
    return "it was written by another version of mneme; use that one";
  case errc::no_embedder:
    return "this world has no embedder: give near_vector, or see: mneme help embedder";
  case errc::unknown_op:
    return "see: mneme help ops";
  case errc::bad_field:
  case errc::field_unknown:
    return "see: mneme help where";
  case errc::outcome_unknown:
    return fmt::format("open the world again; then look with: mneme root {}", dir);
  default:
    return {};
  }
}

} // namespace

status status_of(errc code) noexcept {
  switch (code) {
  case errc::busy:
  case errc::corrupt:
  case errc::format_unsupported:
  case errc::read_only:
  case errc::io:
  case errc::outcome_unknown:
  case errc::shutdown:
    return status::store;
  default:
    return status::bad_input;
  }
}

bool is_terminal(std::FILE* stream) {
  return ::isatty(::fileno(stream)) == 1;
}

bool has_colour(std::FILE* stream) {
  const char* off = std::getenv("NO_COLOR");
  return is_terminal(stream) && (off == nullptr || *off == '\0');
}

std::size_t terminal_width() {
  winsize size{};
  if (!is_terminal(stdout) || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return no_width;
  return size.ws_col;
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    clean.push_back(byte < 0x20 || byte == 0x7F ? ' ' : c);
  }
  return clean;
}

void print_error(const error& e, std::string_view directory) {
  const bool colour = has_colour(stderr);
  const std::string place = e.at.empty() ? "" : " at " + e.at;
  fmt::print(stderr, "{}mneme:{} {} ({}{})\n", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "",
             printable(e.message), to_string(e.code), printable(place));
  if (const auto next = hint(e, directory); !next.empty())
    fmt::print(stderr, "       {}\n", printable(next));
}

bool put(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

bool put_line(std::string_view line) {
  return put(line) && put("\n");
}

} // namespace mneme::command
