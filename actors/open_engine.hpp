#pragma once
/// From engine_options to an opened world and the options of its actors.

#include <memory>

#include "actors/spawn.hpp"

namespace mneme {

struct opened_engine {
  std::unique_ptr<world> state;
  actor_options actors;
};

/// How many readers the options ask for.
std::size_t reader_count(const engine_options& options);

/// Opens (or creates) what the options name. A read-only engine replays the journal into memory:
/// it takes no lock and runs beside a writer.
result<opened_engine> open_engine(const engine_options& options);

} // namespace mneme
