// The store's files behind a checkpoint that vouches for them: left alone until something is read,
// looked at where nobody vouches, made anew where they do not hold what they should.
// Of: state/checkpoint/world_checkpoint.cpp
#include <catch2/catch.hpp>

#include "state/checkpoint/world_checkpoint.hpp"
#include "state/recovery/dump.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// A site whose store is opened late, and counted.
struct late_site : site {
  int opened = 0;

  world_options late_options() {
    world_options o = options();
    o.store.open = [this]() -> result<std::unique_ptr<kv_store>> {
      ++opened;
      return make_memory_store(disk);
    };
    o.store.remove = [this]() -> result<void> {
      disk = make_memory_disk();
      return {};
    };
    o.store.is_there = [this] { return has_checkpoint(*disk); };
    return o;
  }
  std::unique_ptr<world> open_late() {
    auto w = open_world(late_options());
    if (!w) FAIL("open: " << w.error().message);
    return std::move(*w);
  }
};

/// Takes everything and gives nothing back.
class unreadable_store final : public kv_store {
public:
  explicit unreadable_store(std::unique_ptr<kv_store> under) : under_(std::move(under)) {}
  result<std::unique_ptr<kv_reader>> reader() override { return fail(errc::io, "unreadable"); }
  result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override {
    return under_->apply(writes, commit);
  }
  result<void> set_stable(seq_no stable) override { return under_->set_stable(stable); }
  result<void> checkpoint() override { return under_->checkpoint(); }
  [[nodiscard]] seq_no recovered() const override { return under_->recovered(); }
  result<void> verify() override { return {}; }

private:
  std::unique_ptr<kv_store> under_;
};

write_request remark(const std::string& text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = text;
  return r;
}

std::string whole(world& w) {
  auto text = canonical_dump(w);
  REQUIRE(text);
  return *text;
}

/// As the checkpointer does.
void make_checkpoint(world& w) {
  REQUIRE(w.journal->sync());
  REQUIRE(w.store->set_stable(w.published_seq()));
  REQUIRE(write_checkpoint(w, {.file = {.seq = w.published_seq(),
                                        .node_count = w.nodes.size(),
                                        .next_slot = w.numbers.next_slot,
                                        .last_drawn_id = w.last_drawn_id,
                                        .last_entry_at = w.last_entry_at,
                                        .overall_root = w.ledger->roots().overall},
                               .ledger = snapshot_of_ledger(w)}));
  settle_leaves(w);
  w.checkpoint_seq = w.published_seq().value;
}

void write_notes(world& w, int count) {
  driven d(w);
  for (int i = 0; i < count; ++i) REQUIRE(d.apply(remark("note " + std::to_string(i))));
}

} // namespace

TEST_CASE("a world without files opens none, however often it comes back") {
  late_site place;
  for (int life = 0; life < 3; ++life) {
    auto w = place.open_late();
    write_notes(*w, 5);
    REQUIRE(close_world(*w));
  }
  CHECK(place.opened == 0);
  CHECK(place.open_late()->published_seq() == seq_no{15});
}

TEST_CASE("files that a checkpoint vouches for are opened by the first read") {
  late_site place;
  std::string expected;
  {
    auto w = place.open_late();
    write_notes(*w, 5);
    make_checkpoint(*w);
    expected = whole(*w);
  }
  place.opened = 0;
  auto w = place.open_late();
  CHECK(place.opened == 0);
  CHECK(w->report.checkpoint == seq_no{5});
  CHECK(whole(*w) == expected);
  CHECK(place.opened == 1);
  CHECK_FALSE(w->opened().store_rebuilt);
}

TEST_CASE("files that were given more than the checkpoint has are looked at when the world opens") {
  late_site place;
  std::string expected;
  {
    auto w = place.open_late();
    write_notes(*w, 5);
    make_checkpoint(*w);
    CHECK(w->store_matches);
    write_notes(*w, 5);
    REQUIRE(w->store->set_stable(w->published_seq()));
    REQUIRE(flush_rows(*w));
    CHECK_FALSE(w->store_matches);
    CHECK(is_worth_a_checkpoint(*w));
    // What a store may do by itself when it is closed.
    REQUIRE((*w->store->files())->checkpoint());
    expected = whole(*w);
  }
  place.opened = 0;
  auto w = place.open_late();
  CHECK(place.opened == 1);
  CHECK(whole(*w) == expected);
  CHECK_FALSE(w->opened().store_rebuilt);
}

