#pragma once
/// One state of a world that any number of arms begin with. It is opened once, has its images and
/// nothing behind them, and is never written to again. An arm reads it as it is until it writes;
/// then it gets a world of its own over the same files, of which what it changes stays in memory:
///
///     arm's world ── overlay_file_system ──► files of the base     journal, images
///          └─ rows in memory ── lent_store ──► store of the base   opened once for all
///
/// Thread-safe.

#include <functional>
#include <memory>

#include "state/branch/branch_note.hpp"
#include "state/open_world.hpp"
#include "storage/overlay_file_system.hpp"

namespace mneme {

class arm_source {
public:
  /// Of a world that was opened with these options, and that nobody else has a hold of. Writes a
  /// checkpoint where there is none of its last entry. `when_gone` is called when it was closed.
  static result<std::shared_ptr<arm_source>>
  make(std::unique_ptr<world> base, world_options options, std::function<void()> when_gone);
  ~arm_source();
  arm_source(const arm_source&) = delete;
  arm_source& operator=(const arm_source&) = delete;

  [[nodiscard]] world& base() const { return *base_; }
  [[nodiscard]] seq_no at() const { return at_; }

  /// A world that goes on from the base by itself, and keeps it. Nothing of it stays.
  static result<std::unique_ptr<world>> branch_off(const std::shared_ptr<arm_source>& from,
                                                   const branch_id& branch,
                                                   const std::shared_ptr<clock>& time);

private:
  arm_source(std::unique_ptr<world> base, world_options options);

  std::unique_ptr<world> base_;
  world_options options_;
  seq_no at_;
  std::shared_ptr<fixed_files> files_;
  std::function<void()> when_gone_;
};

} // namespace mneme
