#pragma once
/// The worlds on the disk that facades of this process have open to write to, by their directories:
/// an erasure that goes from branch to branch is told to one that is open here. All functions from
/// any thread.

#include <functional>
#include <list>
#include <optional>
#include <string>

#include "mneme/erasure.hpp"
#include "mneme/error.hpp"

namespace mneme {

using erasing = std::function<result<erase_result>(const erase_request&)>;

/// While it lives the world is in the list. Its end waits for erasures that it was told of.
class open_world_entry {
public:
  /// `erase` is called in the threads of others, several at a time.
  open_world_entry(const std::string& directory, erasing erase);
  ~open_world_entry();
  open_world_entry(const open_world_entry&) = delete;
  open_world_entry& operator=(const open_world_entry&) = delete;

private:
  struct listed;
  struct list;
  static list& of_this_process();
  friend std::optional<result<erase_result>> erase_if_open_here(const std::string& directory,
                                                                const erase_request& request);

  std::list<listed>::iterator own_;
};

/// Has the world in `directory` erase; nullopt where it is not open here.
std::optional<result<erase_result>> erase_if_open_here(const std::string& directory,
                                                       const erase_request& request);

} // namespace mneme
