#pragma once
/// A branch in memory of a running world's state, with clients of its own.

#include "sim/session.hpp"
#include "state/branch/arm_source.hpp"

namespace mneme::sim {

/// What arms begin with: the world on the disk, opened as a machine opens it.
result<std::shared_ptr<arm_source>> arm_source_of(const engine_setup& setup, const disk& from,
                                                  const std::shared_ptr<virtual_clock>& clock,
                                                  const std::shared_ptr<late_embedder>& remote);

class arm_session final : public session {
public:
  /// Goes on from what is known of its base, whose last operation was `issued`.
  arm_session(const run_options& options, const profile& how, std::uint64_t number,
              const evidence& base, std::uint64_t issued);

  check_result boot(const std::shared_ptr<arm_source>& from, std::shared_ptr<late_embedder> remote);
  check_result go_on() {
    ++step_;
    return take_turn();
  }
  /// Waits for everything under way, and looks at all that there is.
  check_result finish();

private:
  /// Nothing of an arm is opened again.
  [[nodiscard]] bool is_left_out(const request_message& request) const override {
    return std::holds_alternative<checkpoint_message>(request);
  }

  std::uint64_t number_;
};

} // namespace mneme::sim
