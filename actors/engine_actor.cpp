#include "actors/engine_actor.hpp"

#include <utility>

#include "actors/query_vectors_actor.hpp"
#include "actors/sure_reply.hpp"
#include "query/chroma/chroma.hpp"
#include "query/context/compact_record.hpp"
#include "query/context/context.hpp"
#include "query/find/find.hpp"
#include "query/records/edge_reads.hpp"
#include "query/records/point_reads.hpp"
#include "query/records/topic_parts.hpp"
#include "query/records/whole_world.hpp"
#include "query/retrieve/retrieve.hpp"
#include "query/search/search.hpp"
#include "state/inspection/journal_items.hpp"
#include "state/inspection/proofs.hpp"
#include "state/inspection/stats.hpp"
#include "views/scope_check.hpp"

namespace mneme {

namespace {

const auto category = caf::atom("mneme");

std::string render_error(std::uint8_t code, caf::atom_value, const caf::message& context) {
  std::string text(to_string(static_cast<errc>(code)));
  if (context.size() > 0 && context.match_element<std::string>(0))
    text += ": " + context.get_as<std::string>(0);
  return text;
}

} // namespace

void configure(caf::actor_system_config& config) {
  // `stealing`, the default, polls: a hop takes 113 µs instead of 13.
  config.set("scheduler.policy", caf::atom("sharing"));
  config.add_error_category(category, render_error);
}

caf::error to_caf_error(const error& e) {
  return caf::error(static_cast<std::uint8_t>(e.code), category,
                    caf::make_message(e.message, e.at));
}

error to_error(const caf::error& e) {
  if (e.category() != category)
    return {errc::shutdown, "the engine did not answer (" + to_string(e) + ")", {}};
  error out{static_cast<errc>(e.code()), {}, {}};
  const auto& context = e.context();
  if (context.size() > 0 && context.match_element<std::string>(0))
    out.message = context.get_as<std::string>(0);
  if (context.size() > 1 && context.match_element<std::string>(1))
    out.at = context.get_as<std::string>(1);
  return out;
}

void hand_over(const running_engine& engine, commit_command command) {
  caf::anon_send(engine.actors.committer,
                 commit_request{std::make_shared<commit_command>(std::move(command))});
}

void hand_over_tick(const running_engine& engine, std::shared_ptr<const tick_request> request,
                    std::function<void(result<tick_result>)> reply) {
  const engine_actors& actors = engine.actors;
  const bool waits = actors.query_vectors && asks_by_text(*request);
  const caf::actor& first = waits ? actors.query_vectors : actors.coordinator;
  caf::anon_send(
      first, ask_tick{std::make_shared<tick_job>(tick_job{std::move(request), std::move(reply)})});
}

commit_command mutate(std::vector<mutation> items, bool is_batch, durability d,
                      std::function<void(result<batch_result>)> reply,
                      std::shared_ptr<const scope> within) {
  return mutate_command{.items = std::move(items),
                        .is_batch = is_batch,
                        .durability = d,
                        .scope = std::move(within),
                        .reply = std::move(reply)};
}

commit_command inspect_roots(seq_no at, std::function<void(result<root_set>)> reply) {
  return inspect_command{.run = [at, reply](world& w) { reply(roots_at(w, at)); }, .reply = reply};
}

commit_command inspect_proofs(prove_request request,
                              std::function<void(result<proof_bundle>)> reply) {
  return inspect_command{
      .run = [request = std::move(request), reply](world& w) { reply(prove(w, request)); },
      .reply = reply};
}

result<void> end_world(running_engine& engine) {
  result<void> sealed;
  if (!engine.options.commits.read_only)
    sealed = engine.last_barrier ? close_world(*engine.state) : propagate(engine.last_barrier);
  engine.state.reset();
  return sealed;
}

std::shared_ptr<running_engine> start_engine(caf::actor_system& system, opened_engine opened) {
  auto engine = std::make_shared<running_engine>();
  engine->state = std::move(opened.state);
  engine->options = std::move(opened.actors);
  engine->actors = spawn_actors(system, engine->state, engine->options);
  return engine;
}

result<std::shared_ptr<running_engine>> start_engine(caf::actor_system& system,
                                                     const engine_options& options) {
  auto opened = open_engine(options);
  if (!opened) return propagate(opened);
  return start_engine(system, std::move(*opened));
}

namespace {

/// The engine actor stays until it has answered everybody.
void quit_when_idle(internal_engine_actor::pointer self, const running_engine& engine) {
  if (engine.ended && engine.unanswered == 0) self->quit();
}

/// A promise to a host's actor that may be kept from any actor: the closing step is sent back to
/// the engine actor, which owns the promise. Kept with shutdown if nobody can keep it any more.
template <class T>
std::function<void(result<T>)> promise(internal_engine_actor::pointer self,
                                       const std::shared_ptr<running_engine>& engine,
                                       caf::typed_response_promise<T> pending) {
  ++engine->unanswered;
  return sure_reply<T>([=, owner = internal_engine_actor(self)](result<T> r) {
    caf::anon_send(owner, run_closure{[=, r = std::move(r)]() mutable {
                     if (r)
                       pending.deliver(std::move(*r));
                     else
                       pending.deliver(to_caf_error(r.error()));
                     --engine->unanswered;
                     quit_when_idle(self, *engine);
                   }});
  });
}

/// result<T> as what a CAF handler returns.
template <class T, class Wrap>
caf::result<std::invoke_result_t<Wrap, T>> answer(result<T> r, Wrap wrap) {
  if (!r) return to_caf_error(r.error());
  return wrap(std::move(*r));
}

template <class T>
std::shared_ptr<const T> shared(T value) {
  return std::make_shared<const T>(std::move(value));
}

/// The handlers of the engine actor.
class handlers {
public:
  handlers(internal_engine_actor::pointer self, std::shared_ptr<running_engine> engine)
      : self_(self), engine_(std::move(engine)) {}

