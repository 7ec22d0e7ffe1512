#pragma once
/// The LOG file of a directory whose journal is the copy of a log: the log's address, one line.

#include <optional>
#include <string>

#include "storage/file.hpp"

namespace mneme {

std::string log_file_path(const std::string& directory);

/// Nothing: the journal is in the directory alone.
result<std::optional<std::string>> read_log_file(file_system& files, const std::string& directory);
result<void> write_log_file(file_system& files, const std::string& directory,
                            const std::string& address);

/// unsupported if the directory is the copy of a log: `what` changes a journal in a way that a log
/// does not take.
result<void> check_on_no_log(file_system& files, const std::string& directory,
                             std::string_view what);

} // namespace mneme
