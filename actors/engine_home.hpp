#pragma once
/// The actor system of a facade: of one engine, or of all arms of one base.

#include <memory>

#include "actors/running_engine.hpp"

namespace mneme {

struct engine_home {
  struct own_config : caf::actor_system_config {
    explicit own_config(std::size_t readers);
  };
  explicit engine_home(std::size_t readers) : config(readers) {}

  own_config config;
  caf::actor_system system{config};

  std::shared_ptr<running_engine> start(opened_engine opened);
  /// Over a world that may have other holders.
  std::shared_ptr<running_engine> start(std::shared_ptr<world> state, actor_options options);
};

} // namespace mneme
