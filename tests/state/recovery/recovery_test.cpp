// Live, recovered and replayed state are the same, byte for byte of the canonical dump.
// Of: state/world.cpp, state/open_world.cpp, state/recovery/recover.cpp
// Of: state/apply/apply.cpp, state/apply/apply_attributes.cpp
// Of: state/apply/store_rows.cpp, state/checkpoint/checkpoint.cpp, state/checkpoint/sealed_file.cpp
// Of: state/checkpoint/world_directory.cpp, state/checkpoint/world_file.cpp
// Of: state/recovery/dump.cpp, state/recovery/replay.cpp, state/recovery/verify.cpp

#include <catch2/catch.hpp>

#include "state/checkpoint/world_checkpoint.hpp"
#include "state/inspection/journal_items.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "tests/index/damage.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// A small seeded stream of choices.
class chooser {
public:
  explicit chooser(std::uint64_t seed) : random_(make_seeded_random(seed, 99)) {}
  std::uint64_t below(std::uint64_t n) {
    std::array<std::uint8_t, 8> bytes{};
    random_->fill(bytes);
    std::uint64_t v = 0;
    for (const auto b : bytes) v = (v << 8) | b;
    return v % n;
  }

private:
  std::shared_ptr<random_source> random_;
};

/// One random change over few ids, so that updates, revivals and touches meet.
void random_step(driven& d, chooser& c, std::vector<memory_uri>& uris) {
  d.time->set({d.time->now().ns + static_cast<std::int64_t>(c.below(1'000'000'000'000))});
  const auto any = [&] { return uris[c.below(uris.size())]; };
  switch (uris.size() < 3 ? 0 : c.below(7)) {
  case 0: {
    write_request r = note("note " + std::to_string(c.below(1000)));
    r.tags = {"t" + std::to_string(c.below(5))};
    if (c.below(2) == 0) r.vector = std::vector<float>{static_cast<float>(c.below(9)) + 1, 1, 2};
    uris.push_back(*d.apply(r)->uri);
    break;
  }
  case 1: {
    update_request u;
    u.uri = any();
    u.data["statement"] = "update " + std::to_string(c.below(1000));
    (void)d.apply(u);
    break;
  }
  case 2: {
    update_head_request u;
    u.uri = any();
    u.importance = static_cast<std::int64_t>(c.below(11));
    (void)d.apply(u);
    break;
  }
  case 3: {
    if (c.below(4) != 0) break;
    tombstone_request t;
    t.uri = any();
    t.reason = "r";
    (void)d.apply(t);
    break;
  }
  case 4: {
    add_edge_request a;
    a.src = any().id;
    a.dst = any().id;
    a.type = static_cast<std::uint8_t>(1 + c.below(3));
    (void)d.apply(a);
    break;
  }
  case 5: {
    remove_edge_request a;
    a.src = any().id;
    a.dst = any().id;
    a.type = static_cast<std::uint8_t>(1 + c.below(3));
    (void)d.apply(a);
    break;
  }
  default:
    (void)d.touch(find_late_payload{.predicate = "",
                                    .types = {},
                                    .tags = {},
                                    .limit = {},
                                    .result_count = 1,
                                    .accessed = {any().id},
                                    .actor = ""});
  }
}

std::string dump_of(world& w) {
  auto text = canonical_dump(w);
  REQUIRE(text);
  return *text;
}

} // namespace

TEST_CASE("reopening gives the same state, with and without a checkpoint or a clean close") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    site place;
    chooser c(seed);
    std::vector<memory_uri> uris;
    std::string expected;
    std::map<std::uint64_t, root_set> roots;
    for (int life = 0; life < 4; ++life) {
      place.leaf_cache_bytes = c.below(3) * 20'000; // a few buckets, or none
      auto w = place.open();
      if (life > 0) REQUIRE(dump_of(*w) == expected);
      driven d(*w, seed);
      for (std::uint64_t i = 0, n = c.below(60); i < n; ++i) {
        random_step(d, c, uris);
        roots[w->published_seq().value] = w->published_roots();
        if (c.below(25) == 0) REQUIRE(d.checkpoint());
      }
      expected = dump_of(*w);
      if (c.below(2) == 0) REQUIRE(close_world(*w));
    }
    auto w = place.open();
    REQUIRE(dump_of(*w) == expected);
    for (const auto& [seq, set] : roots) {
      auto folded = fold_roots(*place.files, "world", {seq});
      REQUIRE(folded);
      CHECK(*folded == set);
      if (seq == 0) continue;
      auto kept = w->ledger->roots_at({seq});
      if (kept) CHECK(*kept == set);
    }
  }
}

