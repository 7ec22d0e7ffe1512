#pragma once
/// Hashtags as a request gives them: whether they are assigned, and whether they make a colour.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/chroma.hpp"
#include "mneme/requests.hpp"

namespace mneme {

/// The normal form of one hashtag; bad_utf8, or limit_exceeded if it is empty or too long. `at` is
/// what the error names.
result<std::string> checked_hashtag(std::string_view text, const std::string& at);

/// A set of hashtags, resolved: in the spelling they were assigned in, distinct, sorted bytewise.
struct resolved_hashtags {
  std::vector<std::string> tags;
  std::vector<std::uint32_t> anchors; ///< in the order of `tags`
};
/// limit_exceeded for an empty, too long or surplus tag, else bad_hashtags: unknown tags first,
/// then the mix. `assigned` answers normalised tags.
result<resolved_hashtags>
resolve_hashtags(const std::vector<std::string>& hashtags,
                 const std::function<std::optional<tag_assignment>(std::string_view)>& assigned);

} // namespace mneme
