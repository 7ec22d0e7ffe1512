#pragma once
/// A fork that goes when nobody needs it any more.

#include <functional>
#include <memory>
#include <string>

#include "mneme/branch.hpp"
#include "storage/file.hpp"

namespace mneme {

struct temporary_fork {
  std::string directory;
  std::optional<seq_no> checkpoint; ///< that it begins with
  /// Removes it, and the note of it. Nobody has it open.
  std::function<void()> remove;
};

/// Of the world in `from` as of `at`, beside it unless `into` says where. On the machine's disk.
result<temporary_fork> fork_for_a_while(const std::string& from, const std::string& into,
                                        seq_no at);
/// The same in another file system.
result<temporary_fork> fork_for_a_while(const std::shared_ptr<file_system>& files,
                                        const std::string& from, seq_no at);

} // namespace mneme
