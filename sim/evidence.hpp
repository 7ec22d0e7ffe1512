#pragma once
/// Everything the oracles know: the model, the roots it should have, what was asked, and what the
/// engine has promised so far.

#include <expected>
#include <map>
#include <memory>

#include "sim/check.hpp"
#include "sim/machine.hpp"
#include "sim/model.hpp"
#include "sim/operation.hpp"
#include "sim/root_history.hpp"

namespace mneme::sim {

/// What a request that has entered the journal must answer.
struct entered_write {
  seq_no first; ///< its entries
  seq_no last;
  batch_result results;                                       ///< of mutations
  std::vector<std::expected<tick_write_answer, errc>> writes; ///< of a tick, attest or compact
  decay_result decay;
  bool is_lost = false; ///< by a crash that was allowed to lose it
};

struct evidence {
  evidence(const engine_setup& how, model_seams seams, std::shared_ptr<virtual_clock> time)
      : setup(how),
        world(seeded_world_id("simulated", how.seed)),
        truth(std::move(seams)),
        roots(world),
        clock(std::move(time)) {}

  engine_setup setup;
  world_id world;
  model truth;
  root_history roots;
  std::shared_ptr<virtual_clock> clock;
  std::map<std::uint64_t, operation> operations;   ///< by number
  std::map<std::uint64_t, entered_write> entered;  ///< by operation
  std::map<seq_no, entry_payload> touches;         ///< entries that no reply has claimed yet
  std::map<memory_id, std::uint64_t> late_touches; ///< answered, to be journaled with others'
  std::map<seq_no, std::uint64_t> snapshots;       ///< operation by seq of its entry
  std::map<seq_no, std::uint64_t> violations;      ///< of scopes: operation by seq of its entry
  std::optional<erase_request> erasing;            ///< asked for, alone, and not followed yet
  std::optional<trim_payload> trimming; ///< likewise, but beside all else; without its nonce
  std::map<seq_no, trim_payload> trims; ///< by their entries
  seq_no begins;                        ///< reads of before are refused for certain,
  seq_no may_begin;                     ///< and those of before that perhaps: a trim goes on
  seq_no acknowledged;                  ///< the last seq that a reply has named
  seq_no durable; ///< the last seq that a reply has promised to survive a crash
  bool has_crashed = false;
  bool disk_is_full = false;
  std::uint64_t last_issued_when_full = 0; ///< operation that may have found no room
  bool disk_is_failing = false;            ///< answers of failed and unknown writes are in order
};

} // namespace mneme::sim
