#pragma once
/// A branch of a world in place of the world.

#include <string>

#include "mneme/branch.hpp"
#include "storage/file.hpp"

namespace mneme {

/// As rewind_world().
result<rewind_report> rewind_files(file_system& files, const std::string& directory, seq_no to,
                                   const rewind_options& options);

} // namespace mneme
