#pragma once
/// Of two hits that say the same of what is asked, the newer goes first. Where nobody told that one
/// supersedes the other, this is what is left to tell the current from the outdated: the newer says
/// all that the older says of the question, is about as good an answer, and is by the same actor or
/// the host. What names another identifier of the question is about something else.

#include <vector>

#include "query/search/question_share.hpp"
#include "query/search/search_state.hpp"

namespace mneme {

struct newer_rule {
  double least = 0; ///< of the older's raw score, that the newer has; above 0
  timestamp now;    ///< what begins later is no newer yet
};

/// `hits` are ranked by score. Among the first ten, a memory moves before the best one that it is
/// newer than (by valid_from), takes that one's score, and the older's `older_of` is the newer's
/// row. Texts are read of what the question names an identifier in.
result<void> put_newer_first(std::vector<leg_row>& hits, const question_share& share,
                             const newer_rule& rule, const search_state& run,
                             const read_views& views);

} // namespace mneme
