#pragma once
/// What a mutation has to do to a state: the rules of writing, written down a second time over the
/// naive model.

#include <optional>
#include <string>

#include "messages/entry.hpp"
#include "mneme/requests.hpp"
#include "sim/model.hpp"

namespace mneme::sim {

/// What the engine draws at random. The model cannot know it: it is read off the entry, and checked
/// to be fresh elsewhere.
struct drawn_values {
  memory_id id;
  nonce head_nonce{};
  nonce version_nonce{};
  nonce edge_nonce{};
};
drawn_values drawn_in(const entry_payload& payload);

/// What one mutation does.
struct write_outcome {
  std::optional<errc> refused;          ///< nothing else is set then
  std::optional<entry_payload> payload; ///< absent: it changes nothing
  entry_kind kind{};
  std::string created_by;
  std::optional<state_leaf> leaf;
  std::optional<memory_uri> uri; ///< that the reply names
};

/// Outcome of `m` on the model's last state, executed at `now`. Precondition: the request itself is
/// well-formed, so that only the state may refuse it.
write_outcome outcome_of(const model& state, const mutation& m, timestamp now,
                         const drawn_values& drawn);

} // namespace mneme::sim
