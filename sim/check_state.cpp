#include "sim/check_state.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "index/lexical/text_terms.hpp"
#include "messages/text/forms.hpp"
#include "sim/model_current.hpp"
#include "sim/model_doors.hpp"
#include "state/recovery/verify.hpp"
#include "views/topic_reads.hpp"

namespace mneme::sim {

namespace {

/// Fields with all their revisions, and the audit log.
check_result check_topic(const evidence& known, kv_reader& reader, const memory_id& id) {
  const seq_no at = known.truth.last();
  const auto of = [&](std::string_view what) {
    return wrong("state",
                 fmt::format("{} of topic {} is not as the model has it", what, to_string(id)));
  };
  std::vector<topic_field> erased;
  auto fields = read_fields(reader, id, at, &erased);
  if (!fields) return wrong("state", fields.error().message);
  if (erased != known.truth.erased_fields_at(id, at)) return of("an erased field");
  if (*fields != known.truth.fields_at(id, at)) return of("a field");
  for (const auto& f : *fields) {
    auto revisions = read_revisions(reader, f.head);
    if (!revisions) return wrong("state", revisions.error().message);
    if (*revisions != known.truth.revisions_of(f)) return of("the history of field " + f.head.name);
  }
  auto events = read_events(reader, id, at);
  if (!events) return wrong("state", events.error().message);
  if (*events != known.truth.events_at(id, at)) return of("the audit log");
  return {};
}

/// Hashtags, learned weights and the statistics of both corpora.
check_result check_the_rest(const evidence& known, world& w) {
  const seq_no at = known.truth.last();
  if (w.attributes().colours().tags().all(at) != known.truth.tags_at(at))
    return wrong("state", "the hashtags are others");
  const auto set = w.attributes().search_at(at);
  if ((set == nullptr ? "" : set->weights) != known.truth.search_text_at(at))
    return wrong("state", "searches weigh by something else");
  std::set<std::string> actors = {""};
  std::array<corpus_size, corpus_count> sizes;
  for (const auto& id : known.truth.ids_and_stubs()) {
    const memory m = *known.truth.memory_at(id, at);
    actors.insert(m.head->actor_scope);
    if (!may_have_held(m.head)) continue;
    const bool is_chunk = m.head->type == memory_type::chunk;
    auto& size = sizes[static_cast<std::size_t>(is_chunk ? corpus::chunks : corpus::memories)];
    const std::string text = is_chunk ? text_in(m.version, "content") : known.truth.text_at(id, at);
    ++size.documents;
    size.length += text_terms(text).size();
  }
  for (const auto of : {corpus::memories, corpus::chunks})
    if (w.lexical().size(of, at) != sizes[static_cast<std::size_t>(of)])
      return wrong("state", "the lexical index counts other documents");
  for (const auto& actor : actors) {
    if (w.attributes().weights_of(actor, at) != known.truth.weights_at(actor, at))
      return wrong("state", "the learned weights of '" + actor + "' are others");
  }
  return {};
}

check_result check_memory(const evidence& known, world& w, kv_reader& reader, const memory_id& id) {
  const seq_no at = known.truth.last();
  const auto expected = known.truth.memory_at(id, at);
  const auto of = [&](std::string_view what) {
    return wrong("state", fmt::format("{} of {} is not as the model has it", what, to_string(id)));
  };
  auto got = read_memory(w.views(), reader, id, at);
  if (!got) return wrong("state", got.error().message);
  if (got->has_value() != expected.has_value()) return of("the existence");
  if (!expected) return {};
  if ((*got)->head != expected->head) return of("the head");
  if (expected->head->erased) return {}; // nothing else is left
  if ((*got)->activation != expected->activation) return of("the activation");
  if ((*got)->signals != expected->signals) return of("the signals");
  if (auto ok = check_topic(known, reader, id); !ok) return ok;
  for (std::uint32_t n = 1; n <= expected->head->current_version; ++n) {
    auto v = read_version(reader, id, n);
    if (!v) return wrong("state", v.error().message);
    // Its row goes when the trim ends.
    if (!v->has_value() && known.truth.trimmed_by(id, n, at)) continue;
    if (*v != known.truth.version_at(id, n, at)) return of(fmt::format("version {}", n));
  }
  const row_no row = w.attributes().row_of(w.nodes.find(id), at);
  if (row.value == no_number) return of("the row");
  const auto values = w.vectors().get(w.attributes().slot(row));
  if (!std::ranges::equal(values, known.truth.vector_at(id, at))) return of("the vector");
  return {};
}

check_result check_counts(const evidence& known, world& w) {
  const seq_no at = known.truth.last();
  std::map<memory_type, std::uint64_t> live;
  for (const auto& id : known.truth.ids_at(at)) {
    const auto h = known.truth.head_at(id, at);
    if (!h->tombstone) ++live[h->type];
  }
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte) {
    const auto type = static_cast<memory_type>(byte);
    if (w.attributes().live_count(type, at) != live[type])
      return wrong("state",
                   fmt::format("{} live memories of type {} instead of {}",
                               w.attributes().live_count(type, at), to_string(type), live[type]));
  }
  const world_counts counts = w.published_counts();
  for (std::size_t byte = 1; byte <= memory_type_count; ++byte)
    if (counts.live.by_type[byte] != live[static_cast<memory_type>(byte)])
      return wrong("state",
                   fmt::format("{} memories of type {} were counted", counts.live.by_type[byte],
                               to_string(static_cast<memory_type>(byte))));
  if (counts.fields != known.truth.fields_at(at).size())
    return wrong("state", fmt::format("{} fields were counted", counts.fields));
  const auto edges = known.truth.edges_at(at);
  const auto alive = std::ranges::count(edges, false, &edge_record::tombstoned);
  if (counts.edges != static_cast<std::uint64_t>(alive))
    return wrong("state", fmt::format("{} live edges instead of {}", counts.edges, alive));
  return {};
}

/// One direction of one memory's edges in the graph, as keys with their tombstones.
std::vector<std::pair<edge_key, bool>> listed(world& w, const memory_id& id,
                                              edge_direction direction, seq_no at) {
  std::vector<std::pair<edge_key, bool>> found;
  w.graph.neighbours(w.nodes.find(id), direction, at, true, [&](const neighbour& n) {
    const memory_id& other = w.nodes.id(n.node);
    found.emplace_back(direction == edge_direction::out ? edge_key{id, n.type, other}
                                                        : edge_key{other, n.type, id},
                       n.tombstoned);
    return true;
  });
  return found;
}

std::vector<std::pair<edge_key, bool>> keys_of(const std::vector<edge_record>& edges) {
  std::vector<std::pair<edge_key, bool>> found;
  found.reserve(edges.size());
  for (const auto& e : edges) found.emplace_back(e.key, e.tombstoned);
  return found;
}

} // namespace

