/// Attest, compact and the decay cycle, over the model.

#include <algorithm>
#include <array>
#include <cmath>

#include "messages/text/forms.hpp"
#include "sim/model_doors.hpp"
#include "sim/model_physics.hpp"

namespace mneme::sim {

namespace {

std::int64_t rounded(double x) {
  return static_cast<std::int64_t>(std::floor(x * 1e9 + 0.5));
}

/// What an agent names by a uri, if it can be used.
std::optional<memory_uri> usable(const model& state, const std::string& text, const viewer& who,
                                 seq_no at) {
  const auto uri = parse_memory_uri(text);
  if (!uri) return std::nullopt;
  const auto h = state.head_at(uri->id, at);
  if (!h || h->tombstone || h->type != uri->type || uri->version > h->current_version
      || !sees(who, *h))
    return std::nullopt;
  return *uri;
}

} // namespace

std::string text_in(const version& v, std::string_view field) {
  const auto found = v.data.find(field);
  const auto* text = found == v.data.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

std::string text_of(const version& v, form_kind form) {
  if (form == form_kind::short_form) return v.forms.short_form;
  if (form == form_kind::medium) return v.forms.medium_form;
  return full_text(v.type, v.data);
}

bool is_pinned_content(const version& v) {
  return v.type == memory_type::identity
         || (v.type == memory_type::constraint && text_in(v, "strength") == "hard")
         || (v.type == memory_type::goal && text_in(v, "status") == "active");
}

attest_outcome_of attest_in(const model& state, const attest_request& r, seq_no at, timestamp now) {
  attest_outcome_of out;
  out.attested = {r.intent_id, r.outcome, r.reason, {}, viewer_of(r).name(), {}};
  const bool away = r.outcome == attest_outcome::failure
                    && (r.reason == "factual_error" || r.reason == "wrong_assumption");
  std::array<double, 4> sums{};
  for (const auto& text : r.cited) {
    const auto uri = usable(state, text, viewer_of(r), at);
    if (!uri) {
      out.answer.skipped.push_back(text);
      continue;
    }
    auto& cited = out.attested.cited;
    if (std::ranges::find(cited, uri->id) != cited.end()) continue;
    cited.push_back(uri->id);
    activation used = state.memory_at(uri->id, at)->activation;
    used.last_used = now;
    if (r.outcome == attest_outcome::success) {
      ++used.access_count;
      ++used.citations;
    } else if (away && used.citations > 0) {
      --used.citations;
    }
    const four_parts p = parts_at(used, now);
    const std::array<double, 4> parts = {p.recency, p.access, p.citations, p.importance};
    for (std::size_t i = 0; i < 4; ++i) sums[i] += parts[i];
  }
  const learned_weights before = state.weights_at(viewer_of(r).name(), at);
  out.learned = {viewer_of(r).name(), true, before, {}};
  out.answer.weights = before;
  const double whole = sums[0] + sums[1] + sums[2] + sums[3];
  if (whole <= 0) return out;
  const auto number = [](std::int64_t e9) { return static_cast<double>(e9) / 1e9; };
  std::array<double, 4> w = {number(before.recency), number(before.access),
                             number(before.citations), number(before.importance)};
  for (std::size_t i = 0; i < 4; ++i) {
    const double step = 0.05 * (sums[i] / whole - w[i]);
    w[i] = std::max(0.0, away ? w[i] - step : w[i] + step);
  }
  const double own = w[0] + w[1] + w[2] + w[3];
  if (own <= 0) return out;
  const double similarity = number(before.similarity);
  const double all = own + similarity;
  out.learned.skipped = false;
  out.learned.weights = {rounded(w[0] / all), rounded(w[1] / all), rounded(w[2] / all),
                         rounded(w[3] / all), rounded(similarity / all)};
  out.answer.learned = true;
  out.answer.weights = out.learned.weights;
  return out;
}

std::expected<compact_outcome_of, errc> compact_in(const model& state, const compact_request& r,
                                                   seq_no at, timestamp now) {
  compact_outcome_of out;
  const auto w = numbers_of(state.weights_at(viewer_of(r).name(), at));
  std::set<memory_id> seen;
  std::vector<std::pair<memory_uri, bool>> uris; // and whether it bears load
  for (const auto* list : {&r.load_bearing, &r.in_context})
    for (const auto& text : *list) {
      auto uri = usable(state, text, viewer_of(r), at);
      if (uri && state.trimmed_by(uri->id, uri->version, at)) uri.reset();
      auto& skipped = out.answer.skipped;
      if (uri && seen.insert(uri->id).second)
        uris.emplace_back(*uri, list == &r.load_bearing);
      else if (!uri && std::ranges::find(skipped, text) == skipped.end())
        skipped.push_back(text);
    }
  out.payload = {r.intent_id, r.step_id, viewer_of(r).name(), r.budget_tokens, 0, {}, {}, {}};
  for (const int pass : {0, 1, 2})
    for (const auto& [uri, bears] : uris) {
      const version v = *state.version_at(uri.id, uri.version, at);
      const head h = state.memory_at(uri.id, at)->head;
      const bool pinned = is_pinned_content(*state.version_at(h.id, h.current_version, at))
                          && (viewer_of(r).sees_all() || h.actor_scope == viewer_of(r).owner());
      if ((bears ? 0 : (pinned ? 1 : 2)) != pass) continue;
      double weight = salience(state.memory_at(uri.id, at)->activation, now, w, {});
      if (pinned) weight = std::max(weight, pinned_floor);
      const std::string& text = pass < 2 ? v.forms.medium_form : v.forms.short_form;
      const std::int64_t tokens = state.seams().tokens->count(text);
      out.answer.tokens += tokens;
      if (pass < 2) {
        out.answer.kept.push_back({uri, text, tokens, weight});
        out.payload.kept.push_back({uri, rounded(weight), tokens, {}});
      } else {
        out.answer.compacted.push_back({uri, text, tokens, weight});
        out.payload.compacted.push_back({uri, rounded(weight), tokens, text});
      }
    }
  out.payload.tokens = out.answer.tokens;
  if (out.answer.tokens > r.budget_tokens) return std::unexpected(errc::budget_unreachable);
  return out;
}

std::expected<compact_result, errc> load_compact_in(const model& state,
                                                    const load_compact_request& r, seq_no at) {
  const model::compact_record* found = nullptr;
  for (const auto& c : state.compacts())
    if (c.seq <= at && c.payload.intent_id == r.intent_id && c.payload.step_id == r.step_id
        && (viewer_of(r).actor.value_or("").empty() || c.payload.actor == *r.actor))
      found = &c;
  if (found == nullptr) return std::unexpected(errc::not_found);
  compact_result out;
  out.seq = found->seq;
  out.tokens = found->payload.tokens;
  const auto readable = [&](const memory_uri& uri) {
    const auto h = state.head_at(uri.id, at);
    return h && sees(viewer_of(r), *h);
  };
  const auto number = [](std::int64_t e9) { return static_cast<double>(e9) / 1e9; };
  for (const auto& k : found->payload.kept)
    if (readable(k.uri))
      out.kept.push_back({k.uri, state.version_at(k.uri.id, k.uri.version, at)->forms.medium_form,
                          k.tokens, number(k.salience)});
    else
      out.skipped.push_back(to_string(k.uri));
  for (const auto& c : found->payload.compacted)
    if (readable(c.uri))
      out.compacted.push_back({c.uri, c.short_form, c.tokens, number(c.salience)});
    else
      out.skipped.push_back(to_string(c.uri));
  return out;
}

decay_outcome_of decay_in(const model& state, seq_no at, timestamp now) {
  decay_outcome_of out;
  for (const auto& id : state.ids_at(at)) {
    const auto h = state.head_at(id, at);
    if (!h->colour || h->tombstone) continue;
    const auto before = *state.signals_at(id, at);
    if (before.ascended) continue;
    const auto after = decayed(before, mode_in(*h), now);
    out.answer.decayed += after.strength_e9 != before.strength_e9 ? 1 : 0;
    out.answer.ascended += after.ascended ? 1 : 0;
    out.answer.rotten += after.rotten && !before.rotten ? 1 : 0;
    out.items.push_back({id, after.strength_e9, after.ascended, after.rotten});
  }
  return out;
}

} // namespace mneme::sim
