#pragma once
/// What the git importer reads of a repository. The only place that knows libgit2.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/ids.hpp"

namespace mneme::importing {

struct git_commit_record {
  std::string hash;
  std::vector<std::string> parents; ///< also those that a shallow clone does not have
  timestamp at;                     ///< committer time
  std::string author_name;
  std::string author_email;
  std::string message;                    ///< UTF-8, trimmed
  std::vector<std::string> changed_paths; ///< against the first parent; the first 200
  std::uint64_t changed_count = 0;
  bool changes_known = true; ///< false where the parent is not in a shallow clone
};

enum class git_file_state : std::uint8_t { text, binary, too_large, link, submodule };

/// What reports call files that are left out; empty of text.
std::string_view left_out_name(git_file_state state) noexcept;

struct git_file_record {
  std::string path;
  std::string blob_hash; ///< empty for a file of the working tree, and for what is no file
  std::uint64_t size = 0;
  git_file_state state{};
  std::string content; ///< of text
};

inline constexpr std::size_t max_changed_paths = 200;

class git_source {
public:
  static result<git_source> open(const std::string& path);
  ~git_source();
  git_source(git_source&&) noexcept;
  git_source& operator=(git_source&&) noexcept;

  [[nodiscard]] bool has_commits() const;
  [[nodiscard]] bool is_bare() const;
  [[nodiscard]] bool is_on_github() const;       ///< a remote is at github.com
  [[nodiscard]] const std::string& name() const; ///< of the repository, for people
  /// Tells repositories apart: the url of the remote `origin`, else the path.
  [[nodiscard]] const std::string& identity() const;

  /// The commits that HEAD reaches, oldest first (time, then hash).
  result<void> for_each_commit(
      const std::function<result<void>(const git_commit_record&, std::uint64_t total)>& visit);
  /// The files of HEAD's tree, or of the working tree where there is no commit (what .gitignore
  /// names is passed over). Symbolic links and submodules are named, without content.
  result<void> for_each_file(
      const std::function<result<void>(const git_file_record&, std::uint64_t total)>& visit);
  /// Committer time of HEAD; nullopt without commits.
  [[nodiscard]] std::optional<timestamp> head_time() const;
  [[nodiscard]] std::string head_hash() const;     ///< empty without commits
  [[nodiscard]] const std::string& branch() const; ///< empty where HEAD is on none

private:
  struct impl;
  explicit git_source(std::unique_ptr<impl> opened);
  std::unique_ptr<impl> impl_;
};

} // namespace mneme::importing
