#include "query/records/stale_reads.hpp"

#include <algorithm>

#include "query/answer_bytes.hpp"
#include "query/records/read_for.hpp"
#include "query/request_numbers.hpp"
#include "views/answer_room.hpp"
#include "views/standing.hpp"

namespace mneme {

namespace {

/// The ids of a page, ascending.
result<std::vector<memory_id>> page_of(const read_views& views, const stale_read& request,
                                       const asker& who, seq_no at, const deadline& time) {
  const lineage_reader lineage(views, at);
  const visible_rows visible(who, *views.attributes, *views.nodes);
  const auto nodes = lineage.stale_because_of(views.nodes->find(request.id), time.goes_on());
  if (auto ok = time.check(); !ok) return propagate(ok);
  std::vector<memory_id> ids;
  for (const node_no node : nodes)
    if (const row_no row = views.attributes->row_of(node, at);
        row.value != no_number && visible(row))
      ids.push_back(views.nodes->id(node));
  std::ranges::sort(ids);
  const auto skipped = std::min(static_cast<std::uint64_t>(request.offset), ids.size());
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(skipped));
  if (request.limit && ids.size() > static_cast<std::uint64_t>(*request.limit))
    ids.resize(static_cast<std::size_t>(*request.limit));
  return ids;
}

} // namespace

result<std::vector<memory>> list_stale(const read_views& views, const stale_read& request,
                                       const deadline& time) {
  if (auto ok = check_positive(request.limit, "limit"); !ok) return propagate(ok);
  if (request.offset < 0) return fail(errc::out_of_range, "offset must not be negative", "offset");
  return read_for(
      views, request.options, time,
      [&](kv_reader& reader, const asker& who, seq_no at) -> result<std::vector<memory>> {
        // What rested on something that was erased has lost it all the same.
        if (auto fallen = visible_memory(views, reader, request.id, who, at, "id");
            !fallen && fallen.error().code != errc::erased)
          return propagate(fallen);
        auto ids = page_of(views, request, who, at, time);
        if (!ids) return propagate(ids);
        if (ids->empty()) return std::vector<memory>();
        // Their lineages may be long, and have much in common.
        const known_distrust distrust(views, at, time.goes_on());
        if (auto ok = time.check(); !ok) return propagate(ok);
        answer_room room(views.max_answer_bytes, "ask page by page, by limit and offset", "limit");
        std::vector<memory> found;
        for (const memory_id& id : *ids) {
          auto m = visible_record(views, reader, id, who, at, "id");
          if (!m) return propagate(m);
          m->standing = {.trust = trust_of(distrust.e9(views.nodes->find(id))), .stale = true};
          if (auto ok = room.take(answer_bytes(*m)); !ok) return propagate(ok);
          found.push_back(std::move(*m));
        }
        return found;
      });
}

} // namespace mneme
