#pragma once
/// One boot of the machine: an actor system under the seeded scheduler, the world opened from the
/// disk, the engine's real actors and the clients. Destroying it is pulling the plug: no message is
/// handled any more, and what is done on the way out reaches no disk.

#include <memory>
#include <string>
#include <vector>

#include "actors/engine_actor.hpp"
#include "sim/client.hpp"
#include "sim/late_embedder.hpp"
#include "sim/powered_store.hpp"
#include "sim/seeded_scheduler.hpp"
#include "sim/virtual_clock.hpp"
#include "storage/memory_file_system.hpp"

namespace mneme::sim {

/// Where the store's files are: elsewhere, once they were made anew.
struct table_place {
  std::shared_ptr<memory_disk> now = make_memory_disk();
};

/// The world's directory on the disk.
inline constexpr std::string_view world_directory = "world";

/// What outlives a machine.
struct disk {
  std::shared_ptr<memory_file_system> files = std::make_shared<memory_file_system>();
  std::shared_ptr<table_place> tables = std::make_shared<table_place>();
  std::string directory = std::string(world_directory); ///< a branch has another
};

/// How the engine of one run is set up.
struct engine_setup {
  std::uint64_t seed = 0;
  std::string embedder;                      ///< "none" or "hash:N"
  std::optional<std::uint64_t> late_percent; ///< vectors come late: how often the embedder fails
  commit_mode mode = commit_mode::grouped;
  std::size_t readers = 2;
  std::size_t clients = 6;
  std::size_t max_queued = 4096;
  std::size_t max_entries = 1024;
  std::uint64_t retained_seqs = ~0ULL;
  std::uint64_t compaction_states = 512;
  std::uint64_t row_buffer_bytes = 32ULL << 20;
  bool opens_store_late = false; ///< by the first read that needs it, where CHECKPOINT vouches
  std::size_t entries_applied_here = 8;
  std::uint64_t segment_bytes = 64 << 10;
  std::uint64_t extend_bytes = 8 << 10;
  std::uint64_t checkpoint_journal_bytes = 0;
  touch_mode touches = touch_mode::immediate; ///< of chroma queries
  planted_bugs bugs;
};

world_options world_options_of(const engine_setup& setup, const disk& from);

class machine {
public:
  /// Opens the world and starts its actors. `choices` and `log` must outlive the machine.
  static result<std::unique_ptr<machine>> boot(const engine_setup& setup, const disk& from,
                                               std::shared_ptr<virtual_clock> clock,
                                               std::uint64_t boot_number, random_stream& choices,
                                               step_log& log,
                                               std::optional<world_log> kept_in = {});
  /// Starts the actors of a world that is open; `remote` is what gives it its late vectors, or
  /// null.
  static std::unique_ptr<machine> start(const engine_setup& setup, std::unique_ptr<world> state,
                                        std::shared_ptr<late_embedder> remote,
                                        std::shared_ptr<virtual_clock> clock,
                                        std::uint64_t boot_number, random_stream& choices,
                                        step_log& log);
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  seeded_scheduler& scheduler() { return *scheduler_; }
  std::vector<std::unique_ptr<client>>& clients() { return clients_; }
  const engine_actor& engine() const { return engine_; }
  /// As a host's thread does, or who follows a log.
  void tell(commit_command command) { hand_over(*running_, std::move(command)); }
  /// Null unless vectors come late.
  [[nodiscard]] const std::shared_ptr<late_embedder>& remote() const { return remote_; }
  /// Null after the engine has closed.
  [[nodiscard]] std::shared_ptr<world> state() const { return running_->state; }

private:
  machine();
  void run(const engine_setup& setup, std::unique_ptr<world> state,
           std::shared_ptr<virtual_clock> clock, std::uint64_t boot_number, random_stream& choices,
           step_log& log);

  std::shared_ptr<late_embedder> remote_;
  std::shared_ptr<power> supply_ = std::make_shared<power>();
  std::unique_ptr<caf::actor_system_config> config_;
  std::unique_ptr<caf::actor_system> system_;
  std::unique_ptr<seeded_scheduler> scheduler_;
  std::vector<std::unique_ptr<client>> clients_;
  std::shared_ptr<running_engine> running_;
  engine_actor engine_;
};

} // namespace mneme::sim
