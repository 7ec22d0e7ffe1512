#pragma once
/// A directory that joins a log from what another copy of it has.

#include <string>

#include "journal/log/log_store.hpp"
#include "mneme/branch.hpp"
#include "storage/file.hpp"

namespace mneme {

/// As join_world(), of a log that is connected to.
result<branch_report> join_files(file_system& files, const std::string& from,
                                 const std::string& into, const std::string& address,
                                 log_store& log);

} // namespace mneme
