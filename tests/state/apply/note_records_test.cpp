// What is committed is found where the journal has it, the same as the store has it.
// Of: state/apply/note_records.cpp, state/recovery/record_notes.cpp, views/journaled_records.cpp
#include <catch2/catch.hpp>
#include <filesystem>

#include "messages/held_bytes.hpp"
#include "state/apply/apply.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "tests/state/coloured_notes.hpp"
#include "tests/storage/temporary_directory.hpp"
#include "views/read_views.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

write_request tagged_note(std::uint8_t n, const std::string& text) {
  write_request r = note(text);
  r.id = id_of(n);
  r.tags = {"tag"};
  return r;
}

memory_uri uri_of(std::uint8_t n) {
  return {memory_type::note, id_of(n), 1};
}

/// The record that the journal has of a row.
std::optional<taken_record> journaled(world& w, row_no row) {
  const record_place* place = w.places().find(row);
  if (place == nullptr) return {};
  return w.journaled().read(*place);
}

/// The journal's record of each row there ever was is what the store has.
void check_all(world& w, std::uint8_t memories) {
  auto reader = w.store->reader();
  REQUIRE(reader);
  for (std::uint8_t n = 1; n <= memories; ++n) {
    const node_no node = w.nodes.find(id_of(n));
    if (node.value == no_number) continue; // lost by a crash
    for (seq_no at{1}; at <= w.published_seq(); at = at.next()) {
      const row_no row = w.attributes().row_of(node, at);
      if (row.value == no_number) continue;
      INFO("memory " << int{n} << " at " << at.value);
      const auto record = journaled(w, row);
      REQUIRE(record.has_value());
      const taken_record& taken = *record;
      const auto h = read_head(**reader, id_of(n), at);
      REQUIRE((h && *h));
      CHECK(*taken.head == **h);
      const auto v = read_version(**reader, id_of(n), (*h)->current_version);
      REQUIRE((v && *v));
      CHECK(*taken.version == **v);
      CHECK(taken.held == held_bytes(**h) + held_bytes(**v));
      CHECK(taken.is_coloured == (*h)->colour.has_value());
    }
  }
}

/// A write, an update, changes of heads, an end; and a batch with something else in between.
void write_some(driven& d) {
  REQUIRE(d.apply(tagged_note(1, "first")));
  assign_eight(d);
  write_request with_colour = coloured("of another");
  with_colour.id = id_of(2);
  REQUIRE(d.apply(with_colour));
  update_request second;
  second.uri = uri_of(1);
  second.data["statement"] = "second";
  REQUIRE(d.apply(second));
  update_head_request third;
  third.uri = uri_of(1);
  third.tags = std::vector<std::string>{"other tag", "third"};
  REQUIRE(d.apply(third));
  third.importance = 9;
  REQUIRE(d.apply(third));
  tombstone_request last;
  last.uri = uri_of(2);
  REQUIRE(d.apply(last));
  add_edge_request edge;
  edge.src = id_of(1);
  edge.dst = id_of(3);
  edge.type = static_cast<std::uint8_t>(edge_type::references);
  REQUIRE(d.run({tagged_note(3, "three"), tagged_note(4, "four"), edge, third,
                 tagged_note(5, std::string(5000, 'x'))},
                true));
}
constexpr std::uint8_t memories_written = 5;

std::string first_segment() {
  return journal_directory("world") + "/00000000000000000001.seg";
}

std::string image_of_places(const site& place) {
  const auto names = place.files->list(image_directory("world"));
  REQUIRE(names);
  const auto image =
      std::ranges::find_if(*names, [](const std::string& n) { return n.ends_with(".places"); });
  REQUIRE(image != names->end());
  return image_directory("world") + "/" + *image;
}

} // namespace

TEST_CASE("every row's record is found in the journal, as the store has it") {
  site place;
  const auto w = place.open();
  driven d(*w);
  write_some(d);
  check_all(*w, memories_written);
}

