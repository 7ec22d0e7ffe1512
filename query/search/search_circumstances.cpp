/// What a question says of when and by whom: what that adds to a score and to a match, and what a
/// question is answered from that says nothing else.

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"
#include "query/asked_words.hpp"
#include "query/search/asked_alone.hpp"
#include "query/search/question_share.hpp"
#include "query/search/search_filter.hpp"
#include "query/search/search_state.hpp"

namespace mneme {

namespace {

/// The words of names by which the question means somebody whom the asker sees: of others it knows
/// nothing.
std::vector<std::string> names_seen(const asked_speakers& speakers, const leg_filter& filter,
                                    const attributes& rows, seq_no at) {
  return speakers.words_of([&](term_no tag) {
    bool found = false;
    rows.with_tag(tag, at)->for_each([&](row_no row) {
      found = rows.rows().line(row).type != memory_type::chunk && filter.seen(row);
      return !found;
    });
    return found;
  });
}

/// "What did the assistant tell me" names the assistant, and nobody by "me"; "what did I tell the
/// assistant" asks of oneself.
bool asks_of_oneself(const std::vector<std::string>& words) {
  return std::ranges::any_of(
      words, [](const auto& word) { return word == "i" || word == "my" || word == "mine"; });
}

std::vector<std::string> pieces_between_spaces(const std::string& text) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space)
      pieces.back().push_back(c);
    else if (!pieces.back().empty())
      pieces.emplace_back();
  }
  return pieces;
}

bool is_of_function_words(const std::string& text, std::string_view language) {
  return std::ranges::all_of(text_terms(text, language),
                             [&](const auto& t) { return is_function_term(t, language); });
}

is_name_check among(const std::vector<std::string>& names) {
  return
      [&names](const std::string& word) { return std::ranges::find(names, word) != names.end(); };
}

} // namespace

result<void> search_state::read_circumstances(const read_views& views) {
  ensure(stage == search_stage::select, "a question is read before rows are chosen");
  times = {};
  speakers = {};
  roles = {};
  dated.reset();
  said.clear();
  if (!memory.runs) return {};
  const attributes& rows = *views.attributes;
  if (weights.dates > 0) times = asked_times(request.query, context.now);
  if (weights.speakers > 0) {
    // What is a time is no name, but where it is all there is.
    const bool may_be_name = times.empty() || !times.only_word().empty();
    speakers = may_be_name
                   ? asked_speakers(request.query, rows)
                   : asked_speakers(fmt::format("{}", fmt::join(times.other_words(), " ")), rows);
  }
  if (times.empty() && weights.speakers == 0) return {};
  const bool is_english = views.language == default_language;
  if (!times.empty()) {
    const leg_filter filter(*this, views);
    const auto names = names_seen(speakers, filter, rows, context.at);
    const bool is_name =
        !times.only_word().empty() && names_somebody(times.only_word(), among(names));
    if (!is_name) {
      if (times.has_words() && !is_english) return {};
      auto of_time = rows_of_its_time(names, views);
      if (!of_time) return propagate(of_time);
      dated = std::move(*of_time);
      return {};
    }
    times = {};
  }
  const auto words = asked_words(request.query);
  asked_speakers whom = speakers;
  if (weights.speakers > 0 && !speakers.names_any() && !asks_of_oneself(words))
    if (auto by_role = asked_speakers::of_roles(request.query, rows); !by_role.empty())
      whom = roles = std::move(by_role);
  if (whom.empty()) return {};
  // Nearly all questions ask for more, whoever is named: the words are looked at before the rows.
  const auto any = whom.words_of([](term_no) { return true; });
  if (!asks_of_speaker_alone(words, among(any), is_english)) return {};
  const leg_filter filter(*this, views);
  const auto names = names_seen(whom, filter, rows, context.at);
  if (names.empty() || !asks_of_speaker_alone(words, among(names), is_english)) return {};
  auto newest = newest_said(whom, views);
  if (!newest) return propagate(newest);
  said = std::move(*newest);
  speakers = std::move(whom);
  return {};
}

std::string search_state::telling_part(const read_views& views) const {
  if (dated || !said.empty()) return {};
  const leg_filter filter(*this, views);
  const auto names = names_seen(speakers, filter, *views.attributes, context.at);
  std::string kept;
  for (const auto& piece : pieces_between_spaces(request.query))
    if (!names_somebody(without_contractions(piece), among(names))
        && !is_of_function_words(without_contractions(piece), views.language))
      kept += (kept.empty() ? "" : " ") + piece;
  ensure(kept.size() <= request.query.size(), "what tells is a part of the question");
  return kept;
}

