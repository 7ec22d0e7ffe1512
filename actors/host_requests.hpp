#pragma once
/// What the engine actor does with each message of a host. Commands go to the committer
/// (host_writes.cpp), questions to the coordinator (host_queries.cpp), single reads to a reader
/// (host_reads.cpp): nothing is waited for and nothing is read in the engine actor's own context.

#include "actors/engine_life.hpp"
#include "actors/in_flight.hpp"
#include "actors/sure_reply.hpp"
#include "query/records/similar_topics.hpp"

namespace mneme {

template <class T>
using host_promise = caf::typed_response_promise<T>;

/// Copied into every handler of the engine actor, which owns them all.
class host_requests {
public:
  host_requests(internal_engine_actor::pointer self, std::shared_ptr<running_engine> engine,
                std::shared_ptr<engine_life> life)
      : self_(self),
        engine_(std::move(engine)),
        life_(std::move(life)),
        reads_(engine_->options.commits.max_queued, engine_->options.commits.max_queued_bytes),
        writes_(engine_->options.commits.max_queued, engine_->options.commits.max_queued_bytes) {}

  // host_writes.cpp
  host_promise<mutation_result> apply(const apply_message& m) const;
  host_promise<batch_result> batch(const batch_message& m) const;
  host_promise<mutation_result> promote(const promote_message& m) const;
  host_promise<decay_result> decay(const decay_message& m) const;
  host_promise<erase_result> erase(const erase_message& m) const;
  host_promise<attest_result> attest(const attest_message& m) const;
  host_promise<compact_reply> compact(const compact_message& m) const;
  host_promise<tick_reply> tick(const tick_message& m) const;
  host_promise<snapshot_result> snapshot(const snapshot_message& m) const;
  host_promise<checkpoint_reply> checkpoint(const checkpoint_message& m) const;
  host_promise<closed_reply> close() const;

  // host_queries.cpp
  host_promise<find_reply> find(const find_message& m) const;
  host_promise<find_many_reply> find_many(const find_many_message& m) const;
  host_promise<search_reply> search(const search_message& m) const;
  host_promise<search_many_reply> search_many(const search_many_message& m) const;
  host_promise<select_reply> select(const select_message& m) const;
  host_promise<chroma_reply> chroma(const chroma_message& m) const;
  host_promise<chroma_many_reply> chroma_many(const chroma_many_message& m) const;
  host_promise<retrieve_reply> retrieve(const retrieve_message& m) const;
  host_promise<retrieve_many_reply> retrieve_many(const retrieve_many_message& m) const;
  host_promise<context_reply> context(const context_message& m) const;

  // host_reads.cpp
  host_promise<memory_reply> get(const get_message& m) const;
  host_promise<memory_reply> resolve(const resolve_message& m) const;
  host_promise<edges_reply> edges(const edges_message& m) const;
  host_promise<stale_reply> stale_of(const stale_message& m) const;
  host_promise<list_reply> list(const list_message& m) const;
  host_promise<history_reply> history(const history_message& m) const;
  host_promise<changes_reply> changes(const changes_message& m) const;
  host_promise<fields_reply> fields(const fields_message& m) const;
  host_promise<events_reply> events(const events_message& m) const;
  host_promise<compact_reply> load_compact(const load_compact_message& m) const;
  host_promise<root_set> root(const root_message& m) const;
  host_promise<proof_reply> prove(const prove_message& m) const;

private:
  /// A callback that may be called from any actor, and is called with shutdown if nobody does.
  /// `deliver` runs in the engine actor's own context, which owns the promises to hosts.
  template <class T, class Deliver>
  std::function<void(result<T>)> back_here(Deliver deliver) const {
    life_->promised();
    return sure_reply<T>(
        [life = life_, owner = internal_engine_actor(self_), deliver](result<T> r) {
          caf::anon_send(owner, run_closure{[life, deliver, r = std::move(r)]() mutable {
                           deliver(std::move(r));
                           life->kept();
                         }});
        });
  }
  /// Keeps the promise with what was answered.
  template <class T>
  std::function<void(result<T>)> keeping(host_promise<T> pending) const {
    return back_here<T>([pending](result<T> r) mutable {
      if (r)
        pending.deliver(std::move(*r));
      else
        pending.deliver(to_caf_error(r.error()));
    });
  }
  /// Keeps the promise with the answer shared.
  template <class T>
  std::function<void(result<T>)> sharing(host_promise<std::shared_ptr<const T>> pending) const {
    return back_here<T>([pending](result<T> r) mutable {
      if (r)
        pending.deliver(std::make_shared<const T>(std::move(*r)));
      else
        pending.deliver(to_caf_error(r.error()));
    });
  }
  /// A place for a message that reads and holds so much, unless there is none or the engine was
  /// closed.
  [[nodiscard]] result<in_flight::place_pointer> enter(std::uint64_t bytes) const {
    if (!life_->is_open()) return std::unexpected(was_closed);
    return reads_.enter(bytes);
  }
  /// The place is free when the answer is on its way.
  template <class T>
  static std::function<void(result<T>)> leaving(in_flight::place_pointer place,
                                                std::function<void(result<T>)> reply) {
    return [place = std::move(place), reply = std::move(reply)](result<T> r) {
      place->leave();
      reply(std::move(r));
    };
  }
  /// One question; many of them, with one reply when all are answered.
  template <class Run>
  host_promise<std::shared_ptr<const typename Run::answer_type>>
  one(const typename Run::request_type& request) const;
  template <class Run, class Reply>
  host_promise<Reply> many(const std::vector<typename Run::request_type>& requests) const;
  /// A single read, by a reader.
  template <class T, class Read>
  host_promise<std::shared_ptr<const T>> read(const read_options& asked,
                                              std::optional<std::int64_t> deadline_ms,
                                              std::string target, Read read) const;
  void write(caf::actor_id from, std::vector<mutation> items, bool is_batch, durability d,
             std::shared_ptr<const scope> within, std::optional<std::int64_t> deadline_ms,
             std::optional<std::string> in_sight_of,
             std::function<void(result<batch_result>)> reply) const;
  /// A reply that a reader first adds to what ingests answer.
  std::function<void(result<batch_result>)>
  with_similar_topics(std::vector<asked_similar> similar,
                      std::function<void(result<batch_result>)> reply) const;
  /// Who asked; 0 = nobody in particular.
  template <class T>
  static caf::actor_id sender_of(host_promise<T> pending) {
    const caf::response_promise& promise = pending;
    return promise.source() == nullptr ? 0 : promise.source()->id();
  }
  /// Refused if the engine was closed, or too much is under way.
  void commit(caf::actor_id from, commit_command command) const;
  /// Unless the deadline is none that can be.
  template <class Command>
  void commit_by(caf::actor_id from, Command command,
                 std::optional<std::int64_t> deadline_ms) const;
  /// What a single read answered, shared with the host; going outside its scope is journaled.
  template <class T>
  void keep(host_promise<std::shared_ptr<const T>> pending, result<T> r, const read_options& asked,
            const std::string& target) const {
    if (r) {
      pending.deliver(std::make_shared<const T>(std::move(*r)));
    } else {
      note_violation(r.error(), asked, target);
      pending.deliver(to_caf_error(r.error()));
    }
  }
  void note_violation(const error& e, const read_options& asked, const std::string& target) const;

  internal_engine_actor::pointer self_;
  std::shared_ptr<running_engine> engine_;
  std::shared_ptr<engine_life> life_;
  in_flight reads_;  ///< messages, and their bytes
  in_flight writes_; ///< commands, and their bytes
};

} // namespace mneme
