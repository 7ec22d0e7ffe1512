#pragma once
/// Branches of a world: its past up to an entry, from which it goes on in another directory. All of
/// them have one world id, so that their roots can be compared; a branch id tells them apart.
/// docs/BRANCHING.md shows them in use.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mneme/error.hpp"
#include "mneme/ids.hpp"
#include "mneme/seams.hpp"

namespace mneme {

/// Where it ends: `at_seq`, or what was committed at or before the time `at`; absent: the last
/// entry.
struct fork_options {
  std::optional<seq_no> at_seq{};
  std::optional<timestamp> at{};
  std::shared_ptr<random_source> random{}; ///< of the branch id; null = the system's
};

/// What a fork or a backup came to.
struct branch_report {
  seq_no at;                         ///< its last entry
  std::optional<digest> root;        ///< as of that; absent where the journal does not say it yet
  std::string branch;                ///< 32 hex digits
  std::uint64_t shared_segments = 0; ///< files that both have
  std::uint64_t copied_segments = 0;
  std::uint64_t kept_segments = 0;  ///< that an earlier backup had copied
  std::uint64_t copied_bytes = 0;   ///< of the journal
  std::optional<seq_no> checkpoint; ///< its images came along; absent: the first open makes them
  std::string note;                 ///< what is worth saying; most often empty
};

/// Makes of the world in `directory` a branch in `into`, which must hold nothing (but what an
/// earlier fork left that was broken off). The world may be open, here or elsewhere, and is not
/// changed; a file in its `forks/` says where the fork is. Files that never change are shared where
/// the disk lets a file have two names. The branch is there when this returns, and not before.
///
/// bad_value at `at_seq` for an entry in the middle of those that were committed together, with the
/// seqs beside it, and at `at` where both are given; seq_unavailable behind the end;
/// already_exists; busy while `into` is being made. A time costs a look through the journal.
result<branch_report> fork_world(const std::string& directory, const std::string& into,
                                 const fork_options& options = {});

/// Copies the world in `directory` into `into`, as of its last entry: nothing is shared, and the
/// copy is the same branch. The world may be open and written to, here or elsewhere. Where `into`
/// holds an earlier backup of it, what is there already is not copied again, and at every moment
/// there is a whole world in it.
///
/// already_exists if it holds anything else, or a copy that went on by itself; busy if it is open.
result<branch_report> backup_world(const std::string& directory, const std::string& into);

/// Takes the files of a backup in turn.
class backup_stream {
public:
  virtual ~backup_stream() = default;
  /// The next one, by its path within the world's directory; so many bytes of it follow.
  virtual result<void> begin(const std::string& name, std::uint64_t bytes) = 0;
  virtual result<void> write(std::string_view bytes) = 0;
};
/// The same to a stream.
result<branch_report> stream_backup(const std::string& directory, backup_stream& to);

struct rewind_options {
  /// Where the world as it was goes: a name beside it, or a path on the same disk. Empty: named by
  /// its last seq.
  std::string keep_as;
  std::shared_ptr<random_source> random; ///< of the branch id; null = the system's
};
struct rewind_report {
  branch_report branch;
  std::string kept; ///< where the world as it was is now
  seq_no kept_at;   ///< and its last entry
};
/// Puts a branch of the world as of `to` in its place, and keeps the world as it was in another
/// directory beside it. The two change places in one step of the file system: whatever happens, one
/// of them is at `directory` and whole. The world must not be open (busy). unsupported on disks
/// that have no such step: a fork elsewhere does the same there.
result<rewind_report> rewind_world(const std::string& directory, seq_no to,
                                   const rewind_options& options = {});

} // namespace mneme