check_result check_state(const evidence& known, world& w) {
  const seq_no at = known.truth.last();
  if (w.published_seq() != at)
    return wrong("state",
                 fmt::format("it is at seq {} instead of {}", w.published_seq().value, at.value));
  if (auto ok = w.wait_for_late(); !ok) return wrong("state", ok.error().message);
  auto reader = w.store->reader();
  if (!reader) return wrong("state", reader.error().message);
  for (std::uint32_t n = 0; n < w.nodes.size(); ++n)
    if (auto ok = check_memory(known, w, **reader, w.nodes.id({n})); !ok) return ok;
  for (const auto& id : known.truth.ids_and_stubs())
    if (w.nodes.find(id).value == no_number)
      return wrong("state", to_string(id) + " is unknown to the node table");
  for (const auto& e : known.truth.edges_at(at)) {
    auto got = read_edge(**reader, e.key, at);
    if (!got) return wrong("state", got.error().message);
    if (*got != e)
      return wrong("state",
                   fmt::format("edge {} {} {} is not as the model has it", to_string(e.key.src),
                               to_string(e.key.type), to_string(e.key.dst)));
  }
  if (auto ok = check_the_rest(known, w); !ok) return ok;
  return check_counts(known, w);
}

check_result check_both_ends(const evidence& known, world& w) {
  const seq_no at = known.truth.last();
  for (std::uint32_t n = 0; n < w.nodes.size(); ++n) {
    const memory_id& id = w.nodes.id({n});
    if (listed(w, id, edge_direction::out, at) != keys_of(known.truth.edges_out(id, at)))
      return wrong("edges", "the edges out of " + to_string(id) + " are others at seq "
                                + std::to_string(at.value));
    if (listed(w, id, edge_direction::in, at) != keys_of(known.truth.edges_in(id, at)))
      return wrong("edges", "the edges into " + to_string(id) + " are others at seq "
                                + std::to_string(at.value));
  }
  return {};
}

check_result check_roots(const evidence& known, world& w) {
  const seq_no at = known.truth.last();
  const root_set published = w.published_roots();
  if (published != known.roots.at(at))
    return wrong("root",
                 fmt::format("the published root at seq {} is not that of the entries", at.value));
  auto contents = roots_of_contents(known.world, known.truth, known.roots);
  if (!contents) return wrong("root", contents.error().message);
  if (published != *contents)
    return wrong("root",
                 fmt::format("the root at seq {} depends on more than the contents", at.value));
  auto folded = fold_roots(*w.files, w.directory, at);
  if (!folded) return wrong("root", folded.error().message);
  if (published != *folded)
    return wrong("root",
                 fmt::format("the root folded from the journal at seq {} is another", at.value));
  return {};
}

} // namespace mneme::sim
