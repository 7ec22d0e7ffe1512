#pragma once
/// What kind of run a seed is: how the engine is set up, which operations are frequent, what breaks
/// and how often. Drawn so that runs differ widely: some have no faults at all, some nothing but
/// edges, some a queue of three.

#include <array>
#include <cstdint>

#include "sim/machine.hpp"
#include "sim/random_stream.hpp"

namespace mneme::sim {

/// Kinds of operations that the workload chooses among.
enum class operation_kind : std::uint8_t {
  write,
  update,
  update_head,
  tombstone,
  add_edge,
  remove_edge,
  batch,
  find,
  find_late,
  find_many,
  get,
  resolve,
  edges,
  root,
  prove,
  snapshot,
  checkpoint,
  ingest,
  revise,
  forget,
  unarchive,
  assign_tags,
  retrieve,
  retrieve_many,
  fields,
  events,
  chroma,
  chroma_many,
  decay,
  search,
  search_many,
  context,
  attest,
  compact,
  load_compact,
  tick,
  select,
  set_weights,
  restore,
  stale,
  put,
  list,
};
inline constexpr std::size_t operation_kind_count = 42;

/// Kinds of faults that may strike between two steps.
enum class fault_kind : std::uint8_t {
  kill,             ///< the process ends; what it wrote stays in the machine's cache
  power_loss,       ///< what was not synced is kept, lost or torn, each by itself
  power_loss_worst, ///< all that was not synced is lost
  dying_disk,       ///< from some operation on the disk fails; then the power goes
  failed_operation, ///< one disk operation fails; later the power goes
  full_disk,        ///< there is room for little more; later there is room again
};
inline constexpr std::size_t fault_kind_count = 6;

struct profile {
  engine_setup setup;
  std::array<std::uint64_t, operation_kind_count> weights{}; ///< of operations
  std::array<std::uint64_t, fault_kind_count> faults{};      ///< weights; all zero = none
  std::uint64_t steps_between_faults = 0;                    ///< about
  std::uint64_t deliver_weight = 12; ///< of running a message, against issuing a request (4)
  std::uint64_t relaxed_percent = 0;
  std::uint64_t invalid_percent = 5;
  std::uint64_t scoped_percent = 0;      ///< of requests that come with a scope, where one may be
  std::uint64_t clock_moves_one_in = 40; ///< steps
  bool clock_may_go_back = false;
  std::uint64_t steps_between_erasures = 0; ///< about; 0 = nothing is erased
  std::uint64_t steps_between_trims = 0;    ///< likewise
};

profile draw_profile(std::uint64_t seed);

} // namespace mneme::sim
