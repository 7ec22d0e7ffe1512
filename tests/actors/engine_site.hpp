#pragma once
/// What tests of whole engines share.

#include <catch2/catch.hpp>

#include "mneme/caf.hpp"
#include "mneme/engine.hpp"

namespace mneme::testing {

/// The configuration of a host that has an actor system of its own.
struct host_config : caf::actor_system_config {
  host_config() { configure(*this); }
  explicit host_config(std::size_t threads) : host_config() {
    set("scheduler.max-threads", threads);
  }
};

inline engine opened(engine_options o) {
  auto e = engine::open(std::move(o));
  if (!e) FAIL(e.error().message);
  return std::move(*e);
}

inline memory_id id_of(std::uint8_t n) {
  memory_id id;
  id.bytes[15] = n;
  return id;
}

} // namespace mneme::testing
