#pragma once
/// What else somebody who is named in a request is called. A topic may say so: its title and what
/// its field `aliases` holds are names of the same, and who is meant by one of them is meant by
/// all. Only one's own topics and the host's say so: nobody's topic changes what another forgets.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/deadline.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// A name in a text, and the other ones of the same topic.
struct called_name {
  std::string name;                ///< as the topic has it
  std::vector<std::string> others; ///< that no other topic has
  /// Another topic has the name as well: who is meant is not known, and there are no others.
  bool is_shared = false;
};

/// Names of a topic count so many, its title and the first of its aliases, of so many bytes each.
inline constexpr std::size_t most_names = 9;
inline constexpr std::size_t most_name_bytes = 64;
/// So many topics are looked at, those with the rarest of the words, and of these the lowest ids.
inline constexpr std::size_t most_named_topics = 16;
/// Topics are looked for by so many words of a text, the first ones that are no function words.
inline constexpr std::size_t most_naming_words = 64;

/// Which topics say what somebody is called, besides being the asker's own or the host's, and
/// trusted by half at least.
struct naming_rule {
  std::optional<lifecycle_audience> audience{};
  timestamp instant{}; ///< at which the topic has not ended
};

/// The names in `text` whose words follow each other in it, folded as words are for search; by the
/// ids of their topics, which are live as of `at` and not archived. A title and a field count if
/// the asker or the host wrote them last. Of several of its names in the text the longest counts.
/// A name that another topic has, too, is nobody's other name; of the topics that have its words
/// the lowest ids are asked, as many as are looked at. What has nothing but function words is no
/// name. A world without aliases costs a look.
result<std::vector<called_name>> other_names(std::string_view text, const asker& who, seq_no at,
                                             const naming_rule& rule, const read_views& views,
                                             const deadline& time);

/// A name in a request, and what is as good as it, as terms.
struct alias_terms {
  std::vector<std::string> name;
  std::vector<std::vector<std::string>> others;
};
alias_terms terms_of(const called_name& called, std::string_view language);

} // namespace mneme