TEST_CASE("the journal is read until there is no time left for it") {
  site place;
  auto w = place.open();
  driven d(*w);
  for (int i = 0; i < 10; ++i) REQUIRE(d.apply(note("tea")));
  int looks = 0;
  const keep_going three = [&]() -> result<void> {
    if (++looks < 3) return {};
    return fail(errc::deadline_exceeded, "late");
  };
  const auto folded = fold_roots(*place.files, "world", {10}, three);
  REQUIRE_FALSE(folded);
  CHECK(folded.error().code == errc::deadline_exceeded);
  CHECK(looks == 3);
  // The last frame takes time as well.
  looks = 0;
  const keep_going behind_ten = [&]() -> result<void> {
    if (++looks <= 10) return {};
    return fail(errc::deadline_exceeded, "late");
  };
  CHECK_FALSE(fold_roots(*place.files, "world", {10}, behind_ten));
  looks = 0;
  const auto items = read_journal_items(*w, {1}, 100, three);
  REQUIRE_FALSE(items);
  CHECK(items.error().code == errc::deadline_exceeded);
  CHECK(looks == 3);
  CHECK(read_journal_items(*w, {1}, 100)->size() == 10);
}

TEST_CASE("replay into an empty world gives the same bytes, and any prefix the same root") {
  site place;
  chooser c(5);
  auto w = place.open();
  driven d(*w);
  std::vector<memory_uri> uris;
  std::vector<root_set> roots{w->published_roots()};
  while (w->published_seq().value < 150) {
    random_step(d, c, uris);
    if (roots.size() <= w->published_seq().value) roots.push_back(w->published_roots());
  }
  site other;
  auto copy = other.open();
  REQUIRE(replay_journal(*place.files, "world", *copy, {}, {}));
  CHECK(dump_of(*copy) == dump_of(*w));
  for (const std::uint64_t up_to : {1U, 40U, 149U}) {
    site part;
    auto shorter = part.open();
    REQUIRE(replay_journal(*place.files, "world", *shorter, seq_no{up_to}, {}));
    CHECK(shorter->published_roots() == roots[up_to]);
  }
  site beyond;
  auto longer = beyond.open();
  auto failed = replay_journal(*place.files, "world", *longer, seq_no{1000}, {});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == errc::seq_unavailable);
}

TEST_CASE("the window before a checkpoint is whole after a crash, whatever was written meanwhile") {
  site place;
  auto options = place.options();
  options.retained_seqs = 10;
  const auto open = [&] {
    auto w = open_world(options);
    REQUIRE(w);
    return std::move(*w);
  };
  write_request first = note("version 1");
  first.id = id_of(1);
  const auto version_at = [](world& w, std::uint64_t seq) {
    return w.attributes().columns(w.attributes().row_of(w.nodes.find(id_of(1)), {seq})).version;
  };
  {
    auto w = open();
    driven d(*w);
    const auto update = [&] {
      update_request u;
      u.uri = {memory_type::note, id_of(1), 1};
      u.data["statement"] = "again";
      REQUIRE(d.apply(u));
    };
    REQUIRE(d.apply(first));
    while (w->published_seq().value < 30) update();
    d.syncs = false;
    d.before_images = [&] {
      while (w->published_seq().value < 60) update();
    };
    REQUIRE(d.checkpoint());
    CHECK(w->readable(seq_no{50}));
    update();
    CHECK_FALSE(w->readable(seq_no{50}));
  }
  place.files->crash(1, crash_mode::drop);
  auto w = open();
  REQUIRE(w->published_seq().value == 30);
  for (std::uint64_t seq = 20; seq <= 30; ++seq) {
    REQUIRE(w->readable(seq_no{seq}));
    CHECK(version_at(*w, seq) == seq);
  }
  CHECK_FALSE(w->readable(seq_no{19}));
  // A window that is made larger begins where the images do.
  w.reset();
  options.retained_seqs = 100;
  w = open();
  CHECK(w->readable(seq_no{20}));
  CHECK_FALSE(w->readable(seq_no{19}));
}

