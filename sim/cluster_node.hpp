#pragma once
/// One engine of several on a log: its disk, which outlives it, its machine while it runs, and what
/// keeps it where it is to be on the log, taken step by step.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/log_participant.hpp"
#include "journal/log/memory_log.hpp"
#include "sim/hooked_log.hpp"
#include "sim/machine.hpp"

namespace mneme::sim {

enum class node_kind : std::uint8_t {
  may_lead,   ///< follows, and takes the lead that nobody has
  follows,    ///< never leads
  only_leads, ///< claims the log when it starts, or does not start
};

/// What all nodes of a run have in common.
struct cluster_site {
  memory_log_server server{};
  world_file founding{};
  engine_setup setup{};
  std::int64_t now_ms = 0;       ///< by the log's clock
  std::int64_t ahead_ms = 0;     ///< so much later it is by the engines'
  std::uint64_t boots = 0;       ///< of all
  std::uint64_t connections = 0; ///< of all
  std::uint64_t seed = 0;
};

class cluster_node final : private committer_line {
public:
  cluster_node(cluster_site& site, std::string name, node_kind kind, random_stream& choices,
               step_log& log);
  ~cluster_node() override;
  cluster_node(const cluster_node&) = delete;
  cluster_node& operator=(const cluster_node&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] node_kind kind() const { return kind_; }
  [[nodiscard]] bool is_up() const { return machine_ != nullptr; }
  [[nodiscard]] machine& runs() { return *machine_; }
  [[nodiscard]] world& state() { return *machine_->state(); }
  [[nodiscard]] log_standing& standing() { return *standing_; }
  [[nodiscard]] const std::string& holder() const { return holder_; }
  [[nodiscard]] bool leads() const { return is_up() && !standing_->follows(); }
  [[nodiscard]] const std::string& halted() const { return halted_; }
  [[nodiscard]] disk& files() { return disk_; }
  [[nodiscard]] log_path& path() { return *path_; }
  [[nodiscard]] virtual_clock& clock() { return *clock_; }

  result<void> start();
  /// The process ends; with a mode the machine's power, too.
  void crash(std::optional<crash_mode> mode, std::uint64_t seed);
  /// The machine is thrown away with its disk.
  void lose_disk();
  /// It is time for that.
  [[nodiscard]] bool takes_part_now() const;
  void take_part();
  [[nodiscard]] bool is_done() const { return part_->has_ended(); }
  /// Of connections that it has no more.
  void deliver_late();

  /// It is in the middle of something: on the stack.
  bool is_moving = false;
  std::int64_t paused_until = 0;
  std::int64_t down_until = 0;
  std::map<std::size_t, std::uint64_t> asked{};                ///< operation under way, by client
  std::shared_ptr<std::optional<result<trim_end>>> trimming{}; ///< asked for, and maybe answered
  seq_no seen{};                                               ///< published, and compared

private:
  void tell(commit_command command) override;
  result<copy_end> ask(const std::function<commit_command(reply)>& command) override;
  bool is_over() override { return false; }
  result<std::shared_ptr<log_store>> connect();
  result<std::shared_ptr<log_leader>> claim();
  void end();

  cluster_site& site_;
  std::string name_;
  node_kind kind_;
  random_stream& choices_;
  step_log& log_;
  disk disk_;
  std::shared_ptr<virtual_clock> clock_;
  std::shared_ptr<log_path> path_ = std::make_shared<log_path>();
  std::vector<std::shared_ptr<hooked_log>> connections_;
  std::vector<std::shared_ptr<hooked_log>> gone_;
  std::string holder_;
  std::shared_ptr<log_standing> standing_;
  std::unique_ptr<machine> machine_;
  std::unique_ptr<log_participant> part_;
  std::int64_t part_at_ = 0;
  std::string halted_;
};

} // namespace mneme::sim
