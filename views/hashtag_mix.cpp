#include "views/hashtag_mix.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "index/colour/gravity.hpp"
#include "messages/text/hashtag.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

std::string key_of(std::size_t i) {
  return "hashtags[" + std::to_string(i) + "]";
}

/// Why these anchors have no colour, for people.
std::string mix_text(hashtag_problem problem) {
  switch (problem) {
  case hashtag_problem::no_core:
    return "at least one hashtag is of the Core zone";
  case hashtag_problem::no_outer:
    return "at least one hashtag is of the Outer zone";
  case hashtag_problem::too_few:
    return "a colour has at least 8 hashtags";
  case hashtag_problem::mid_ratio:
    return "at least 65 % of the hashtags are of the Mid zone";
  case hashtag_problem::unknown_tag:
    break;
  }
  return "a hashtag is not assigned";
}

} // namespace

result<std::string> checked_hashtag(std::string_view text, const std::string& at) {
  if (!is_utf8(text)) return fail(errc::bad_utf8, "a hashtag is not UTF-8", at);
  std::string tag = normalise_hashtag(text);
  if (hashtag_key(tag).empty()) return fail(errc::limit_exceeded, "a hashtag is not empty", at);
  if (tag.size() > max_tag_bytes)
    return fail(errc::limit_exceeded, fmt::format("a hashtag is over {} bytes", max_tag_bytes), at);
  return tag;
}

result<resolved_hashtags>
resolve_hashtags(const std::vector<std::string>& hashtags,
                 const std::function<std::optional<tag_assignment>(std::string_view)>& assigned) {
  std::map<std::string, std::uint32_t> known; // bytewise
  std::vector<std::string> unknown;           // in the order given
  std::set<std::string, std::less<>> told;
  for (std::size_t i = 0; i < hashtags.size(); ++i) {
    auto tag = checked_hashtag(hashtags[i], key_of(i));
    if (!tag) return propagate(tag);
    if (auto found = assigned(*tag))
      known.emplace(std::move(found->tag), found->anchor);
    else if (told.insert(*tag).second)
      unknown.push_back(std::move(*tag));
  }
  if (known.size() + unknown.size() > max_hashtags)
    return fail(errc::limit_exceeded, fmt::format("over the limit of {} hashtags", max_hashtags),
                "hashtags");
  resolved_hashtags resolved;
  for (auto& [tag, anchor] : known) {
    resolved.tags.push_back(tag);
    resolved.anchors.push_back(anchor);
  }
  const hashtag_counts counts = count_zones(resolved.anchors);
  if (!unknown.empty())
    return std::unexpected(
        bad_hashtags(hashtag_problem::unknown_tag, counts,
                     fmt::format("not assigned to an anchor: {}", fmt::join(unknown, ", "))));
  if (const auto problem = check_mix(counts))
    return std::unexpected(bad_hashtags(*problem, counts, mix_text(*problem)));
  return resolved;
}

} // namespace mneme
