#pragma once
/// A KvStore that can be unplugged: from then on every call fails and nothing reaches the disk
/// below, as when the machine of the actors that still hold it has stopped.

#include <memory>

#include "storage/kv_store.hpp"

namespace mneme::sim {

/// Shared by the machine and what it powers.
struct power {
  bool on = true;
};

std::unique_ptr<kv_store> make_powered_store(std::unique_ptr<kv_store> below,
                                             std::shared_ptr<const power> supply);

} // namespace mneme::sim
