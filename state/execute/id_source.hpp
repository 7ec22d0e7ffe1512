#pragma once
/// Draws ids and nonces from the injected random source. Ids are ULIDs of the engine's clock,
/// strictly increasing inside one world even if the clock goes back or the world is reopened.

#include <array>
#include <functional>
#include <memory>
#include <vector>

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

  /// From here on draws may be given back, up to keep(): for a command that may fail on the way.
  void mark();
  void keep() { is_marked_ = false; }
  /// What was drawn since `last` is of nothing that is there.
  void return_to(const memory_id& last) { last_drawn_ = last; }
  /// Undoes what was drawn since mark(), and keeps nothing of it: the next draws are what they
  /// would have been.
  void give_back();

private:
  /// Of every draw, whatever it needs of them.
  using random_bytes = std::array<std::uint8_t, 16>;
  random_bytes draw();

  std::shared_ptr<random_source> random_;
  memory_id last_drawn_;
  bool is_marked_ = false;
  memory_id last_at_mark_;
  std::vector<random_bytes> since_mark_;
  std::vector<random_bytes> given_back_; ///< the next one last
};

} // namespace mneme
