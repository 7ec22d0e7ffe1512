#pragma once
/// A remote embedder that several engines share: one that closes ends its own use of it, not that
/// of the others.

#include <memory>

#include "mneme/seams.hpp"

namespace mneme {

/// stop() refuses later calls with shutdown. Those that are under way end as `whole` ends them,
/// which is never told to stop. Null stays null, and what is not remote stays itself.
std::shared_ptr<embedder> lend_embedder(const std::shared_ptr<embedder>& whole);

} // namespace mneme
