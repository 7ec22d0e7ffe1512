// Revise: topics with equal titles become one.

#include <algorithm>
#include <tuple>

#include "state/execute/execution.hpp"

namespace mneme {

namespace {

constexpr const char* merge_reason = "merged";

/// What topics must have in common to be one: private topics of different agents stay apart.
using identity = std::tuple<std::string, std::string, visibility>;

/// Whether a merge of the topic would stay among what the writer may change: so its links must.
result<bool> is_movable(execution& x, const head& h) {
  if (x.seams.within == nullptr) return true;
  if (!is_open(x, h)) return false;
  auto edges = x.state.live_edges(h.id);
  if (!edges) return propagate(edges);
  for (const auto& e : *edges) {
    auto other = x.state.head(e.key.src == h.id ? e.key.dst : e.key.src);
    if (!other) return propagate(other);
    if (!other->has_value() || !is_open(x, **other)) return false;
  }
  return true;
}

/// Live topics that are not archived, by what they have in common; ids ascend.
result<std::map<identity, std::vector<head>>> mergeable(execution& x) {
  std::map<identity, std::vector<head>> groups;
  for (const auto& id : x.state.topics()) {
    if (auto ok = in_time(x); !ok) return propagate(ok);
    auto found = x.state.head(id);
    if (!found) return propagate(found);
    if (!found->has_value()) continue;
    head& h = **found;
    if (h.tombstone || h.erased || is_archived(h)) continue;
    auto movable = is_movable(x, h);
    if (!movable) return propagate(movable);
    if (!*movable) continue;
    auto v = x.state.topic_version(h);
    if (!v) return propagate(v);
    const auto title = v->data.find("title");
    if (title == v->data.end()) continue;
    const auto& text = std::get<std::string>(title->second);
    if (!text.empty()) groups[{text, h.actor_scope, h.visibility}].push_back(std::move(h));
  }
  return groups;
}

class merge {
public:
  merge(execution& x, const std::string& actor, memory_id keeper, head loser)
      : x_(x), actor_(actor), keeper_(keeper), loser_(std::move(loser)) {}

  result<void> run() {
    if (auto ok = move_edges(); !ok) return ok;
    if (auto ok = move_fields(); !ok) return ok;
    archive(loser_, x_.now);
    x_.state.put(loser_);
    append_entry(x_, entry_kind::topic_merge, actor_, {leaf_of(loser_)},
                 topic_merge_payload{.keeper = keeper_, .head = loser_});
    add_edge_request supersedes;
    supersedes.src = keeper_;
    supersedes.type = static_cast<std::uint8_t>(edge_type::supersedes);
    supersedes.dst = loser_.id;
    supersedes.actor = actor_;
    return part(supersedes);
  }

private:
  template <class Request>
  result<void> part(const Request& r) {
    if (auto ok = run_part(x_, r); !ok) return ok;
    x_.out.results.pop_back();
    return {};
  }

  result<void> move_edges() {
    auto edges = x_.state.live_edges(loser_.id);
    if (!edges) return propagate(edges);
    for (const auto& e : *edges) {
      add_edge_request moved;
      moved.src = e.key.src == loser_.id ? keeper_ : e.key.src;
      moved.dst = e.key.dst == loser_.id ? keeper_ : e.key.dst;
      moved.type = static_cast<std::uint8_t>(e.key.type);
      moved.actor = actor_;
      moved.weight = e.weight;
      moved.kind = e.kind;
      moved.data = e.data;
      // What is erased gets no edge any more; that it had one goes with the topic.
      const memory_id& other = e.key.src == loser_.id ? e.key.dst : e.key.src;
      if (moved.src != moved.dst && !x_.state.is_erased(other))
        if (auto ok = part(moved); !ok) return ok;
      remove_edge_request old;
      old.src = e.key.src;
      old.type = moved.type;
      old.dst = e.key.dst;
      old.actor = actor_;
      old.reason = merge_reason;
      if (auto ok = part(old); !ok) return ok;
    }
    return {};
  }

  result<void> move_fields() {
    auto fields = x_.state.fields(loser_.id);
    if (!fields) return propagate(fields);
    for (const auto& f : *fields) {
      auto revisions = x_.state.revisions(f.head);
      if (!revisions) return propagate(revisions);
      auto own = x_.state.field(keeper_, f.head.name);
      if (!own) return propagate(own);
      if (own->has_value())
        file_behind(std::move(**own), std::move(*revisions));
      else
        copy(f, std::move(*revisions));
    }
    return fields->empty() ? result<void>() : lower_trust();
  }

  /// What the fields say is the keeper's text from now on.
  result<void> lower_trust() {
    auto v = x_.state.topic_version(loser_);
    if (!v) return propagate(v);
    return trust_no_further(x_, keeper_, v->provenance, actor_);
  }

  /// The keeper has no such field: it gets this one with its whole history.
  void copy(topic_field field, std::vector<field_revision> revisions) {
    field.head.topic = keeper_;
    for (auto& r : revisions) rewrite(r, r.number);
    field.head.newest_hash = revisions[field.current - 1].hash;
    put(std::move(field), std::move(revisions));
  }

  /// The keeper's own history and current value stay; the loser's comes behind them.
  void file_behind(topic_field field, std::vector<field_revision> revisions) {
    std::ranges::stable_sort(revisions, {}, &field_revision::valid_from);
    for (auto& r : revisions) {
      if (!r.merged_from) r.merged_from = loser_.id;
      rewrite(r, ++field.head.revisions);
    }
    put(std::move(field), std::move(revisions));
  }

  void rewrite(field_revision& r, std::uint32_t number) {
    r.topic = keeper_;
    r.number = number;
    r.nonce = x_.draw.draw_nonce();
    r.hash = hash_of(r);
  }

  void put(topic_field field, std::vector<field_revision> revisions) {
    x_.state.put(field, revisions);
    x_.changed_texts.try_emplace(keeper_);
    append_entry(x_, entry_kind::field, actor_, {leaf_of(field.head)},
                 field_payload{field, std::move(revisions)});
  }

  execution& x_;
  const std::string& actor_;
  memory_id keeper_;
  head loser_;
};

} // namespace

result<void> run(execution& x, const revise_request& r, const prepared&) {
  auto groups = mergeable(x);
  if (!groups) return propagate(groups);
  std::vector<std::vector<head>> merges;
  for (auto& [key, topics] : *groups)
    if (topics.size() > 1) merges.push_back(std::move(topics));
  std::ranges::sort(merges, {}, [](const std::vector<head>& topics) { return topics[0].id; });
  topic_changes changes;
  for (auto& topics : merges)
    for (std::size_t i = 1; i < topics.size() && x.out.entries.size() < sweep_entries; ++i) {
      changes.merged.push_back({.keeper = topics[0].id, .loser = topics[i].id});
      if (auto ok = merge(x, r.actor, topics[0].id, std::move(topics[i])).run(); !ok) return ok;
    }
  mutation_result done = unchanged(x);
  done.changed = !changes.merged.empty();
  done.topics = std::move(changes);
  x.out.results.push_back(std::move(done));
  return {};
}

} // namespace mneme
