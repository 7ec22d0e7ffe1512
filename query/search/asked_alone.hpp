#pragma once
/// Questions that say when, or by whom, and nothing else: "What did Caroline do in June?", "what
/// happened last week", "2023", "What did Bob say?", "Bob". No word of theirs tells what is looked
/// for, so that whatever is of that time, or was said by him, is.

#include <functional>
#include <string>
#include <vector>

#include "query/search/asked_times.hpp"

namespace mneme {

/// Is a folded word one of a name of who speaks?
using is_name_check = std::function<bool(const std::string&)>;

/// Do all folded words of `word` name somebody who speaks?
bool names_somebody(const std::string& word, const is_name_check& is_name);
/// Are the words beside the times nothing but function words, words for talking and happening, and
/// names of who speaks? Not where a time is only a bound ("before June"). English alone.
bool asks_of_time_alone(const asked_times& times, const is_name_check& is_name);
/// Are the words of a question that names no time nothing but these? Whether one of them is a name
/// is not asked. English alone, but for names that are all of the question.
bool asks_of_speaker_alone(const std::vector<std::string>& words, const is_name_check& is_name,
                           bool is_english);

} // namespace mneme
