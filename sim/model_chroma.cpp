#include <algorithm>

#include "messages/text/hashtag.hpp"
#include "messages/text/time_text.hpp"
#include "sim/model_current.hpp"
#include "sim/model_doors.hpp"
#include "sim/model_lineage.hpp"
#include "sim/model_physics.hpp"
#include "sim/model_write.hpp"
#include "sim/own_profile.hpp"

namespace mneme::sim {

namespace {

bool is_inside(const time_range& range, timestamp t) {
  return (!range.start || *range.start <= t) && (!range.end || t <= *range.end);
}

bool equal(const scalar& asked, const meta_value& value) {
  const auto same = [&](const auto* text) {
    using type = std::decay_t<decltype(*text)>;
    const auto* other = std::get_if<type>(&asked);
    return text != nullptr && other != nullptr && *text == *other;
  };
  return same(std::get_if<std::int64_t>(&value)) || same(std::get_if<std::string>(&value));
}

/// The filters that the workload draws: equality with one of some numbers or texts, or at least a
/// number.
bool passes(const metadata_filters& filters, const metadata_map& values) {
  return std::ranges::all_of(filters, [&](const auto& one) {
    const auto found = values.find(one.first);
    if (found == values.end()) return false;
    const metadata_filter& f = one.second;
    if (f.gte) {
      const auto* number = std::get_if<std::int64_t>(&found->second);
      if (number == nullptr || *number < std::get<std::int64_t>(*f.gte)) return false;
    }
    return f.any_of.empty() || std::ranges::any_of(f.any_of, [&](const scalar& s) {
             return equal(s, found->second);
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

/// Between bars, without the blanks around.
std::vector<std::string> parts_of(const std::string& text, char bar) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == bar)
      parts.emplace_back();
    else
      parts.back().push_back(c);
  for (auto& p : parts) {
    p.erase(0, std::min(p.find_first_not_of(' '), p.size()));
    p.erase(p.find_last_not_of(' ') + 1);
  }
  return parts;
}

using refusal = std::optional<errc>;

/// What the default profile reads: hashtags, "recent", "top N".
refusal read_words(chroma_request& r, const model& state, seq_no at, timestamp now) {
  r.hashtags = hashtags_in(state, *r.text, at);
  if (r.hashtags.empty()) return errc::query_profile_error;
  if (const auto top = r.text->find("top "); top != std::string::npos && !r.k)
    r.k = (*r.text)[top + 4] - '0';
  if (r.text->starts_with("recent") && !r.temporal_range)
    r.temporal_range =
        time_range{timestamp{std::max<std::int64_t>(0, now.ns - 7 * 86'400'000'000'000)}, now};
  return {};
}

std::vector<scalar> statuses_of(const std::string& release) {
  if (release.empty() || release == "latest")
    return {std::string("public"), std::string("lts"), std::string("latest")};
  if (release == "beta") return {std::string("beta"), std::string("public"), std::string("lts")};
  if (release.starts_with("v")) return {std::string("public")};
  return {};
}

/// A knowledge patch in the words of the workload.
refusal read_patch(chroma_request& r, const model& state, seq_no at, timestamp now) {
  const auto parts = parts_of(*r.text, '|');
  if (parts.size() < 3) {
    const auto given = r.hashtags;
    const auto refused = read_words(r, state, at, now);
    r.hashtags.insert(r.hashtags.end(), given.begin(), given.end());
    return refused;
  }
  const auto statuses = statuses_of(parts.size() > 3 ? parts[3] : "");
  if (parts.size() > 5 || statuses.empty()) return errc::query_profile_error;
  r.hashtags.push_back(parts[0]);
  for (const auto& tag : parts_of(parts[1], ':')) r.hashtags.push_back(tag);
  const timestamp year_ago{std::max<std::int64_t>(0, now.ns - 365 * 86'400'000'000'000)};
  if (!r.temporal_range)
    r.temporal_range =
        time_range{parts[2].empty() ? year_ago : *parse_timestamp(parts[2]), std::nullopt};
  r.filters["paradigm"].any_of = {parts[0]};
  r.filters["subdomain_path"].any_of = {parts[1]};
  r.filters["release_status"].any_of = statuses;
  if (!r.k) r.k = 100;
  return {};
}

/// The request with what its text says, as its profile reads it.
std::expected<chroma_request, errc> understood(const model& state, const chroma_request& asked,
                                               seq_no at, timestamp now) {
  chroma_request r = asked;
  if (!r.text) return r;
  refusal refused;
  if (r.profile == own_profile_name) {
    r.hashtags = hashtags_in(state, *r.text, at);
    if (!r.k) r.k = own_profile_k;
  } else if (r.profile == "knowledge_patch") {
    refused = read_patch(r, state, at, now);
  } else {
    refused = read_words(r, state, at, now);
  }
  if (refused) return std::unexpected(*refused);
  return r;
}

/// What the profile does to the rows when it is known what they touch.
void finish(chroma_result& out, const chroma_request& r) {
  if (r.profile == own_profile_name) {
    const auto dropped = std::erase_if(out.rows, [](const chroma_row& row) {
      return row.memory.head->visibility == visibility::private_;
    });
    out.notes["private"] = std::to_string(dropped);
  }
  if (r.profile != "knowledge_patch" || !r.text) return;
  const auto parts = parts_of(*r.text, '|');
  if (parts.size() < 3) return;
  out.notes["format"] = parts.size() > 4 ? parts[4] : "";
  double total = 0;
  for (const auto& row : out.rows)
    for (const auto& [key, value] : row.memory.head->metadata) {
      if (!key.starts_with("layout_traits.")) continue;
      const auto* whole = std::get_if<std::int64_t>(&value);
      const double number =
          whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
      out.traits[key.substr(14)] += number;
      total += number;
    }
  if (total == 0) return;
  for (auto& [name, sum] : out.traits) sum /= total;
}

} // namespace

std::expected<chroma_outcome_of, errc> chroma_in(const model& state, const chroma_request& asked,
                                                 seq_no at, timestamp now) {
  if (asked.touch == true && !viewer_of(asked).may_touch())
    return std::unexpected(errc::scope_violation);
  const auto read = understood(state, asked, at, now);
  if (!read) return std::unexpected(read.error());
  const chroma_request& r = *read;
  const auto mix = mixed_hashtags(state, r.hashtags, at);
  if (!mix) return std::unexpected(r.text ? errc::query_profile_error : mix.error());
  const lab point = point_of_anchors(mix->anchors);
  chroma_outcome_of outcome;
  chroma_result& out = outcome.answer;
  out.point = {point.L, point.a, point.b, node_id_of(point.L, point.a, point.b), {}};
  for (const auto& tag : mix->tags) {
    const auto zone = state.tag_at(tag, at)->zone;
    ++(zone == colour_zone::core  ? out.point.counts.core
       : zone == colour_zone::mid ? out.point.counts.mid
                                  : out.point.counts.outer);
  }
  out.hashtags = mix->tags;
  out.profile = r.profile.value_or("default");
  out.at_seq = at;
  const what_holds current(state, viewer_of(r), at, {.instant = now});
  for (const auto& id : state.ids_at(at)) {
    const auto h = state.head_at(id, at);
    if (!h->colour || !may_have_held(*h) || is_archived(*h) || !sees(viewer_of(r), *h)) continue;
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
    if (!r.include_ended && !current.holds(row.memory)) continue;
    row.past = {.ended = current.is_over(row.memory),
                .superseded = current.is_superseded(row.memory)};
    row.memory.standing = standing_in(state, id, at);
    row.label = label_in(row.memory.version);
    row.relevance = relevance_of(row.distance);
    row.recency = recency_of(s.last_accessed, now, mode);
    row.strength_norm = strength_norm(s.strength_e9);
    row.health = health_of(s.last_accessed, now, mode);
    const score_weights w = r.weights.value_or(table_of(mode).weights);
    row.score =
        w.relevance * row.relevance + w.recency * row.recency + w.strength * row.strength_norm;
    if (r.profile == own_profile_name)
      row.score = 0.7 * row.score + 0.3 * std::min(1.0, h->declared_importance / 8.0);
    out.rows.push_back(std::move(row));
  }
  std::ranges::sort(out.rows, [](const chroma_row& a, const chroma_row& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.memory.head->id < b.memory.head->id;
  });
  const auto k = static_cast<std::size_t>(r.k.value_or(5));
  if (out.rows.size() > k) out.rows.resize(k);
  for (const auto& row : out.rows) outcome.touched.push_back(row.memory.head->id);
  finish(out, r);
  return outcome;
}

} // namespace mneme::sim
