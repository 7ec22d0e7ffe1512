#include "tools/import/import_colours.hpp"

#include <algorithm>

#include "index/colour/semantic_stack.hpp"
#include "messages/text/hashtag.hpp"
#include "messages/text/time_text.hpp"
#include "tools/import/text_words.hpp"

namespace mneme::importing {

namespace {

/// So many words of the text are looked at: among them those that other memories have come first,
/// so that memories meet in colours and words do not use up the anchors.
constexpr std::size_t looked_at_words = 16;

/// Imports leave the other half of a zone to whoever assigns by hand.
std::size_t most_of(colour_zone zone) {
  const anchor_range all = anchors_of(zone);
  return (all.last - all.first + 1) / 2;
}

void add_new(std::vector<std::string>& words, std::string word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

} // namespace

std::vector<std::string> mid_candidates(const colour_source& source) {
  std::vector<std::string> names;
  for (const auto& name : source.names)
    for (auto& word : telling_words(name)) add_new(names, std::move(word));
  std::vector<std::string> words(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), mid_names)));
  word_counts text;
  text.add(source.text);
  for (auto& word : text.most(looked_at_words)) add_new(words, std::move(word));
  for (auto& word : names) add_new(words, std::move(word));
  return words;
}

std::string outer_word(const colour_source& source) {
  constexpr std::size_t month_size = 7; // YYYY-MM
  return source.when ? date_text(*source.when).substr(0, month_size) : "undated";
}

result<import_colours> import_colours::open(engine& target) {
  auto tags = target.tags();
  if (!tags) return propagate(tags);
  import_colours colours;
  for (const auto& t : *tags) {
    colours.assigned_.emplace(std::string(hashtag_key(t.tag)), t.zone);
    ++colours.used_[t.zone];
  }
  return colours;
}

bool import_colours::may_be(const std::string& word, colour_zone zone) const {
  if (word.empty()) return false;
  const auto known = assigned_.find(word);
  if (known != assigned_.end()) return known->second == zone;
  const auto used = used_.find(zone);
  return used == used_.end() || used->second < most_of(zone);
}

void import_colours::take(const std::string& word, colour_zone zone, const std::string& actor,
                          choice& into) {
  into.hashtags.push_back(word);
  if (!assigned_.emplace(word, zone).second) return;
  ++used_[zone];
  into.new_tags.push_back({.tag = word, .anchor = {}, .zone = zone, .actor = actor});
}

std::optional<import_colours::choice> import_colours::choose(const colour_source& source,
                                                             const std::string& actor) {
  const std::string core = name_as_hashtag(source.whose);
  const std::string outer = outer_word(source);
  if (!may_be(core, colour_zone::core) || !may_be(outer, colour_zone::outer) || core == outer)
    return std::nullopt;
  std::vector<std::string> mid = mid_candidates(source);
  std::erase_if(mid, [&](const std::string& word) {
    return word == core || word == outer || !may_be(word, colour_zone::mid);
  });
  const auto first_of_text = std::min(mid.size(), mid_names);
  std::stable_partition(mid.begin() + static_cast<std::ptrdiff_t>(first_of_text), mid.end(),
                        [&](const std::string& word) { return assigned_.contains(word); });
  if (mid.size() < mid_words) return std::nullopt;
  // The last free anchors may not be enough for all six.
  mid.resize(mid_words);
  const auto fresh = static_cast<std::size_t>(std::ranges::count_if(
      mid, [&](const std::string& word) { return !assigned_.contains(word); }));
  if (fresh > 0 && used_[colour_zone::mid] + fresh > most_of(colour_zone::mid)) return std::nullopt;
  choice chosen;
  take(core, colour_zone::core, actor, chosen);
  for (const auto& word : mid) take(word, colour_zone::mid, actor, chosen);
  take(outer, colour_zone::outer, actor, chosen);
  return chosen;
}

} // namespace mneme::importing
