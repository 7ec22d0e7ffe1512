#include "state/erasure/erase_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "journal/erase_payloads.hpp"
#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"
#include "messages/ensure.hpp"
#include "storage/key_layout.hpp"
#include "views/lineage_edges.hpp"

namespace mneme {

namespace {

/// Whether each node was named, by node.
using selected_nodes = std::map<std::uint32_t, bool>;

class erasure_planner {
public:
  erasure_planner(const erase_request& request, const read_views& views, kv_reader& reader,
                  seq_no at, const std::function<result<void>()>& in_time)
      : request_(request), views_(views), reader_(reader), at_(at), in_time_(in_time) {}

  result<erase_plan> plan() {
    if (auto ok = select(); !ok) return propagate(ok);
    for (const auto& [node, named] : selected_) {
      if (in_time_)
        if (auto ok = in_time_(); !ok) return propagate(ok);
      if (auto ok = add_memory({node}, named); !ok) return propagate(ok);
      if (auto ok = add_edges({node}); !ok) return propagate(ok);
    }
    if (auto ok = add_compacts(); !ok) return propagate(ok);
    std::ranges::sort(plan_.memories, {}, [](const planned_erasure& m) { return m.head.id; });
    for (auto& memory : plan_.memories) std::ranges::sort(memory.seqs);
    for (auto& [key, edge] : edges_) {
      ensure(edge.edge.key == key && !edge.seqs.empty(), "an edge is found by its key");
      plan_.edges.push_back(std::move(edge));
    }
    ensure(plan_.memories.size() == selected_.size(), "each memory that is selected is planned");
    return std::move(plan_);
  }

private:
  result<void> select();
  result<void> select_ids();
  /// Of rows that the visitor's filter passes; also tombstoned ones.
  void select_rows(const posting_view& rows, const std::function<bool(row_no)>& passes);
  result<void> select_derived();
  /// limit_exceeded once there are too many.
  [[nodiscard]] result<void> is_bounded() const;
  result<void> add_memory(node_no node, bool named);
  result<void> add_fields(planned_erasure& memory);
  result<void> add_edges(node_no node);
  result<void> add_edge(const edge_key& key);
  result<void> add_compacts();

