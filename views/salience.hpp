#pragma once
/// The default rank of a memory: recency, use, citations, importance and, beside a near vector,
/// similarity. A pure function of its inputs with a fixed order of operations.

#include <optional>

#include "messages/exp_ceiling.hpp"
#include "mneme/agents.hpp"

namespace mneme {

/// What of a memory's salience does not depend on a query, each in [0, 1].
struct salience_parts {
  double recency = 0;
  double access = 0;
  double citations = 0;
  double importance = 0;
};
salience_parts parts_of(const activation& used, timestamp now) noexcept;

/// Of what is pinned, in context and compact.
inline constexpr double pinned_salience = 0.7;

/// Weights of the five parts.
struct salience_weights {
  double recency = 0.25;
  double access = 0.15;
  double citations = 0.30;
  double importance = 0.20;
  double similarity = 0.10;
};
salience_weights weights_of(const learned_weights& learned) noexcept;

/// Scores of one query: `now` and whether there is a near vector are the same for all rows.
class salience_scorer {
public:
  /// Without a near vector the first four weights are divided by their sum.
  salience_scorer(timestamp now, bool with_near, const salience_weights& weights = {});

  /// In [0, 1] with the default weights. `distance` counts only with a near vector.
  [[nodiscard]] double operator()(const activation& used, double distance) const noexcept;
  /// As much or more than for whatever was used as much or less, in a fifth of the time; for who
  /// looks for the most salient.
  [[nodiscard]] double at_most(const activation& used, double distance) const noexcept;

private:
  [[nodiscard]] double weigh(const salience_weights& weights, const salience_parts& parts,
                             double distance) const noexcept;

  timestamp now_;
  bool with_near_;
  salience_weights weights_;
  salience_weights raising_; ///< those that are not below 0
  const exp_ceiling& falling_ = exp_ceiling::instance();
};

} // namespace mneme
