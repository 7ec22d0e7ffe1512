#include "tests/query/retrieve/topic_world.hpp"

#include <algorithm>

namespace mneme::testing {

namespace {

bool asked(const retrieve_request& r, retrieve_stage stage) {
  return !r.stages || std::ranges::find(*r.stages, stage) != r.stages->end();
}

bool seen(const model_topic& t, const retrieve_request& r) {
  return !r.actor || t.actor == *r.actor || t.is_public;
}

bool visible(const model_topic& t, const retrieve_request& r) {
  return !t.tombstoned && seen(t, r);
}

/// Nothing newer of the same actor supersedes it, or it is asked for. With a time of the request's
/// own nothing had begun by then.
bool holds(const topic_model& all, const memory_id& id, const retrieve_request& r) {
  if (r.include_ended || r.as_of) return true;
  if (r.topic_ids && std::ranges::find(*r.topic_ids, id) != r.topic_ids->end()) return true;
  return std::ranges::none_of(all.edges, [&](const auto& edge) {
    const auto newer = all.topics.find(edge.first.src);
    return edge.first.type == edge_type::supersedes && edge.first.dst == id
           && newer != all.topics.end() && visible(newer->second, r)
           && newer->second.actor == all.topics.at(id).actor;
  });
}

/// By now, which is 0 in these worlds where none is asked for.
bool has_ended(const model_value& v, const retrieve_request& r) {
  return !r.include_ended && v.until && *v.until <= (r.now ? r.now->ns : 0);
}

bool selectable(const topic_model& all, const memory_id& id, const retrieve_request& r) {
  const model_topic& t = all.topics.at(id);
  return visible(t, r) && !t.archived && holds(all, id, r);
}

std::vector<memory_id> named(const retrieve_request& r) {
  std::vector<memory_id> ids;
  for (const auto& id : *r.topic_ids)
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(r.top_k)));
  return ids;
}

} // namespace

std::vector<topic_bundle> topic_model::retrieve(const retrieve_request& r) const {
  std::vector<std::pair<memory_id, std::optional<double>>> chosen;
  std::vector<std::pair<double, memory_id>> near;
  for (const auto& [id, t] : topics)
    if (selectable(*this, id, r) && !t.vector.empty())
      near.emplace_back(r.vector ? cosine_distance(*r.vector, t.vector) : 0.0, id);
  const auto top_k = static_cast<std::size_t>(r.top_k);
  const bool semantic = asked(r, retrieve_stage::semantic);
  if (semantic && !near.empty()) {
    std::ranges::sort(near);
    near.resize(std::min(near.size(), top_k));
    for (const auto& [distance, id] : near)
      if (!r.topic_ids || std::ranges::find(*r.topic_ids, id) != r.topic_ids->end())
        chosen.emplace_back(id, 1.0 - distance);
  } else if (r.topic_ids) {
    for (const auto& id : named(r))
      if (topics.contains(id) && selectable(*this, id, r)) chosen.emplace_back(id, std::nullopt);
  } else if (!semantic) {
    for (const auto& [distance, id] : near)
      if (chosen.size() < top_k) chosen.emplace_back(id, std::nullopt);
  }
  std::vector<topic_bundle> bundles;
  for (const auto& [id, similarity] : chosen) {
    const model_topic& t = topics.at(id);
    topic_bundle b;
    b.topic_id = id;
    b.title = t.title;
    b.salience_e9 = t.salience_e9;
    b.similarity = similarity;
    const bool structural = asked(r, retrieve_stage::structural);
    if (structural || asked(r, retrieve_stage::temporal)) {
      b.fields.emplace();
      std::vector<std::string> names;
      if (r.field_names) {
        for (const auto& n : *r.field_names)
          if (std::ranges::find(names, n) == names.end()) names.push_back(n);
      } else {
        for (const auto& [n, f] : t.fields) names.push_back(n);
      }
      for (const auto& n : names) {
        const auto f = t.fields.find(n);
        if (f == t.fields.end()) continue;
        topic_field_view view;
        view.field.head.name = n;
        if (const auto& ref = f->second.ref; ref && seen(topics.at(*ref), r))
          view.field.head.ref_topic_id = ref; // nobody is told of what it does not see
        for (std::size_t i = f->second.values.size(); i-- > 0;) {
          const model_value& v = f->second.values[i];
          field_revision revision;
          revision.number = static_cast<std::uint32_t>(i + 1);
          revision.value.node = v.value;
          const bool valid =
              !r.as_of || (v.from <= r.as_of->ns && (!v.until || r.as_of->ns < *v.until));
          const bool is_newest = i + 1 == f->second.values.size();
          if (valid && (r.as_of || (is_newest && !has_ended(v, r))) && !view.current)
            view.current = revision;
          view.history.push_back(revision);
        }
        if (!r.explain || !asked(r, retrieve_stage::temporal)) {
          view.history.clear();
          if (view.current) view.history.push_back(*view.current);
        }
        b.fields->push_back(std::move(view));
      }
    }
    if (structural) {
      std::map<memory_id, topic_neighbour> found;
      // By (out before in, type, id): the first edge to a topic names it.
      for (const bool outgoing : {true, false})
        for (const auto& [key, kind] : edges) {
          if ((outgoing ? key.src : key.dst) != id) continue;
          const memory_id& other = outgoing ? key.dst : key.src;
          const auto neighbour = topics.find(other);
          if (neighbour == topics.end() || !visible(neighbour->second, r)) continue;
          // The edges of one pair come in type order; the first stays.
          found.emplace(
              other, topic_neighbour{.id = other,
                                     .title = neighbour->second.title,
                                     .kind = kind.empty() ? std::string(to_string(key.type)) : kind,
                                     .outgoing = outgoing});
        }
      if (r.expand_refs) {
        std::map<std::string, memory_id> refs;
        for (const auto& view : *b.fields)
          if (view.field.head.ref_topic_id)
            refs.emplace(view.field.head.name, *view.field.head.ref_topic_id);
        for (const auto& [n, other] : refs) {
          const auto neighbour = topics.find(other);
          if (other == id || neighbour == topics.end() || !visible(neighbour->second, r)) continue;
          found.emplace(other, topic_neighbour{.id = other,
                                               .title = neighbour->second.title,
                                               .kind = "ref:" + n,
                                               .outgoing = true});
        }
      }
      b.neighbours.emplace();
      for (auto& [other, n] : found) b.neighbours->push_back(n);
    }
    bundles.push_back(std::move(b));
  }
  return bundles;
}

result<std::unique_ptr<retrieve_run>> run_retrieve(world& w, retrieve_request r) {
  auto at = w.readable(r.at_seq);
  if (!at) return propagate(at);
  const read_views views = w.views();
  auto run = retrieve_run::compile(std::move(r), {.at = *at, .now = {}}, views);
  if (!run) return propagate(run);
  if (auto ok = run_inline(**run, views); !ok) return propagate(ok);
  return std::move(*run);
}

result<retrieve_result> retrieve_and_touch(world& w, driven& d, const retrieve_request& r) {
  auto run = run_retrieve(w, r);
  if (!run) return propagate(run);
  auto touched = (*run)->touch();
  auto answer = (*run)->take();
  if (touched) {
    auto seq = d.touch_entry(std::move(*touched));
    if (!seq) return propagate(seq);
    answer.seq = *seq;
  }
  return answer;
}

} // namespace mneme::testing
