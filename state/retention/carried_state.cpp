#include "state/retention/carried_state.hpp"

#include "messages/ensure.hpp"

namespace mneme {

void carry_into(attributes& owner, node_table& nodes, const trim_payload& trim) {
  ensure(trim.before.value > 1, "a trim drops something before its point");
  const seq_no at{trim.before.value - 1};
  for (const carried_use& c : trim.used) owner.set_activation(nodes.intern(c.id), at, c.used);
  for (const carried_signals& c : trim.coloured) {
    const node_no node = nodes.intern(c.id);
    // Its colour may have been erased since.
    if (owner.colours().mode_of(node)) owner.colours().set_signals(node, at, c.signals);
  }
}

} // namespace mneme
