#pragma once
/// Turns of those who read a world and then change it by what they read: one at a time, of all
/// threads of all programs that have the world.

#include <mutex>
#include <string>

#include "mneme/error.hpp"

namespace mneme::server {

class world_turns {
public:
  /// `directory` is the world's; empty: it is in memory, and of this process alone.
  explicit world_turns(std::string directory) : directory_(std::move(directory)) {}

  /// It is over at the end of the object, or of its process.
  class turn {
  public:
    turn(std::unique_lock<std::timed_mutex> here, int folder)
        : here_(std::move(here)), folder_(folder) {}
    turn(turn&& other) noexcept;
    turn& operator=(turn&&) = delete;
    ~turn();

  private:
    std::unique_lock<std::timed_mutex> here_;
    int folder_; ///< locked until it is closed; -1: none
  };

  /// busy where another one does not end.
  result<turn> take();

private:
  std::string directory_;
  std::timed_mutex here_;
};

} // namespace mneme::server
