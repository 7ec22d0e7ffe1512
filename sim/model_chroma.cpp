#include <algorithm>

#include "messages/hashtag.hpp"
#include "sim/model_doors.hpp"
#include "sim/model_physics.hpp"
#include "sim/model_write.hpp"

namespace mneme::sim {

namespace {

bool is_inside(const time_range& range, timestamp t) {
  return (!range.start || *range.start <= t) && (!range.end || t <= *range.end);
}

/// The filters that the workload draws: equality with one of some numbers, or at least a number.
bool passes(const metadata_filters& filters, const metadata_map& values) {
  return std::ranges::all_of(filters, [&](const auto& one) {
    const auto found = values.find(one.first);
    const auto* number =
        found == values.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    if (number == nullptr) return false;
    const metadata_filter& f = one.second;
    if (f.gte && *number < std::get<std::int64_t>(*f.gte)) return false;
    return f.any_of.empty() || std::ranges::any_of(f.any_of, [&](const scalar& s) {
             return std::get<std::int64_t>(s) == *number;
           });
  });
}

std::string label_in(const version& v) {
  const auto label = v.data.find("label");
  const auto* text = label == v.data.end() ? nullptr : std::get_if<std::string>(&label->second);
  return text != nullptr && !text->empty() ? *text : v.forms.short_form;
}

/// What the default profile reads in a text of words: assigned hashtags, each once.
std::vector<std::string> hashtags_in(const model& state, const std::string& text, seq_no at) {
  std::vector<std::string> found;
  for (const auto& word : hashtag_words(text))
    if (state.tag_at(word, at) && std::ranges::find(found, word) == found.end())
      found.push_back(word);
  return found;
}

} // namespace

std::expected<chroma_result, errc> chroma_in(const model& state, const chroma_request& r, seq_no at,
                                             timestamp now) {
  const auto hashtags = r.text ? hashtags_in(state, *r.text, at) : r.hashtags;
  const auto mix = mixed_hashtags(state, hashtags, at);
  if (!mix) return std::unexpected(r.text ? errc::query_profile_error : mix.error());
  const lab point = point_of_anchors(mix->anchors);
  chroma_result out;
  out.point = {point.L, point.a, point.b, node_id_of(point.L, point.a, point.b), {}};
  for (const auto& tag : mix->tags) {
    const auto zone = state.tag_at(tag, at)->zone;
    ++(zone == colour_zone::core  ? out.point.counts.core
       : zone == colour_zone::mid ? out.point.counts.mid
                                  : out.point.counts.outer);
  }
  out.hashtags = mix->tags;
  out.profile = "default";
  out.at_seq = at;
  for (const auto& id : state.ids_at(at)) {
    const auto h = state.head_at(id, at);
    if (!h->colour || h->tombstone || !sees(r.actor, *h)) continue;
    if (h->lifecycle && h->lifecycle->status == lifecycle_status::archived) continue;
    const auto s = *state.signals_at(id, at);
    const memory_mode mode = mode_in(*h);
    chroma_row row;
    row.distance = distance_between(point, {h->colour->L, h->colour->a, h->colour->b});
    if (s.rotten && !r.include_rotten.value_or(false)) continue;
    if (r.max_distance && row.distance > *r.max_distance) continue;
    if (r.temporal_range && !is_inside(*r.temporal_range, h->created_at)
        && !is_inside(*r.temporal_range, s.last_accessed))
      continue;
    if (!passes(r.filters, h->metadata)) continue;
    row.memory = *state.memory_at(id, at);
    row.label = label_in(row.memory.version);
    row.relevance = relevance_of(row.distance);
    row.recency = recency_of(s.last_accessed, now, mode);
    row.strength_norm = strength_norm(s.strength_e9);
    row.health = health_of(s.last_accessed, now, mode);
    const score_weights w = r.weights.value_or(table_of(mode).weights);
    row.score =
        w.relevance * row.relevance + w.recency * row.recency + w.strength * row.strength_norm;
    out.rows.push_back(std::move(row));
  }
  std::ranges::sort(out.rows, [](const chroma_row& a, const chroma_row& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.memory.head.id < b.memory.head.id;
  });
  const auto k = static_cast<std::size_t>(r.k.value_or(5));
  if (out.rows.size() > k) out.rows.resize(k);
  return out;
}

} // namespace mneme::sim
