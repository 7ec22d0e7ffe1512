#include "actors/open_log.hpp"

#include <algorithm>
#include <chrono>
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

/// Of a follower's wishes those that make no sense.
result<void> check_wishes(const engine_options& options, bool is_on_log) {
  if (options.may_lead && !options.follow)
    return fail(errc::bad_value, "who may take the lead follows until then", "may_lead");
  constexpr std::size_t longest = 200;
  if (options.advertised.size() > longest
      || std::ranges::any_of(options.advertised, [](char c) { return c <= ' ' || c == '\x7f'; }))
    return fail(errc::bad_value, "an address that others are told is a URL, of 200 bytes at most",
                "advertised");
  if (options.follow && !is_on_log)
    return fail(errc::unsupported, "this world is on no log: there is nothing to follow", "follow");
  return {};
}

std::int64_t monotonic_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What the log was founded with.
result<world_file> world_of_log(log_store& log, const world_options& w, bool may_found) {
  auto founding = log.founding();
  if (!founding && founding.error().code == errc::not_found && may_found) {
    auto founded = log.create(encode(w.fresh));
    if (!founded && founded.error().code == errc::outcome_unknown)
      founded.error().message =
          "whether the log was founded is not known, so nothing is made here; try again: "
          + founded.error().message;
    // Somebody else may have done it just now.
    if (!founded && founded.error().code != errc::already_exists) return propagate(founded);
    founding = log.founding();
  }
  if (!founding) return propagate(founding);
  return decode_world_file(*founding);
}

/// Where a world is made from a log: it has what the log was founded with, and not something else
/// that was asked for.
result<void> check_asked(const engine_options& options, const world_file& asked,
                         const world_file& founded) {
  const auto differs = [](std::string_view what, std::string_view is, std::string_view wanted,
                          const char* key) {
    return fail(errc::bad_value,
                fmt::format("the log has a world already, whose {} is {} and not {}; who joins it "
                            "asks for nothing else",
                            what, is, wanted),
                key);
  };
  if (!options.world_name.empty() && asked.name != founded.name)
    return differs("name", founded.name, asked.name, "world");
  if ((options.embedder_spec || options.embedder != nullptr) && asked.embedder != founded.embedder)
    return differs("embedder", founded.embedder, asked.embedder, "embedder");
  if (options.search_spec && asked.search != founded.search)
    return differs("search weights", founded.search, asked.search, "search");
  if (options.language && asked.language != founded.language)
    return differs("language", founded.language, asked.language, "language");
  if (options.seed && asked.id != founded.id)
    return differs("id", to_hex(founded.id), to_hex(asked.id), "seed");
  return {};
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

result<std::optional<log_membership>> place_on_log(world_options& w,
                                                   const engine_options& options) {
  auto address = address_of(w, options);
  if (!address) return propagate(address);
  if (auto ok = check_wishes(options, address->has_value()); !ok) return propagate(ok);
  if (!*address) return std::nullopt;
  if (!options.logs)
    return fail(errc::unsupported, "the world is on a log, and this program knows none: it needs "
                                   "engine_options::logs (mneme/postgres_log.hpp)");
  auto log = options.logs(**address);
  if (!log) return propagate(log);
  const bool may_found =
      options.create && options.log.has_value() && (!options.follow || options.may_lead);
  auto founded = world_of_log(**log, w, may_found);
  if (!founded) return propagate(founded);
  auto is_there = w.files->exists(world_path(w.directory));
  if (!is_there) return propagate(is_there);
  if (!*is_there)
    if (auto ok = check_asked(options, w.fresh, *founded); !ok) return propagate(ok);
  w.fresh = std::move(*founded);
  if (auto ok = check_same_world(w); !ok) return propagate(ok);
  if (options.may_lead || !options.follow)
    if (auto ok = (*log)->may_lead(); !ok) return propagate(ok);
  const std::string holder = holder_with_address(holder_name(), options.advertised);
  const log_role role = options.follow ? log_role::follower : log_role::leader;
  const bool may_lead = options.may_lead || !options.follow;
  auto standing = std::make_shared<log_standing>(monotonic_ms, role, may_lead);
  log_membership member{.logs = options.logs,
                        .address = **address,
                        .holder = holder,
                        .lease = lease,
                        .may_lead = may_lead,
                        .only_leads = !options.follow,
                        .standing = standing};
  auto connect = [logs = options.logs, at = **address] { return logs(at); };
  if (options.follow) {
    w.log = world_log{.address = **address,
                      .follow = std::move(*log),
                      .connect = std::move(connect),
                      .standing = standing};
    return member;
  }
  w.log =
      world_log{.address = **address,
                .lead = [store = std::move(*log), holder]() -> result<std::shared_ptr<log_leader>> {
                  auto leader = log_leader::claim(store, {.holder = holder, .lease = lease});
                  if (!leader) return propagate(leader);
                  return std::shared_ptr<log_leader>(std::move(*leader));
                },
                .keep = [logs = options.logs, at = **address,
                         standing](log_epoch epoch) -> std::shared_ptr<void> {
                  auto own = logs(at);
                  if (!own) return nullptr;
                  return std::make_shared<lease_keeper>(std::move(*own), epoch, lease, standing);
                },
                .connect = std::move(connect),
                .standing = std::move(standing)};
  return member;
}

} // namespace mneme
