// Reads of single memories, edges, topics and roots: a reader runs each whole.

#include <utility>

#include "actors/change_pages.hpp"
#include "actors/host_requests.hpp"
#include "query/asked_bytes.hpp"
#include "query/changes/changes.hpp"
#include "query/context/compact_record.hpp"
#include "query/deadline.hpp"
#include "query/records/edge_reads.hpp"
#include "query/records/history_reads.hpp"
#include "query/records/list_reads.hpp"
#include "query/records/point_reads.hpp"
#include "query/records/stale_reads.hpp"
#include "query/records/topic_parts.hpp"
#include "query/request_numbers.hpp"
#include "state/inspection/proofs.hpp"
#include "state/recovery/verify.hpp"

namespace mneme {

template <class T, class Read>
host_promise<std::shared_ptr<const T>> host_requests::read(const read_options& asked,
                                                           std::optional<std::int64_t> deadline_ms,
                                                           std::string target, Read read) const {
  auto pending = self_->make_response_promise<std::shared_ptr<const T>>();
  if (auto ok = check_positive(deadline_ms, "deadline_ms"); !ok) {
    pending.deliver(to_caf_error(ok.error()));
    return pending;
  }
  auto place = enter(asked_bytes(asked) + target.size());
  if (!place) {
    pending.deliver(to_caf_error(place.error()));
    return pending;
  }
  life_->read_began();
  auto deliver = [h = *this, place = std::move(*place), pending, asked,
                  target = std::move(target)](result<T> r) mutable {
    h.life_->read_ended();
    place->leave();
    h.keep(pending, std::move(r), asked, target);
  };
  hand_over_read(*engine_, [engine = engine_, read = std::move(read), at = asked.at_seq,
                            time = deadline(engine_->options.queries.stopwatch, deadline_ms),
                            reply = back_here<T>(std::move(deliver))] {
    auto answer = read(engine->state->views(), time);
    // What was read may have been trimmed meanwhile.
    if (at && answer)
      if (auto still = engine->state->readable(at); !still) return reply(propagate(still));
    reply(std::move(answer));
  });
  return pending;
}

host_promise<memory_reply> host_requests::get(const get_message& m) const {
  return read<memory>(m.options, m.deadline_ms, m.key ? to_string(*m.key) : to_string(m.id),
                      [m](const read_views& v, const deadline& time) {
                        return m.key ? read_keyed(v, *m.key, m.options, time)
                                     : read_current(v, m.id, m.options, time);
                      });
}

host_promise<memory_reply> host_requests::resolve(const resolve_message& m) const {
  return read<memory>(m.options, m.deadline_ms, to_string(m.uri),
                      [m](const read_views& v, const deadline& time) {
                        return read_version_of(v, m.uri, m.options, time);
                      });
}

host_promise<edges_reply> host_requests::edges(const edges_message& m) const {
  return read<std::vector<edge_record>>(m.options, m.deadline_ms, to_string(m.id),
                                        [m](const read_views& v, const deadline& time) {
                                          return list_edges(v,
                                                            {.id = m.id,
                                                             .direction = m.direction,
                                                             .filter = m.filter,
                                                             .options = m.options,
                                                             .deadline_ms = m.deadline_ms},
                                                            time);
                                        });
}

host_promise<stale_reply> host_requests::stale_of(const stale_message& m) const {
  return read<std::vector<memory>>(
      m.request.options, m.request.deadline_ms, to_string(m.request.id),
      [m](const read_views& v, const deadline& time) { return list_stale(v, m.request, time); });
}

host_promise<list_reply> host_requests::list(const list_message& m) const {
  const list_request& r = m.request;
  return read<list_result>(
      {.actor = r.actor, .at_seq = r.at_seq, .scope = r.scope}, r.deadline_ms, {},
      [m](const read_views& v, const deadline& time) { return read_list(v, m.request, time); });
}

host_promise<changes_reply> host_requests::changes(const changes_message& m) const {
  const changes_request& r = m.request;
  return read<changes_result>(
      {.actor = r.actor, .at_seq = {}, .scope = r.scope}, r.deadline_ms, "the change feed",
      [m, engine = engine_](const read_views&, const deadline& time) -> result<changes_result> {
        if (auto ok = check_changes(m.request); !ok) return propagate(ok);
        if (m.request.wait_ms > 0)
          return fail(errc::unsupported, "an actor does not wait: ask again later", "wait_ms");
        return read_change_page(*engine->state, m.request, time);
      });
}

host_promise<history_reply> host_requests::history(const history_message& m) const {
  const history_request& r = m.request;
  return read<history_result>(
      {.actor = r.actor, .at_seq = r.at_seq, .scope = r.scope}, r.deadline_ms,
      r.key ? to_string(*r.key) : to_string(r.id),
      [m](const read_views& v, const deadline& time) { return read_history(v, m.request, time); });
}

host_promise<fields_reply> host_requests::fields(const fields_message& m) const {
  return read<std::vector<topic_field_view>>(
      m.options, m.deadline_ms, to_string(m.topic), [m](const read_views& v, const deadline& time) {
        return read_topic_fields(v, m.topic, m.fields, m.options, time);
      });
}

host_promise<events_reply> host_requests::events(const events_message& m) const {
  return read<std::vector<topic_event>>(m.options, m.deadline_ms, to_string(m.topic),
                                        [m](const read_views& v, const deadline& time) {
                                          return read_topic_events(v, m.topic, m.options, time);
                                        });
}

host_promise<compact_reply> host_requests::load_compact(const load_compact_message& m) const {
  return read<compact_result>({}, m.deadline_ms, {},
                              [m](const read_views& v, const deadline& time) {
                                return read_compact_record(v, m.request, time);
                              });
}

/// Roots that the ledger does not keep are folded from the journal's files, by a reader.
host_promise<root_set> host_requests::root(const root_message& m) const {
  auto pending = self_->make_response_promise<root_set>();
  auto reply = keeping<root_set>(pending);
  if (auto ok = check_positive(m.deadline_ms, "deadline_ms"); !ok) {
    reply(propagate(ok));
  } else if (!m.at_seq && life_->is_open()) {
    reply(engine_->state->published_roots());
  } else if (auto place = enter(sizeof(m)); !place) {
    reply(propagate(place));
  } else {
    reply = leaving(std::move(*place), std::move(reply));
    life_->read_began();
    const deadline time(engine_->options.queries.stopwatch, m.deadline_ms);
    auto recorded = [h = *this, reply, at = *m.at_seq, time](result<recorded_roots> r) {
      auto in_time = time.check();
      if (!r || !in_time || r->roots) {
        h.life_->read_ended();
        if (!r) return reply(propagate(r));
        return in_time ? reply(*r->roots) : reply(propagate(in_time));
      }
      auto folded = h.back_here<root_set>([h, reply](result<root_set> f) {
        h.life_->read_ended();
        reply(std::move(f));
      });
      hand_over_read(*h.engine_, [engine = h.engine_, at, time, folded = std::move(folded)] {
        const world& w = *engine->state;
        folded(fold_roots(*w.files, w.directory, at, [&] { return time.check(); }));
      });
    };
    commit(sender_of(pending),
           inspect_roots(*m.at_seq, back_here<recorded_roots>(std::move(recorded))));
  }
  return pending;
}

host_promise<proof_reply> host_requests::prove(const prove_message& m) const {
  auto pending = self_->make_response_promise<proof_reply>();
  const read_options asked{.actor = {}, .at_seq = {}, .scope = m.request.scope};
  auto deliver = [h = *this, pending, asked](result<proof_bundle> r) {
    h.keep(pending, std::move(r), asked, "a proof");
  };
  commit(sender_of(pending), inspect_proofs(m.request, engine_->options.queries.stopwatch,
                                            back_here<proof_bundle>(std::move(deliver))));
  return pending;
}

} // namespace mneme
