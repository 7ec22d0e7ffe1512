#pragma once
/// OverallRoot and what it binds.

#include "mneme/proof.hpp"

namespace mneme {

/// SHA-256(0x02 ‖ "mneme/1" ‖ world id ‖ u64be seq ‖ journal_root ‖ u16be(3) ‖ for each namespace
/// ascending: u8 len ‖ name ‖ state_root).
digest overall_root_of(const world_id& world, seq_no seq, const digest& journal_root,
                       const state_root_array& state_roots);

root_set empty_roots(const world_id& world);

} // namespace mneme
