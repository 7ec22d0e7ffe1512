#include "tools/command/console.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include "messages/text/utf8_point.hpp"
#include "tools/protocol/error_text.hpp"

namespace mneme::command {

namespace {

/// What a person can do about it; empty where the message says it all.
std::string hint(const error& e, std::string_view directory, bool can_read_beside) {
  const std::string dir(directory.empty() ? "DIR" : directory);
  switch (e.code) {
  case errc::unbounded:
    return "say how much you want: --limit N or --budget N";
  case errc::too_broad:
    return "narrow it down: --type, --tag, --near or --from";
  case errc::busy:
    if (e.message.find("process") == std::string::npos) return "try again";
    return can_read_beside ? "close the other process, or read beside it with --read-only"
                           : "close the other process first";
  case errc::io:
    return can_read_beside ? "to read what is there, try --read-only" : "";
  case errc::corrupt:
    // The message says what of the log it is; the directory is not damaged by it.
    if (e.message.starts_with("the log")) return "the damage is in the log's database";
    if (e.message.contains("join anew") || e.message.contains("open it again")) return {};
    return fmt::format("see what is damaged with: mneme verify {}", dir);
  case errc::format_unsupported:
    if (e.message.find("another world") != std::string::npos) return "put back what was there";
    if (e.message.contains("schema 'mneme'")) return {}; // another's, and the message says it all
    return "it was written by another version of mneme; use that one";
  case errc::no_embedder:
    return "this world has no embedder: give near_vector, or see: mneme help embedder";
  case errc::unknown_op:
    return "see: mneme help ops";
  case errc::bad_field:
  case errc::field_unknown:
    return "see: mneme help where";
  case errc::disk_full:
    return "make room and try again; nothing that was acknowledged is lost";
  case errc::outcome_unknown:
    return fmt::format("open the world again; then look with: mneme root {}", dir);
  default:
    return {};
  }
}

/// What is not seen itself, and turns, hides or ends what stands around it: formats (but those
/// that join letters and emoji, and the soft hyphen), the second set of controls, and separators of
/// lines and paragraphs.
bool is_unseen_control(std::int32_t c) {
  constexpr std::int32_t soft_hyphen = 0xAD;
  constexpr std::int32_t non_joiner = 0x200C;
  constexpr std::int32_t joiner = 0x200D;
  if (c < 0x80 || c == soft_hyphen || c == non_joiner || c == joiner) return false;
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return true;
  default:
    return false;
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
  case errc::disk_full:
  case errc::behind:
    return status::store;
  default:
    return status::bad_input;
  }
}

bool is_terminal(std::FILE* stream) {
  return ::isatty(::fileno(stream)) == 1;
}

bool has_colour(std::FILE* stream) {
  const char* off = std::getenv("NO_COLOR"); // NOLINT(concurrency-mt-unsafe): nobody sets it
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
  while (!text.empty()) {
    const utf8_point p = first_point(text);
    if ((p.value >= 0 && p.value < 0x20) || p.value == 0x7F)
      clean.push_back(' ');
    else if (is_unseen_control(p.value))
      clean += fmt::format("\\u{{{:04X}}}", p.value);
    else
      clean += text.substr(0, p.bytes);
    text.remove_prefix(p.bytes);
  }
  return clean;
}

void print_error(const error& e, std::string_view directory, bool can_read_beside) {
  const bool colour = has_colour(stderr);
  const std::string place = e.at.empty() ? "" : " at " + protocol::error_text(e.at);
  tell("{}mneme:{} {} ({}{})\n", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "",
       printable(protocol::error_text(e.message)), to_string(e.code), printable(place));
  if (const auto next = hint(e, directory, can_read_beside); !next.empty())
    tell("       {}\n", printable(next));
}

void prepare_streams() {
  std::signal(SIGPIPE, SIG_IGN); // writing says EPIPE instead
  std::signal(SIGXFSZ, SIG_IGN); // and EFBIG
  // Ascending, so that each gets its own number. Input is empty; output that is only readable
  // fails like a closed one.
  constexpr int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", modes[fd]) != fd)
      std::_Exit(static_cast<int>(status::store));
}

namespace {

/// errno of the first write that failed; stdio forgets it.
int lost_output = 0;

bool noted(bool written) {
  if (!written && lost_output == 0) lost_output = errno;
  return written;
}

} // namespace

void tell_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool put(std::string_view text) {
  return noted(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

bool put_line(std::string_view line) {
  return put(line) && put("\n");
}

bool flush_output() {
  return noted(std::fflush(stdout) == 0);
}

bool finish_output() {
  if (flush_output() && lost_output == 0 && std::ferror(stdout) == 0) return true;
  print_error({errc::io,
               fmt::format("the output was not written whole: {}",
                           lost_output != 0 ? std::generic_category().message(lost_output)
                                            : "a write failed"),
               {}});
  return false;
}

} // namespace mneme::command
