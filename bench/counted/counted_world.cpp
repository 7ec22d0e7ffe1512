#include "bench/counted/counted_world.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "bench/workloads/dataset.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/open_world.hpp"

namespace mneme::counted {

void give_up(const error& why) {
  std::fprintf(stderr, "%s\n", why.message.c_str());
  std::_Exit(1);
}

counted_world::counted_world()
    : time_(std::make_shared<manual_clock>(workloads::query_time)),
      seams_{.time = time_, .chroma = {.profiles = std::make_shared<profile_registry>()}} {
  open();
}

void counted_world::open() {
  world_options o;
  o.directory = "world";
  o.files = files_;
  o.store.open = [disk = disk_]() -> result<std::unique_ptr<kv_store>> {
    return make_memory_store(disk);
  };
  o.fresh.id = seeded_world_id("counted", 1);
  o.fresh.name = "counted";
  o.fresh.embedder = "none";
  o.tokens = make_default_token_counter();
  o.time = time_;
  o.vectors.background_segments = false;
  world_ = sure(open_world(o));
  committer_ = std::make_unique<committer>(
      *world_, time_, make_seeded_random(1, world_->published_seq().value), committer_options{});
}

void counted_world::write(std::vector<mutation> items) {
  std::optional<result<batch_result>> answer;
  committer_->enqueue(
      mutate_command{.items = std::move(items),
                     .is_batch = true,
                     .durability = durability::durable,
                     .reply = [&](result<batch_result> r) { answer = std::move(r); }});
  commit_all();
  sure(std::move(*answer));
}

void counted_world::touch(find_late_payload payload) {
  std::optional<result<seq_no>> answer;
  committer_->enqueue(touch_command{std::move(payload), [&](result<seq_no> r) { answer = r; }});
  commit_all();
  sure(std::move(*answer));
}

/// As the committer's actor does with a small batch.
void counted_world::commit_all() {
  for (auto round = committer_->next_round(); round.batch || round.again;
       round = committer_->next_round()) {
    if (!round.batch) continue;
    const commit_batch& batch = *round.batch;
    sure(world_->journal->append(batch.entries, world_->ledger->roots().overall));
    sure(world_->journal->sync());
    sure(apply_to_ledger(*world_, batch.entries));
    sure(world_->store->apply(batch.writes, batch.last_seq));
    apply_to_indexes(*world_, batch.deltas);
    committer_->complete();
    sure(world_->store->set_stable(batch.last_seq));
  }
}

void counted_world::close() {
  sure(close_world(*world_));
  committer_.reset();
  world_.reset();
}

} // namespace mneme::counted
