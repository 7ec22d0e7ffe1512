// An engine whose disk is full: what finds no room is refused and nowhere, and writes go on by
// themselves when there is room.
// Of: actors/committer_actor.cpp, state/commit/committer.cpp, state/checkpoint/world_checkpoint.cpp
#include "actors/engine_actor.hpp"
#include "state/inspection/stats.hpp"
#include "storage/memory_file_system.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

class engine_on_full_disk {
public:
  engine_on_full_disk() : config_(2) {
    engine_options o;
    o.seed = 1;
    o.embedder_spec = "none";
    auto opened = open_engine(o);
    REQUIRE(opened);
    state_ = opened->state.get();
    disk_ = std::dynamic_pointer_cast<memory_file_system>(state_->files);
    REQUIRE(disk_ != nullptr);
    handle_ = system_.spawn(engine_behavior, start_engine(system_, std::move(*opened)));
  }
  ~engine_on_full_disk() { caf::anon_send_exit(handle_, caf::exit_reason::user_shutdown); }

  /// Nothing more fits but what has room in the zeros that the journal has written ahead.
  void fill() { disk_->limit_bytes(disk_->used_bytes()); }
  void make_room() { disk_->limit_bytes(std::nullopt); }
  void make_room(std::uint64_t bytes) { disk_->limit_bytes(disk_->used_bytes() + bytes); }
  void limit_rows(std::uint64_t bytes) { state_->row_buffer_bytes = bytes; }

  std::optional<error> write(std::size_t bytes = 10) {
    write_request r;
    r.type = memory_type::note;
    r.data["statement"] = std::string(bytes, 'x');
    return ask<mutation_result>(apply_message{std::move(r)});
  }
  /// A batch of so many that the owners take it side by side.
  std::optional<error> write_many() {
    batch_message many;
    for (std::size_t i = 0; i <= actor_options().entries_applied_here; ++i) {
      write_request r;
      r.type = memory_type::note;
      r.data["statement"] = std::string(20'000, 'x');
      many.items.emplace_back(std::move(r));
    }
    return ask<batch_result>(std::move(many));
  }
  /// Writes until there is no room; how many were taken.
  std::uint64_t write_until_full() {
    for (std::uint64_t taken = 0; taken < 100; ++taken)
      if (const auto failed = write(200'000)) {
        CHECK(failed->code == errc::disk_full);
        CHECK(failed->message.find("there is no room on the disk") != std::string::npos);
        return taken;
      }
    FAIL("the disk is not full");
    return 0;
  }
  std::optional<error> checkpoint() { return ask<checkpoint_reply>(checkpoint_message{}); }
  std::optional<error> close() { return ask<closed_reply>(close_message{}); }
  std::optional<error> find() {
    find_request f;
    f.types = {memory_type::note};
    f.limit = 1;
    return ask<find_reply>(find_message{f});
  }
  world_stats stats() { return read_stats(*state_); }
  [[nodiscard]] std::uint64_t used_bytes() const { return disk_->used_bytes(); }
  [[nodiscard]] seq_no journaled() const { return state_->journal->last_seq(); }

private:
  template <class Answer, class Message>
  std::optional<error> ask(Message m) {
    std::optional<error> failed;
    self_->request(handle_, caf::infinite, std::move(m))
        .receive([](const Answer&) {}, [&](const caf::error& e) { failed = to_error(e); });
    return failed;
  }

  host_config config_;
  caf::actor_system system_{config_};
  caf::scoped_actor self_{system_};
  world* state_ = nullptr;
  std::shared_ptr<memory_file_system> disk_;
  engine_actor handle_;
};

} // namespace

TEST_CASE("a full disk refuses writes, and they go on when there is room") {
  engine_on_full_disk e;
  REQUIRE_FALSE(e.write());
  e.fill();
  const std::uint64_t taken = 1 + e.write_until_full();
  CHECK(e.stats().memories == taken);
  CHECK_FALSE(e.stats().disk_full.empty());
  CHECK(e.stats().stopped.empty());
  CHECK(e.journaled() == e.stats().seq);
  CHECK_FALSE(e.find());
  for (int i = 0; i < 3; ++i) {
    CHECK(e.write(200'000)->code == errc::disk_full);
    CHECK(e.write_many()->code == errc::disk_full);
  }
  CHECK(e.checkpoint()->code == errc::disk_full);
  CHECK(e.stats().memories == taken);
  e.make_room();
  CHECK_FALSE(e.stats().disk_full.empty()); // until a write succeeds
  CHECK_FALSE(e.write());
  CHECK(e.stats().disk_full.empty());
  CHECK_FALSE(e.write_many());
  CHECK_FALSE(e.write(200'000));
  CHECK_FALSE(e.checkpoint());
  CHECK(e.stats().checkpoint_seq == e.stats().seq);
  CHECK_FALSE(e.close());
}

TEST_CASE("a full disk is told as full until there is room, though nobody writes") {
  engine_on_full_disk e;
  REQUIRE_FALSE(e.write());
  e.fill();
  e.write_until_full();
  CHECK_FALSE(e.stats().disk_full.empty());
  e.make_room(full_disk::noted_bytes / 2);
  CHECK_FALSE(e.stats().disk_full.empty()); // of no use yet
  e.make_room(2 * full_disk::noted_bytes);
  CHECK(e.stats().disk_full.empty());
  e.fill();
  CHECK_FALSE(e.stats().disk_full.empty()); // nothing was written meanwhile
  e.make_room(2 * full_disk::noted_bytes);
  CHECK_FALSE(e.write(200'000));
  e.fill();
  CHECK(e.stats().disk_full.empty()); // the next write will say
  CHECK_FALSE(e.close());
}

TEST_CASE("what found no room keeps none: a full disk gets no fuller") {
  engine_on_full_disk e;
  REQUIRE_FALSE(e.write());
  const std::uint64_t before = e.used_bytes();
  e.fill();
  e.write_until_full();
  CHECK(e.used_bytes() < before); // the zeros written ahead are gone, too
  CHECK(e.checkpoint());
  CHECK(e.used_bytes() <= before);
  CHECK_FALSE(e.close());
}

TEST_CASE("rows wait in memory for room, as many as may") {
  engine_on_full_disk e;
  e.limit_rows(1'000);
  REQUIRE_FALSE(e.write());
  e.fill();
  std::optional<error> failed;
  for (int i = 0; i < 200 && !failed; ++i) failed = e.write(100);
  REQUIRE(failed);
  CHECK(failed->code == errc::disk_full);
  CHECK(e.stats().stopped.empty());
  e.make_room();
  for (int i = 0; i < 50; ++i) REQUIRE_FALSE(e.write(100));
  CHECK(e.stats().disk_full.empty());
  CHECK_FALSE(e.close());
}
