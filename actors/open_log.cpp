#include "actors/open_log.hpp"

#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "actors/lease_keeper.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/log_file.hpp"
#include "state/checkpoint/world_directory.hpp"

namespace mneme {

namespace {

/// A leader that is gone for so long may be replaced.
constexpr std::chrono::milliseconds lease{2000};

/// Tells one process, and one opening in it, from all others, and people where it is.
std::string holder_name() {
  constexpr std::size_t longest = 256;
  char host[longest] = "";
  if (::gethostname(host, longest - 1) != 0) host[0] = '\0';
  std::array<std::uint8_t, 4> drawn{};
  make_system_random()->fill(drawn);
  return fmt::format("{}:{}:{:02x}{:02x}{:02x}{:02x}", host, ::getpid(), drawn[0], drawn[1],
                     drawn[2], drawn[3]);
}

result<std::optional<std::string>> address_of(const world_options& w,
                                              const engine_options& options) {
  auto kept = read_log_file(*w.files, w.directory);
  if (!kept || !options.log) return kept;
  if (*kept && **kept != *options.log)
    return fail(errc::bad_value,
                w.directory
                    + " is the copy of another log: its file LOG says "
                      "which",
                "log");
  if (!*kept && w.files->exists(world_path(w.directory)).value_or(false))
    return fail(errc::unsupported,
                w.directory
                    + " has a world that is on no log; a world begins on "
                      "one, or never is",
                "log");
  return options.log;
}

/// What the log was founded with.
result<world_file> world_of_log(log_store& log, const world_options& w, bool may_found) {
  auto founding = log.founding();
  if (!founding && founding.error().code == errc::not_found && may_found) {
    auto founded = log.create(encode(w.fresh));
    // Somebody else may have done it just now, or this when its answer was lost.
    if (!founded && founded.error().code != errc::already_exists
        && founded.error().code != errc::outcome_unknown)
      return propagate(founded);
    founding = log.founding();
  }
  if (!founding) return propagate(founding);
  return decode_world_file(*founding);
}

result<void> check_same_world(const world_options& w) {
  auto there = w.files->exists(world_path(w.directory));
  if (!there) return propagate(there);
  if (!*there) return {};
  auto info = read_world_file(*w.files, w.directory);
  if (!info) return propagate(info);
  if (info->id == w.fresh.id && info->branch == w.fresh.branch) return {};
  return fail(errc::bad_value, w.directory + " and the log are of two worlds", "log");
}

} // namespace

result<void> place_on_log(world_options& w, const engine_options& options) {
  auto address = address_of(w, options);
  if (!address) return propagate(address);
  if (!*address) return {};
  if (!options.logs)
    return fail(errc::unsupported, "the world is on a log, and this program knows none: it needs "
                                   "engine_options::logs (mneme/postgres_log.hpp)");
  auto log = options.logs(**address);
  if (!log) return propagate(log);
  auto founded = world_of_log(**log, w, options.create && options.log.has_value());
  if (!founded) return propagate(founded);
  w.fresh = std::move(*founded);
  if (auto ok = check_same_world(w); !ok) return ok;
  w.log = world_log{
      .address = **address,
      .lead = [store = std::move(*log)]() -> result<std::shared_ptr<log_leader>> {
        auto leader = log_leader::claim(store, {.holder = holder_name(), .lease = lease});
        if (!leader) return propagate(leader);
        return std::shared_ptr<log_leader>(std::move(*leader));
      },
      .keep = [logs = options.logs, at = **address](log_epoch epoch) -> std::shared_ptr<void> {
        auto own = logs(at);
        if (!own) return nullptr;
        return std::make_shared<lease_keeper>(std::move(*own), epoch, lease);
      }};
  return {};
}

} // namespace mneme
