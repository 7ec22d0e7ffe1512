// Images that are damaged in place while a world uses them where they lie: no checkpoint makes what
// they then say last.
// Of: state/checkpoint/checkpoint.cpp, state/checkpoint/leaf_image.cpp
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "state/checkpoint/world_checkpoint.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/verify.hpp"
#include "tests/state/site.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// A site whose world lies on the real disk, where images are mapped.
struct mapped_site : site {
  temporary_directory directory;

  world_options mapped_options() {
    world_options o = options();
    o.directory = directory.path();
    o.files = make_posix_file_system();
    return o;
  }
  std::unique_ptr<world> open_mapped() {
    auto w = open_world(mapped_options());
    if (!w) FAIL("open: " << w.error().message);
    return std::move(*w);
  }
  [[nodiscard]] std::string image(std::string_view name) const {
    for (const auto& there : std::filesystem::directory_iterator(image_directory(directory.path())))
      if (there.path().extension() == "." + std::string(name)) return there.path().string();
    FAIL("there is no image " << name);
    return {};
  }
};

checkpoint_job job_of(world& w) {
  REQUIRE(w.journal->sync());
  REQUIRE(w.store->set_stable(w.published_seq()));
  return {.file = {.seq = w.published_seq(),
                   .node_count = w.nodes.size(),
                   .next_slot = w.numbers.next_slot,
                   .last_drawn_id = w.last_drawn_id,
                   .last_entry_at = w.last_entry_at,
                   .overall_root = w.ledger->roots().overall},
          .ledger = snapshot_of_ledger(w)};
}

/// Changes the first byte of the fields, and leaves the file where it is.
void damage_in_place(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::size_t at = bytes.find("mn") + 8;
  file.clear();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(bytes.at(at) ^ 0x40));
}

void write_linked_notes(world& w) {
  driven d(w);
  const auto one = d.apply(note("one"));
  const auto two = d.apply(note("two"));
  REQUIRE((one && two));
  add_edge_request edge;
  edge.src = one->uri->id;
  edge.dst = two->uri->id;
  edge.type = 1;
  REQUIRE(d.apply(edge));
}

void write_one_more(world& w) {
  driven d(w);
  REQUIRE(d.apply(note("one more")));
}

std::string dump_of_mapped(world& w) {
  auto text = canonical_dump(w);
  REQUIRE(text);
  return *text;
}

} // namespace

TEST_CASE("an image that is damaged under an open world is not written anew with right sums") {
  for (const std::string name : {"nodes", "attributes", "graph", "order", "lexical", "vectors",
                                 "places", "ledger", "leaves"}) {
    INFO(name);
    mapped_site place;
    {
      auto w = place.open_mapped();
      write_linked_notes(*w);
      REQUIRE(write_checkpoint(*w, job_of(*w)));
      REQUIRE(close_world(*w));
    }
    {
      auto w = place.open_mapped();
      REQUIRE(w->report.checkpoint.value > 0);
      write_one_more(*w);
      const checkpoint_job job = job_of(*w);
      damage_in_place(place.image(name));
      const auto written = write_checkpoint(*w, job);
      REQUIRE_FALSE(written);
      CHECK(written.error().code == errc::corrupt);
      CHECK(written.error().message.find("." + name) != std::string::npos);
    }
    const std::string found = dump_of_mapped(*place.open_mapped());
    std::filesystem::remove(checkpoint_path(place.directory.path()));
    auto anew = place.open_mapped();
    CHECK(found == dump_of_mapped(*anew));
    CHECK(anew->graph.edge_count() == 1);
  }
}

TEST_CASE("a world that ends over damaged images writes none") {
  mapped_site place;
  {
    auto w = place.open_mapped();
    write_linked_notes(*w);
    REQUIRE(write_checkpoint(*w, job_of(*w)));
    REQUIRE(close_world(*w));
  }
  {
    auto w = place.open_mapped();
    write_one_more(*w);
    REQUIRE(w->store->set_stable(w->published_seq()));
    REQUIRE(flush_rows(*w)); // a checkpoint is worth it
    damage_in_place(place.image("graph"));
    const auto closed = close_world(*w);
    REQUIRE_FALSE(closed);
    CHECK(closed.error().code == errc::corrupt);
  }
  CHECK(place.open_mapped()->graph.edge_count() == 1);
}

TEST_CASE("an image is looked at though a later checkpoint has removed its name") {
  mapped_site place;
  {
    auto w = place.open_mapped();
    write_linked_notes(*w);
    REQUIRE(write_checkpoint(*w, job_of(*w)));
  }
  seq_no good;
  {
    auto w = place.open_mapped();
    const std::string kept = place.directory.path() + "/kept";
    std::filesystem::create_hard_link(place.image("graph"), kept);
    write_one_more(*w);
    REQUIRE(write_checkpoint(*w, job_of(*w)));
    good = w->published_seq();
    write_one_more(*w);
    const checkpoint_job job = job_of(*w);
    damage_in_place(kept);
    CHECK_FALSE(write_checkpoint(*w, job));
    std::filesystem::remove(kept);
  }
  auto w = place.open_mapped();
  CHECK(w->report.checkpoint == good); // which was written while all was whole
  CHECK(w->graph.edge_count() == 1);
}

