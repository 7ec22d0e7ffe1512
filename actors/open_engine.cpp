#include "actors/open_engine.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fmt/ranges.h>

#include "actors/open_log.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/validate/validate.hpp"
#include "query/chroma/chroma.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/embedding/world_embedder.hpp"
#include "state/recovery/replay.hpp"
#include "state/retention/trim.hpp"
#include "storage/memory_file_system.hpp"

namespace mneme {

namespace {

constexpr std::string_view default_embedder = "hash:384";
/// Where an in-memory world keeps its files in its in-memory file system.
constexpr std::string_view memory_directory = "world";

result<world_file> fresh_world(const engine_options& options, random_source& random) {
  world_file fresh;
  fresh.name = options.world_name;
  if (options.seed)
    fresh.id = seeded_world_id(fresh.name, *options.seed);
  else
    random.fill(fresh.id.bytes);
  fresh.embedder = options.embedder_spec.value_or(std::string(default_embedder));
  if (options.embedder != nullptr) fresh.embedder = "host:" + options.embedder->space().model;
  if (auto known =
          embedder_of(fresh, options.embedder, options.remote_embedders, options.embedder_key);
      !known)
    return propagate(known);
  if (options.search_spec) {
    auto weights = parse_search_weights(*options.search_spec, fresh.embedder);
    if (!weights) return propagate(weights);
    fresh.search = to_string(*weights);
  }
  if (options.language) {
    if (std::ranges::count(text_languages(), *options.language) == 0)
      return fail(errc::bad_value,
                  "\"" + *options.language + "\" is not a language; these are: "
                      + fmt::format("{}", fmt::join(text_languages(), ", ")),
                  "language");
    fresh.language = *options.language;
  }
  return fresh;
}

/// Only where a world is to be made: those that have other names go on being opened.
result<void> check_new_name(const engine_options& options) {
  if (!options.create) return {};
  if (options.directory.empty()) return validate_world_name(options.world_name);
  auto is_there = make_posix_file_system()->exists(world_path(options.directory));
  if (!is_there) return propagate(is_there);
  return *is_there ? result<void>() : validate_world_name(options.world_name);
}

std::int64_t monotonic_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// The random stream of a session: fixed by the seed and the seq at open, so that a reopened world
/// does not draw the same bytes again.
std::shared_ptr<random_source> session_random(const engine_options& options, seq_no at_open) {
  if (options.random != nullptr) return options.random;
  return options.seed ? make_seeded_random(*options.seed, at_open.value) : make_system_random();
}

world_options world_options_of(const engine_options& options) {
  world_options w;
  w.create = options.create;
  w.embedder = options.embedder;
  w.remote_embedders = options.remote_embedders;
  w.embedder_key = options.embedder_key;
  w.tokens = options.tokens != nullptr ? options.tokens : make_default_token_counter();
  w.vectors.background_segments = !options.exact_near;
  w.keys = options.keys;
  w.time = options.clock != nullptr ? options.clock : make_system_clock();
  w.audience = options.audience;
  w.max_answer_bytes = options.max_answer_bytes;
  const bool is_in_memory = options.directory.empty();
  w.retained_seqs = options.retained_seqs.value_or(is_in_memory ? all_seqs_retained
                                                                : world_options{}.retained_seqs);
  w.record_cache_bytes = options.record_cache_bytes;
  w.leaf_cache_bytes = options.leaf_cache_bytes;
  w.row_buffer_bytes = options.row_buffer_bytes;
  return w;
}

void place_in_memory(world_options& w) {
  w.directory = std::string(memory_directory);
  w.files = std::make_shared<memory_file_system>();
  w.store.open = []() -> result<std::unique_ptr<kv_store>> {
    return make_memory_store(make_memory_disk());
  };
}

void place_on_disk(world_options& w, const engine_options& options) {
  w.directory = options.directory;
  w.files = make_posix_file_system();
  w.may_load_late = true;
  w.store = store_in(options.directory, {.cache_bytes = options.cache_bytes, .read_only = false});
}

result<std::unique_ptr<world>> open_beside_writer(const engine_options& options) {
  const auto disk = make_posix_file_system();
  auto info = read_world_file(*disk, options.directory);
  if (!info) return propagate(info);
  world_options w = world_options_of(options);
  place_in_memory(w);
  w.create = true;
  w.fresh = *info;
  auto opened = open_world(w);
  if (!opened) return opened;
  if (auto ok = replay_journal(*disk, options.directory, **opened, {}, {}); !ok)
    return propagate(ok);
  // What the writer's next open would start from; a damaged file says nothing.
  if (auto checkpoint = read_checkpoint(*disk, options.directory); checkpoint && *checkpoint)
    (*opened)->checkpoint_seq = std::min((*checkpoint)->seq, (*opened)->published_seq()).value;
  return opened;
}

/// `member`: how it goes on to follow its log, if it does.
result<std::unique_ptr<world>> open_for_writing(const engine_options& options,
                                                std::optional<log_membership>& member) {
  world_options w = world_options_of(options);
  const auto random = options.random != nullptr ? options.random : make_system_random();
  if (auto ok = check_new_name(options); !ok) return propagate(ok);
  auto fresh = fresh_world(options, *random);
  if (!fresh) return propagate(fresh);
  w.fresh = std::move(*fresh);
  if (options.directory.empty()) {
    place_in_memory(w);
  } else {
    place_on_disk(w, options);
  }
  auto placed = place_on_log(w, options);
  if (!placed) return propagate(placed);
  member = std::move(*placed);
  if (!w.log && !options.directory.empty()) trim_if_worth_it(w, options.retention);
  return open_world(w);
}

} // namespace

result<opened_world> open_fixed_world(const engine_options& options,
                                      std::shared_ptr<file_system> memory) {
  world_options w = world_options_of(options);
  w.create = false;
  if (memory == nullptr) {
    place_on_disk(w, options);
  } else {
    place_in_memory(w);
    w.directory = options.directory;
    w.files = std::move(memory);
  }
  auto opened = open_world(w);
  if (!opened) return propagate(opened);
  return opened_world{std::move(*opened), std::move(w)};
}

std::size_t reader_count(const engine_options& options) {
  constexpr std::size_t readers_max = 1024; // each may hold a session of the store
  const std::size_t wanted =
      options.readers != 0 ? options.readers : std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(wanted, 1, readers_max);
}

actor_options actor_options_of(const engine_options& options, const world& w) {
  actor_options a;
  a.commits = {.mode = options.commit,
               .max_queued = options.max_in_flight,
               .max_queued_bytes = options.max_in_flight_bytes,
               .max_entries = 1024,
               .read_only = options.read_only};
  a.readers = reader_count(options);
  a.checkpoint_journal_bytes = options.checkpoint_journal_bytes;
  a.retention = options.retention;
  a.queries.time = options.clock != nullptr ? options.clock : make_system_clock();
  a.random = session_random(options, w.published_seq());
  a.jitter = options.seed ? make_seeded_random(*options.seed, ~w.published_seq().value)
                          : make_system_random();
  a.queries.exact_near = options.exact_near;
  a.compacts_in_turn = options.exact_near;
  a.loads_late_beside = !options.exact_near;
  a.queries.chroma = options.chroma;
  if (a.queries.chroma.profiles == nullptr)
    a.queries.chroma.profiles = std::make_shared<profile_registry>();
  a.queries.read_only = options.read_only;
  if (w.standing != nullptr) a.queries.follows = w.standing->following();
  // A run that must repeat has no real time in its answers.
  if (!options.exact_near) a.queries.stopwatch = monotonic_ns;
  a.commits.stopwatch = a.queries.stopwatch;
  return a;
}

namespace {

/// What a world was made with stays, and who asks for something else is not left to believe in it.
result<void> check_made_with(const engine_options& options, const world_file& made) {
  const auto differs = [](std::string_view what, const std::string& is, const std::string& asked,
                          std::string_view key) {
    return fail(errc::bad_value,
                fmt::format("this world's {} is {}, not {}: leave it out, or make another world",
                            what, is.empty() ? "empty" : is, asked),
                std::string(key));
  };
  const bool has_other_embedder = options.embedder == nullptr && options.embedder_spec
                                  && *options.embedder_spec != made.embedder;
  if (has_other_embedder && *options.embedder_spec == "none")
    return differs("embedder", made.embedder, *options.embedder_spec, "embedder");
  if (has_other_embedder)
    return fail(
        errc::bad_value,
        fmt::format("this world's embedder is {0}, not {1}: leave it out, or give the world "
                    "that one (mneme reembed DIR --embedder {1})",
                    made.embedder, *options.embedder_spec),
        "embedder");
  if (!options.world_name.empty() && options.world_name != made.name)
    return differs("name", made.name, options.world_name, "world_name");
  if (options.language && *options.language != made.language)
    return differs("language", made.language, *options.language, "language");
  if (!options.search_spec) return {};
  // What is not named has the defaults of the embedder that the world was made with.
  const std::string& first = made.former.empty() ? made.embedder : made.former.front().spec;
  auto asked = parse_search_weights(*options.search_spec, first);
  if (!asked) return propagate(asked);
  auto own = parse_search_weights(made.search, first);
  if (!own) return propagate(own);
  if (to_string(*asked) == to_string(*own)) return {};
  return fail(errc::bad_value,
              fmt::format("this world was made with the search weights \"{}\", not these: leave "
                          "them out, or set others (mneme weights DIR --set NAME=NUMBER)",
                          to_string(*own)),
              "search");
}

} // namespace

result<void> check_made_with(const engine_options& options) {
  if (options.directory.empty()) return {};
  const auto disk = make_posix_file_system();
  auto is_there = disk->exists(world_path(options.directory));
  if (!is_there) return propagate(is_there);
  if (!*is_there) return {};
  auto made = read_world_file(*disk, options.directory);
  if (!made) return propagate(made);
  return check_made_with(options, *made);
}

engine_options from_anywhere(engine_options options) {
  if (options.directory.empty()) return options;
  std::error_code cause;
  const auto whole = std::filesystem::absolute(options.directory, cause);
  if (!cause) options.directory = whole.string();
  return options;
}

result<opened_engine> open_engine(engine_options options) {
  options = from_anywhere(std::move(options));
  if (auto ok = check_defaults(options.chroma); !ok) return propagate(ok);
  if (options.retained_seqs && *options.retained_seqs < least_retained_seqs)
    return fail(errc::out_of_range,
                fmt::format("a world retains {} seqs at least", least_retained_seqs),
                "retained_seqs");
  const bool beside = options.read_only && !options.directory.empty();
  if (beside && (options.follow || options.may_lead))
    return fail(errc::bad_value, "who reads beside a writer follows no log", "follow");
  std::optional<log_membership> member;
  auto w = beside ? open_beside_writer(options) : open_for_writing(options, member);
  if (!w) return propagate(w);
  if (auto ok = check_made_with(options, (*w)->info); !ok) return propagate(ok);
  opened_engine engine;
  engine.actors = actor_options_of(options, **w);
  engine.actors.member = std::move(member);
  engine.state = std::move(*w);
  engine.options = std::move(options);
  return engine;
}

} // namespace mneme