TEST_CASE("a damaged or missing image costs a rebuild, never a wrong answer") {
  for (const std::string name :
       {"nodes", "attributes", "graph", "order", "lexical", "vectors", "ledger", "CHECKPOINT"}) {
    for (const bool missing : {false, true}) {
      site place;
      chooser c(3);
      std::vector<memory_uri> uris;
      std::string expected;
      {
        auto w = place.open();
        driven d(*w);
        for (int i = 0; i < 40; ++i) random_step(d, c, uris);
        REQUIRE(d.checkpoint());
        for (int i = 0; i < 10; ++i) random_step(d, c, uris);
        expected = dump_of(*w);
      }
      std::string path = "world/CHECKPOINT";
      if (name != "CHECKPOINT") {
        const auto names = place.files->list("world/images");
        for (const auto& n : *names)
          if (n.ends_with("." + name)) path = "world/images/" + n;
      }
      auto bytes = read_file(*place.files, path);
      REQUIRE(bytes);
      if (missing) {
        REQUIRE(place.files->remove(path));
      } else {
        (*bytes)[bytes->size() / 2] ^= 0x10;
        REQUIRE(replace_file(*place.files, path, *bytes));
      }
      auto w = place.open();
      INFO(path);
      CHECK(dump_of(*w) == expected);
    }
  }
}

TEST_CASE("a checkpoint that replaces one of its seq may be cut short anywhere") {
  for (std::uint64_t nth = 1;; ++nth) {
    site place;
    chooser c(5);
    std::vector<memory_uri> uris;
    std::string expected;
    std::uint64_t seq = 0;
    bool is_whole = false;
    {
      auto w = place.open();
      driven d(*w);
      for (int i = 0; i < 10; ++i) random_step(d, c, uris);
      REQUIRE(d.checkpoint());
      expected = dump_of(*w);
      seq = w->published_seq().value;
      place.files->fail_nth(io_operation::directory, nth, true);
      is_whole = d.checkpoint().has_value();
      place.files->clear_faults();
    }
    place.files->crash(nth, crash_mode::keep);
    auto w = place.open();
    CHECK(w->report.checkpoint.value == seq);
    CHECK(dump_of(*w) == expected);
    if (is_whole) break;
  }
}

TEST_CASE("an image that was changed together with its own checksum costs a rebuild") {
  site place;
  chooser c(4);
  std::vector<memory_uri> uris;
  std::string expected;
  {
    auto w = place.open();
    driven d(*w);
    for (int i = 0; i < 40; ++i) random_step(d, c, uris);
    REQUIRE(d.checkpoint());
    expected = dump_of(*w);
  }
  const auto names = place.files->list("world/images");
  for (const auto& name : *names) {
    if (!name.ends_with(".attributes")) continue;
    auto bytes = *place.files->testing_bytes("world/images/" + name);
    const auto body = bytes.find("mnROWS09");
    REQUIRE(body != std::string::npos);
    // A tag's text is content that fits together whatever it says.
    const auto tag = bytes.find("t1", body);
    REQUIRE(tag != std::string::npos);
    bytes[tag + 1] = 'x';
    // The sums are in the image, but the checkpoint knows what they came to.
    const std::string front = bytes.substr(0, body);
    place.files->testing_set_bytes("world/images/" + name,
                                   front + with_checksum(bytes.substr(body)));
    auto w = place.open();
    CHECK(dump_of(*w) == expected);
    CHECK(w->attributes().tag_term("tx").value == no_number);
  }
}

TEST_CASE("a store that is ahead of the journal is corrupt, and both seqs are named") {
  site place;
  {
    auto w = place.open();
    driven d(*w);
    for (int i = 0; i < 5; ++i) REQUIRE(d.apply(note("x")));
    REQUIRE(close_world(*w));
  }
  // Another world's journal under the same store: as if the last segment had been lost.
  const auto names = place.files->list("world/journal");
  for (const auto& n : *names) REQUIRE(place.files->remove("world/journal/" + n));
  auto reopened = open_world(place.options());
  REQUIRE_FALSE(reopened);
  CHECK(reopened.error().code == errc::corrupt);
}

TEST_CASE(
    "a world that was never checkpointed and has lost its journal is corrupt for every reader") {
  site place;
  std::string path;
  {
    auto w = place.open();
    driven d(*w);
    REQUIRE(d.apply(note("acknowledged")));
    path = "world/journal/" + place.files->list("world/journal")->at(0);
  }
  place.disk = make_memory_disk(); // where no checkpoint ever was
  const bool whole_file = GENERATE(true, false);
  if (whole_file)
    REQUIRE(place.files->remove(path));
  else
    place.files->testing_set_bytes(path, ""); // its head, durable from the start
  const auto is_corrupt = [](const auto& r) { return !r && r.error().code == errc::corrupt; };
  CHECK(is_corrupt(open_world(place.options())));
  CHECK(is_corrupt(fold_roots(*place.files, "world", {1})));
  site other;
  auto into = other.open();
  CHECK(is_corrupt(replay_journal(*place.files, "world", *into, {}, {})));
  auto report = verify_journal(*place.files, "world", {});
  REQUIRE(report);
  CHECK_FALSE(report->ok);
  CHECK(is_corrupt(open_world(place.options()))); // nothing was made anew meanwhile
}

