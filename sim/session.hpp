#pragma once
/// Clients of one running world, step by step: what they ask, what they are answered, and the
/// oracles over both. Without faults: who adds those overrides nothing but where the journal is
/// read.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/evidence.hpp"
#include "sim/profile.hpp"
#include "sim/simulation.hpp"
#include "sim/step_log.hpp"

namespace mneme::sim {

inline constexpr timestamp start_time{946'684'800'000'000'000}; // 2000-01-01
inline constexpr std::uint64_t steps_to_settle = 200'000;

class session {
public:
  /// `name` goes before those of its streams and operations: empty, or of a branch.
  session(run_options options, profile how, std::string name, evidence known);
  virtual ~session() = default;
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// One move of the clock, and one message, request or answer.
  check_result take_turn();
  /// Lets everything under way end.
  check_result settle();
  /// However often the embedder failed: when it works, every content gets its vector.
  check_result wait_for_vectors();
  /// Everything of the world as it is. Precondition: settled.
  check_result check_world();

  [[nodiscard]] const run_report& report() const { return report_; }
  [[nodiscard]] const step_log& log() const { return log_; }

protected:
  /// The model follows the journal to there.
  virtual check_result follow(seq_no published);
  /// What a world of this kind is not asked for.
  [[nodiscard]] virtual bool is_left_out(const request_message& /*request*/) const { return false; }

  [[nodiscard]] bool is_wanted(const std::string& name) const {
    return !options_.only || options_.only->contains(name);
  }
  check_result no_stray_messages();
  static std::unexpected<wrong_answer> stuck();

  run_options options_;
  profile how_;
  std::string name_;
  random_stream schedule_;
  random_stream time_;
  step_log log_;
  evidence known_;
  std::shared_ptr<virtual_clock> clock_;       ///< the world's
  std::unique_ptr<machine> machine_;           ///< set by who boots it
  std::map<std::size_t, std::uint64_t> asked_; ///< operation under way, by client
  run_report report_;
  std::uint64_t step_ = 0;
  std::uint64_t issued_ = 0;

private:
  void look_at_clients(std::vector<std::size_t>& idle, std::vector<std::size_t>& answered);
  void move_clock();
  void issue_request(std::size_t client);
  check_result collect_answer(std::size_t client);
};

} // namespace mneme::sim
