#pragma once
/// Where this process stands on its world's log: whether it leads or follows, how far the log is,
/// and who waits for that. Told by whoever looks at the log and by the committer; asked from any
/// thread.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "journal/log/log_store.hpp"
#include "mneme/following.hpp"

namespace mneme {

/// A holder of an epoch that can be asked says where, behind its name.
std::string holder_with_address(std::string name, const std::string& address);

class log_standing {
public:
  /// `clock` is monotonic, in milliseconds. `returns`: who loses the lead follows again.
  log_standing(std::function<std::int64_t()> clock, log_role role, bool returns);

  [[nodiscard]] bool follows() const { return *follows_; }
  [[nodiscard]] std::shared_ptr<const std::atomic<bool>> following() const { return follows_; }
  [[nodiscard]] bool returns() const { return returns_; }
  [[nodiscard]] std::int64_t now() const { return clock_(); }

  void lead(log_epoch epoch, std::string holder);
  void follow();
  /// Another leads, and this process does not follow it: what it shows grows old.
  void lose(const log_tail& tail);
  /// The log was asked where it ends at `asked_at`, and the copy has all of that, or not yet.
  void heard(const log_tail& tail, bool has_all, std::int64_t asked_at);
  /// It has taken what its leader asked for at `asked_at`.
  void took(std::int64_t asked_at);
  /// It could not be asked, or takes nothing.
  void is_away(std::string why);
  /// The copy did not get what the log has, or the log could not be led.
  void fails(std::string why);
  /// The copy takes no more, for good: who waits for it need not.
  void halt(const error& why);
  [[nodiscard]] bool is_halted() const;
  /// Something was published.
  void arrived();

  /// `published`: the newest seq that this copy has.
  [[nodiscard]] log_status status(seq_no published) const;
  [[nodiscard]] log_epoch epoch() const;
  /// What a write gets at a follower: busy where it may lead again soon.
  [[nodiscard]] error refusal() const;
  /// Until `published` is that far, no longer than `wait_ms`: behind then.
  result<void> wait_for(seq_no at_least, const std::function<seq_no()>& published,
                        std::int64_t wait_ms);

private:
  void reached(std::int64_t asked_at);

  std::function<std::int64_t()> clock_;
  std::shared_ptr<std::atomic<bool>> follows_;
  bool returns_;
  mutable std::mutex guard_;
  std::condition_variable moved_;
  log_epoch epoch_;
  std::string holder_;
  std::string own_; ///< as which this process has led; empty: it never has
  seq_no log_seq_;
  std::int64_t had_all_at_;
  std::int64_t reached_at_;
  bool is_away_ = false; ///< since reached_at_, as far as is known
  std::string problem_;
  std::optional<error> halted_;
  bool is_lost_ = false;
};

} // namespace mneme
