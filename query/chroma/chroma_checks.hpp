#pragma once
/// What a chroma request asks for, after its profile and the engine's defaults: checked, resolved.

#include <memory>
#include <string>
#include <vector>

#include "index/colour/gravity.hpp"
#include "mneme/chroma.hpp"
#include "query/query_run.hpp"

namespace mneme {

struct chroma_plan {
  chroma_request request; ///< with everything that the profile and the defaults fill in
  std::string profile_name;
  std::shared_ptr<const query_profile> profile;
  std::vector<std::string> hashtags; ///< normalised, distinct, sorted
  lab_point point;
  hashtag_counts counts;
  std::size_t k = 0;
  bool touch = false;
};

/// What is wrong with the request itself.
result<void> check_chroma(const chroma_request& r);

/// Shape and ranges first, then the profile, then the hashtags.
result<chroma_plan> plan_chroma(chroma_request request, const query_context& context,
                                const read_views& views);

} // namespace mneme
