#include "state/erasure/erase_plan.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "journal/erase_payloads.hpp"
#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/ensure.hpp"
#include "state/execute/execute.hpp"
#include "storage/key_layout.hpp"
#include "views/lineage_edges.hpp"

namespace mneme {

namespace {

/// Nodes in the order in which they were found: what rests on one comes behind it.
class selected_nodes {
public:
  struct selected {
    std::uint32_t node = 0;
    bool named = true;
  };

  /// False: it is there already. What is named is selected before what rests on it.
  bool add(std::uint32_t node, bool named) {
    if (!known_.insert(node).second) return false;
    in_order_.push_back({node, named});
    return true;
  }
  [[nodiscard]] std::span<const selected> in_order() const { return in_order_; }

private:
  std::set<std::uint32_t> known_;
  std::vector<selected> in_order_;
};

class erasure_planner {
public:
  erasure_planner(const erase_request& request, const read_views& views, kv_reader& reader,
                  seq_no at, const std::function<result<void>()>& in_time)
      : request_(request), views_(views), reader_(reader), at_(at), in_time_(in_time) {}

  result<erase_plan> plan() {
    if (auto ok = select(); !ok) return propagate(ok);
    const auto selected = selected_.in_order();
    plan_.left = selected.size();
    for (const auto& [node, named] : selected | std::views::reverse) {
      if (in_time_)
        if (auto ok = in_time_(); !ok) return propagate(ok);
      auto has_room = add_whole({node}, named);
      if (!has_room) return propagate(has_room);
      if (!*has_room) break;
    }
    if (auto ok = add_compacts(); !ok) return propagate(ok);
    std::ranges::sort(plan_.memories, {}, [](const planned_erasure& m) { return m.head.id; });
    std::ranges::sort(plan_.erased_before);
    for (auto& memory : plan_.memories) std::ranges::sort(memory.seqs);
    for (auto& [key, edge] : edges_) {
      ensure(edge.edge.key == key && !edge.seqs.empty(), "an edge is found by its key");
      plan_.edges.push_back(std::move(edge));
    }
    plan_.left -= plan_.memories.size();
    ensure(!request_.dry_run || plan_.left == 0, "who only asks sees all that would go");
    return std::move(plan_);
  }

private:
  result<void> select();
  result<void> select_ids();
  /// Of rows that the visitor's filter passes; also tombstoned ones.
  void select_rows(const posting_view& rows, const std::function<bool(row_no)>& passes);
  result<void> select_derived();
  void note_erased(node_no node) {
    if (erased_nodes_.insert(node.value).second)
      plan_.erased_before.push_back(views_.nodes->id(node));
  }
  /// The memory and its edges. False: they do not fit the portion, and are not in it.
  result<bool> add_whole(node_no node, bool named);
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
  std::set<std::uint32_t> erased_nodes_; ///< that are named, too, and were erased before
  std::map<edge_key, planned_edge_erasure> edges_;
  std::vector<edge_key> found_edges_; ///< of edges_ those that the memory in hand brought
  erase_plan plan_;
};

result<bool> erasure_planner::add_whole(node_no node, bool named) {
  const bool is_portion = !request_.dry_run;
  const std::size_t before = plan_.memories.size();
  if (is_portion && before == erased_at_once) return false;
  const auto fits = [&] { return plan_.memories.size() + edges_.size() <= max_command_entries; };
  found_edges_.clear();
  if (auto ok = add_memory(node, named); !ok) return propagate(ok);
  if (auto ok = add_edges(node); !ok) return propagate(ok);
  if (!is_portion || fits()) return true;
  plan_.memories.pop_back();
  if (before > 0) {
    for (const edge_key& key : found_edges_) edges_.erase(key);
    return false;
  }
  // More edges than fit at once: as many of them go first, and the memory after the last of them.
  while (edges_.size() > max_command_entries) edges_.erase(std::prev(edges_.end()));
  return false;
}

result<void> erasure_planner::select() {
  if (auto ok = select_ids(); !ok) return ok;
  const attributes& rows = *views_.attributes;
  if (request_.owned_by)
    select_rows(*rows.with_actor(rows.actor_term(*request_.owned_by), {}),
                [](row_no) { return true; });
  if (request_.source) {
    const term_no path = rows.place_term(*request_.source);
    if (path.value != no_number)
      select_rows(*rows.with_type(memory_type::chunk, {}),
                  [&](row_no row) { return rows.facets(row).path == path.value; });
  }
  return request_.with_derived ? select_derived() : result<void>();
}

result<void> erasure_planner::select_ids() {
  std::vector<memory_id> ids = request_.ids;
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  for (const memory_id& id : ids) {
    const node_no node = views_.nodes->find(id);
    if (node.value == no_number || views_.attributes->rows().last_of(node).value == no_number)
      (views_.is_erased_elsewhere(id) ? plan_.erased_before : plan_.not_found).push_back(id);
    else if (!views_.attributes->rows().is_erased(node))
      selected_.add(node.value, true);
    else {
      note_erased(node);
    }
  }
  return {};
}

void erasure_planner::select_rows(const posting_view& rows,
                                  const std::function<bool(row_no)>& passes) {
  const row_store& all = views_.attributes->rows();
  rows.for_each([&](row_no row) {
    if (!all.alive(row, at_) || !passes(row)) return true;
    const std::uint32_t node = all.line(row).node;
    if (all.is_erased({node}))
      note_erased({node});
    else
      selected_.add(node, true);
    return true;
  });
}

result<void> erasure_planner::select_derived() {
  std::vector<std::uint32_t> reached;
  for (const auto& [node, named] : selected_.in_order()) reached.push_back(node);
  // What rests on something that was erased before is found still, named or in between.
  std::set<std::uint32_t> passed = erased_nodes_;
  reached.insert(reached.end(), passed.begin(), passed.end());
  const row_store& rows = views_.attributes->rows();
  const auto has_content = [&](node_no node) {
    return rows.last_of(node).value != no_number && !rows.is_erased(node);
  };
  const auto add = [&](node_no by) {
    const bool is_new =
        has_content(by) ? selected_.add(by.value, false) : passed.insert(by.value).second;
    if (is_new) reached.push_back(by.value);
  };
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const node_no node{reached[i]};
    views_.lineage->neighbours(node, edge_direction::in, at_, false, [&](const neighbour& n) {
      // What a content that is erased named is forgotten; its edges are not.
      const bool says_so = has_content(n.node) || n.type == in_lineage(lineage_kind::derived_from);
      if (is_support(n.type) && says_so) add(n.node);
      return true;
    });
    // What a chunk was made is its text again.
    const row_no row = views_.attributes->row_of(node, at_);
    if (has_content(node) && row.value != no_number && rows.line(row).type == memory_type::chunk)
      if (const std::uint32_t promoted = views_.attributes->facets(row).reference;
          promoted != no_number)
        add({promoted});
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
  std::string newest;
  std::set<std::string, std::less<>> told;
  result<void> decoded;
  auto ok = reader_.scan(kv_table::fields, prefix, keys::prefix_end(prefix),
                         [&](std::string_view key, std::string_view value) {
                           memory.seqs.push_back(keys::seq_at_end(key));
                           const std::string_view name =
                               key.substr(prefix.size(), key.size() - prefix.size() - behind_name);
                           if (std::exchange(newest, name) == name) return true;
                           told.emplace(name);
                           // One that was erased by itself is in its tree no more.
                           auto field = decode_topic_field(value);
                           if (!field) decoded = propagate(field);
                           if (field && !field->erased) memory.field_names.emplace_back(name);
                           return field.has_value();
                         });
  if (!ok) return ok;
  if (!decoded) return decoded;
  // One that was erased elsewhere has no row here, and is in the tree still.
  if (views_.erased_elsewhere != nullptr)
    if (const auto known = views_.erased_elsewhere->fields.find(memory.head.id);
        known != views_.erased_elsewhere->fields.end())
      for (const auto& [name, left] : known->second)
        if (!told.contains(name)) memory.field_names.push_back(name);
  std::ranges::sort(memory.field_names);
  return {};
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
    if (!edges_.contains(key))
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
  found_edges_.push_back(key);
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
