#pragma once
/// What holds, as the naive model sees it: what has not ended, and what nothing newer takes out of
/// answers.

#include <optional>
#include <set>

#include "sim/model_scope.hpp"

namespace mneme::sim {

/// By when it is judged; `is_asked` is a time of the caller's own.
struct judged_by {
  timestamp instant;
  bool is_asked = false;
};

bool has_begun(const version& v, judged_by when);
bool has_ended(const version& v, judged_by when);
/// There, or tombstoned as superseded: it held once.
bool may_have_held(const head& h);
/// Was it tombstoned as superseded, by then?
bool is_past(const head& h, judged_by when);
/// Of a live memory that supersedes or replaces one of this owner: does that count for who asks?
bool takes_out(const memory& newer, const std::string& owner, const viewer& who, judged_by when);

class what_holds {
public:
  /// What is trusted less than `min_trust` hides nothing.
  what_holds(const model& state, const viewer& who, seq_no at, judged_by when,
             std::optional<double> min_trust = {});

  // What is tombstoned for another cause is not judged.
  [[nodiscard]] bool is_over(const memory& m) const {
    return may_have_held(m.head) && has_ended(m.version, when_);
  }
  [[nodiscard]] bool is_superseded(const memory& m) const {
    return is_past(m.head, when_) || (may_have_held(m.head) && superseded_.contains(m.head->id));
  }
  [[nodiscard]] bool holds(const memory& m) const { return !is_over(m) && !is_superseded(m); }

private:
  judged_by when_;
  std::set<memory_id> superseded_;
};

} // namespace mneme::sim
