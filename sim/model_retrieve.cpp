#include <algorithm>

#include <fmt/format.h>

#include "index/vectors/vectors.hpp"
#include "sim/model_current.hpp"
#include "sim/model_doors.hpp"
#include "sim/model_lineage.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

namespace {

struct bundle_of {
  memory_id id;
  std::optional<double> similarity;
};

bool is_trusted(const model& state, const retrieve_request& r, const memory_id& id, seq_no at) {
  return !r.min_trust || trust_in(state, id, at) >= *r.min_trust;
}

bool is_seen_topic(const model& state, const retrieve_request& r, const memory_id& id, seq_no at) {
  const auto h = state.head_at(id, at);
  return h && h->type == memory_type::topic && !h->tombstone && sees(viewer_of(r), *h)
         && is_trusted(state, r, id, at);
}

bool may_be_found(const model& state, const retrieve_request& r, const memory_id& id, seq_no at,
                  const what_holds& current) {
  const auto h = state.head_at(id, at);
  if (!h || h->type != memory_type::topic || !may_have_held(*h) || !sees(viewer_of(r), *h)
      || is_archived(*h))
    return false;
  const bool is_named = r.topic_ids && std::ranges::find(*r.topic_ids, id) != r.topic_ids->end();
  if (is_named && (r.include_ended || !h->tombstone)) return true;
  return (r.include_ended || current.holds(*state.memory_at(id, at)))
         && is_trusted(state, r, id, at);
}

bool has(const retrieve_request& r, retrieve_stage stage) {
  return !r.stages || std::ranges::find(*r.stages, stage) != r.stages->end();
}

/// The topics given, each once, cut to top_k before anything else.
std::vector<bundle_of> given(const model& state, const retrieve_request& r, seq_no at,
                             const what_holds& current) {
  std::vector<memory_id> ids;
  for (const auto& id : *r.topic_ids)
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  if (ids.size() > static_cast<std::size_t>(r.top_k)) ids.resize(static_cast<std::size_t>(r.top_k));
  std::vector<bundle_of> found;
  for (const auto& id : ids)
    if (may_be_found(state, r, id, at, current)) found.push_back({id, {}});
  return found;
}

std::vector<memory_id> with_vector(const model& state, const retrieve_request& r, seq_no at,
                                   const what_holds& current) {
  std::vector<memory_id> found;
  for (const auto& id : state.ids_at(at))
    // A head may tell of a vector that went with a field.
    if (may_be_found(state, r, id, at, current) && !state.vector_at(id, at).empty())
      found.push_back(id);
  return found;
}

std::expected<std::vector<bundle_of>, errc> chosen(const model& state, const retrieve_request& r,
                                                   const std::vector<float>& q, seq_no at,
                                                   timestamp now, const what_holds& current) {
  const auto ids = with_vector(state, r, at, current);
  const auto most = static_cast<std::size_t>(r.top_k);
  std::vector<bundle_of> found;
  if (!has(r, retrieve_stage::semantic)) {
    if (r.topic_ids) return given(state, r, at, current);
    for (const auto& id : ids)
      if (found.size() < most) found.push_back({id, {}});
    return found;
  }
  if (ids.empty()) return r.topic_ids ? given(state, r, at, current) : found;
  if (q.empty()) return std::unexpected(errc::no_embedder);
  std::vector<std::pair<double, memory_id>> near;
  near.reserve(ids.size());
  for (const auto& id : ids) near.emplace_back(cosine_distance(q, state.vector_at(id, at)), id);
  std::ranges::sort(near);
  // Topics of which only the past has words of q make room for the next, eight times.
  for (int times = 0;; ++times) {
    found.clear();
    for (const auto& [distance, id] : near)
      if (found.size() < most) found.push_back({id, 1.0 - distance});
    if (r.include_ended) break;
    const auto is_past = [&](const memory_id& id) {
      const bool is_named =
          r.topic_ids && std::ranges::find(*r.topic_ids, id) != r.topic_ids->end();
      return !is_named
             && is_past_topic(state, *state.memory_at(id, at), at, r.q,
                              {.instant = r.as_of.value_or(now)}, false);
    };
    std::set<memory_id> past;
    for (const auto& b : found)
      if (is_past(b.id)) past.insert(b.id);
    if (past.empty()) break;
    std::erase_if(near, [&](const auto& n) { return past.contains(n.second); });
    std::erase_if(found, [&](const bundle_of& b) { return past.contains(b.id); });
    if (times == 8) break;
  }
  if (r.topic_ids)
    std::erase_if(found, [&](const bundle_of& b) {
      return std::ranges::find(*r.topic_ids, b.id) == r.topic_ids->end();
    });
  return found;
}

std::vector<topic_neighbour> neighbours_of(const model& state, const retrieve_request& r,
                                           const memory_id& id,
                                           const std::vector<topic_field_view>& fields, seq_no at) {
  std::vector<topic_neighbour> found;
  const auto is_new = [&](const memory_id& other) {
    return is_seen_topic(state, r, other, at)
           && std::ranges::find(found, other, &topic_neighbour::id) == found.end();
  };
  const auto add = [&](const memory_id& other, std::string kind, bool outgoing) {
    found.push_back(
        {other, text_in(state.memory_at(other, at)->version, "title"), std::move(kind), outgoing});
  };
  const auto kind_of = [](const edge_record& e) {
    return e.kind.empty() ? std::string(to_string(e.key.type)) : e.kind;
  };
  for (const auto& e : state.edges_out(id, at))
    if (!e.tombstoned && is_new(e.key.dst)) add(e.key.dst, kind_of(e), true);
  for (const auto& e : state.edges_in(id, at))
    if (!e.tombstoned && is_new(e.key.src)) add(e.key.src, kind_of(e), false);
  if (r.expand_refs) {
    std::set<std::pair<std::string, memory_id>> refs;
    for (const auto& f : fields)
      if (f.field.head.ref_topic_id) refs.emplace(f.field.head.name, *f.field.head.ref_topic_id);
    for (const auto& [name, ref] : refs)
      if (ref != id && is_new(ref)) add(ref, "ref:" + name, true);
  }
  std::ranges::sort(found, {}, &topic_neighbour::id);
  return found;
}

std::vector<topic_field> fields_wanted(const model& state, const retrieve_request& r,
                                       const memory_id& id, seq_no at) {
  if (!r.field_names) return state.fields_at(id, at);
  std::vector<topic_field> found;
  std::set<std::string> seen;
  for (const auto& name : *r.field_names)
    if (const auto f = state.field_at(id, name, at); f && seen.insert(name).second)
      found.push_back(*f);
  return found;
}

} // namespace

