#pragma once
/// What all arms of one base share: the base, opened once, the actors that read it, and the threads
/// of all.

#include <memory>

#include "actors/engine_home.hpp"
#include "mneme/engine.hpp"
#include "state/branch/arm_source.hpp"

namespace mneme {

/// Lives while the host has the base or an arm of it. Nothing else holds it, so that it ends in a
/// thread of the host's and not in one that it waits for; what actors may hold longer is `source`.
struct arm_group {
  /// `base` was opened for this; `when_gone` as in arm_source::make().
  static result<std::shared_ptr<arm_group>> make(opened_world base, engine_options options,
                                                 std::function<void()> when_gone);
  explicit arm_group(engine_options its) : options(std::move(its)), home(reader_count(options)) {}
  ~arm_group();
  arm_group(const arm_group&) = delete;
  arm_group& operator=(const arm_group&) = delete;

  engine_options options; ///< of the base
  std::shared_ptr<arm_source> source;
  engine_home home;
  std::shared_ptr<running_engine> readers; ///< over the base; it refuses what would write
};

} // namespace mneme