namespace {

/// A world whose one memory has a leaf that is another on the disk than its trees say. Its uri.
memory_uri damage_leaf(const mapped_site& place, world_options options) {
  auto w = open_world(options);
  REQUIRE(w);
  const auto written = driven(**w).apply(note("one"));
  REQUIRE(written);
  REQUIRE(checkpoint_world(**w));
  REQUIRE(close_world(**w));
  const std::string path = place.image("leaves");
  constexpr std::uintmax_t end_of_image = 4 + 8 + 4 + 8; // behind its one page
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path) - end_of_image - 1));
  file.put('x');
  return *written->uri;
}

/// Roots and proofs are those of the journal.
void check_roots(world& w, const std::string& directory) {
  const auto folded = fold_roots(*w.files, directory, w.published_seq());
  REQUIRE(folded);
  CHECK(*folded == w.ledger->roots());
}

} // namespace

TEST_CASE("leaves that are damaged are refused by a write, and made anew by the next opening") {
  mapped_site place;
  const memory_uri one = damage_leaf(place, place.mapped_options());
  update_request u;
  u.uri = one;
  u.data["statement"] = std::string("another");
  {
    auto w = place.open_mapped(); // which does not read them
    driven d(*w);
    d.fails_quietly = true;
    const auto updated = d.apply(u);
    REQUIRE_FALSE(updated);
    CHECK(updated.error().code == errc::corrupt);
  }
  auto w = place.open_mapped(); // the entry is in the journal
  CHECK(w->published_seq().value == 2);
  check_roots(*w, place.directory.path());
  driven d(*w);
  u.uri.version = 2;
  REQUIRE(d.apply(u));
  check_roots(*w, place.directory.path());
}

TEST_CASE("leaves that are damaged are refused by a proof, and gone with the next checkpoint") {
  mapped_site place;
  const memory_uri one = damage_leaf(place, place.mapped_options());
  const ledger::proof_request asked{
      .keys = {{state_namespace::memories, std::string(one.id.raw())}}, .seqs = {}};
  {
    auto w = place.open_mapped();
    const auto proof = w->ledger->prove(asked, w->published_seq());
    REQUIRE_FALSE(proof);
    CHECK(proof.error().code == errc::corrupt);
    const auto checkpointed = checkpoint_world(*w);
    REQUIRE_FALSE(checkpointed);
    CHECK(checkpointed.error().code == errc::corrupt);
  }
  auto w = place.open_mapped();
  CHECK(w->ledger->prove(asked, w->published_seq()));
  check_roots(*w, place.directory.path());
}

TEST_CASE("leaves are read where the checkpoint before has them, and over that what came since") {
  mapped_site place;
  auto w = place.open_mapped();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 40; ++i) write_one_more(*w);
    check_roots(*w, place.directory.path());
    if (round == 2) {
      REQUIRE(close_world(*w));
      w.reset();
      w = place.open_mapped();
      CHECK_FALSE(w->lacks_images);
    } else {
      REQUIRE(checkpoint_world(*w));
    }
    check_roots(*w, place.directory.path());
  }
}

TEST_CASE("a world without an image of leaves has them from the journal, and writes one") {
  mapped_site place;
  {
    auto w = place.open_mapped();
    write_linked_notes(*w);
    REQUIRE(close_world(*w));
    REQUIRE(checkpoint_world(*w));
  }
  std::filesystem::remove(place.image("leaves"));
  {
    auto w = place.open_mapped();
    CHECK(w->lacks_images);
    CHECK(w->report.checkpoint.value > 0);
    check_roots(*w, place.directory.path());
    REQUIRE(close_world(*w));
  }
  CHECK_FALSE(place.open_mapped()->lacks_images);
}

TEST_CASE("checkpoints come less often where each writes more") {
  mapped_site place;
  auto w = place.open_mapped();
  CHECK(journal_between_checkpoints(*w, 100) == 100);
  write_linked_notes(*w);
  REQUIRE(checkpoint_world(*w));
  std::uint64_t bytes = 0;
  for (const auto& image :
       std::filesystem::directory_iterator(image_directory(place.directory.path())))
    bytes += image.file_size();
  CHECK(w->image_bytes > bytes / 2);
  CHECK(w->image_bytes <= bytes);
  CHECK(journal_between_checkpoints(*w, 100) == w->image_bytes / 4);
  CHECK(journal_between_checkpoints(*w, bytes) == bytes);
  CHECK(journal_between_checkpoints(*w, 0) == 0);
  REQUIRE(close_world(*w));
  w.reset();
  CHECK(place.open_mapped()->image_bytes > bytes / 2);
}
