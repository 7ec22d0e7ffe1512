#pragma once
/// Many writes in a row, as fast as the engine takes them: engine::load().

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "mneme/requests.hpp"
#include "mneme/scope.hpp"

namespace mneme {

/// The next write; nullopt: there are no more. Asked in the thread that loads, while what it gave
/// before is committed. It throws nothing.
using load_source = std::function<std::optional<mutation>()>;

struct load_options {
  /// Written together, all or none; 1 to 10,000. A batch is closed sooner where its items are
  /// large.
  std::size_t batch_items = 256;
  /// After each batch what its items were answered, in order, in the thread that loads. The batch
  /// can be read, but only the end of the load makes it durable. It may ask the engine, but not
  /// close it, and throws nothing.
  std::function<void(std::span<const mutation_result>)> written{};
  std::shared_ptr<const mneme::scope> scope{}; ///< as of engine::write_batch()
};

struct load_result {
  std::uint64_t items = 0;
  seq_no seq; ///< of the last entry, or where the world stood if there was nothing to write
};

} // namespace mneme
