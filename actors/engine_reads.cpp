// The blocking facade: doors and single reads.

#include "actors/engine_impl.hpp"
#include "messages/codec/records.hpp"
#include "messages/validate/validate.hpp"
#include "query/chroma/chroma.hpp"
#include "query/context/compact_record.hpp"
#include "query/context/context.hpp"
#include "query/find/find.hpp"
#include "query/records/edge_reads.hpp"
#include "query/records/history_reads.hpp"
#include "query/records/list_reads.hpp"
#include "query/records/point_reads.hpp"
#include "query/records/stale_reads.hpp"
#include "query/records/topic_parts.hpp"
#include "query/records/whole_world.hpp"
#include "query/retrieve/retrieve.hpp"
#include "query/search/search.hpp"
#include "query/selection/selection.hpp"
#include "views/world_weights.hpp"

namespace mneme {

result<find_result> engine::find(find_request request) {
  return impl_->ask<find_run>(std::move(request));
}

std::vector<result<find_result>> engine::find_many(std::vector<find_request> requests) {
  return impl_->ask_many<find_run>(std::move(requests));
}

result<context_result> engine::context(context_request request) {
  return impl_->ask<context_run>(std::move(request));
}

result<search_result> engine::search(search_request request) {
  return impl_->ask<search_run>(std::move(request));
}

std::vector<result<search_result>> engine::search_many(std::vector<search_request> requests) {
  return impl_->ask_many<search_run>(std::move(requests));
}

result<select_result> engine::select(select_request request) {
  return impl_->ask<select_run>(std::move(request));
}

result<retrieve_result> engine::retrieve(retrieve_request request) {
  return impl_->ask<retrieve_run>(std::move(request));
}

std::vector<result<retrieve_result>> engine::retrieve_many(std::vector<retrieve_request> requests) {
  return impl_->ask_many<retrieve_run>(std::move(requests));
}

result<chroma_result> engine::chroma(chroma_request request) {
  return impl_->ask<chroma_run>(std::move(request));
}

std::vector<result<chroma_result>> engine::chroma_many(std::vector<chroma_request> requests) {
  return impl_->ask_many<chroma_run>(std::move(requests));
}

result<colour_point> engine::point(const std::vector<std::string>& hashtags,
                                   std::optional<seq_no> at_seq) {
  return impl_->inside([&](world& w) -> result<colour_point> {
    auto at = w.readable(at_seq);
    if (!at) return propagate(at);
    return point_of(hashtags, w.views(), *at);
  });
}

result<std::vector<std::string>> engine::suggest_hashtags(std::string_view text,
                                                          std::optional<seq_no> at_seq) {
  return impl_->inside([&](world& w) -> result<std::vector<std::string>> {
    auto at = w.readable(at_seq);
    if (!at) return propagate(at);
    if (!is_utf8(text)) return fail(errc::bad_utf8, "the text is not UTF-8", "text");
    return mneme::suggest_hashtags(text, w.views(), *at);
  });
}

result<std::vector<tag_assignment>> engine::tags(std::optional<seq_no> at_seq) {
  return impl_->inside([&](world& w) -> result<std::vector<tag_assignment>> {
    auto at = w.readable(at_seq);
    if (!at) return propagate(at);
    return w.views().attributes->colours().tags().all(*at);
  });
}

result<world_weights> engine::weights(std::optional<seq_no> at_seq) {
  return impl_->inside([&](world& w) -> result<world_weights> {
    const read_views views = w.views();
    auto at = views.readable(at_seq);
    if (!at) return propagate(at);
    return weights_of_world(views, *at);
  });
}

result<compact_result> engine::load_compact(const load_compact_request& request,
                                            std::optional<std::int64_t> deadline_ms) {
  return impl_->inside_in_time(deadline_ms, [&](world& w, const deadline& time) {
    return read_compact_record(w.views(), request, time);
  });
}

result<std::vector<topic_field_view>> engine::fields(const memory_id& topic,
                                                     const field_options& fields,
                                                     const read_options& options,
                                                     std::optional<std::int64_t> deadline_ms) {
  if (auto ok = check_positive(deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  const deadline time(impl_->stopwatch(), deadline_ms);
  return impl_->read(options, to_string(topic), [&](const read_views& v) {
    return read_topic_fields(v, topic, fields, options, time);
  });
}

result<std::vector<topic_event>> engine::events(const memory_id& topic, const read_options& options,
                                                std::optional<std::int64_t> deadline_ms) {
  if (auto ok = check_positive(deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  const deadline time(impl_->stopwatch(), deadline_ms);
  return impl_->read(options, to_string(topic), [&](const read_views& v) {
    return read_topic_events(v, topic, options, time);
  });
}

result<memory> engine::get(const memory_id& id, const read_options& options) {
  return impl_->read(options, to_string(id),
                     [&](const read_views& v) { return read_current(v, id, options); });
}

result<memory> engine::get_by(const memory_key& key, const read_options& options) {
  return impl_->read(options, to_string(key),
                     [&](const read_views& v) { return read_keyed(v, key, options); });
}

result<list_result> engine::list(list_request request) {
  return impl_->inside_in_time(request.deadline_ms, [&](world& w, const deadline& time) {
    return read_list(w.views(), request, time);
  });
}

result<history_result> engine::history(const history_request& r) {
  if (auto ok = check_positive(r.deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  const read_options options{.actor = r.actor, .at_seq = r.at_seq, .scope = r.scope};
  return impl_->read(options, r.key ? to_string(*r.key) : to_string(r.id),
                     [&](const read_views& v) { return read_history(v, r, impl_->time_of(r)); });
}

result<std::vector<name_count>> engine::namespaces(const read_options& options,
                                                   std::optional<std::int64_t> deadline_ms) {
  return impl_->inside_in_time(deadline_ms, [&](world& w, const deadline& time) {
    return count_namespaces(w.views(), options, time);
  });
}

result<std::vector<name_count>> engine::actors(const read_options& options,
                                               std::optional<std::int64_t> deadline_ms) {
  return impl_->inside_in_time(deadline_ms, [&](world& w, const deadline& time) {
    return count_actors(w.views(), options, time);
  });
}

result<seq_no> engine::seq_at(timestamp time) {
  return impl_->inside([&](world& w) -> result<seq_no> {
    const read_views views = w.views();
    auto newest = views.readable({});
    if (!newest) return propagate(newest);
    if (auto ok = check_time(std::optional(time), "at"); !ok) return propagate(ok);
    const auto found = views.attributes->entry_at(time, *newest);
    return views.readable(found.value_or(seq_no{}));
  });
}

result<memory> engine::resolve(const memory_uri& uri, const read_options& options) {
  return impl_->read(options, to_string(uri),
                     [&](const read_views& v) { return read_version_of(v, uri, options); });
}

result<memory_reading> engine::read(const get_read& request) {
  if (auto ok = check_positive(request.deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  const std::string target = request.key ? to_string(*request.key) : to_string(request.id);
  return impl_->read(request.options, target, [&](const read_views& v) {
    return read_whole(v, request, impl_->time_of(request));
  });
}

result<memory_reading> engine::read(const resolve_read& request) {
  if (auto ok = check_positive(request.deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  return impl_->read(request.options, to_string(request.uri), [&](const read_views& v) {
    return read_whole(v, request, impl_->time_of(request));
  });
}

result<std::vector<memory>> engine::list_by_type(memory_type type, std::size_t limit,
                                                 const read_options& options, bool include_archived,
                                                 std::optional<std::int64_t> deadline_ms) {
  return impl_->inside_in_time(deadline_ms, [&](world& w, const deadline& time) {
    return read_by_type(w.views(), type, limit, options, include_archived, time);
  });
}

result<std::string> engine::raw_head(const memory_id& id, const read_options& options) {
  auto m = get(id, options);
  if (!m) return propagate(m);
  return encode(m->head);
}

result<edge_record> engine::get_edge(const edge_key& key, const read_options& options,
                                     std::optional<std::int64_t> deadline_ms) {
  if (auto ok = check_positive(deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  const std::string named =
      to_string(key.src) + " " + std::string(to_string(key.type)) + " " + to_string(key.dst);
  return impl_->read(options, named, [&](const read_views& v) {
    const auto& stopwatch = impl_->stopwatch();
    return read_one_edge(v, key, options, deadline(stopwatch, deadline_ms));
  });
}

result<void> engine::for_each_edge(const memory_id& id, edge_direction direction,
                                   const edge_filter& filter, const read_options& options,
                                   const std::function<bool(const edge_record&)>& visit) {
  return impl_->read(options, to_string(id), [&](const read_views& v) {
    return read_edges(v, id, direction, filter, options, visit);
  });
}

result<std::vector<edge_record>> engine::edges(const edges_read& request) {
  if (auto ok = check_positive(request.deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  return impl_->read(request.options, to_string(request.id), [&](const read_views& v) {
    return list_edges(v, request, impl_->time_of(request));
  });
}

result<std::vector<memory>> engine::stale_of(const stale_read& request) {
  if (auto ok = check_positive(request.deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  return impl_->read(request.options, to_string(request.id), [&](const read_views& v) {
    return list_stale(v, request, impl_->time_of(request));
  });
}

result<void> engine::for_each_memory(const std::function<bool(const memory_record&)>& visit) {
  return impl_->inside([&](world& w) { return read_all_memories(w.views(), visit); });
}

result<void> engine::for_each_edge_record(const std::function<bool(const edge_record&)>& visit) {
  return impl_->inside([&](world& w) { return read_all_edges(w.views(), visit); });
}

} // namespace mneme
