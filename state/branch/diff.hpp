#pragma once
/// What two branches of a world have differently, from their files.

#include "mneme/diff.hpp"
#include "storage/file.hpp"

namespace mneme {

/// A side, and the file system that its directory is in.
struct diff_place {
  file_system& files;
  const diff_side& side;
};
/// As diff_worlds().
result<diff_report> diff_files(const diff_place& a, const diff_place& b,
                               const diff_options& options,
                               const std::function<bool(const difference&)>& visit);
/// The same of one file system.
result<diff_report> diff_files(file_system& files, const diff_side& a, const diff_side& b,
                               const diff_options& options,
                               const std::function<bool(const difference&)>& visit);

} // namespace mneme
