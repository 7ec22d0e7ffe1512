#pragma once
/// What else those are called who are named in words, by its definition.

#include "sim/model_doors.hpp"
#include "sim/model_scope.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

/// A name in a text, and the other names of the same topic.
struct naive_alias {
  std::string name;
  std::vector<std::string> others; ///< that no other topic has
  bool is_shared = false;          ///< another topic has the name
};
/// Who may say it, besides the asker and the host.
struct naive_naming {
  std::optional<lifecycle_audience> audience{};
  timestamp instant{};
};
std::vector<naive_alias> aliases_in(const model& state, const std::string& text, const viewer& who,
                                    seq_no at, const naive_naming& rule);

/// `terms` and, of a text that has all terms of another name, those of the name that was asked by.
std::vector<std::string> meant_by(const std::vector<std::string>& terms,
                                  const std::vector<naive_alias>& aliases);

} // namespace mneme::sim
