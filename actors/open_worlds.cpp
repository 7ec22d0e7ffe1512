#include "actors/open_worlds.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// The directory itself, however it is written and whatever it is called by now.
struct directory_place {
  dev_t device{};
  ino_t number{};

  friend bool operator==(const directory_place&, const directory_place&) = default;
};

std::optional<directory_place> place_of(const std::string& directory) {
  struct stat found{};
  if (::stat(directory.c_str(), &found) != 0) return std::nullopt;
  return directory_place{.device = found.st_dev, .number = found.st_ino};
}

} // namespace

struct open_world_entry::listed {
  std::optional<directory_place> place;
  erasing erase;
  std::size_t told = 0; ///< erasures that are under way
};

struct open_world_entry::list {
  std::mutex guard;
  std::condition_variable one_less;
  std::list<listed> worlds;
};

open_world_entry::list& open_world_entry::of_this_process() {
  static list one;
  return one;
}

open_world_entry::open_world_entry(const std::string& directory, erasing erase) {
  ensure(erase != nullptr, "a world that is listed can be told to erase");
  list& here = of_this_process();
  const std::lock_guard hold(here.guard);
  own_ = here.worlds.insert(here.worlds.end(),
                            {.place = place_of(directory), .erase = std::move(erase)});
}

open_world_entry::~open_world_entry() {
  list& here = of_this_process();
  std::unique_lock hold(here.guard);
  here.one_less.wait(hold, [&] { return own_->told == 0; });
  here.worlds.erase(own_);
}

std::optional<result<erase_result>> erase_if_open_here(const std::string& directory,
                                                       const erase_request& request) {
  const auto place = place_of(directory);
  if (!place) return std::nullopt;
  open_world_entry::list& here = open_world_entry::of_this_process();
  std::unique_lock hold(here.guard);
  const auto open = std::ranges::find(here.worlds, place, &open_world_entry::listed::place);
  if (open == here.worlds.end()) return std::nullopt;
  ++open->told;
  hold.unlock(); // who is told may tell others
  result<erase_result> done = open->erase(request);
  hold.lock();
  ensure(open->told > 0, "it was counted");
  --open->told;
  here.one_less.notify_all();
  return done;
}

} // namespace mneme
