#pragma once
/// Questions that say when, and perhaps by whom, and nothing else: "What did Caroline do in June?",
/// "what happened last week", "2023". No word of theirs tells what is looked for, so that whatever
/// is of that time is.

#include <functional>
#include <string>

#include "query/search/asked_times.hpp"

namespace mneme {

/// Are the words beside the times nothing but function words, words for talking and happening, and
/// names of who speaks, by `is_speaker` of a folded word? Not where a time is only a bound ("before
/// June"). English alone.
bool asks_of_time_alone(const asked_times& times,
                        const std::function<bool(const std::string&)>& is_speaker);

} // namespace mneme
