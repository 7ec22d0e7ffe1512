#include "query/records/point_reads.hpp"

#include <algorithm>

#include "messages/codec/records.hpp"
#include "query/answer_bytes.hpp"
#include "query/records/keyed_memory.hpp"
#include "query/records/read_for.hpp"
#include "query/records/topic_parts.hpp"
#include "query/request_numbers.hpp"
#include "views/answer_room.hpp"
#include "views/standing.hpp"

namespace mneme {

result<memory> visible_record(const read_views& views, kv_reader& reader, const memory_id& id,
                              const asker& who, seq_no at, std::string_view key) {
  auto found = read_memory(views, reader, id, at);
  if (!found) return propagate(found);
  // Nobody knows any more whose it was.
  if (!found->has_value() && who.sees_all() && views.is_erased_elsewhere(id))
    return fail(errc::erased, "memory " + to_string(id) + " was erased in another branch",
                std::string(key));
  if (!found->has_value() || !who.may_see((*found)->head)) return who.hidden(id, key);
  if (const head& h = *(*found)->head; h.erased)
    return fail(errc::erased,
                "memory " + to_string(id) + " was erased"
                    + (h.tombstone ? " by " + h.tombstone->by + ": " + h.tombstone->reason : ""),
                std::string(key));
  return std::move(**found);
}

result<memory> visible_memory(const read_views& views, kv_reader& reader, const memory_id& id,
                              const asker& who, seq_no at, std::string_view key) {
  auto found = visible_record(views, reader, id, who, at, key);
  if (!found) return found;
  const row_no row = views.attributes->row_of(views.nodes->find(id), at);
  // Whether the window has moved on meanwhile is looked at when all is read.
  if (row.value != no_number) found->standing = lineage_reader(views, at).standing_of(row);
  return found;
}

result<memory> read_current(const read_views& views, const memory_id& id,
                            const read_options& options, const deadline& time) {
  return read_for(views, options, time, [&](kv_reader& reader, const asker& who, seq_no at) {
    return visible_memory(views, reader, id, who, at, "id");
  });
}

result<memory> read_keyed(const read_views& views, const memory_key& key,
                          const read_options& options, const deadline& time) {
  return read_for(
      views, options, time, [&](kv_reader& reader, const asker& who, seq_no at) -> result<memory> {
        auto id = named_memory(views, reader, {}, key, who, at);
        if (!id) return propagate(id);
        auto m = visible_memory(views, reader, *id, who, at, "key");
        if (m && m->head->tombstone)
          return fail(errc::tombstoned, "memory " + to_string(*id) + " was tombstoned", "key");
        return m;
      });
}

result<memory> read_version_of(const read_views& views, const memory_uri& uri,
                               const read_options& options, const deadline& time) {
  return read_for(
      views, options, time, [&](kv_reader& reader, const asker& who, seq_no at) -> result<memory> {
        auto m = visible_memory(views, reader, uri.id, who, at, "uri");
        if (!m) return m;
        if (m->head->type != uri.type || uri.version == 0 || uri.version > m->head->current_version)
          return fail(errc::not_found, "there is no " + to_string(uri), "uri");
        if (uri.version == m->head->current_version) return m;
        // Its row may be there until the trim is done.
        auto trimmed_by = read_trimmed(reader, uri.id, uri.version);
        if (!trimmed_by) return propagate(trimmed_by);
        if (*trimmed_by)
          return fail(errc::trimmed,
                      "what " + to_string(uri) + " said was dropped by entry "
                          + std::to_string((*trimmed_by)->value),
                      "uri");
        auto v = read_version(reader, uri.id, uri.version);
        if (!v) return propagate(v);
        if (!v->has_value()) return fail(errc::not_found, "there is no " + to_string(uri), "uri");
        m->version = std::move(**v);
        return m;
      });
}

namespace {

/// Adds the id to the heap of the `most` smallest.
void keep_smallest(std::vector<memory_id>& heap, const memory_id& id, std::size_t most) {
  if (heap.size() == most) {
    if (heap.front() <= id) return;
    std::ranges::pop_heap(heap);
    heap.pop_back();
  }
  heap.push_back(id);
  std::ranges::push_heap(heap);
}

} // namespace

result<std::vector<memory>> read_by_type(const read_views& views, memory_type type,
                                         std::size_t limit, const read_options& options,
                                         bool include_archived, const deadline& time) {
  return read_for(
      views, options, time,
      [&](kv_reader& reader, const asker& who, seq_no at) -> result<std::vector<memory>> {
        const auto left_out = include_archived ? row_gone : row_unfindable;
        const visible_rows visible(who, *views.attributes, *views.nodes);
        // The first `limit` ids; the largest of them in front.
        std::vector<memory_id> ids;
        if (limit == 0) return std::vector<memory>{};
        result<void> in_time;
        std::uint64_t rows = 0;
        views.attributes->with_type(type, at)->for_each([&](row_no row) {
          in_time = time.check(rows++);
          if (!in_time) return false;
          const auto flags = views.attributes->rows().line(row).flags;
          if ((flags & left_out) == 0 && views.attributes->alive(row, at) && visible(row))
            keep_smallest(ids, views.nodes->id(views.attributes->node(row)), limit);
          return true;
        });
        if (!in_time) return propagate(in_time);
        std::ranges::sort_heap(ids);
        answer_room room(views.max_answer_bytes, "ask for fewer by limit", "limit");
        std::vector<memory> found;
        for (const auto& id : ids) {
          auto m = visible_memory(views, reader, id, who, at, "id");
          if (!m) return propagate(m);
          if (auto ok = room.take(answer_bytes(*m)); !ok) return propagate(ok);
          found.push_back(std::move(*m));
        }
        return found;
      });
}

namespace {

result<memory_reading> with_parts(const read_views& views, result<memory> read,
                                  const memory_parts& parts, const read_options& options,
                                  const deadline& time) {
  if (!read) return propagate(read);
  memory_reading whole{.found = std::move(*read)};
  const head& h = whole.found.head;
  if (parts.raw) whole.raw = encode(h);
  if (h.type != memory_type::topic) {
    if (!parts.events && !parts.history) return whole;
    return fail(errc::type_data_mismatch, "only a Topic has fields and events",
                parts.events ? "events" : "history");
  }
  auto fields = read_topic_fields(views, h.id,
                                  {.history = parts.history, .history_limit = parts.history_limit},
                                  options, time, &whole.erased_fields);
  if (!fields) return propagate(fields);
  whole.fields = std::move(*fields);
  if (!parts.events) return whole;
  auto events = read_topic_events(views, h.id, options, time);
  if (!events) return propagate(events);
  whole.events = std::move(*events);
  return whole;
}

/// The whole, unless its parts are too much together.
result<memory_reading> within_bound(const read_views& views, result<memory_reading> whole) {
  if (!whole) return whole;
  answer_room room(views.max_answer_bytes,
                   "ask for less by history_limit, or without history or events");
  if (auto ok = room.take(answer_bytes(*whole)); !ok) return propagate(ok);
  return whole;
}

/// All parts of one reading are of this seq, whatever is written in between.
result<read_options> fixed(const read_views& views, const memory_parts& parts,
                           read_options options) {
  if (auto ok = check_positive(parts.history_limit, "history_limit"); !ok) return propagate(ok);
  auto at = views.readable(options.at_seq);
  if (!at) return propagate(at);
  options.at_seq = *at;
  return options;
}

} // namespace

result<memory_reading> read_whole(const read_views& views, const get_read& request,
                                  const deadline& time) {
  auto options = fixed(views, request.parts, request.options);
  if (!options) return propagate(options);
  auto read = request.key ? read_keyed(views, *request.key, *options, time)
                          : read_current(views, request.id, *options, time);
  return within_bound(views, with_parts(views, std::move(read), request.parts, *options, time));
}

result<memory_reading> read_whole(const read_views& views, const resolve_read& request,
                                  const deadline& time) {
  auto options = fixed(views, request.parts, request.options);
  if (!options) return propagate(options);
  return within_bound(views, with_parts(views, read_version_of(views, request.uri, *options, time),
                                        request.parts, *options, time));
}

} // namespace mneme