  auto apply(const apply_message& m) const {
    auto pending = self_->make_response_promise<mutation_result>();
    const auto reply = promise<mutation_result>(self_, engine_, pending);
    commit(mutate(
        {m.request}, false, m.durability,
        [reply](result<batch_result> r) {
          if (r)
            reply(std::move(r->results.front()));
          else
            reply(propagate(r));
        },
        m.scope));
    return pending;
  }
  auto batch(const batch_message& m) const {
    auto pending = self_->make_response_promise<batch_result>();
    commit(mutate(m.items, true, m.durability, promise<batch_result>(self_, engine_, pending),
                  m.scope));
    return pending;
  }
  auto find(const find_message& m) const { return query<find_run>(m.request); }
  auto chroma(const chroma_message& m) const { return query<chroma_run>(m.request); }
  auto chroma_many(const chroma_many_message& m) const {
    return many<chroma_run, chroma_many_reply>(m.requests);
  }
  auto decay(const decay_message& m) const {
    auto pending = self_->make_response_promise<decay_result>();
    commit(decay_command{m.actor, promise<decay_result>(self_, engine_, pending)});
    return pending;
  }
  auto context(const context_message& m) const { return query<context_run>(m.request); }
  auto attest(const attest_message& m) const {
    auto pending = self_->make_response_promise<attest_result>();
    commit(attest_command{m.request, promise<attest_result>(self_, engine_, pending)});
    return pending;
  }
  auto compact(const compact_message& m) const {
    auto pending = self_->make_response_promise<compact_reply>();
    commit(compact_command{m.request, sharing<compact_result>(pending)});
    return pending;
  }
  caf::result<compact_reply> load_compact(const load_compact_message& m) const {
    if (!engine_->state) return to_caf_error(was_closed);
    return answer(read_compact_record(engine_->state->views(), m.request), shared<compact_result>);
  }
  auto tick(const tick_message& m) const {
    auto pending = self_->make_response_promise<tick_reply>();
    auto reply = sharing<tick_result>(pending);
    if (engine_->closed)
      reply(std::unexpected(was_closed));
    else
      hand_over_tick(*engine_, m.request, std::move(reply));
    return pending;
  }
  auto find_many(const find_many_message& m) const {
    return many<find_run, find_many_reply>(m.requests);
  }
  auto search(const search_message& m) const { return query<search_run>(m.request); }
  auto search_many(const search_many_message& m) const {
    return many<search_run, search_many_reply>(m.requests);
  }
  auto retrieve(const retrieve_message& m) const { return query<retrieve_run>(m.request); }
  auto retrieve_many(const retrieve_many_message& m) const {
    return many<retrieve_run, retrieve_many_reply>(m.requests);
  }
  caf::result<fields_reply> fields(const fields_message& m) const {
    if (!engine_->state) return to_caf_error(was_closed);
    return answer(guarded(read_topic_fields(engine_->state->views(), m.topic, m.fields, m.options),
                          m.options, to_string(m.topic)),
                  shared<std::vector<topic_field_view>>);
  }
  caf::result<events_reply> events(const events_message& m) const {
    if (!engine_->state) return to_caf_error(was_closed);
    return answer(guarded(read_topic_events(engine_->state->views(), m.topic, m.options), m.options,
                          to_string(m.topic)),
                  shared<std::vector<topic_event>>);
  }
  caf::result<memory_reply> get(const get_message& m) const {
    if (!engine_->state) return to_caf_error(was_closed);
    return answer(
        guarded(read_current(engine_->state->views(), m.id, m.options), m.options, to_string(m.id)),
        shared<memory>);
  }
  caf::result<memory_reply> resolve(const resolve_message& m) const {
    if (!engine_->state) return to_caf_error(was_closed);
    return answer(guarded(read_version_of(engine_->state->views(), m.uri, m.options), m.options,
                          to_string(m.uri)),
                  shared<memory>);
  }
  caf::result<edges_reply> edges(const edges_message& m) const {
    if (!engine_->state) return to_caf_error(was_closed);
    std::vector<edge_record> found;
    auto read = read_edges(engine_->state->views(), m.id, m.direction, m.filter, m.options,
                           [&](const edge_record& e) {
                             found.push_back(e);
                             return true;
                           });
    read = guarded(std::move(read), m.options, to_string(m.id));
    if (!read) return to_caf_error(read.error());
    return shared(std::move(found));
  }
  auto root(const root_message& m) const {
    auto pending = self_->make_response_promise<root_set>();
    const auto reply = promise<root_set>(self_, engine_, pending);
    if (m.at_seq || !engine_->state)
      commit(inspect_roots(m.at_seq.value_or(seq_no{}), reply));
    else
      reply(engine_->state->published_roots());
    return pending;
  }
  auto prove(const prove_message& m) const {
    auto pending = self_->make_response_promise<proof_reply>();
    const auto reply = promise<proof_reply>(self_, engine_, pending);
    const read_options asked{.actor = {}, .at_seq = {}, .scope = m.request.scope};
    // Back in the engine actor's context, which may journal what went outside a scope.
    commit(inspect_proofs(
        m.request,
        [reply, asked, h = *this, owner = internal_engine_actor(self_)](result<proof_bundle> made) {
          caf::anon_send(owner, run_closure{[=, r = std::move(made)]() mutable {
                           r = h.guarded(std::move(r), asked, "a proof");
                           if (r)
                             reply(shared(std::move(*r)));
                           else
                             reply(propagate(r));
                         }});
        }));
    return pending;
  }
  auto snapshot(const snapshot_message& m) const {
    auto pending = self_->make_response_promise<snapshot_result>();
    commit(snapshot_command{m.reason, m.actor, promise<snapshot_result>(self_, engine_, pending)});
    return pending;
  }
  auto checkpoint(const checkpoint_message&) const {
    auto pending = self_->make_response_promise<checkpoint_reply>();
    const auto reply = promise<checkpoint_reply>(self_, engine_, pending);
    commit(checkpoint_command{[reply](result<seq_no> r) {
      if (r)
        reply(checkpoint_reply{*r});
      else
        reply(propagate(r));
    }});
    return pending;
  }
  auto close(const close_message&) const {
    auto pending = self_->make_response_promise<closed_reply>();
    if (engine_->closed) {
      pending.deliver(to_caf_error(was_closed));
      return pending;
    }
    engine_->closed = true;
    // Everything queued before is committed first. The world is sealed when its actors are gone.
    engine_->when_ended = [pending, engine = engine_.get()]() mutable {
      if (auto sealed = end_world(*engine); sealed)
        pending.deliver(closed_reply{});
      else
        pending.deliver(to_caf_error(sealed.error()));
    };
    auto reached = [self = internal_engine_actor(self_), engine = engine_](result<seq_no> r) {
      caf::anon_send(self, run_closure{[engine, r = std::move(r)] {
                       engine->last_barrier = r;
                       stop_actors(engine->actors);
                     }});
    };
    hand_over(*engine_,
              checkpoint_command{.reply = sure_reply<seq_no>(std::move(reached)), .last = true});
    return pending;
  }

private:
  /// What a single read answered; going outside its scope is journaled.
  template <class T>
  result<T> guarded(result<T> r, const read_options& options, std::string target) const {
    if (!r && r.error().code == errc::scope_violation && options.scope != nullptr)
      commit(touch_command{violation_of(*options.scope, std::move(target)),
                           [](const result<seq_no>&) {}});
    return r;
  }
  void commit(commit_command command) const {
    if (engine_->closed)
      return std::visit([](auto& c) { c.reply(std::unexpected(was_closed)); }, command);
    hand_over(*engine_, std::move(command));
  }
  template <class Run>
  void ask(const typename Run::request_type& request, typename door_job<Run>::reply_type reply,
           std::optional<seq_no> pinned = {}) const {
    if (engine_->closed) return reply(std::unexpected(was_closed));
    auto job = std::make_shared<door_job<Run>>(request, std::move(reply));
    const engine_actors& actors = engine_->actors;
    const bool waits = actors.query_vectors && job->text();
    caf::anon_send(waits ? actors.query_vectors : actors.coordinator,
                   ask_query{std::move(job), pinned});
  }
  /// Keeps the promise with the answer shared.
  template <class T>
  std::function<void(result<T>)>
  sharing(caf::typed_response_promise<std::shared_ptr<const T>> pending) const {
    return [reply = promise<std::shared_ptr<const T>>(self_, engine_, pending)](result<T> r) {
      if (r)
        reply(shared(std::move(*r)));
      else
        reply(propagate(r));
    };
  }
  /// Many queries of a door; one reply when all are answered.
  template <class Run, class Reply>
  caf::typed_response_promise<Reply>
  many(const std::vector<typename Run::request_type>& requests) const {
    using answer_type = typename Run::answer_type;
    using item_type = std::shared_ptr<const answer_type>;
    auto pending = self_->make_response_promise<Reply>();
    struct gathering {
      std::vector<result<item_type>> results;
      std::size_t missing = 0;
    };
    auto all = std::make_shared<gathering>();
    all->missing = requests.size();
    all->results.resize(requests.size());
    if (requests.empty()) {
      pending.deliver(Reply{});
      return pending;
    }
    ++engine_->unanswered;
    // Every query of the message sees one state, whatever is committed meanwhile.
    const seq_no at = engine_->state ? engine_->state->published_seq() : seq_no{};
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto gather = [all, i, pending, self = self_,
                     engine = engine_](result<answer_type> r) mutable {
        all->results[i] = r ? result<item_type>(shared(std::move(*r)))
                            : result<item_type>(std::unexpected(r.error()));
        if (--all->missing > 0) return;
        pending.deliver(Reply{std::move(all->results)});
        --engine->unanswered;
        quit_when_idle(self, *engine);
      };
      // Back in the engine actor's context, which owns `all` and the promise.
      auto send_back = [gather, self = internal_engine_actor(self_)](result<answer_type> r) {
        caf::anon_send(self,
                       run_closure{[gather, r = std::move(r)]() mutable { gather(std::move(r)); }});
      };
      ask<Run>(requests[i], sure_reply<answer_type>(std::move(send_back)), at);
    }
    return pending;
  }
  /// One query of a door; the answer is shared with the asking actor.
  template <class Run>
  caf::typed_response_promise<std::shared_ptr<const typename Run::answer_type>>
  query(const typename Run::request_type& request) const {
    using answer_type = typename Run::answer_type;
    auto pending = self_->make_response_promise<std::shared_ptr<const answer_type>>();
    ask<Run>(request, sharing<answer_type>(pending));
    return pending;
  }

