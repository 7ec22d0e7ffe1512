#pragma once
/// What else those are called who are named in a search, by its definition.

#include "sim/searched_state.hpp"

namespace mneme::sim {

/// A name in the query, as terms, and the other names of the same topic.
struct naive_alias {
  std::string name;
  std::vector<std::string> others;
};
std::vector<naive_alias> aliases_in(const searched_state& s);

/// The distinct terms of all others that are none of `asked`, in their order.
std::vector<std::string> other_terms(const std::vector<naive_alias>& aliases,
                                     const std::vector<std::string>& asked);
/// `terms` and, of a text that has all terms of another name, those of the name that was asked by.
std::vector<std::string> meant_by(const std::vector<std::string>& terms,
                                  const std::vector<naive_alias>& aliases);
/// The query, and all others behind it.
std::string with_others(const searched_state& s, const std::vector<naive_alias>& aliases);

} // namespace mneme::sim