  const erase_request& request_;
  const read_views& views_;
  kv_reader& reader_;
  seq_no at_;
  const std::function<result<void>()>& in_time_;
  selected_nodes selected_;
  std::map<edge_key, planned_edge_erasure> edges_;
  std::set<edge_key> seen_edges_;
  erase_plan plan_;
};

result<void> erasure_planner::is_bounded() const {
  if (selected_.size() <= erased_at_once) return {};
  return fail(
      errc::limit_exceeded,
      fmt::format("more than {} memories would be erased; erase fewer at once", erased_at_once),
      request_.owned_by ? "owned_by"
      : request_.source ? "source"
                        : "ids");
}

result<void> erasure_planner::select() {
  if (auto ok = select_ids(); !ok) return ok;
  const attributes& rows = *views_.attributes;
  if (request_.owned_by)
    select_rows(*rows.with_actor(rows.actor_term(*request_.owned_by)), [](row_no) { return true; });
  if (request_.source) {
    const term_no path = rows.place_term(*request_.source);
    if (path.value != no_number)
      select_rows(*rows.with_type(memory_type::chunk),
                  [&](row_no row) { return rows.facets(row).path == path.value; });
  }
  if (auto ok = is_bounded(); !ok) return ok;
  return request_.with_derived ? select_derived() : result<void>();
}

result<void> erasure_planner::select_ids() {
  std::vector<memory_id> ids = request_.ids;
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  for (const memory_id& id : ids) {
    const node_no node = views_.nodes->find(id);
    if (node.value == no_number || views_.attributes->rows().last_of(node).value == no_number)
      plan_.not_found.push_back(id);
    else if (views_.attributes->rows().is_erased(node))
      plan_.erased_before.push_back(id);
    else
      selected_.emplace(node.value, true);
  }
  return {};
}

void erasure_planner::select_rows(const posting_view& rows,
                                  const std::function<bool(row_no)>& passes) {
  const row_store& all = views_.attributes->rows();
  rows.for_each([&](row_no row) {
    if (!all.alive(row, at_) || !passes(row)) return true;
    const std::uint32_t node = all.line(row).node;
    if (!all.is_erased({node})) selected_.insert_or_assign(node, true);
    return selected_.size() <= erased_at_once;
  });
}

result<void> erasure_planner::select_derived() {
  std::vector<std::uint32_t> reached;
  for (const auto& [node, named] : selected_) reached.push_back(node);
  const row_store& rows = views_.attributes->rows();
  const auto add = [&](node_no by) {
    if (rows.last_of(by).value == no_number || rows.is_erased(by)) return;
    if (selected_.emplace(by.value, false).second) reached.push_back(by.value);
  };
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const node_no node{reached[i]};
    views_.lineage->neighbours(node, edge_direction::in, at_, false, [&](const neighbour& n) {
      if (is_support(n.type)) add(n.node);
      return true;
    });
    // What a chunk was made is its text again.
    const row_no row = views_.attributes->row_of(node, at_);
    if (row.value != no_number && rows.line(row).type == memory_type::chunk)
      if (const std::uint32_t promoted = views_.attributes->facets(row).reference;
          promoted != no_number)
        add({promoted});
    if (auto ok = is_bounded(); !ok) return ok;
    if (in_time_)
      if (auto ok = in_time_(); !ok) return ok;
  }
  return {};
}

result<void> erasure_planner::add_memory(node_no node, bool named) {
  const memory_id& id = views_.nodes->id(node);
  auto now = read_head(reader_, id, at_);
  if (!now) return propagate(now);
  if (!now->has_value())
    return fail(errc::corrupt, "the head of " + to_string(id) + " is missing in the store");
  planned_erasure memory{.head = std::move(**now), .named = named, .seqs = {}, .field_names = {}};
  const std::string prefix(id.raw());
  auto ok = reader_.scan(kv_table::heads, prefix, keys::prefix_end(prefix),
                         [&](std::string_view key, std::string_view) {
                           memory.seqs.push_back(keys::seq_at_end(key));
                           return true;
                         });
  if (!ok) return ok;
  if (memory.head.type == memory_type::topic)
    if (ok = add_fields(memory); !ok) return ok;
  plan_.memories.push_back(std::move(memory));
  return {};
}

result<void> erasure_planner::add_fields(planned_erasure& memory) {
  constexpr std::size_t behind_name = 1 + sizeof(std::uint64_t); // NUL ‖ ~seq
  const std::string prefix = keys::topic_rows(memory.head.id, keys::topic_row::field);
  return reader_.scan(kv_table::fields, prefix, keys::prefix_end(prefix),
                      [&](std::string_view key, std::string_view) {
                        memory.seqs.push_back(keys::seq_at_end(key));
                        const std::string_view name =
                            key.substr(prefix.size(), key.size() - prefix.size() - behind_name);
                        if (memory.field_names.empty() || memory.field_names.back() != name)
                          memory.field_names.emplace_back(name);
                        return true;
                      });
}

result<void> erasure_planner::add_edges(node_no node) {
  std::vector<edge_key> found;
  const memory_id& id = views_.nodes->id(node);
  const auto collect = [&](edge_direction direction) {
    views_.graph->neighbours(node, direction, at_, true, [&](const neighbour& n) {
      const memory_id& other = views_.nodes->id(n.node);
      found.push_back(direction == edge_direction::out ? edge_key{id, n.type, other}
                                                       : edge_key{other, n.type, id});
      return true;
    });
  };
  collect(edge_direction::out);
  collect(edge_direction::in);
  for (const edge_key& key : found)
    if (seen_edges_.insert(key).second)
      if (auto ok = add_edge(key); !ok) return ok;
  return {};
}

result<void> erasure_planner::add_edge(const edge_key& key) {
  planned_edge_erasure planned;
  bool says_something = false;
  bool is_newest = true; // which comes first
  result<void> decoded;
  const std::string prefix = key_bytes(key);
  auto ok = reader_.scan(kv_table::edges, prefix, keys::prefix_end(prefix),
                         [&](std::string_view row, std::string_view value) {
                           auto edge = decode_edge(value);
                           if (!edge) decoded = propagate(edge);
                           if (!edge) return false;
                           if (!edge->data.empty() || !edge->kind.empty()
                               || !edge->tombstoned_reason.empty()) {
                             says_something = true;
                             planned.seqs.push_back(keys::seq_at_end(row));
                           }
                           if (std::exchange(is_newest, false)) planned.edge = std::move(*edge);
                           return true;
                         });
  if (!ok) return ok;
  if (!decoded) return decoded;
  if (!says_something) return {};
  std::ranges::sort(planned.seqs);
  edges_.emplace(key, std::move(planned));
  return {};
}

/// Records of what was compacted have the short forms of what they name.
result<void> erasure_planner::add_compacts() {
  std::map<memory_id, planned_erasure*> by_id;
  for (auto& memory : plan_.memories) by_id.emplace(memory.head.id, &memory);
  result<void> decoded;
  auto ok =
      reader_.scan(kv_table::compacts, "", "", [&](std::string_view key, std::string_view value) {
        auto payload = decode_entry_payload(entry_kind::compact, value);
        if (!payload) decoded = propagate(payload);
        if (!payload) return false;
        const auto& record = std::get<compact_payload>(*payload);
        for (const auto* items : {&record.kept, &record.compacted})
          for (const auto& item : *items)
            if (const auto of = by_id.find(item.uri.id); of != by_id.end())
              of->second->seqs.push_back(keys::seq_at_end(key));
        return true;
      });
  if (!ok) return ok;
  return decoded;
}

} // namespace

std::vector<seq_no> erase_plan::seqs() const {
  std::vector<seq_no> all;
  for (const auto& m : memories) all.insert(all.end(), m.seqs.begin(), m.seqs.end());
  for (const auto& e : edges) all.insert(all.end(), e.seqs.begin(), e.seqs.end());
  return each_once(std::move(all));
}

result<erase_plan> plan_erasure(const erase_request& r, const read_views& views, kv_reader& reader,
                                seq_no at, const std::function<result<void>()>& in_time) {
  return erasure_planner(r, views, reader, at, in_time).plan();
}

} // namespace mneme
