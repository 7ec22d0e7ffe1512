#pragma once
/// A place where worlds live in a test: an in-memory disk that outlives them, and a driver that
/// moves a committer's batches through the owners in the test's own thread.

#include <catch2/catch.hpp>

#include "messages/seams/unasked_embedder.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/commit/committer.hpp"
#include "state/erasure/purge.hpp"
#include "state/open_world.hpp"
#include "storage/memory_file_system.hpp"

namespace mneme::testing {

struct site {
  std::shared_ptr<memory_file_system> files = std::make_shared<memory_file_system>();
  std::shared_ptr<memory_disk> disk = make_memory_disk();
  std::string embedder = "none";
  std::uint64_t leaf_cache_bytes = default_leaf_cache_bytes;

  world_options options() {
    world_options o;
    o.directory = "world";
    o.files = files;
    o.store.open = [disk = disk]() -> result<std::unique_ptr<kv_store>> {
      return make_memory_store(disk);
    };
    o.fresh.id = seeded_world_id("test", 1);
    o.fresh.name = "test";
    o.fresh.embedder = embedder;
    o.remote_embedders = make_unasked_embedder;
    o.tokens = make_default_token_counter();
    o.vectors.background_segments = false;
    o.leaf_cache_bytes = leaf_cache_bytes;
    return o;
  }
  std::unique_ptr<world> open() {
    auto w = open_world(options());
    if (!w) FAIL("open: " << w.error().message);
    return std::move(*w);
  }
};

/// A world with a committer that is driven by hand, under a manual clock and a seeded random.
class driven {
public:
  explicit driven(world& w, std::uint64_t seed = 1)
      : driven(w, make_seeded_random(seed, w.published_seq().value)) {}
  /// `other_time`: a clock in place of `time`.
  driven(world& w, std::shared_ptr<random_source> random,
         const std::shared_ptr<clock>& other_time = nullptr)
      : world_(w),
        time(std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'000})),
        core(w, other_time != nullptr ? other_time : time, std::move(random),
             {.mode = commit_mode::per_request,
              .max_queued = 4096,
              .max_entries = 1024,
              .read_only = false}) {}

  result<batch_result> run(std::vector<mutation> items, bool is_batch) {
    std::optional<result<batch_result>> answer;
    core.enqueue(mutate_command{.items = std::move(items),
                                .is_batch = is_batch,
                                .durability = durability::durable,
                                .reply = [&](result<batch_result> r) { answer = std::move(r); }});
    pump();
    REQUIRE(answer.has_value());
    return std::move(*answer);
  }
  result<mutation_result> apply(mutation m) {
    auto r = run({std::move(m)}, false);
    if (!r) return propagate(r);
    return r->results.front();
  }
  result<seq_no> touch(find_late_payload payload) { return touch_entry(std::move(payload)); }
  result<seq_no> touch(reinforce_payload payload) { return touch_entry(std::move(payload)); }
  result<seq_no> touch_entry(entry_payload payload) {
    std::optional<result<seq_no>> answer;
    core.enqueue(touch_command{std::move(payload), [&](result<seq_no> r) { answer = r; }});
    pump();
    return *answer;
  }
  result<decay_result> decay() {
    std::optional<result<decay_result>> answer;
    core.enqueue(decay_command{"", [&](result<decay_result> r) { answer = r; }});
    pump();
    return *answer;
  }
  result<snapshot_result> snapshot(const std::string& reason) {
    std::optional<result<snapshot_result>> answer;
    core.enqueue(snapshot_command{reason, "", [&](result<snapshot_result> r) { answer = r; }});
    pump();
    return *answer;
  }
  result<seq_no> checkpoint() {
    std::optional<result<seq_no>> answer;
    core.enqueue(checkpoint_command{.reply = [&](result<seq_no> r) { answer = r; }, .last = false});
    pump();
    return *answer;
  }

  void pump() {
    for (;;) {
      auto round = core.next_round();
      if (round.barrier) {
        pass_barrier();
        continue;
      }
      if (round.sync) {
        REQUIRE(world_.journal->sync());
        core.complete();
        continue;
      }
      if (round.again) continue;
      if (round.batch == nullptr) return;
      const auto batch = round.batch;
      const auto& b = *batch;
      if (auto appended = append(b); !appended) {
        REQUIRE(fails_quietly);
        core.fail(appended.error(), appended.error());
        return;
      }
      if (auto rooted = apply_to_ledger(world_, b.entries); !rooted) {
        REQUIRE(fails_quietly);
        core.fail(rooted.error(), rooted.error());
        return;
      }
      REQUIRE(world_.store->apply(b.writes, b.last_seq));
      apply_to_indexes(world_, b.deltas);
      if (const auto erased = erased_by(b); !erased.empty()) {
        auto finished = finish_erasure(world_, erased, [this] { core.publish(); });
        if (!finished) {
          REQUIRE(fails_quietly);
          core.fail(finished.error(), finished.error());
          return;
        }
      }
      core.complete();
      if (after_batch) after_batch(batch);
      const auto& trim = core.trim_in_progress();
      if (trim != nullptr && trim->takes_batches()) missed_.push_back(batch);
      if (trim != nullptr && !goes_on_trimming_) go_on_trimming();
    }
  }

  /// As the committer's actor does, but here: what is left of a trim whose entry is published.
  void go_on_trimming() {
    goes_on_trimming_ = true;
    result<void> done;
    while (done) {
      running_trim& trim = *core.trim_in_progress();
      if (trim.is_rewritten()) trim.begin_copies(world_.published_seq());
      if (beside_trim) beside_trim();
      std::size_t missing = 0;
      for (const auto& batch : missed_) missing += batch->entries.size();
      if (trim.is_close(missing)) break;
      const auto given = trim.is_copied() ? std::exchange(missed_, {}) : decltype(missed_){};
      done = trim.go_on(given);
    }
    goes_on_trimming_ = false;
    if (done)
      done = core.adopt_trim(std::exchange(missed_, {}));
    else
      core.trim_in_progress()->leave();
    missed_.clear();
    core.end_trim()->answer(done);
  }

private:
  result<void> append(const commit_batch& b) {
    if (auto ok = world_.journal->append(b.entries, world_.ledger->roots().overall); !ok) return ok;
    return syncs ? world_.journal->sync() : result<void>();
  }
  void pass_barrier() {
    REQUIRE(world_.journal->append_seal(world_.ledger->roots().overall));
    REQUIRE(world_.journal->sync());
    REQUIRE(world_.store->set_stable(world_.published_seq()));
    const auto job = core.job_at_barrier(snapshot_of_ledger(world_));
    auto reply = core.passed_barrier();
    if (before_images) std::exchange(before_images, {})();
    auto written = write_checkpoint(*world_.files, world_.directory, world_.info.id, world_.views(),
                                    job, world_.mapped_images, 0);
    core.release_window();
    if (!written) return reply(propagate(written));
    world_.fresh_images = std::move(*written);
    settle_leaves(world_);
    reply(job.file.seq);
  }

  world& world_;
  bool goes_on_trimming_ = false;
  std::vector<std::shared_ptr<const commit_batch>> missed_;

public:
  std::shared_ptr<manual_clock> time;
  committer core;
  bool fails_quietly = false;          ///< a failing disk stops the committer, and not the test
  bool syncs = true;                   ///< false: batches stay in the machine's cache
  std::function<void()> before_images; ///< runs once, between a barrier and its images
  std::function<void()> beside_trim;   ///< runs before each part of a trim
  /// Runs between a batch, now published, and the next round.
  std::function<void(std::shared_ptr<const commit_batch>)> after_batch;
};

inline write_request note(std::string text, std::string actor = "ana") {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(text);
  r.actor = std::move(actor);
  return r;
}

inline memory_id id_of(std::uint8_t n) {
  memory_id id;
  id.bytes[15] = n;
  return id;
}

} // namespace mneme::testing
