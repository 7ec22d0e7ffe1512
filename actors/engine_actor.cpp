#include "actors/engine_actor.hpp"

#include <utility>

#include "actors/host_requests.hpp"

namespace mneme {

internal_engine_actor::behavior_type engine_behavior(internal_engine_actor::pointer self,
                                                     std::shared_ptr<running_engine> engine) {
  auto life = std::make_shared<engine_life>(self, engine);
  // Whoever ends the engine without closing it still gets what waits answered.
  self->set_exit_handler([life](const caf::exit_msg&) { life->abandon(); });
  const host_requests h(self, std::move(engine), std::move(life));
  return {
      [h](const apply_message& m) { return h.apply(m); },
      [h](const batch_message& m) { return h.batch(m); },
      [h](const promote_message& m) { return h.promote(m); },
      [h](const find_message& m) { return h.find(m); },
      [h](const find_many_message& m) { return h.find_many(m); },
      [h](const search_message& m) { return h.search(m); },
      [h](const search_many_message& m) { return h.search_many(m); },
      [h](const select_message& m) { return h.select(m); },
      [h](const chroma_message& m) { return h.chroma(m); },
      [h](const chroma_many_message& m) { return h.chroma_many(m); },
      [h](const decay_message& m) { return h.decay(m); },
      [h](const erase_message& m) { return h.erase(m); },
      [h](const get_message& m) { return h.get(m); },
      [h](const resolve_message& m) { return h.resolve(m); },
      [h](const edges_message& m) { return h.edges(m); },
      [h](const stale_message& m) { return h.stale_of(m); },
      [h](const list_message& m) { return h.list(m); },
      [h](const history_message& m) { return h.history(m); },
      [h](const changes_message& m) { return h.changes(m); },
      [h](const context_message& m) { return h.context(m); },
      [h](const attest_message& m) { return h.attest(m); },
      [h](const compact_message& m) { return h.compact(m); },
      [h](const load_compact_message& m) { return h.load_compact(m); },
      [h](const tick_message& m) { return h.tick(m); },
      [h](const retrieve_message& m) { return h.retrieve(m); },
      [h](const retrieve_many_message& m) { return h.retrieve_many(m); },
      [h](const fields_message& m) { return h.fields(m); },
      [h](const events_message& m) { return h.events(m); },
      [h](const root_message& m) { return h.root(m); },
      [h](const prove_message& m) { return h.prove(m); },
      [h](const snapshot_message& m) { return h.snapshot(m); },
      [h](const checkpoint_message& m) { return h.checkpoint(m); },
      [h](const close_message&) { return h.close(); },
      [](const run_closure& m) { m.run(); },
  };
}

result<engine_actor> spawn(caf::actor_system& system, engine_options options) {
  if (!is_configured(system.config()))
    return fail(errc::unsupported,
                "call mneme::configure() on the host's actor_system_config before its "
                "actor_system is made");
  auto engine = start_engine(system, options);
  if (!engine) return propagate(engine);
  return system.spawn(engine_behavior, std::move(*engine));
}

} // namespace mneme
