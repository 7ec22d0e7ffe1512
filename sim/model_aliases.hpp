#pragma once
/// What else those are called who are named in a search, by its definition.

#include "sim/model_doors.hpp"
#include "sim/model_scope.hpp"

namespace mneme::sim {

/// A name in a text, and the other names of the same topic.
struct naive_alias {
  std::string name;
  std::vector<std::string> others;
};
std::vector<naive_alias> aliases_in(const model& state, const std::string& text, const viewer& who,
                                    seq_no at);

/// The distinct terms of all others that are none of `asked`, in their order.
std::vector<std::string> other_terms(const std::vector<naive_alias>& aliases,
                                     const std::vector<std::string>& asked);
/// `terms` and, of a text that has all terms of another name, those of the name that was asked by.
std::vector<std::string> meant_by(const std::vector<std::string>& terms,
                                  const std::vector<naive_alias>& aliases);
/// The text, and all others behind it.
std::string with_others(std::string text, const std::vector<naive_alias>& aliases);

} // namespace mneme::sim
