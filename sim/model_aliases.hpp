#pragma once
/// What else those are called who are named in a search, by its definition.

#include "sim/model_doors.hpp"
#include "sim/model_scope.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

/// A name in a text, and the other names of the same topic.
struct naive_alias {
  std::string name;
  std::vector<std::string> others;
};
/// Who may say it, besides the asker and the host.
struct naive_naming {
  std::optional<lifecycle_audience> audience{};
  double min_trust = 0;
  timestamp instant{};
};
std::vector<naive_alias> aliases_in(const model& state, const std::string& text, const viewer& who,
                                    seq_no at, const naive_naming& rule);
std::vector<naive_alias> aliases_in(const searched_state& s);

/// The distinct terms of all others that are none of `asked`, in their order.
std::vector<std::string> other_terms(const std::vector<naive_alias>& aliases,
                                     const std::vector<std::string>& asked);
/// `terms` and, of a text that has all terms of another name, those of the name that was asked by.
std::vector<std::string> meant_by(const std::vector<std::string>& terms,
                                  const std::vector<naive_alias>& aliases);
/// The sum of what the terms give, where those of a name count as those of the one of its names
/// that gives most. `parts` are those of `asked`, and behind them of the other terms.
double sum_by_names(const std::vector<naive_alias>& aliases, const std::vector<std::string>& terms,
                    std::size_t asked, const std::vector<double>& parts);

} // namespace mneme::sim
