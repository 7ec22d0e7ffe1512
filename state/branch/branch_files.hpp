#pragma once
/// The files that a world made of another one begins with: what of the other's they are, and what
/// is their own. They are planned first, then shared, copied or streamed.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal_cut.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_file.hpp"

namespace mneme {

struct branch_file {
  std::string name;               ///< within the new world's directory
  std::string from;               ///< a file of the other one; empty: all of it is `tail`
  std::uint64_t bytes = 0;        ///< that it begins with
  std::string tail{};             ///< and its own behind them
  bool is_fixed = false;          ///< all of a file that nobody writes any more: both may have it
  std::shared_ptr<file> source{}; ///< `from`, where that may go away

  [[nodiscard]] std::uint64_t size() const { return bytes + tail.size(); }
};

/// The segments up to a cut. The last of them is not shared, so that what the new world appends is
/// its own.
result<std::vector<branch_file>> plan_journal(file_system& files, const std::string& from,
                                              const journal_cut& cut, const world_file& info);

/// The newest checkpoint that is not behind `cut`, which a running world may replace meanwhile: an
/// image that does not come along, or of another checkpoint, is made anew at the next open.
struct planned_images {
  checkpoint_file checkpoint;
  std::vector<branch_file> images;
};
result<std::optional<planned_images>> plan_images(file_system& files, const std::string& from,
                                                  seq_no cut);
/// CHECKPOINT beside them. Where there are no files of the store, who first needs them makes them
/// as of the checkpoint; those that are there must be looked at.
std::string checkpoint_beside(const planned_images& images, bool has_store);

/// The store's files, of a world that is not open. They are never shared, for they are written to.
result<std::vector<branch_file>> plan_store(file_system& files, const std::string& from);

/// All bytes of it, in parts.
result<void> for_each_part(file_system& files, const branch_file& part,
                           const std::function<result<void>(std::string_view)>& take);
/// Makes `path` of it, in place of what is there; durable but for its name.
result<void> copy_to(file_system& files, const branch_file& from, const std::string& path);
/// The same in another file system.
result<void> copy_to(file_system& files, const branch_file& from, file_system& to_files,
                     const std::string& path);

} // namespace mneme
