#pragma once
/// Lines of a file descriptor, waiting for which can be broken off from another thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mneme::server {

class line_input {
public:
  enum class outcome : std::uint8_t { line, too_long, end };

  line_input(int descriptor, std::size_t most_bytes);
  ~line_input();
  line_input(const line_input&) = delete;
  line_input& operator=(const line_input&) = delete;

  /// The next line without its end, which the last one may lack. What follows stop() is the end. Of
  /// one that is too long `line` is the beginning, and tail() the end.
  outcome next(std::string& line);
  [[nodiscard]] const std::string& tail() const { return tail_; }
  void stop();

private:
  bool fill(); ///< false at the end
  void keep_ends(std::string_view piece);

  int descriptor_;
  std::size_t most_bytes_;
  int wake_[2] = {-1, -1}; ///< a pipe
  std::string buffer_;
  std::size_t searched_ = 0;
  bool skips_ = false; ///< the rest of a line that was too long
  std::string head_;   ///< of that
  std::string tail_;
  bool is_stopped_ = false;
  bool ended_ = false;
};

} // namespace mneme::server
