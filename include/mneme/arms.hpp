#pragma once
/// Branches of a world in memory: a base that stays as it is, and any number of arms that go on
/// from it side by side in one process. docs/BRANCHING.md shows them in use.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mneme/engine.hpp"

namespace mneme {

struct arm_options {
  /// Fixes the arm's branch id, and the ids and nonces that it draws: the same seed and the same
  /// writes give the same roots.
  std::optional<std::uint64_t> seed{};
  std::shared_ptr<random_source> random{}; ///< default: the system's, or seeded by `seed`
  /// Default: the base's. With one of its own an arm has a world of its own from its first call on,
  /// for what it reads depends on the time.
  std::shared_ptr<mneme::clock> clock{};
};

struct arm_group;

/// One state of a world, opened once. Copies are the same base. Arms keep it alive, and may be made
/// from any thread.
class arm_base {
public:
  /// Of the world in `options.directory`, as of its last entry: nobody else may have it open
  /// (busy), and it stays locked. A checkpoint is written there if it has none of that entry. With
  /// an earlier `at`: of a fork of it beside it, which goes when the base does.
  static result<arm_base> open(engine_options options, std::optional<seq_no> at = {});
  /// Of an engine that goes on, as of what is published: of a fork beside its directory, or in
  /// `into`, which goes when the base does; of a world in memory in its memory. It makes a
  /// checkpoint first. The engine may end before the base does. unsupported of an arm.
  static result<arm_base> of(engine& running, const std::string& into = {});

  /// A branch that goes on from the base. It is an engine like any other, in memory: what it writes
  /// is nobody else's and goes with it. It costs next to nothing until it first writes something
  /// (some reads do: they reinforce), then what opening the world costs. There is no checkpoint
  /// and no erasure of it (unsupported).
  [[nodiscard]] result<engine> arm(const arm_options& options = {}) const;

  [[nodiscard]] seq_no at() const; ///< the last entry that all arms have in common

private:
  explicit arm_base(std::shared_ptr<arm_group> group) : group_(std::move(group)) {}
  std::shared_ptr<arm_group> group_;
};

} // namespace mneme