TEST_CASE("a world whose WORLD file is lost is not made anew over its journal") {
  site place;
  {
    auto w = place.open();
    driven d(*w);
    REQUIRE(d.apply(note("acknowledged")));
  }
  REQUIRE(place.files->rename(world_path("world"), "world/elsewhere"));
  auto refused = open_world(place.options());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::corrupt);
  REQUIRE(place.files->rename("world/elsewhere", world_path("world")));
  CHECK(place.open()->published_seq() == seq_no{1});
}

TEST_CASE("a crash while a world is made leaves one that opens, with or without its name") {
  for (const auto kind : {io_operation::write, io_operation::sync, io_operation::open}) {
    for (std::uint64_t nth = 1; nth <= 12; ++nth) {
      for (const auto mode : {crash_mode::random, crash_mode::keep, crash_mode::drop}) {
        site place;
        place.files->fail_nth(kind, nth, true);
        (void)open_world(place.options());
        place.files->clear_faults();
        place.files->crash(nth, mode);
        place.disk = make_memory_disk();
        // Another id, as a world without a seed draws one each time.
        auto again = place.options();
        again.fresh.id = seeded_world_id("test", 2);
        INFO("operation " << static_cast<int>(kind) << " number " << nth);
        auto w = open_world(again);
        REQUIRE(w);
        REQUIRE(driven(**w).apply(note("x")));
      }
    }
  }
}

TEST_CASE("a journal that is cut off below its checkpoint is corrupt for every reader") {
  site place;
  std::vector<std::uint64_t> ends;
  std::string path;
  {
    auto w = place.open();
    driven d(*w);
    for (int i = 0; i < 5; ++i) {
      REQUIRE(d.apply(note("x")));
      ends.push_back(w->journal->bytes());
    }
    path = "world/journal/" + place.files->list("world/journal")->at(0);
    REQUIRE(d.checkpoint());
  }
  const std::string whole = *place.files->testing_bytes(path);
  for (const std::uint64_t end :
       {std::uint64_t{segment_head_bytes}, ends[0], ends[3], ends[3] + 9}) {
    place.files->testing_set_bytes(path, whole.substr(0, end));
    INFO("cut at " << end);
    const auto is_corrupt = [](const auto& r) { return !r && r.error().code == errc::corrupt; };
    CHECK(is_corrupt(fold_roots(*place.files, "world", {1})));
    CHECK(is_corrupt(fold_roots(*place.files, "world", {5})));
    site other;
    auto into = other.open();
    CHECK(is_corrupt(replay_journal(*place.files, "world", *into, {}, {})));
    // Who names the last entry to take may have what is whole: the way out that verify names.
    site rest;
    auto salvaged = rest.open();
    const auto replayed = replay_journal(*place.files, "world", *salvaged, seq_no{1}, {});
    if (end < ends[0])
      CHECK(is_corrupt(replayed));
    else
      CHECK((replayed && salvaged->published_seq() == seq_no{1}));
    auto report = verify_journal(*place.files, "world", {});
    REQUIRE(report);
    CHECK_FALSE(report->ok);
    CHECK(is_corrupt(open_world(place.options())));
  }
}

TEST_CASE("a journal that is damaged before its checkpoint stops the open") {
  site place;
  std::string path;
  std::uint64_t written = 0;
  {
    auto w = place.open();
    driven d(*w);
    for (int i = 0; i < 5; ++i) REQUIRE(d.apply(note("x")));
    path = "world/journal/" + place.files->list("world/journal")->at(0);
    written = w->journal->bytes(); // a damaged seal behind it is a torn tail
    REQUIRE(d.checkpoint());
  }
  const std::string whole = *place.files->testing_bytes(path);
  REQUIRE(open_world(place.options()));
  for (std::uint64_t at = 0; at < written; at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    place.files->testing_set_bytes(path, damaged);
    INFO("byte " << at);
    auto opened = open_world(place.options());
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == errc::corrupt);
  }
}

