#include "tools/protocol/line_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace mneme::protocol {

namespace {

constexpr std::size_t buffer_bytes = 1U << 16;

} // namespace

line_reader::line_reader(std::FILE* in, std::size_t max_bytes)
    : in_(in), max_bytes_(max_bytes), buffer_(buffer_bytes) {
}

bool line_reader::fill() {
  // read(), not fread(): what a pipe has at hand must be answered before more comes.
  ssize_t got = 0;
  do {
    got = ::read(::fileno(in_), buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  failed_ = got < 0;
  first_ = 0;
  last_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  return last_ > 0;
}

line_reader::outcome line_reader::next(std::string& line) {
  line.clear();
  bool any = false;
  bool too_long = false;
  for (;;) {
    if (first_ == last_ && !fill()) break;
    any = true;
    const char* begin = buffer_.data() + first_;
    const std::size_t size = last_ - first_;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', size));
    const std::size_t taken = end != nullptr ? static_cast<std::size_t>(end - begin) : size;
    too_long = too_long || line.size() + taken > max_bytes_;
    if (too_long)
      line.clear();
    else
      line.append(begin, taken);
    first_ += taken + (end != nullptr ? 1 : 0);
    consumed_ += taken + (end != nullptr ? 1 : 0);
    if (end != nullptr) break;
  }
  if (!any) return outcome::end;
  return too_long ? outcome::too_long : outcome::line;
}

bool line_reader::has_buffered_line() const {
  return std::memchr(buffer_.data() + first_, '\n', last_ - first_) != nullptr;
}

} // namespace mneme::protocol
