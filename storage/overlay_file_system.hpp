#pragma once
/// A file system whose writes stay in memory, over files of another one that nobody writes any
/// more. What was not written here is read there; what was is this one's alone, and goes with it.
/// Any number of them share one fixed_files, and so one open handle of each file.
///
///     read   own? ──► its bytes        write   a file of below is copied here first
///            gone? ─► not_found        rename, remove   names change here alone
///            else ──► below
///
/// A directory need not be made before a file is made in it.

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "storage/file.hpp"

namespace mneme {

/// Files that nobody writes any more, each opened once. Thread-safe.
class fixed_files {
public:
  explicit fixed_files(std::shared_ptr<file_system> files) : files_(std::move(files)) {}

  /// For read_into() and size() alone: others read it too.
  result<std::shared_ptr<file>> open(const std::string& path);
  [[nodiscard]] file_system& all() const { return *files_; }

private:
  std::shared_ptr<file_system> files_;
  std::mutex guard_;
  std::map<std::string, std::shared_ptr<file>> opened_;
};

class overlay_file_system final : public file_system {
public:
  explicit overlay_file_system(std::shared_ptr<fixed_files> below);
  ~overlay_file_system() override;

  result<std::unique_ptr<file>> open(const std::string& path, open_mode mode) override;
  result<bool> exists(const std::string& path) override;
  /// Of a file below its content there, whose bytes are changed here alone; it counts as checked.
  result<file_content> content(const std::string& path) override;
  result<std::vector<std::string>> list(const std::string& dir) override;
  result<void> create_directories(const std::string& dir) override;
  result<void> rename(const std::string& from, const std::string& to) override;
  result<void> remove(const std::string& path) override;
  result<void> link(const std::string& from, const std::string& to) override;
  /// A file below has one name: what is written here reaches none of the others.
  result<std::uint64_t> names_of(const std::string& path) override;
  /// unsupported
  result<void> exchange(const std::string& one, const std::string& other) override;
  result<void> sync_directory(const std::string& dir) override;
  result<std::unique_ptr<directory_lock>> lock(const std::string& dir) override;

  /// What was written here.
  [[nodiscard]] std::uint64_t own_bytes() const;

private:
  struct node;
  struct state;
  class overlay_file;
  class overlay_lock;
  /// Null: there is no such file.
  result<std::shared_ptr<node>> find(const std::string& path);

  std::shared_ptr<state> state_;
};

} // namespace mneme