TEST_CASE("files of another seq than the checkpoint's are made anew when they are needed") {
  late_site place;
  std::string expected;
  {
    auto w = place.open_late();
    write_notes(*w, 5);
    make_checkpoint(*w);
    expected = whole(*w);
  }
  std::string problem;
  SECTION("none are left") {
    place.disk = make_memory_disk();
    problem = "the store is missing";
  }
  SECTION("they are further") {
    auto store = make_memory_store(place.disk);
    REQUIRE(store->apply({}, {9}));
    REQUIRE(store->set_stable({9}));
    REQUIRE(store->checkpoint());
    problem = "the store is at seq 9, but the checkpoint is of seq 5";
  }
  auto w = place.open_late();
  CHECK(w->opened().store_problem.empty());
  CHECK(whole(*w) == expected);
  CHECK(w->opened().store_rebuilt);
  CHECK(w->opened().store_problem == problem);
  CHECK(has_checkpoint(*place.disk));
}

TEST_CASE("what was wrong with files is told though the attempt that found it opened no world") {
  late_site place;
  std::string expected;
  {
    auto w = place.open_late();
    write_notes(*w, 4);
    driven d(*w);
    const auto written = d.apply(remark("note"));
    make_checkpoint(*w);
    update_request u; // so that opening asks the files for what it was before
    u.uri = *written->uri;
    u.data["statement"] = std::string("another");
    REQUIRE(d.apply(u));
    expected = whole(*w);
  }
  world_options options = place.late_options();
  std::string problem;
  int unreadable = 0; ///< the opening whose store is
  SECTION("it was made anew, and that was in vain") {
    auto store = make_memory_store(place.disk);
    REQUIRE(store->apply({}, {9}));
    REQUIRE(store->set_stable({9}));
    REQUIRE(store->checkpoint());
    problem = "the store is at seq 9, but the checkpoint is of seq 5";
    unreadable = 2;
  }
  SECTION("it could not be read") {
    problem = "unreadable";
    unreadable = 1;
  }
  place.opened = 0;
  options.store.open = [&]() -> result<std::unique_ptr<kv_store>> {
    auto store = make_memory_store(place.disk);
    if (++place.opened != unreadable) return store;
    return std::make_unique<unreadable_store>(std::move(store));
  };
  auto w = open_world(options);
  REQUIRE(w);
  CHECK(whole(**w) == expected);
  CHECK((*w)->opened().store_rebuilt);
  CHECK((*w)->opened().store_problem == problem);
}

TEST_CASE("a store that cannot be made anew stops, and says why") {
  late_site place;
  {
    auto w = place.open_late();
    write_notes(*w, 5);
    make_checkpoint(*w);
  }
  place.disk = make_memory_disk();
  world_options options = place.late_options();
  options.store.remove = {};
  auto w = open_world(options);
  REQUIRE(w);
  auto reader = (*w)->store->reader();
  REQUIRE(reader);
  CHECK((*reader)->first(kv_table::heads, "", "").error().code == errc::corrupt);
  REQUIRE((*w)->store->stopped());
  CHECK((*w)->store->stopped()->message == "the store is missing");
}

TEST_CASE("rows in memory go to the files when they are more than they may be") {
  late_site place;
  auto options = place.late_options();
  options.row_buffer_bytes = 1;
  auto w = open_world(options);
  REQUIRE(w);
  CHECK_FALSE(needs_flush(**w));
  write_notes(**w, 5);
  REQUIRE(needs_flush(**w));
  REQUIRE((*w)->store->set_stable((*w)->published_seq()));
  REQUIRE(flush_rows(**w));
  CHECK_FALSE(needs_flush(**w));
  CHECK(is_worth_a_checkpoint(**w));
  REQUIRE(close_world(**w));
  CHECK((*w)->checkpoint_seq == 5);
}

TEST_CASE("a world that ends writes a checkpoint where much lies behind the last") {
  late_site place;
  auto w = place.open_late();
  CHECK_FALSE(is_worth_a_checkpoint(*w));
  write_notes(*w, static_cast<int>(short_tail));
  CHECK_FALSE(is_worth_a_checkpoint(*w));
  write_notes(*w, 1);
  CHECK(is_worth_a_checkpoint(*w));
}

TEST_CASE("a checkpoint of another world asks for what the journal lacks, and is named") {
  late_site longer;
  {
    auto w = longer.open_late();
    write_notes(*w, 9);
    make_checkpoint(*w);
  }
  const auto foreign = read_file(*longer.files, checkpoint_path("world"));
  REQUIRE(foreign);
  late_site place;
  {
    auto w = place.open_late();
    write_notes(*w, 5);
    make_checkpoint(*w);
  }
  REQUIRE(replace_file(*place.files, checkpoint_path("world"), *foreign));
  const auto refused = open_world(place.late_options());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::corrupt);
  CHECK(refused.error().message.find("CHECKPOINT") != std::string::npos);
  REQUIRE(place.files->remove(checkpoint_path("world")));
  CHECK(place.open_late()->published_seq() == seq_no{5});
}
