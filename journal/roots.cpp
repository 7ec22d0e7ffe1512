#include "journal/roots.hpp"

#include "journal/hash_rules.hpp"
#include "messages/hash.hpp"

namespace mneme {

digest overall_root_of(const world_id& world, seq_no seq, const digest& journal_root,
                       const state_root_array& state_roots) {
  thread_local sha256 hasher;
  hasher.update(std::uint8_t{0x02}).update("mneme/1").update(world.raw()).update_u64be(seq.value);
  hasher.update(journal_root.raw()).update_u16be(state_namespace_count);
  for (std::size_t i = 0; i < state_namespace_count; ++i) {
    const std::string_view name = to_string(static_cast<state_namespace>(i));
    hasher.update(static_cast<std::uint8_t>(name.size())).update(name);
    hasher.update(state_roots[i].raw());
  }
  return hasher.finish();
}

root_set empty_roots(const world_id& world) {
  root_set roots{.seq = {},
                 .world = world,
                 .journal_root = empty_log_root(),
                 .state_roots = {},
                 .overall = {}};
  roots.overall = overall_root_of(world, roots.seq, roots.journal_root, roots.state_roots);
  return roots;
}

} // namespace mneme
