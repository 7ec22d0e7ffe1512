#include "sim/machine.hpp"

#include <caf/all.hpp>

#include "messages/ensure.hpp"
#include "sim/model_scope.hpp"
#include "sim/own_profile.hpp"

namespace mneme::sim {

namespace {

/// In the place of the store's files once it is taken. Null: it has a power supply of its own.
result<fresh_store> store_beside(const std::shared_ptr<table_place>& tables,
                                 const std::shared_ptr<const power>& supply) {
  auto fresh = make_memory_disk();
  auto store = make_memory_store(fresh);
  return fresh_store{.store = supply == nullptr ? std::move(store)
                                                : make_powered_store(std::move(store), supply),
                     .take = [tables, fresh] {
                       tables->now = fresh;
                       return std::function<void()>();
                     }};
}

} // namespace

world_options world_options_of(const engine_setup& setup, const disk& from) {
  world_options w;
  w.directory = from.directory;
  w.files = from.files;
  w.store.open = [tables = from.tables]() -> result<std::unique_ptr<kv_store>> {
    return make_memory_store(tables->now);
  };
  w.store.remove = [tables = from.tables]() -> result<void> {
    tables->now = make_memory_disk();
    return {};
  };
  w.store.retire = [tables = from.tables] {
    tables->now = make_memory_disk();
    return std::function<void()>();
  };
  w.store.open_beside = [tables = from.tables] { return store_beside(tables, nullptr); };
  w.fresh.name = "simulated";
  w.fresh.id = seeded_world_id(w.fresh.name, setup.seed);
  w.fresh.embedder = setup.embedder;
  w.tokens = make_default_token_counter();
  w.journal = {.segment_bytes = setup.segment_bytes, .extend_bytes = setup.extend_bytes};
  w.vectors.background_segments = false;
  w.retained_seqs = setup.retained_seqs;
  w.compaction_states = setup.compaction_states;
  w.row_buffer_bytes = setup.row_buffer_bytes;
  if (setup.opens_store_late)
    w.store.is_there = [tables = from.tables] { return has_checkpoint(*tables->now); };
  return w;
}

machine::machine() = default;

result<std::unique_ptr<machine>> machine::boot(const engine_setup& setup, const disk& from,
                                               std::shared_ptr<virtual_clock> clock,
                                               std::uint64_t boot_number, random_stream& choices,
                                               step_log& log, std::optional<world_log> kept_in) {
  std::unique_ptr<machine> m(new machine());
  world_options w = world_options_of(setup, from);
  if (setup.late_percent) {
    m->remote_ = std::make_shared<late_embedder>(setup.seed, boot_number, *setup.late_percent);
    w.embedder = m->remote_;
  }
  w.keys = keys_of_agents();
  w.time = clock;
  w.log = std::move(kept_in);
  w.may_load_late = true;
  w.store.open = [tables = from.tables,
                  supply = m->supply_]() -> result<std::unique_ptr<kv_store>> {
    return make_powered_store(make_memory_store(tables->now), supply);
  };
  w.store.open_beside = [tables = from.tables, supply = m->supply_] {
    return store_beside(tables, supply);
  };
  auto state = open_world(w);
  if (!state) return propagate(state);
  m->run(setup, std::move(*state), std::move(clock), boot_number, choices, log);
  return m;
}

std::unique_ptr<machine> machine::start(const engine_setup& setup, std::unique_ptr<world> state,
                                        std::shared_ptr<late_embedder> remote,
                                        std::shared_ptr<virtual_clock> clock,
                                        std::uint64_t boot_number, random_stream& choices,
                                        step_log& log) {
  std::unique_ptr<machine> m(new machine());
  m->remote_ = std::move(remote);
  m->run(setup, std::move(state), std::move(clock), boot_number, choices, log);
  return m;
}

void machine::run(const engine_setup& setup, std::unique_ptr<world> state,
                  std::shared_ptr<virtual_clock> clock, std::uint64_t boot_number,
                  random_stream& choices, step_log& log) {
  opened_engine opened;
  opened.state = std::move(state);
  opened.actors.threads = thread_use::scheduled;
  opened.actors.readers = setup.readers;
  opened.actors.preparers = setup.readers;
  opened.actors.commits = {.mode = setup.mode,
                           .max_queued = setup.max_queued,
                           .max_entries = setup.max_entries,
                           .read_only = false};
  opened.actors.entries_applied_here = setup.entries_applied_here;
  opened.actors.checkpoint_journal_bytes = setup.checkpoint_journal_bytes;
  opened.actors.queries.time = std::move(clock);
  opened.actors.random = make_seeded_random(setup.seed, boot_number);
  opened.actors.jitter = make_seeded_random(setup.seed, ~boot_number);
  opened.actors.queries.stopwatch = [shown = std::make_shared<std::int64_t>(0)] {
    return *shown += stopwatch_step_ns;
  };
  opened.actors.queries.exact_near = true;
  opened.actors.queries.chroma.profiles = profiles_of_host();
  opened.actors.queries.chroma.touches = setup.touches;
  opened.actors.bugs = setup.bugs;
  if (opened.state->standing != nullptr)
    opened.actors.queries.follows = opened.state->standing->following();

  config_ = std::make_unique<caf::actor_system_config>();
  configure(*config_);
  seeded_scheduler::configure(*config_);
  system_ = std::make_unique<caf::actor_system>(*config_);
  scheduler_ = std::make_unique<seeded_scheduler>(*system_, choices, log);
  running_ = start_engine(*system_, std::move(opened));
  engine_ = system_->spawn(engine_behavior, running_);
  for (std::size_t i = 0; i < setup.clients; ++i)
    clients_.push_back(std::make_unique<client>(*system_));
}

machine::~machine() {
  supply_->on = false;
  if (system_ == nullptr) return;
  // Kill messages overtake everything that waits in a mailbox.
  caf::anon_send_exit(engine_, caf::exit_reason::kill);
  for (const auto& owner : owned_actors(running_->actors))
    caf::anon_send_exit(owner, caf::exit_reason::kill);
  engine_ = nullptr;
  const bool ended = scheduler_->drain(1'000'000);
  ensure(ended, "killed actors end");
  clients_.clear();
  // Dead actors still hold each other: the committer its unanswered requests' way back.
  const std::weak_ptr<world> state = running_->state;
  running_->state.reset();
  running_->actors = {};
  running_.reset();
  scheduler_->drain(1'000'000);
  ensure(state.expired(), "nobody holds the world of a machine that is off");
}

} // namespace mneme::sim
