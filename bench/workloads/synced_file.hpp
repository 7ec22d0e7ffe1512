#pragma once
/// The floor of a durable write: its bytes, written and synced, with nothing around them.

#include <cstddef>
#include <cstdint>
#include <string>

#include "mneme/error.hpp"

namespace mneme::workloads {

/// A file with zeros written ahead, as a journal has, so that a sync moves no metadata.
class synced_file {
public:
  explicit synced_file(const std::string& path);
  ~synced_file();
  synced_file(const synced_file&) = delete;
  synced_file& operator=(const synced_file&) = delete;

  /// Makes room for so many bytes more, outside of what is measured.
  result<void> write_ahead(std::size_t bytes);
  /// Not durable yet.
  result<void> write(std::size_t bytes);
  /// Durable when it returns.
  result<void> append(std::size_t bytes);

private:
  int descriptor_;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
};

} // namespace mneme::workloads
