#pragma once
/// A directory that goes with what is in it, however the process ends.

#include <string>

namespace mneme::command {

class scratch_directory {
public:
  /// In `parent`, or where temporary files are. Forks a process that removes it when this one is
  /// done or gone; so it is made before this process has threads.
  explicit scratch_directory(const std::string& parent);
  ~scratch_directory(); ///< returns when it is removed
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  /// Empty if none could be made.
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
  int held_ = -1; ///< the remover waits for its end
  int remover_ = -1;
};

} // namespace mneme::command
