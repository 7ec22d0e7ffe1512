#pragma once
/// What a ledger holds, and its image.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "journal/merkle_log.hpp"
#include "journal/state_tree.hpp"
#include "journal/undo_list.hpp"

namespace mneme {

struct ledger_state {
  merkle_log log;
  std::vector<state_tree> trees; ///< one per namespace
  undo_list undo;
  root_set roots;                      ///< of the rest
  std::shared_ptr<const void> image{}; ///< that `undo` may have parts of
};

/// Recomputes `state.roots` after a change.
void refresh_roots(ledger_state& state);

/// A state as it was, to be read by any thread.
struct frozen_ledger_state {
  std::string log;
  std::vector<frozen_tree> trees;
  undo_list undo;
  root_set roots;
  std::shared_ptr<const void> image; ///< that `undo` may have parts of
};
frozen_ledger_state freeze(const ledger_state& state);

/// Canonical array [format, world id, log, [tree…], overall root, [undo…]].
std::string encode_image(const frozen_ledger_state& state);
/// Fills `fresh` (empty trees over their sources, the world id in its roots). corrupt for a
/// malformed image or one of another world, format_unsupported for a newer one. The image stays
/// where it is for the life of `fresh`.
result<void> decode_image(std::string_view image, ledger_state& fresh);

} // namespace mneme