TEST_CASE("so is that of what was replayed, of what an image says, and of what comes after") {
  site place;
  {
    const auto w = place.open();
    driven d(*w);
    write_some(d);
  }
  {
    const auto w = place.open();
    check_all(*w, memories_written);
    driven d(*w);
    REQUIRE(d.checkpoint());
    REQUIRE(d.apply(tagged_note(6, "behind the checkpoint")));
  }
  const auto w = place.open();
  CHECK(w->report.checkpoint.value > 0);
  check_all(*w, memories_written + 1);
  driven d(*w);
  update_head_request change;
  change.uri = uri_of(1);
  change.tags = std::vector<std::string>{"again"};
  REQUIRE(d.apply(change));
  check_all(*w, memories_written + 1);
}

TEST_CASE("so is that of what a crash left, and of what takes the seqs that it lost") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    site place;
    {
      const auto w = place.open();
      driven d(*w);
      write_some(d);
      if (seed % 2 == 0) REQUIRE(d.checkpoint());
      d.syncs = false;
      for (std::uint8_t n = 6; n < 16; ++n) REQUIRE(d.apply(tagged_note(n, "perhaps lost")));
      place.files->crash(seed);
    }
    const auto w = place.open();
    check_all(*w, 16);
    driven d(*w, seed);
    for (std::uint8_t n = 20; n < 30; ++n) REQUIRE(d.apply(tagged_note(n, "in their place")));
    check_all(*w, 30);
    REQUIRE(d.checkpoint());
    const auto again = [&] {
      place.files->crash(seed, crash_mode::drop);
      return place.open();
    }();
    check_all(*again, 30);
  }
}

TEST_CASE("without an image, or with a damaged one, the journal is read for the places") {
  const bool is_damaged = GENERATE(false, true);
  site place;
  {
    const auto w = place.open();
    driven d(*w);
    write_some(d);
    REQUIRE(d.checkpoint());
  }
  const std::string path = image_of_places(place);
  if (is_damaged) {
    std::string bytes = *place.files->testing_bytes(path);
    bytes[bytes.size() / 2] ^= 1;
    place.files->testing_set_bytes(path, bytes);
  } else {
    REQUIRE(place.files->remove(path));
  }
  {
    const auto w = place.open();
    CHECK(w->report.checkpoint.value > 0);
    check_all(*w, memories_written);
    CHECK(is_worth_a_checkpoint(*w)); // so that it is not read each time
    REQUIRE(close_world(*w));
  }
  const auto w = place.open();
  CHECK_FALSE(is_worth_a_checkpoint(*w));
  check_all(*w, memories_written);
}

TEST_CASE("an image of the places of other rows is not taken for that of these") {
  site place;
  {
    const auto w = place.open();
    driven d(*w);
    write_some(d);
    REQUIRE(d.checkpoint());
  }
  const std::string of_all_rows = *place.files->testing_bytes(image_of_places(place));
  world_options with_small_window = place.options();
  with_small_window.retained_seqs = 1;
  {
    const auto w = open_world(with_small_window);
    REQUIRE(w);
    (*w)->retain_before((*w)->published_seq());
    REQUIRE(driven(**w).checkpoint());
  }
  // As a crash leaves it that comes while images of the same seq are replaced.
  REQUIRE(place.files->testing_bytes(image_of_places(place))->size() < of_all_rows.size());
  place.files->testing_set_bytes(image_of_places(place), of_all_rows);
  auto checkpoint = read_checkpoint(*place.files, "world");
  REQUIRE((checkpoint && *checkpoint));
  (*checkpoint)->image_sums.clear();
  place.files->testing_set_bytes(checkpoint_path("world"), encode(**checkpoint));
  const auto w = place.open();
  CHECK(w->report.checkpoint == (*checkpoint)->seq);
  CHECK(w->lacks_images);
  check_all(*w, memories_written);
}

