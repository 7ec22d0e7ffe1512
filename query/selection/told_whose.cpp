#include "query/selection/told_whose.hpp"

#include <algorithm>
#include <array>

#include "index/lexical/function_terms.hpp"
#include "messages/ensure.hpp"
#include "messages/text/lower_case.hpp"
#include "messages/text/utf8_point.hpp"
#include "query/asked_words.hpp"

namespace mneme {

namespace {

/// With a capital letter at the beginning of a statement they name nobody.
constexpr std::array openings = std::to_array<std::string_view>(
    {"yesterday", "today",  "tomorrow", "now",   "currently", "actually", "recently",
     "finally",   "just",   "oh",       "well",  "also",      "update",   "correction",
     "since",     "lately", "btw",      "hey",   "hi",        "yes",      "no",
     "ok",        "okay",   "please",   "sorry", "sure",      "one",      "speaking"});
/// They tell one state of a thing from another, and no thing.
constexpr std::array weak = std::to_array<std::string_view>(
    {"new", "old", "current", "currently", "latest", "former", "previous"});
/// Behind "my" they are somebody who has and does things of his own.
constexpr std::array somebodies = std::to_array<std::string_view>(
    {"mother",    "father",  "mom",       "mum",         "mama",          "dad",      "papa",
     "parent",    "brother", "sister",    "son",         "daughter",      "child",    "children",
     "kid",       "baby",    "wife",      "husband",     "partner",       "spouse",   "girlfriend",
     "boyfriend", "friend",  "neighbour", "neighbor",    "boss",          "manager",  "colleague",
     "coworker",  "uncle",   "aunt",      "cousin",      "nephew",        "niece",    "grandmother",
     "grandma",   "grandpa", "grandson",  "grandfather", "granddaughter", "roommate", "flatmate",
     "landlord",  "teacher", "doctor",    "dentist",     "dog",           "cat",      "pet"});
constexpr std::array<std::string_view, 8> first_person = {"i",  "we", "my",  "our",
                                                          "me", "us", "i'm", "i've"};

bool is_function_word(const asked_word& word, std::string_view language) {
  return std::ranges::all_of(text_terms(word.bare, language),
                             [&](const std::string& t) { return is_function_term(t, language); });
}

bool is_somebody(std::string_view lower) {
  if (is_in(somebodies, lower)) return true;
  return lower.ends_with('s') && is_in(somebodies, lower.substr(0, lower.size() - 1));
}

} // namespace

bool is_first_person(std::string_view lower) {
  return is_in(first_person, lower);
}

bool is_weak(std::string_view lower) {
  return is_in(weak, lower);
}

bool is_opening(std::string_view lower) {
  return is_in(openings, lower);
}

told_whose whose_in(std::span<const asked_word> list, std::string_view language) {
  constexpr std::size_t most_words = 3; // "my dear older sister"
  told_whose whose;
  if (list.empty() || !is_in(first_person, list.front().lower)) return whose;
  whose.is_my = list.front().lower == "my" || list.front().lower == "our";
  whose.is_me = !whose.is_my;
  if (whose.is_me) return whose;
  for (std::size_t i = 1; i < list.size() && i <= most_words; ++i) {
    const asked_word& word = list[i];
    if (is_in(weak, word.lower)) continue;
    if (is_function_word(word, language)) break;
    const bool is_certain = word.is_possessive || is_somebody(word.lower);
    if (is_certain || whose.noun.empty()) whose.noun = text_terms(word.bare, language);
    const bool with_me =
        i + 2 < list.size() && list[i + 1].lower == "and" && is_in(first_person, list[i + 2].lower);
    if (with_me) return {.is_me = true, .noun = {}}; // "my wife and I"
    whose.is_somebody = is_certain;
    if (is_certain || word.ends_part) break;
  }
  ensure(!whose.is_somebody || !whose.noun.empty(), "somebody is told by a word");
  return whose;
}

namespace {

/// So many bytes of a text are looked at for how it begins.
constexpr std::size_t beginning = 200;

/// The place of the first word of what is said: behind "Ben:", whose words they are.
std::size_t first_said(const std::vector<asked_word>& list, std::string_view text) {
  const bool is_speaker = list.size() > 1 && list[0].is_capital && list[0].ends_part
                          && text.substr(list[0].at, list[0].bytes).ends_with(':');
  return is_speaker ? 1 : 0;
}

} // namespace

bool begins_with_name(std::string_view text) {
  const auto list = words_of(text.substr(0, point_start(text, std::min(text.size(), beginning))));
  const std::size_t first = first_said(list, text);
  if (first >= list.size() || !list[first].is_capital) return false;
  const auto& word = list[first];
  return !is_in(openings, word.lower) && !is_in(first_person, word.lower)
         && !std::ranges::all_of(text_terms(word.bare),
                                 [](const std::string& t) { return is_function_term(t); });
}

told_whose read_whose(std::string_view text, std::string_view language) {
  const auto list = words_of(text.substr(0, point_start(text, std::min(text.size(), beginning))));
  const std::size_t first = first_said(list, text);
  return whose_in(std::span(list).subspan(std::min(first, list.size())), language);
}

noun_owner owner_in(std::string_view text, const std::vector<std::string>& noun,
                    std::string_view language) {
  constexpr std::size_t reach = 2; // "my old red car"
  static constexpr auto of_others =
      std::to_array<std::string_view>({"her", "his", "their", "your", "its"});
  const auto list = words_of(text);
  auto owner = noun_owner::nobody;
  for (std::size_t i = 1; i < list.size() && !noun.empty(); ++i) {
    if (text_terms(list[i].bare, language) != noun) continue;
    for (std::size_t back = 1; back <= reach + 1 && back <= i; ++back) {
      const asked_word& word = list[i - back];
      if (word.ends_part) break;
      if (word.lower == "my" || word.lower == "our") return noun_owner::mine;
      if (is_in(of_others, word.lower) || word.is_possessive) {
        owner = noun_owner::others;
        break;
      }
      if (is_function_word(word, language)) break;
    }
  }
  return owner;
}

std::string without_joined_names(std::string_view text) {
  std::string rest;
  const auto list = words_of(text);
  if (list.size() == most_asked_words) return std::string(text); // there is more of it
  for (const auto& word : list) {
    const auto hyphen = word.bare.find('-');
    const bool is_joined = word.is_capital && !word.quoted && hyphen + 1 < word.bare.size()
                           && hyphen != std::string::npos
                           && word.bare[hyphen + 1] != lower_case(word.bare)[hyphen + 1];
    if (!is_joined) rest += std::string(text.substr(word.at, word.bytes)) + " ";
  }
  return rest;
}

bool names_another(std::string_view text, std::string_view question) {
  const auto asked = named_words(question);
  const auto list = words_of(text);
  for (std::size_t i = first_said(list, text) + 1; i < list.size(); ++i) {
    const asked_word& word = list[i];
    if (!word.is_capital || word.starts_sentence || word.is_identifier
        || is_in(first_person, word.lower))
      continue;
    const bool is_other = std::ranges::any_of(folded_words(word.bare), [&](const auto& own) {
      return !is_function_term(own) && std::ranges::find(asked, own) == asked.end();
    });
    if (is_other) return true;
  }
  return false;
}

} // namespace mneme
