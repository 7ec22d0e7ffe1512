#pragma once
/// From engine_options to an opened world and the options of its actors.

#include <memory>

#include "actors/spawn.hpp"
#include "state/open_world.hpp"

namespace mneme {

struct opened_engine {
  std::unique_ptr<world> state;
  actor_options actors;
  engine_options options; ///< as they were opened by
};

/// How many readers the options ask for.
std::size_t reader_count(const engine_options& options);

/// The options with a directory that is the same from wherever the process works later.
engine_options from_anywhere(engine_options options);
/// Opens (or creates) what the options name. A read-only engine replays the journal into memory:
/// it takes no lock and runs beside a writer.
result<opened_engine> open_engine(engine_options options);
/// As engine::check_made_with().
result<void> check_made_with(const engine_options& options);

/// A world on the disk, opened to be read and no more, and how.
struct opened_world {
  std::unique_ptr<world> state;
  world_options options;
};
/// The world in `options.directory`, or in that directory of `memory`.
result<opened_world> open_fixed_world(const engine_options& options,
                                      std::shared_ptr<file_system> memory = {});
/// What an engine of these options does with `w`.
actor_options actor_options_of(const engine_options& options, const world& w);

} // namespace mneme