TEST_CASE("a record that the journal no longer has as it was is the store's") {
  site place;
  const auto w = place.open();
  driven d(*w);
  write_some(d);
  const row_no row = w->attributes().row_of(w->nodes.find(id_of(1)), w->published_seq());
  const std::string whole = *place.files->testing_bytes(first_segment());
  const std::size_t text = whole.rfind("second");
  REQUIRE(text != std::string::npos);
  std::string changed = whole;
  SECTION("for bytes that have changed") {
    changed[text] = 'S';
  }
  SECTION("for a file that ends before") {
    changed.resize(text);
  }
  place.files->testing_set_bytes(first_segment(), changed);
  CHECK_FALSE(journaled(*w, row).has_value());
  auto reader = w->store->reader();
  REQUIRE(reader);
  const auto found = read_memory(w->views(), **reader, id_of(1), w->published_seq());
  REQUIRE((found && *found));
  CHECK(std::get<std::string>((*found)->version->data.at("statement")) == "second");
  CHECK((*found)->head->declared_importance == 9);
}

TEST_CASE("a segment that cannot be opened is not tried again") {
  site place;
  auto w = place.open();
  driven d(*w);
  write_some(d);
  const std::string away = journal_directory("world") + "/away";
  REQUIRE(place.files->rename(first_segment(), away));
  const row_no row = w->attributes().row_of(w->nodes.find(id_of(1)), w->published_seq());
  CHECK_FALSE(journaled(*w, row).has_value());
  REQUIRE(place.files->rename(away, first_segment()));
  CHECK_FALSE(journaled(*w, row).has_value());
  {
    auto reader = w->store->reader();
    REQUIRE(reader);
    const auto found = read_memory(w->views(), **reader, id_of(1), w->published_seq());
    REQUIRE((found && *found));
    CHECK((*found)->head->declared_importance == 9);
  }
  w = nullptr;
  check_all(*place.open(), memories_written); // who opens the world anew does
}

TEST_CASE("segments that are complete keep no descriptor, however many were read") {
  site place;
  const temporary_directory directory;
  world_options options = place.options();
  options.directory = directory.path();
  options.files = make_posix_file_system();
  options.journal.segment_bytes = 3000;
  const auto open_descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  for (int life = 0; life < 2; ++life) {
    const auto w = open_world(options);
    REQUIRE(w);
    driven d(**w);
    const auto before = open_descriptors();
    for (std::uint8_t n = 1; n <= 60; ++n) {
      write_request r =
          tagged_note(static_cast<std::uint8_t>(life * 60 + n), std::string(999, 'x'));
      REQUIRE(d.apply(r)); // each is read while its segment is the newest
      const node_no node = (*w)->nodes.find(*r.id);
      CHECK(journaled(**w, (*w)->attributes().row_of(node, (*w)->published_seq())).has_value());
    }
    check_all(**w, 120);
    CHECK((*w)->journal->segment_count() > 15);
    CHECK(open_descriptors() <= before + 1); // of the newest
  }
}

TEST_CASE("a record that has no place is the store's, and so is a new head before it") {
  site place;
  const auto w = place.open();
  driven d(*w);
  write_some(d);
  index_generation without = *w->generation();
  without.places = std::make_shared<record_places>();
  while (without.places->size() < w->attributes().row_count()) without.places->append({});
  w->adopt(std::move(without));
  update_head_request change;
  change.uri = uri_of(1);
  change.importance = 3;
  REQUIRE(d.apply(change));
  const node_no node = w->nodes.find(id_of(1));
  CHECK_FALSE(journaled(*w, w->attributes().row_of(node, w->published_seq())).has_value());
  auto reader = w->store->reader();
  REQUIRE(reader);
  const auto found = read_memory(w->views(), **reader, id_of(1), w->published_seq());
  REQUIRE((found && *found));
  CHECK((*found)->head->declared_importance == 3);
}
