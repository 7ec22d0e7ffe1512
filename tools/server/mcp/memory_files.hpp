#pragma once
/// Files and directories as memories: a file is a Note that says its text, each edit a version; its
/// path is in its metadata, so that it keeps its history under another one. A directory is a Note
/// too, since it may be empty. Each actor has files of its own.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/server/access/door.hpp"

namespace mneme::server {

struct memory_file {
  std::string uri;
  std::int64_t version = 0;
  std::string path; ///< resolved; "" is the root
  bool is_directory = false;
  std::string text;
  json metadata;
};

class memory_files {
public:
  memory_files(door& to, const client& who) : to_(to), who_(who) {}

  /// What stands at a resolved path; an error where a file stands on the way.
  [[nodiscard]] result<std::optional<memory_file>> at(const std::string& path) const;
  /// What stands in these directories.
  [[nodiscard]] result<std::vector<memory_file>> in(const std::vector<std::string>& parents) const;
  /// All below a directory, however deep.
  [[nodiscard]] result<std::vector<memory_file>> below(const std::string& path) const;

  /// Requests that make the directories that lead to a path, as far as they are not there.
  [[nodiscard]] result<json> parents_of(const std::string& path) const;
  [[nodiscard]] static json write_file(const std::string& path, const std::string& text);
  [[nodiscard]] static json edit_file(const memory_file& file, const std::string& text);
  [[nodiscard]] static json move(const memory_file& file, const std::string& path);
  [[nodiscard]] static json remove(const memory_file& file);
  /// All or none.
  [[nodiscard]] result<void> run(json items) const;

private:
  [[nodiscard]] result<std::vector<memory_file>> find(json where) const;

  door& to_;
  const client& who_;
};

} // namespace mneme::server
