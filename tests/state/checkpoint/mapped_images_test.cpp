// Images that are damaged in place while a world uses them where they lie: no checkpoint makes what
// they then say last.
// Of: state/checkpoint/checkpoint.cpp
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "state/checkpoint/world_checkpoint.hpp"
#include "state/recovery/dump.hpp"
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
          .ledger_image = w.ledger->save()};
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
  for (const std::string name :
       {"nodes", "attributes", "graph", "order", "lexical", "vectors", "places", "ledger"}) {
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
