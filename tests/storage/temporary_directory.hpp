#pragma once
/// A directory of its own for one test, removed at the end.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "messages/ensure.hpp"

namespace mneme::testing {

class temporary_directory {
public:
  temporary_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mneme-test-XXXXXX").string();
    ensure(::mkdtemp(pattern.data()) != nullptr, "a temporary directory can be made");
    path_ = pattern;
  }
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace mneme::testing
