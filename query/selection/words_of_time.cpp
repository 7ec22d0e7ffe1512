#include "query/selection/words_of_time.hpp"

#include <array>

#include "query/selection/word_list.hpp"

namespace mneme {

namespace {

constexpr auto times = std::to_array<std::string_view>(
    {"yesterday", "today",   "tonight",   "earlier", "recent", "recently", "lately", "last",
     "past",      "latest",  "newest",    "oldest",  "older",  "newer",    "first",  "previous",
     "before",    "after",   "since",     "until",   "during", "ago",      "old",    "new",
     "second",    "seconds", "minute",    "minutes", "hour",   "hours",    "day",    "days",
     "night",     "week",    "weeks",     "weekend", "month",  "months",   "year",   "years",
     "time",      "morning", "afternoon", "evening", "few",    "couple"});
constexpr auto sayings = std::to_array<std::string_view>(
    {"conversation", "conversations", "chat",       "chats",     "talk",       "talks",
     "session",      "sessions",      "discussion", "message",   "messages",   "memory",
     "memories",     "note",          "notes",      "record",    "records",    "fact",
     "facts",        "entry",         "entries",    "thing",     "things",     "statement",
     "said",         "told",          "tell",       "say",       "asked",      "wrote",
     "written",      "mentioned",     "talked",     "discussed", "spoken",     "discussions",
     "exchange",     "mind",          "saw",        "stored",    "added",      "saved",
     "created",      "made",          "learned",    "learnt",    "remembered", "item",
     "items"});

} // namespace

bool says_when(std::string_view lower) {
  return is_in(times, lower);
}

bool says_that_it_was_said(std::string_view lower) {
  return is_in(sayings, lower);
}

} // namespace mneme
