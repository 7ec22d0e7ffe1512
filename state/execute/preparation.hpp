#pragma once
/// What of a mutation depends on its request alone: whether it is valid, the forms of its content,
/// the vector of its text. Whoever asks does it in its own thread, so that the committer's turn is
/// left for what depends on the state. Execution does whatever was not done ahead, and refuses in
/// the same order: what was found ahead is looked at where it would have been found.

#include <optional>
#include <span>
#include <vector>

#include "mneme/requests.hpp"
#include "mneme/seams.hpp"
#include "mneme/tick.hpp"

namespace mneme {

/// Of one mutation. What is absent is done in its turn.
struct prepared_ahead {
  std::optional<result<void>> validity;
  std::optional<result<mneme::forms>> forms;
  std::optional<result<std::vector<float>>> vector; ///< empty: the text holds nothing to embed
};

/// `is_scoped`: a scope changes who acts, so validity waits for it. `embedder` may be null; forms
/// are left to the turn where `tokens` may not be called by several threads. Thread-safe.
prepared_ahead prepare_ahead(const mutation& m, bool is_scoped, const embedder* embedder,
                             const token_counter& tokens);
/// Of a command's items; none for a command that is refused for their number.
std::vector<prepared_ahead> prepare_ahead(std::span<const mutation> items, bool is_scoped,
                                          const embedder* embedder, const token_counter& tokens);
/// Of a tick's writes, one for each; likewise.
std::vector<prepared_ahead> prepare_ahead(std::span<const tick_write> writes,
                                          const embedder* embedder, const token_counter& tokens);

} // namespace mneme
