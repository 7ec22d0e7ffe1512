#pragma once
/// A backup that has to be made whole anew is made in a directory beside the one before, which it
/// then changes places with. Whatever of that stands beside it says so by a file of its own,
/// BESIDE, which names the directory that it is beside of: nothing else is ever removed there.

#include <string>

#include "mneme/error.hpp"
#include "storage/file.hpp"

namespace mneme {

/// Where one for `to` is made: nothing, or empty directories, but for an attempt that was broken
/// off.
std::string beside(const std::string& to);
/// That what is in `directory` is for `to`, or was there before; durable.
result<void> mark_beside(file_system& files, const std::string& directory, const std::string& to);
result<void> unmark_beside(file_system& files, const std::string& directory);
/// Removes what an attempt left beside `to`: a part of a backup, a whole one that did not take its
/// place, or the one before. It may have what was erased since, so that io says that something of
/// it is left; busy while somebody is at it.
result<void> remove_beside(file_system& files, const std::string& to);

} // namespace mneme
