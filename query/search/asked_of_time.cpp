#include "query/search/asked_of_time.hpp"

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
      {"activities", "activity",   "asked",      "asks",         "assistant",     "chat",
       "chats",      "chatted",    "chatting",   "conversation", "conversations", "d",
       "discuss",    "discussed",  "discussing", "event",        "events",        "everybody",
       "everyone",   "everything", "find",       "going",        "happen",        "happened",
       "happening",  "happens",    "list",       "mention",      "mentioned",     "message",
       "messages",   "new",        "news",       "note",         "noted",         "notes",
       "occur",      "occurred",   "people",     "please",       "recall",        "remember",
       "said",       "say",        "saying",     "says",         "session",       "sessions",
       "shared",     "show",       "somebody",   "someone",      "speak",         "spoke",
       "summarise",  "summarize",  "summary",    "talk",         "talked",        "talking",
       "talks",      "tell",       "telling",    "tells",        "thing",         "things",
       "told",       "user",       "went",       "write",        "written",       "wrote"});
  return std::ranges::find(words, word) != words.end();
}

bool is_function_word(std::string_view word) {
  const auto terms = text_terms(word);
  return std::ranges::all_of(terms, [](const auto& t) { return is_function_term(t); });
}

} // namespace

bool asks_of_time_alone(const asked_times& times,
                        const std::function<bool(const std::string&)>& is_speaker) {
  const auto names_somebody = [&](std::string_view word) {
    const auto folded = folded_words(word);
    return !folded.empty() && std::ranges::all_of(folded, is_speaker);
  };
  if (!times.only_word().empty() && names_somebody(times.only_word())) return false;
  return !times.empty() && std::ranges::all_of(times.other_words(), [&](const std::string& word) {
    if (makes_a_bound(word)) return false;
    return says_no_matter(word) || is_function_word(word) || names_somebody(word);
  });
}

} // namespace mneme
