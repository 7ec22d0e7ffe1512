#pragma once
/// The File seam: every byte that mneme itself writes to disk goes through it (WiredTiger has its
/// own files). Implementations: posix_file_system, memory_file_system (tests and the simulator).

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mneme/error.hpp"

namespace mneme {

/// One open file. Not thread-safe, but several handles of one path may be open. It may be closed
/// after its file system is gone.
class file {
public:
  virtual ~file() = default;
  /// Reads exactly `size` bytes at `offset`; fewer at the end of the file.
  virtual result<std::string> read_at(std::uint64_t offset, std::size_t size) = 0;
  /// The same into memory that the caller has, for who reads small parts here and there; how many
  /// bytes there were. Of a file open for reading, and safe from any thread, beside itself and
  /// beside writers of other handles. Nobody may make the file shorter than what is read.
  virtual result<std::size_t> read_into(std::uint64_t offset, std::span<char> to) = 0;
  /// Hints that these bytes are read_into() next; from any thread.
  virtual void expect(std::uint64_t, std::size_t) {}
  /// Nothing is appended any more: from now on the file may be read without a descriptor, where the
  /// system can. From any thread.
  virtual void is_complete() {}
  /// disk_full where there is no room for all of it; a part may be there then.
  virtual result<void> write_at(std::uint64_t offset, std::string_view bytes) = 0;
  /// Makes all written bytes durable (fdatasync). A failure is final, for lack of room too: never
  /// retry and believe.
  virtual result<void> sync() = 0;
  virtual result<std::uint64_t> size() = 0;
  virtual result<void> truncate(std::uint64_t size) = 0;
};

/// Held while a directory is open; released on destruction.
class directory_lock {
public:
  virtual ~directory_lock() = default;
};

enum class open_mode : std::uint8_t {
  read,       ///< not_found if there is none
  read_write, ///< not_found if there is none
  create,     ///< read_write; made if there is none, else its bytes stay
};

/// The content of a file that nobody writes any more. Its bytes may be changed, which nobody else
/// sees. Where the system can, a part costs nothing before it is looked at, and no memory of its
/// own before it is changed.
struct file_content {
  std::span<char> bytes;
  std::shared_ptr<void> holder;   ///< the bytes stay where they are for its life
  std::shared_ptr<file> source{}; ///< for who looks at all of them once; null: they are in memory
  bool is_checked = false;        ///< who shares the file has found its sums right

  [[nodiscard]] std::string_view view() const { return {bytes.data(), bytes.size()}; }
  /// Of bytes that are in memory.
  static file_content of(std::string bytes);
};

/// Thread-safe.
class file_system {
public:
  virtual ~file_system() = default;
  virtual result<std::unique_ptr<file>> open(const std::string& path, open_mode mode) = 0;
  virtual result<bool> exists(const std::string& path) = 0;
  /// The whole content of `path`, which no file is open for writing of; not_found if there is none.
  /// It may be renamed, replaced and removed. Here it is read.
  virtual result<file_content> content(const std::string& path);
  /// File names (no directories) in `dir`, sorted bytewise; empty if there is no such directory.
  virtual result<std::vector<std::string>> list(const std::string& dir) = 0;
  /// Makes `dir` and what is missing above it, durably.
  virtual result<void> create_directories(const std::string& dir) = 0;
  /// Within one directory; replaces `to`.
  virtual result<void> rename(const std::string& from, const std::string& to) = 0;
  virtual result<void> remove(const std::string& path) = 0;
  /// Gives the file `from` the second name `to`, in another directory too: what is written by one
  /// name is read by the other. unsupported where the system cannot, as between two disks;
  /// already_exists.
  virtual result<void> link(const std::string& from, const std::string& to) = 0;
  /// How many names the file has.
  virtual result<std::uint64_t> names_of(const std::string& path) = 0;
  /// Two directories beside each other change their names, durably: after a crash both have, or
  /// neither. unsupported where the system cannot.
  virtual result<void> exchange(const std::string& one, const std::string& other) = 0;
  /// Makes creations, renames and removals in `dir` durable.
  virtual result<void> sync_directory(const std::string& dir) = 0;
  /// How many bytes may still be written below `dir`, as far as the system says; nullopt where it
  /// does not.
  virtual std::optional<std::uint64_t> free_bytes(const std::string&) { return {}; }
  /// busy, at once, with the owner's pid in the message if this or another process holds it.
  virtual result<std::unique_ptr<directory_lock>> lock(const std::string& dir) = 0;
};

/// The machine's file system.
std::shared_ptr<file_system> make_posix_file_system();

/// A file that is written piece by piece, and takes the place of what is at `path` when it is
/// whole: after a crash either the old or the whole new content is there.
class replacing_file {
public:
  static result<replacing_file> begin(file_system& fs, std::string path);
  /// After a failure nothing more is appended; of one for lack of room nothing is left.
  result<void> append(std::string_view bytes);
  /// Once, after the last piece (temporary file, sync, rename, directory sync).
  result<void> finish();

private:
  replacing_file(file_system& fs, std::string path, std::unique_ptr<file> out)
      : fs_(&fs), path_(std::move(path)), out_(std::move(out)) {}
  [[nodiscard]] std::string fresh_path() const { return path_ + ".new"; }
  result<void> unless_full(result<void> done);

  file_system* fs_;
  std::string path_;
  std::unique_ptr<file> out_;
  std::uint64_t size_ = 0;
};

/// Writes `bytes` to `path` so that after a crash either the old or the whole new content is there
/// (temporary file, sync, rename, directory sync).
result<void> replace_file(file_system& fs, const std::string& path, std::string_view bytes);
/// Likewise, of parts that follow each other.
result<void> replace_file(file_system& fs, const std::string& path,
                          std::initializer_list<std::string_view> parts);
/// disk_full, in words, where less than `bytes` are free below `dir`: for who gives them to writers
/// that a full disk breaks.
result<void> check_room(file_system& fs, const std::string& dir, std::uint64_t bytes);
/// The whole content of `path`; not_found if there is none.
result<std::string> read_file(file_system& fs, const std::string& path);

} // namespace mneme
