#include "query/records/edge_reads.hpp"

#include "query/answer_bytes.hpp"
#include "query/records/read_for.hpp"
#include "query/request_numbers.hpp"
#include "views/answer_room.hpp"

namespace mneme {

namespace {

std::uint64_t bit_of(edge_type type) {
  const auto byte = static_cast<unsigned>(type);
  return byte < 64 ? std::uint64_t{1} << byte : 0;
}

/// A bit for each type that is wanted; of none named, all.
std::uint64_t types_wanted(const edge_filter& filter) {
  if (filter.types.empty()) return ~std::uint64_t{0};
  std::uint64_t bits = 0;
  for (const edge_type t : filter.types) bits |= bit_of(t);
  return bits;
}

result<void> check_page(const edge_filter& filter) {
  if (auto ok = check_positive(filter.limit, "limit"); !ok) return ok;
  if (filter.offset < 0) return fail(errc::out_of_range, "offset must not be negative", "offset");
  return {};
}

} // namespace

result<void> edge_scan::one_way(const memory_id& id, edge_direction direction) {
  const node_no node = views.nodes->find(id);
  if (node.value == no_number) return {};
  const std::uint64_t wanted = types_wanted(filter);
  const auto offset = static_cast<std::uint64_t>(filter.offset);
  const auto most = static_cast<std::uint64_t>(filter.limit.value_or(0)); // 0: all
  result<void> ok;
  views.graph->neighbours(node, direction, at, filter.include_tombstoned, [&](const neighbour& n) {
    if (ok = time.check(met++); !ok) return false;
    if ((wanted & bit_of(n.type)) == 0) return true;
    const memory_id& other = views.nodes->id(n.node);
    auto visible = who.may_see(reader, other, at);
    if (!visible) {
      ok = propagate(visible);
      return false;
    }
    if (!*visible || seen++ < offset) return true;
    const edge_key key = direction == edge_direction::out ? edge_key{id, n.type, other}
                                                          : edge_key{other, n.type, id};
    auto record = read_edge(reader, key, at);
    if (!record) {
      ok = propagate(record);
      return false;
    }
    if (!record->has_value()) {
      ok = fail(errc::corrupt, "the graph has an edge that the store has not");
      return false;
    }
    stopped = !visit(**record) || seen - offset == most;
    return !stopped;
  });
  return ok;
}

result<edge_record> read_one_edge(const read_views& views, const edge_key& key,
                                  const read_options& options, const deadline& time) {
  return read_for(views, options, time,
                  [&](kv_reader& reader, const asker& who, seq_no at) -> result<edge_record> {
                    auto found = read_edge(reader, key, at);
                    if (!found) return propagate(found);
                    bool visible = found->has_value();
                    for (const auto& end : {key.src, key.dst}) {
                      if (!visible) break;
                      auto seen = who.may_see(reader, end, at);
                      if (!seen) return propagate(seen);
                      visible = *seen;
                    }
                    if (!visible)
                      return fail(who.refusal(), "there was never an edge " + to_string(key.src)
                                                     + " " + std::string(to_string(key.type)) + " "
                                                     + to_string(key.dst));
                    return std::move(**found);
                  });
}

result<void> read_edges(const read_views& views, const memory_id& id, edge_direction direction,
                        const edge_filter& filter, const read_options& options,
                        const std::function<bool(const edge_record&)>& visit,
                        const deadline& time) {
  if (auto ok = check_page(filter); !ok) return ok;
  return read_for(
      views, options, time, [&](kv_reader& reader, const asker& who, seq_no at) -> result<void> {
        auto seen = who.may_see(reader, id, at);
        if (!seen) return propagate(seen);
        if (!*seen) return who.hidden(id, "id");
        edge_scan scan{views, reader, filter, at, who, visit, time};
        for (const auto one_way : {edge_direction::out, edge_direction::in}) {
          if (scan.stopped || (direction != edge_direction::both && direction != one_way)) continue;
          if (auto ok = scan.one_way(id, one_way); !ok) return ok;
        }
        return {};
      });
}

result<std::vector<edge_record>> list_edges(const read_views& views, const edges_read& request,
                                            const deadline& time) {
  answer_room room(views.max_answer_bytes,
                   "ask page by page, by limit and offset, or for fewer by direction or types",
                   "limit");
  std::vector<edge_record> found;
  result<void> ok;
  auto read = read_edges(
      views, request.id, request.direction, request.filter, request.options,
      [&](const edge_record& e) {
        ok = room.take(answer_bytes(e));
        if (ok) found.push_back(e);
        return ok.has_value();
      },
      time);
  if (!read) return propagate(read);
  if (!ok) return propagate(ok);
  return found;
}

} // namespace mneme
