#pragma once
/// Commands to journal entries. Pure over the overlay and the id source: validates, reads points,
/// draws ids and nonces only after everything else has succeeded, and writes nothing. A command is
/// one or more mutations that happen together or not at all.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mneme/proof.hpp"
#include "mneme/requests.hpp"
#include "state/apply/capacity.hpp"
#include "state/execute/id_source.hpp"
#include "state/execute/overlay.hpp"
#include "state/execute/pending_records.hpp"
#include "state/execute/preparation.hpp"
#include "views/asker.hpp"

namespace mneme {

/// What execution needs besides the state.
struct execution_seams {
  const mneme::embedder* embedder = nullptr; ///< null = none
  const token_counter* tokens = nullptr;
  /// Who writes through a scope: what topics it does not open are left alone. Null = nobody.
  const asker* within = nullptr;
  const number_room* room = nullptr; ///< null = enough for everything
  /// Who must see what the items name. Null = nobody.
  const asker* sight = nullptr;
  /// Asked while a long command gathers what it will change. Null = there is time.
  const std::function<result<void>()>* in_time = nullptr;
  /// What commands before this one have made of the batch. Null = there were none.
  pending_records* pending = nullptr;
};

struct executed_command {
  std::vector<entry> entries;           ///< consecutive, from the given first seq; may be empty
  std::vector<mutation_result> results; ///< one per item
  dense_numbers taken;                  ///< by the entries, at most
};

/// Of the entries that one command may bring; beyond, limit_exceeded. With what a group has
/// gathered before it (committer_options::max_bytes) this stays well below a frame's limit.
inline constexpr std::uint64_t max_command_bytes = 512ULL << 20;

/// Likewise; a tick may make as many before its last write.
inline constexpr std::size_t max_command_entries = 32'768;
/// That revise and forget make in one call; there may be more to do.
inline constexpr std::size_t sweep_entries = 16'384;

/// What the vectors of a world are: the first one settles it, of `dim` numbers where the embedder
/// does not say.
vector_space space_of_vectors(vector_space embedder, const vector_space& world, std::uint32_t dim);

/// Executes all items as one command. On error nothing was drawn, the overlay's layer is dropped
/// and `at` starts with "items[i]." when `is_batch`. `ahead`: of each item, or nothing.
result<executed_command> execute(std::span<const mutation> items, bool is_batch, overlay& state,
                                 id_source& ids, const execution_seams& seams, timestamp now,
                                 seq_no current, std::span<const prepared_ahead> ahead = {});

/// Who acts in a mutation; "" = the host.
const std::string& acting_in(const mutation& m);

/// What retrieve adds to the salience of a topic that it returned.
inline constexpr std::int64_t query_bump_e9 = salience_one_e9 / 10;

/// What a query reinforced: a find_late entry (late binding), or a reinforce entry whose strengths
/// come from the newest state.
entry execute_touch(entry_payload payload, overlay& state, id_source& ids, timestamp now,
                    seq_no current);

entry execute_decay(decay_cycle_payload payload, id_source& ids, timestamp now, seq_no current);

entry execute_snapshot(const root_set& roots, std::string reason, const std::string& actor,
                       std::map<std::string, std::uint64_t, std::less<>> counters,
                       const nonce& fresh, timestamp now);

} // namespace mneme