void cut_hidden(const model& state, const viewer& who, std::optional<memory_id>& topic, seq_no at) {
  if (!topic || who.sees_all()) return;
  const auto h = state.head_at(*topic, at);
  if (!h || !sees(who, *h)) topic.reset();
}

std::vector<topic_field_view> views_in(const model& state, const std::vector<topic_field>& fields,
                                       const field_options& options, const viewer& who, seq_no at) {
  std::vector<topic_field_view> views;
  for (const auto& f : fields) {
    auto all = state.revisions_of(f);
    // The field's own newest first, then what merges filed behind it by valid_from.
    std::ranges::sort(all, [](const field_revision& a, const field_revision& b) {
      if (a.merged_from.has_value() != b.merged_from.has_value()) return !a.merged_from.has_value();
      if (a.merged_from && a.valid_from != b.valid_from) return a.valid_from > b.valid_from;
      return a.number > b.number;
    });
    topic_field_view view{.field = f, .current = {}, .history = {}};
    for (const auto& r : all) {
      const bool is_it = options.as_of ? r.valid_from <= *options.as_of
                                             && (!r.valid_until || *options.as_of < *r.valid_until)
                                       : r.number == f.current;
      const bool has_ended =
          options.ended_by && r.valid_until && *r.valid_until <= *options.ended_by;
      if (is_it && !has_ended && !view.current) view.current = r;
    }
    if (options.history) {
      if (all.size() > static_cast<std::size_t>(options.history_limit))
        all.resize(static_cast<std::size_t>(options.history_limit));
      view.history = std::move(all);
    } else if (view.current) {
      view.history = {*view.current};
    }
    cut_hidden(state, who, view.field.head.ref_topic_id, at);
    if (view.current) cut_hidden(state, who, view.current->merged_from, at);
    for (auto& r : view.history) cut_hidden(state, who, r.merged_from, at);
    views.push_back(std::move(view));
  }
  return views;
}

