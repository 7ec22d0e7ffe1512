#include "sim/arm_session.hpp"

#include <fmt/format.h>

#include "sim/check_state.hpp"
#include "sim/model_scope.hpp"

namespace mneme::sim {

namespace {

/// Arms draw from streams that no boot of their base's machine has.
constexpr std::uint64_t first_boot_of_arms = 1ULL << 32;

evidence known_of_arm(const evidence& base) {
  evidence own = base;
  own.clock = std::make_shared<virtual_clock>(*base.clock);
  own.setup.readers = 1;
  own.setup.checkpoint_journal_bytes = 0;
  return own;
}

branch_id branch_of(const run_options& options, std::uint64_t number) {
  branch_id drawn{};
  make_seeded_random(options.seed, first_boot_of_arms + number)->fill(drawn);
  return drawn;
}

} // namespace

result<std::shared_ptr<arm_source>> arm_source_of(const engine_setup& setup, const disk& from,
                                                  const std::shared_ptr<virtual_clock>& clock,
                                                  const std::shared_ptr<late_embedder>& remote) {
  world_options options = world_options_of(setup, from);
  options.create = false;
  options.embedder = remote;
  options.keys = keys_of_agents();
  options.time = clock;
  auto opened = open_world(options);
  if (!opened) return propagate(opened);
  return arm_source::make(std::move(*opened), std::move(options), {});
}

arm_session::arm_session(const run_options& options, const profile& how, std::uint64_t number,
                         const evidence& base, std::uint64_t issued)
    : session(options, how, fmt::format("arm{}-", number), known_of_arm(base)), number_(number) {
  issued_ = issued;
}

check_result arm_session::boot(const std::shared_ptr<arm_source>& from,
                               std::shared_ptr<late_embedder> remote) {
  auto own = arm_source::branch_off(from, branch_of(options_, number_), clock_);
  if (!own) return wrong("arm", "an arm does not begin: " + own.error().message);
  machine_ = machine::start(known_.setup, std::move(*own), std::move(remote), clock_,
                            first_boot_of_arms + number_, schedule_, log_);
  if (machine_->state()->published_seq() != known_.truth.last())
    return wrong("arm", "an arm does not begin where its base ends");
  return {};
}

check_result arm_session::finish() {
  if (auto ok = settle(); !ok) return ok;
  if (machine_->remote() != nullptr)
    if (auto ok = wait_for_vectors(); !ok) return ok;
  if (auto ok = check_world(); !ok) return ok;
  if (auto ok = check_all_claimed(known_); !ok) return ok;
  return check_violations(known_);
}

} // namespace mneme::sim
