#include "query/search/asked_alone.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"

namespace mneme {

namespace {

bool makes_a_bound(std::string_view word) {
  static constexpr std::array<std::string_view, 8> words = {"before", "after", "since",   "until",
                                                            "till",   "by",    "between", "from"};
  return std::ranges::find(words, word) != words.end();
}

/// Said of whatever happens, and of all that is talked of.
bool says_no_matter(std::string_view word) {
  static constexpr auto words = std::to_array<std::string_view>(
      {"activities", "activity",  "asked",      "asks",         "assistant",     "chat",
       "chats",      "chatted",   "chatting",   "conversation", "conversations", "d",
       "discuss",    "discussed", "discussing", "event",        "events",        "ever",
       "everybody",  "everyone",  "everything", "find",         "first",         "going",
       "happen",     "happened",  "happening",  "happens",      "last",          "lately",
       "latest",     "list",      "mention",    "mentioned",    "message",       "messages",
       "new",        "newest",    "news",       "note",         "noted",         "notes",
       "occur",      "occurred",  "people",     "please",       "recall",        "recent",
       "recently",   "remember",  "said",       "say",          "saying",        "says",
       "session",    "sessions",  "shared",     "show",         "somebody",      "someone",
       "speak",      "spoke",     "summarise",  "summarize",    "summary",       "talk",
       "talked",     "talking",   "talks",      "tell",         "telling",       "tells",
       "thing",      "things",    "told",       "user",         "went",          "write",
       "written",    "wrote"});
  return std::ranges::find(words, word) != words.end();
}

bool is_function_word(std::string_view word) {
  const auto terms = text_terms(word);
  return std::ranges::all_of(terms, [](const auto& t) { return is_function_term(t); });
}

bool tells_nothing(const std::string& word, const is_name_check& is_name) {
  return says_no_matter(word) || is_function_word(word) || names_somebody(word, is_name);
}

} // namespace

bool names_somebody(const std::string& word, const is_name_check& is_name) {
  const auto folded = folded_words(word);
  return !folded.empty() && std::ranges::all_of(folded, is_name);
}

bool asks_of_time_alone(const asked_times& times, const is_name_check& is_name) {
  return !times.empty() && std::ranges::all_of(times.other_words(), [&](const std::string& word) {
    return !makes_a_bound(word) && tells_nothing(word, is_name);
  });
}

bool asks_of_speaker_alone(const std::vector<std::string>& words, const is_name_check& is_name,
                           bool is_english) {
  return !words.empty() && std::ranges::all_of(words, [&](const std::string& word) {
    return is_english ? tells_nothing(word, is_name) : names_somebody(word, is_name);
  });
}

} // namespace mneme
