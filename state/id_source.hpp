#pragma once
/// Draws ids and nonces from the injected random source. Ids are ULIDs of the engine's clock,
/// strictly increasing inside one world even if the clock goes back or the world is reopened.

#include <functional>
#include <memory>

#include "mneme/seams.hpp"

namespace mneme {

class id_source {
public:
  id_source(std::shared_ptr<random_source> random, memory_id last_drawn)
      : random_(std::move(random)), last_drawn_(last_drawn) {}

  /// max(ULID of (now, 80 fresh random bits), last drawn + 1), or the next one that nobody has.
  memory_id draw_id(timestamp now, const std::function<bool(const memory_id&)>& is_taken);
  mneme::nonce draw_nonce();
  [[nodiscard]] const memory_id& last_drawn() const { return last_drawn_; }

private:
  std::shared_ptr<random_source> random_;
  memory_id last_drawn_;
};

} // namespace mneme
