#pragma once
/// A file system in memory that loses what was not synced, for tests and the simulator.
///
/// Each file keeps its durable bytes and the writes made since the last sync; each directory keeps
/// its durable entries and the creations, renames and removals made since. A crash decides by seed,
/// for every such change on its own, whether it reached the disk; a write may reach it in part, in
/// units of 512 bytes (the sector). Directories themselves are durable at once. Thread-safe.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "storage/file.hpp"

namespace mneme {

/// Which operations an injected fault counts.
enum class io_operation : std::uint8_t {
  any, ///< every kind below
  open,
  read,
  write,
  sync, ///< of a file
  truncate,
  directory, ///< rename, remove, link, exchange, sync_directory
};

/// What a crash does to the changes that were not synced.
enum class crash_mode : std::uint8_t {
  random, ///< each change is kept, lost, or torn, by the seed
  drop,   ///< all are lost: the worst that a correct disk may do
  keep,   ///< all are kept, as after a killed process
};

/// The whole disk at one moment, un-synced changes included. A value: copies are cheap and
/// independent of the file system that it was taken from.
class disk_image {
public:
  struct content;
  explicit disk_image(std::shared_ptr<const content> from) : content_(std::move(from)) {}
  [[nodiscard]] const content& get() const { return *content_; }

private:
  std::shared_ptr<const content> content_;
};

class memory_file_system final : public file_system {
public:
  memory_file_system();
  explicit memory_file_system(const disk_image& image);
  ~memory_file_system() override;

  result<std::unique_ptr<file>> open(const std::string& path, open_mode mode) override;
  result<bool> exists(const std::string& path) override;
  result<std::vector<std::string>> list(const std::string& dir) override;
  result<void> create_directories(const std::string& dir) override;
  result<void> rename(const std::string& from, const std::string& to) override;
  result<void> remove(const std::string& path) override;
  result<void> link(const std::string& from, const std::string& to) override;
  result<std::uint64_t> names_of(const std::string& path) override;
  result<void> exchange(const std::string& one, const std::string& other) override;
  result<void> sync_directory(const std::string& dir) override;
  result<std::unique_ptr<directory_lock>> lock(const std::string& dir) override;

  /// The machine stops and comes back: open files fail with io from now on, locks are free, and
  /// what is left is durable. The same disk and seed give the same outcome.
  void crash(std::uint64_t seed, crash_mode mode = crash_mode::random);
  [[nodiscard]] disk_image image() const;

  /// The `nth` (1 = the next) operation of that kind fails with io; with `from_then_on` so does
  /// every later one. A failed write has written its first half. After a failed sync the changes
  /// it should have made durable never will be, whatever later syncs answer. Replaces an earlier
  /// fault.
  void fail_nth(io_operation kind, std::uint64_t nth, bool from_then_on = false);
  void clear_faults();
  /// Operations of that kind so far, failed ones included.
  [[nodiscard]] std::uint64_t operations(io_operation kind) const;

  /// The disk has room for so many bytes of files and no more; nullopt: for all. A write beyond
  /// fails with disk_full and has written what fits.
  void limit_bytes(std::optional<std::uint64_t> most);
  /// Of all files, as they are seen.
  [[nodiscard]] std::uint64_t used_bytes() const;
  std::optional<std::uint64_t> free_bytes(const std::string& dir) override;

  /// Plants a bug: syncs answer well and make nothing durable.
  void lie_about_sync(bool lie);

  /// The bytes of a file as a reader would see them, or as they are on the disk; nullopt if there
  /// is no such file. Counts as no operation.
  [[nodiscard]] std::optional<std::string> testing_bytes(const std::string& path) const;
  [[nodiscard]] std::optional<std::string> testing_durable_bytes(const std::string& path) const;
  /// Replaces a file's bytes, visible and durable (bit rot, misdirected writes).
  void testing_set_bytes(const std::string& path, std::string bytes);

private:
  struct state;
  class memory_file;
  class memory_lock;
  std::shared_ptr<state> state_;
};

} // namespace mneme