TEST_CASE("a store that is damaged or does not fit is made anew, and the report says so") {
  site place;
  chooser c(6);
  std::vector<memory_uri> uris;
  std::string expected;
  {
    auto w = place.open();
    driven d(*w);
    for (int i = 0; i < 40; ++i) random_step(d, c, uris);
    REQUIRE(d.checkpoint());
    for (int i = 0; i < 10; ++i) random_step(d, c, uris);
    expected = dump_of(*w);
    CHECK_FALSE(w->report.store_rebuilt);
  }
  auto options = place.options();
  bool removed = false; // outlives the sections: the options refer to it
  SECTION("missing") {
    place.disk = make_memory_disk();
    options = place.options();
  }
  SECTION("it cannot be opened") {
    options.store.open = [&]() -> result<std::unique_ptr<kv_store>> {
      if (!removed) return fail(errc::corrupt, "broken");
      return make_memory_store(make_memory_disk());
    };
    options.store.remove = [&]() -> result<void> {
      removed = true;
      return {};
    };
    auto w = open_world(options);
    REQUIRE(w);
    CHECK((*w)->report.store_problem == "broken");
    CHECK(dump_of(**w) == expected);
    w->reset();
    removed = false;
  }
  SECTION("its rows are of another past") {
    {
      auto store = make_memory_store(place.disk);
      const seq_no at{store->recovered().value + 1};
      auto reader = store->reader();
      auto head = (*reader)->first(kv_table::heads, "", "");
      REQUIRE(head);
      REQUIRE(store->apply({{kv_table::heads, (*head)->first, std::string(32, 'x')}}, at));
      REQUIRE(store->set_stable(at));
      REQUIRE(store->checkpoint());
    }
    const auto images = place.files->list("world/images");
    for (const auto& name : *images) REQUIRE(place.files->remove("world/images/" + name));
    options.store.open = [&]() -> result<std::unique_ptr<kv_store>> {
      return make_memory_store(place.disk);
    };
    options.store.remove = [&]() -> result<void> {
      place.disk = make_memory_disk();
      return {};
    };
  }
  auto w = open_world(options);
  REQUIRE(w);
  CHECK((*w)->report.store_rebuilt);
  CHECK_FALSE((*w)->report.store_problem.empty());
  CHECK(dump_of(**w) == expected);
}

TEST_CASE("verify passes on a sound journal and names the place of damage in any other") {
  site place;
  {
    auto w = place.open();
    driven d(*w);
    chooser c(8);
    std::vector<memory_uri> uris;
    for (int i = 0; i < 60; ++i) random_step(d, c, uris);
    REQUIRE(d.snapshot("s"));
    REQUIRE(close_world(*w));
  }
  auto report = verify_journal(*place.files, "world", {});
  REQUIRE(report);
  CHECK(report->ok);
  CHECK(report->entries > 40);
  CHECK(report->torn_bytes == 0);
  const auto names = place.files->list("world/journal");
  REQUIRE(names->size() == 1);
  const std::string path = "world/journal/" + names->front();
  const auto sound = read_file(*place.files, path);
  for (std::size_t i = 0; i < sound->size(); i += 37) {
    std::string damaged = *sound;
    damaged[i] ^= 0x01;
    REQUIRE(replace_file(*place.files, path, damaged));
    auto bad = verify_journal(*place.files, "world", {});
    if (!bad) {
      // A newer format or another world is refused by name.
      CHECK(bad.error().code == errc::format_unsupported);
      continue;
    }
    INFO("byte " << i);
    if (bad->ok) {
      // The last frame cannot be told from one that a crash tore: it is the seal, and it is said.
      CHECK(bad->torn_bytes > 0);
      CHECK(bad->entries == report->entries);
      CHECK(i >= sound->size() - frame_prefix_bytes);
    } else {
      CHECK(bad->problem.find("seg") != std::string::npos);
    }
  }
}

TEST_CASE("a world cannot be opened twice, nor with another embedder") {
  site place;
  place.embedder = "hash:32";
  auto w = place.open();
  auto second = open_world(place.options());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == errc::busy);
  w.reset();
  auto options = place.options();
  options.embedder = make_hash_embedder(64);
  auto other = open_world(options);
  REQUIRE_FALSE(other);
  CHECK(other.error().code == errc::bad_value);
  options.create = false;
  options.embedder = nullptr;
  options.directory = "elsewhere";
  auto none = open_world(options);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == errc::not_found);
}
