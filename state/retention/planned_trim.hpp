#pragma once
/// A trim that was planned from a journal: where its point is, and what goes before it.

#include <atomic>
#include <optional>
#include <string>

#include "mneme/retention.hpp"
#include "state/retention/trim_follower.hpp"
#include "state/retention/trim_plan.hpp"
#include "storage/file.hpp"

namespace mneme {

class planned_trim {
public:
  /// The point is the first frame that `options` keep, or behind `through`.
  planned_trim(file_system& files, const std::string& directory, const world_id& world,
               const trim_options& options, seq_no through = seq_no{~0ULL})
      : files_(files),
        directory_(directory),
        world_(world),
        options_(options),
        through_(through),
        plan_(options.versions) {}

  /// Before look(), which then fails where this becomes true.
  void stop_when(const std::atomic<bool>& stops) { stops_ = &stops; }
  /// Looks at the journal, behind the point for trims and for what its entries name; once. Beside a
  /// writer, but for one that erases.
  result<void> look();

  // After that.
  [[nodiscard]] seq_no before() const { return before_; }
  /// Without what it knows nothing of: how long the journal is, and whether it was done.
  [[nodiscard]] trim_report report() const;
  /// What its entry says, but for what is drawn. Precondition: something goes.
  [[nodiscard]] trim_payload payload() const;

private:
  result<bool> take(const journal_frame& frame);
  /// An earlier trim carries as far as the point, or farther.
  result<void> carry_last();

  file_system& files_;
  std::string directory_;
  world_id world_;
  const trim_options& options_;
  seq_no through_;
  const std::atomic<bool>* stops_ = nullptr;
  trim_follower follower_;
  trim_plan plan_;
  seq_no before_{1};
  bool is_found_ = false;
  std::optional<trim_payload> farthest_; ///< of the trims before this one, by its point
};

/// Whether an entry behind `planned_at` names a version that the trim drops.
result<bool> is_named_since(file_system& files, const std::string& directory, const world_id& world,
                            const trim_payload& trim, seq_no planned_at);

} // namespace mneme
