#pragma once
/// English words that say little about a text's matter, each with a space behind it. They weigh
/// less than others wherever texts are compared: in the hash embedder's vectors, whose space the
/// list is a part of, and among the words of a search.

#include <string_view>

namespace mneme {

inline constexpr std::string_view function_words =
    "a about above after again against all also am an and any anyone anything are as at be "
    "because been before being below between both but by can could did do does doing don down "
    "during each else ever every few for from further get give given go got had has have "
    "having he her here hers herself him himself his how i if in into is it its itself just "
    "let like ll m make may me might more most much must my myself no nor not now of off on "
    "once one only or other our ours out over own quite rather re s same shall she should "
    "since so some something still such t than that the their theirs them themselves then "
    "there these they this those through to too under until up upon us ve very was we were "
    "what when where whether which while who whom whose why will with would yes yet you your "
    "yours yourself ";

} // namespace mneme