result<std::optional<std::vector<row_no>>>
search_state::rows_of_its_time(const std::vector<std::string>& names,
                               const read_views& views) const {
  if (only || !asks_of_time_alone(times, among(names))) return std::nullopt;
  const attributes& rows = *views.attributes;
  const leg_filter filter(*this, views);
  struct found_rows {
    std::vector<row_no> rows;
    bool any_passes = false;
  };
  found_rows of_time;
  found_rows said_then;
  const std::uint32_t limit = rows.rows().count_at(context.at);
  for (row_no row{0}; row.value < limit; ++row.value) {
    if (auto ok = time.check(row.value); !ok) return propagate(ok);
    const row_line& line = rows.rows().line(row);
    if (!times.contains({line.created_at_ns}) || line.type == memory_type::chunk
        || !filter.seen(row))
      continue;
    const bool passes = filter.passes_memory(row);
    for (found_rows* found : {&of_time, &said_then}) {
      if (found == &said_then && !speakers.said(row, rows)) continue;
      found->rows.push_back(row);
      found->any_passes = found->any_passes || passes;
    }
  }
  if (said_then.any_passes) return std::move(said_then.rows);
  if (of_time.any_passes) return std::move(of_time.rows);
  return std::nullopt;
}

result<std::vector<row_no>> search_state::newest_said(const asked_speakers& whom,
                                                      const read_views& views) const {
  const attributes& rows = *views.attributes;
  const leg_filter filter(*this, views);
  std::vector<leg_row> found;
  std::uint64_t looked_at = 0;
  for (const term_no tag : whom.tags()) {
    rows.with_tag(tag, context.at)->for_each([&](row_no row) {
      const bool is_searched = rows.rows().line(row).type != memory_type::chunk
                               && (!only || std::ranges::binary_search(*only, row))
                               && filter.seen(row) && filter.passes_memory(row);
      if (is_searched) found.push_back({.row = row, .slot = rows.slot(row)});
      return time.check(looked_at++).has_value();
    });
    if (auto ok = time.check(); !ok) return propagate(ok);
  }
  std::ranges::sort(found, {}, &leg_row::row);
  const auto again = std::ranges::unique(found, {}, &leg_row::row);
  found.erase(again.begin(), again.end());
  const auto kept = std::min<std::uint64_t>(found.size(), static_cast<std::uint64_t>(window()));
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(kept);
  std::ranges::partial_sort(found, end, tie_order(views));
  std::vector<row_no> newest;
  newest.reserve(kept);
  for (auto at = found.begin(); at != end; ++at) newest.push_back(at->row);
  std::ranges::sort(newest);
  ensure(std::cmp_less_equal(newest.size(), window()), "no more than a window has room for");
  return newest;
}

void search_state::add_circumstances(std::vector<leg_row>& rows, const read_views& views) const {
  const attributes& columns = *views.attributes;
  for (auto& r : rows) {
    r.dates = times.fit({columns.rows().line(r.row).created_at_ns});
    r.speakers = speakers.said(r.row, columns) ? 1 : 0;
    r.raw += weights.dates * r.dates + weights.speakers * r.speakers;
  }
}

void search_state::add_matches(search_leg& leg, const read_views& views) const {
  if (leg.rows.empty()) return;
  ensure(std::cmp_less_equal(leg.rows.size(), window()), "matches are of a window");
  const bool is_memory = leg.of == corpus::memories;
  const question_share share(terms, weights, *views.lexical);
  // Who says something has no need to say his name.
  std::vector<asked_speakers::named> names;
  if (is_memory)
    for (const asked_speakers* asked : {&speakers, &roles})
      for (const auto& [tag, words] : asked->all())
        names.push_back(
            {tag, text_terms(fmt::format("{}", fmt::join(words, " ")), views.language)});
  std::vector<std::string> own;
  for (auto& r : leg.rows) {
    own.clear();
    for (const auto& [tag, its_terms] : names)
      if (views.attributes->has_tag(r.row, tag))
        own.insert(own.end(), its_terms.begin(), its_terms.end());
    r.match = std::max(r.match, share.of(r.slot, own));
    r.is_all_asked = is_memory && (dated || std::ranges::binary_search(said, r.row));
    if (r.is_all_asked) r.match = 1;
  }
}

} // namespace mneme
