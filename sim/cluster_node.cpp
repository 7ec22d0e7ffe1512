#include "sim/cluster_node.hpp"

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "sim/session.hpp"

namespace mneme::sim {

namespace {

constexpr std::chrono::milliseconds lease{2000};
constexpr const char* address = "memory://log";

} // namespace

cluster_node::cluster_node(cluster_site& site, std::string name, node_kind kind,
                           random_stream& choices, step_log& log)
    : site_(site),
      name_(std::move(name)),
      kind_(kind),
      choices_(choices),
      log_(log),
      clock_(std::make_shared<virtual_clock>(start_time)) {
}

cluster_node::~cluster_node() {
  // It lets go of nothing, and nobody moves meanwhile: the others may be gone.
  *path_ = {.is_cut = true};
  end();
}

result<std::shared_ptr<log_store>> cluster_node::connect() {
  auto made = std::make_shared<hooked_log>(site_.server.connect(), path_,
                                           site_.seed * 1000 + ++site_.connections);
  connections_.push_back(made);
  return made;
}

result<std::shared_ptr<log_leader>> cluster_node::claim() {
  auto log = connect();
  if (!log) return propagate(log);
  auto leader = log_leader::claim(*log, {.holder = holder_, .lease = lease});
  if (!leader) return propagate(leader);
  return std::shared_ptr<log_leader>(std::move(*leader));
}

result<void> cluster_node::start() {
  ensure(!is_up(), "an engine starts once");
  const std::uint64_t boot = ++site_.boots;
  holder_ = fmt::format("{}:{}", name_, boot);
  const bool only_leads = kind_ == node_kind::only_leads;
  standing_ = std::make_shared<log_standing>([this] { return site_.now_ms; },
                                             only_leads ? log_role::leader : log_role::follower,
                                             kind_ != node_kind::follows);
  world_log kept_in{
      .address = address, .connect = [this] { return connect(); }, .standing = standing_};
  if (only_leads) {
    kept_in.lead = [this] { return claim(); };
  } else {
    auto log = connect();
    if (!log) return propagate(log);
    kept_in.follow = std::move(*log);
  }
  auto booted = machine::boot(site_.setup, disk_, clock_, boot, choices_, log_, std::move(kept_in));
  if (!booted) {
    crash({}, 0);
    return propagate(booted);
  }
  machine_ = std::move(*booted);
  part_ = std::make_unique<log_participant>(
      log_membership{.logs = [this](std::string_view) { return connect(); },
                     .address = address,
                     .holder = holder_,
                     .lease = lease,
                     .may_lead = kind_ != node_kind::follows,
                     .only_leads = only_leads,
                     .standing = standing_},
      static_cast<committer_line&>(*this));
  part_at_ = site_.now_ms + part_->first_rest().count();
  return {};
}

void cluster_node::end() {
  part_.reset();
  machine_.reset();
  standing_.reset();
  // What holds a connection is gone; what was sent is not.
  for (auto& one : connections_) gone_.push_back(std::move(one));
  connections_.clear();
}

void cluster_node::crash(std::optional<crash_mode> mode, std::uint64_t seed) {
  auto files = std::make_shared<memory_file_system>(disk_.files->image());
  if (mode) files->crash(seed, *mode);
  // A process that is gone says no more, and lets go of nothing.
  const auto faults = std::exchange(*path_, {});
  path_->is_cut = true;
  end();
  *path_ = faults;
  disk_.files = std::move(files);
  asked.clear();
  trimming = nullptr;
  seen = {};
  halted_.clear();
}

void cluster_node::lose_disk() {
  ensure(!is_up(), "a disk is lost with its machine");
  disk_ = disk{};
}

bool cluster_node::takes_part_now() const {
  return is_up() && halted_.empty() && !part_->has_ended() && site_.now_ms >= part_at_;
}

void cluster_node::take_part() {
  const auto rest = part_->step();
  part_at_ = site_.now_ms + rest.count();
  if (standing_->is_halted()) halted_ = state().stopped.get();
}

void cluster_node::tell(commit_command command) {
  machine_->tell(std::move(command));
}

result<copy_end> cluster_node::ask(const std::function<commit_command(reply)>& command) {
  const auto answer = std::make_shared<std::optional<result<copy_end>>>();
  tell(command([answer](result<copy_end> end) { *answer = std::move(end); }));
  for (std::uint64_t i = 0; !answer->has_value(); ++i) {
    ensure(machine_->scheduler().has_job() && i < steps_to_settle,
           "the committer answers who follows the log");
    machine_->scheduler().run_one(i);
  }
  return **answer;
}

void cluster_node::deliver_late() {
  for (const auto& one : std::exchange(gone_, {})) one->deliver_late();
}

} // namespace mneme::sim