std::expected<std::vector<float>, errc> query_vector(const model& state, const std::string& text,
                                                     const std::optional<std::vector<float>>& given,
                                                     seq_no at) {
  if (given) {
    const auto dim = state.space_at(at).dim;
    if (dim != 0 && dim != given->size()) return std::unexpected(errc::dim_mismatch);
    return *given;
  }
  if (state.seams().embeds == nullptr) return std::vector<float>{};
  if (is_refused_text(state, text)) return std::unexpected(errc::io);
  auto v = state.seams().embeds->embed(text);
  return v ? *v : std::vector<float>{};
}

std::expected<retrieve_result, errc> retrieve_in(const model& state, const retrieve_request& r,
                                                 seq_no at, timestamp clock) {
  const timestamp now = r.now.value_or(clock);
  if (r.touch == true && !viewer_of(r).may_touch()) return std::unexpected(errc::scope_violation);
  std::vector<float> q;
  if (has(r, retrieve_stage::semantic)) {
    auto v = query_vector(state, r.q, r.vector, at);
    if (!v) return std::unexpected(v.error());
    q = std::move(*v);
  }
  const what_holds current(state, viewer_of(r), at,
                           {.instant = r.as_of.value_or(now), .is_asked = r.as_of.has_value()},
                           r.min_trust);
  const auto ids = chosen(state, r, q, at, now, current);
  if (!ids) return std::unexpected(ids.error());
  retrieve_result out;
  out.at_seq = at;
  out.summary_text = fmt::format("Top topics for '{}':", r.q);
  for (const auto& one : *ids) {
    const memory m = *state.memory_at(one.id, at);
    topic_bundle b{.topic_id = one.id,
                   .title = text_in(m.version, "title"),
                   .summary = text_in(m.version, "summary"),
                   .topic_kind = text_in(m.version, "topic_kind"),
                   .salience_e9 = m.activation.topic_salience_e9,
                   .similarity = one.similarity,
                   .neighbours = {},
                   .fields = {},
                   .standing = standing_in(state, one.id, at),
                   .source_class = m.version->provenance.source_class,
                   .past = {.ended = current.is_over(m), .superseded = current.is_superseded(m)}};
    b.trust_told = m.version->provenance.trust.has_value() || b.source_class;
    const bool structural = has(r, retrieve_stage::structural);
    const bool temporal = has(r, retrieve_stage::temporal);
    if (structural || temporal)
      b.fields = views_in(
          state, fields_wanted(state, r, one.id, at),
          {.history = r.explain && temporal,
           .history_limit = r.history_limit,
           .as_of = r.as_of,
           .ended_by = r.include_ended ? std::nullopt : std::optional(r.as_of.value_or(now))},
          viewer_of(r), at);
    if (structural) b.neighbours = neighbours_of(state, r, one.id, *b.fields, at);
    if (out.candidates.size() < 5) {
      out.summary_text += fmt::format("\n- {} '{}'", to_string(one.id), b.title);
      if (one.similarity) out.summary_text += fmt::format(" sim={:.3f}", *one.similarity);
    }
    out.candidates.push_back(std::move(b));
  }
  return out;
}

} // namespace mneme::sim
