#pragma once
/// Topics of an imported repository: one of its own, and one per folder at its top.

#include <map>
#include <set>
#include <string>

#include "tools/import/git_source.hpp"
#include "tools/import/import_topics.hpp"

namespace mneme::importing {

/// Counts what an import visits: files first, then commits, oldest first.
class repository_topics {
public:
  void count(const git_file_record& file);
  void count(const git_commit_record& commit);

  /// Also of folders that an earlier import found and that are not there now: they have no files.
  result<void> put(engine& target, import_sink& sink, import_report& report, const git_source& git,
                   const std::string& actor);

private:
  struct folder {
    std::int64_t files = 0;
    std::int64_t commits = 0;
    std::set<std::string> kinds; ///< endings of names, and folders inside
    std::string last_commit;
    std::optional<timestamp> changed;
  };

  [[nodiscard]] topic_source of_repository(const git_source& git, const std::string& actor) const;
  [[nodiscard]] static topic_source of_folder(const git_source& git, const std::string& actor,
                                              const std::string& name, const folder& f);

  std::map<std::string, folder> folders_; ///< by name; files at the top are in none
  std::set<std::string> authors_;
  std::string readme_; ///< its first paragraph
  std::int64_t files_ = 0;
  std::int64_t commits_ = 0;
  std::optional<timestamp> first_commit_;
  std::optional<timestamp> last_commit_;
};

/// What colours them: the repository, then author and folders, or ending and folders.
colour_source colour_of(const git_commit_record& commit, const git_source& git);
colour_source colour_of(const git_file_record& file, const git_source& git, timestamp at);

} // namespace mneme::importing
