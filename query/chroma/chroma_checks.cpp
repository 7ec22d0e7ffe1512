#include "query/chroma/chroma_checks.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "messages/text/hashtag.hpp"
#include "messages/validate/validate.hpp"
#include "query/chroma/chroma.hpp"
#include "query/request_numbers.hpp"
#include "views/hashtag_mix.hpp"

namespace mneme {

namespace {

constexpr double weight_tolerance = 1e-6;

result<void> check_filter(const metadata_filter& f, const std::string& at) {
  for (const auto* bound : {&f.gte, &f.gt, &f.lte, &f.lt}) {
    if (*bound && std::holds_alternative<bool>(**bound))
      return fail(errc::bad_value, "a range is of numbers or of text", at);
  }
  return {};
}

result<void> check_range(const std::optional<time_range>& range) {
  if (!range || !range->start || !range->end || *range->start <= *range->end) return {};
  return fail(errc::bad_interval, "the start of the range is later than its end", "temporal_range");
}

result<void> check_numbers(const chroma_request& r) {
  if (auto ok = check_positive(r.k, "k"); !ok) return ok;
  if (r.max_distance && !(*r.max_distance >= 0 && std::isfinite(*r.max_distance)))
    return fail(errc::out_of_range, "max_distance must not be negative", "max_distance");
  if (auto ok = check_positive(r.deadline_ms, "deadline_ms"); !ok) return ok;
  if (r.weights)
    if (auto ok = check_weights(*r.weights, "score_weights"); !ok) return ok;
  if (r.actor)
    if (auto ok = validate_actor(*r.actor); !ok) return ok;
  for (const auto& [key, filter] : r.filters)
    if (auto ok = check_filter(filter, "metadata_filters." + key); !ok) return ok;
  return check_range(r.temporal_range);
}

result<void> check_touch(const chroma_request& r) {
  if (r.at_seq && r.touch.value_or(false))
    return fail(errc::unsupported, "what is read at an earlier seq cannot be touched", "touch");
  return {};
}

/// Reads the text, if there is one. What is wrong with hashtags from a text is the profile's error.
result<void> read_text(chroma_plan& plan, const query_context& context, const read_views& views) {
  chroma_request& r = plan.request;
  if (!r.text) return {};
  if (!is_utf8(*r.text)) return fail(errc::bad_utf8, "the text is not UTF-8", "text");
  if (!r.hashtags.empty() && !plan.profile->takes_hashtags())
    return fail(errc::bad_value, "hashtags and text exclude each other", "text");
  const profile_context reading{.now = context.now, .suggest = [&](std::string_view text) {
                                  return suggest_hashtags(text, views, context.at);
                                }};
  if (auto ok = plan.profile->parse_input(r, reading); !ok)
    return fail(errc::query_profile_error, ok.error().message,
                ok.error().at.empty() ? "text" : ok.error().at);
  if (auto ok = check_numbers(r); !ok)
    return fail(errc::query_profile_error, ok.error().message, "text");
  return {};
}

result<resolved_hashtags> resolve(const std::vector<std::string>& hashtags, const read_views& views,
                                  seq_no at) {
  const tag_table& tags = views.attributes->colours().tags();
  return resolve_hashtags(hashtags, [&](std::string_view tag) { return tags.find(tag, at); });
}

} // namespace

result<void> check_weights(const score_weights& weights, std::string_view at) {
  const double sum = weights.relevance + weights.recency + weights.strength;
  const bool are_shares = weights.relevance >= 0 && weights.recency >= 0 && weights.strength >= 0;
  if (are_shares && std::abs(sum - 1) <= weight_tolerance) return {};
  return fail(errc::out_of_range, "the weights are not negative and their sum is 1",
              std::string(at));
}

result<void> check_defaults(const chroma_defaults& defaults) {
  chroma_request as_request;
  as_request.k = defaults.k;
  as_request.max_distance = defaults.max_distance;
  as_request.weights = defaults.weights;
  return check_numbers(as_request);
}

result<void> check_chroma(const chroma_request& r) {
  if (auto ok = check_numbers(r); !ok) return ok;
  return check_touch(r);
}

result<chroma_plan> plan_chroma(chroma_request request, const query_context& context,
                                const read_views& views) {
  if (auto ok = check_chroma(request); !ok) return propagate(ok);
  const asker who(request.actor, context.scope);
  if (auto ok = who.check_touch(request.touch.value_or(false), "touch"); !ok) return propagate(ok);
  chroma_plan plan;
  plan.request = std::move(request);
  chroma_request& r = plan.request;
  const profile_registry& profiles = *context.chroma.profiles;
  plan.profile_name = r.profile ? *r.profile : profiles.default_name();
  plan.profile = profiles.find(plan.profile_name);
  if (plan.profile == nullptr)
    return fail(errc::query_profile_error,
                fmt::format("there is no profile \"{}\"", plan.profile_name), "profile");
  if (auto ok = read_text(plan, context, views); !ok) return propagate(ok);
  auto resolved = resolve(r.hashtags, views, context.at);
  if (!resolved) {
    if (!r.text) return propagate(resolved);
    return fail(errc::query_profile_error, resolved.error().message, "text");
  }
  plan.point = gravity(resolved->anchors);
  plan.counts = count_zones(resolved->anchors);
  plan.hashtags = std::move(resolved->tags);
  plan.k = static_cast<std::size_t>(r.k.value_or(context.chroma.k));
  plan.touch = r.touch.value_or(!r.at_seq && !context.read_only) && who.may_touch();
  if (!r.max_distance) r.max_distance = context.chroma.max_distance;
  if (!r.weights) r.weights = context.chroma.weights;
  if (!r.include_rotten) r.include_rotten = context.chroma.include_rotten;
  return plan;
}

result<colour_point> point_of(const std::vector<std::string>& hashtags, const read_views& views,
                              seq_no at) {
  auto resolved = resolve(hashtags, views, at);
  if (!resolved) return propagate(resolved);
  const lab_point p = gravity(resolved->anchors);
  return colour_point{p.L, p.a, p.b, node_id_of(p.L, p.a, p.b), count_zones(resolved->anchors)};
}

std::vector<std::string> suggest_hashtags(std::string_view text, const read_views& views,
                                          seq_no at) {
  const tag_table& tags = views.attributes->colours().tags();
  std::vector<std::string> found;
  std::set<std::string> known;
  for (const std::string& word : hashtag_words(text)) {
    const auto assigned = tags.find(word, at);
    if (assigned && known.insert(assigned->tag).second) found.push_back(assigned->tag);
  }
  return found;
}

} // namespace mneme