  internal_engine_actor::pointer self_;
  std::shared_ptr<running_engine> engine_;
};

} // namespace

internal_engine_actor::behavior_type engine_behavior(internal_engine_actor::pointer self,
                                                     std::shared_ptr<running_engine> engine) {
  const auto owners = owned_actors(engine->actors);
  for (const auto& owner : owners) self->monitor(owner);
  // The engine ends with its actors; one that dies on its own takes the others along.
  engine->alive = owners.size();
  self->set_down_handler([self, engine](const caf::down_msg&) {
    if (--engine->alive > 0) return engine->closed ? void() : stop_actors(engine->actors);
    engine->actors = {}; // no handle is left in a cycle
    if (engine->when_ended) engine->when_ended();
    engine->closed = engine->ended = true;
    quit_when_idle(self, *engine);
  });
  // Whoever ends the engine without closing it still gets what waits answered.
  self->set_exit_handler([engine](const caf::exit_msg&) {
    if (!engine->closed) stop_actors(engine->actors);
  });
  const handlers h(self, std::move(engine));
  return {
      [h](const apply_message& m) { return h.apply(m); },
      [h](const batch_message& m) { return h.batch(m); },
      [h](const find_message& m) { return h.find(m); },
      [h](const find_many_message& m) { return h.find_many(m); },
      [h](const search_message& m) { return h.search(m); },
      [h](const search_many_message& m) { return h.search_many(m); },
      [h](const chroma_message& m) { return h.chroma(m); },
      [h](const chroma_many_message& m) { return h.chroma_many(m); },
      [h](const decay_message& m) { return h.decay(m); },
      [h](const get_message& m) { return h.get(m); },
      [h](const resolve_message& m) { return h.resolve(m); },
      [h](const edges_message& m) { return h.edges(m); },
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
      [h](const close_message& m) { return h.close(m); },
      [](const run_closure& m) { m.run(); },
  };
}

result<engine_actor> spawn(caf::actor_system& system, engine_options options) {
  auto engine = start_engine(system, options);
  if (!engine) return propagate(engine);
  return system.spawn(engine_behavior, std::move(*engine));
}

} // namespace mneme
