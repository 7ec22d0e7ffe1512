#pragma once
/// Lines of a stream with a bound on their length: an endless line costs no memory.

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace mneme::protocol {

class line_reader {
public:
  /// Borrows the stream.
  explicit line_reader(std::FILE* in, std::size_t max_bytes);

  enum class outcome { line, too_long, end };
  /// The next line without its end. A line that is too long is skipped whole. A last line without
  /// an end counts.
  outcome next(std::string& line);
  /// True while a whole line is at hand without reading.
  [[nodiscard]] bool has_buffered_line() const;
  /// Bytes consumed so far.
  [[nodiscard]] std::size_t position() const { return consumed_; }
  /// The stream ended in an error rather than at its end.
  [[nodiscard]] bool failed() const { return failed_; }

private:
  bool fill();

  std::FILE* in_;
  std::size_t max_bytes_;
  std::vector<char> buffer_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::size_t consumed_ = 0;
  bool failed_ = false;
};

} // namespace mneme::protocol
