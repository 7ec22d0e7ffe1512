// An engine erases what is more than goes at once in portions, and answers once; in every branch
// that notes lead to, whether it was made of the world or the world of it.

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "mneme/engine.hpp"
#include "mneme/recovery.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

engine opened(const std::string& directory) {
  engine_options o;
  o.directory = directory;
  o.embedder_spec = "none";
  o.seed = 7;
  auto e = engine::open(o);
  if (!e) FAIL(e.error().message);
  return std::move(*e);
}

write_request note_of(const std::string& actor, const std::string& text) {
  write_request r;
  r.type = memory_type::note;
  r.actor = actor;
  r.data["statement"] = text;
  return r;
}

memory_id write(engine& e, const write_request& r) {
  auto done = e.apply(mutation(r));
  if (!done) FAIL(done.error().message);
  return done->uri->id;
}

erase_request all_of(const std::string& actor) {
  erase_request r;
  r.owned_by = actor;
  r.reason = "asked for";
  r.by = "host";
  return r;
}

bool anywhere_in(const std::string& directory, const std::string& needle) {
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory)) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    if (bytes.str().contains(needle)) return true;
  }
  return false;
}

} // namespace

TEST_CASE("more than goes at once is erased in portions and answered once") {
  engine e = opened("");
  constexpr std::size_t count = erased_at_once + 30;
  constexpr std::size_t batch = 2'006;
  std::vector<memory_uri> uris;
  for (std::size_t done = 0; done < count; done += batch) {
    std::vector<mutation> items;
    for (std::size_t i = 0; i < batch; ++i) {
      write_request r = note_of(i % 2 == 0 ? "ana" : "bob", fmt::format("note {}", done + i));
      // A chain as long as all: each rests on the one before it.
      if (!uris.empty() && i == 0) r.provenance.derived_from = {to_string(uris.back())};
      items.emplace_back(std::move(r));
    }
    auto written = e.write_batch(std::move(items));
    REQUIRE(written);
    for (const auto& one : written->results) uris.push_back(*one.uri);
  }
  REQUIRE(uris.size() == count);
  erase_request r;
  for (const auto& uri : uris) r.ids.push_back(uri.id);
  r.reason = "asked for";
  r.by = "host";
  r.dry_run = true;
  auto would = e.erase(r);
  REQUIRE(would);
  CHECK(would->erased.size() == count);
  CHECK_FALSE(would->changed);
  r.dry_run = false;
  auto done = e.erase(r);
  if (!done) FAIL(done.error().message);
  CHECK(done->erased.size() == count);
  CHECK(std::ranges::is_sorted(done->erased, {}, &erased_memory::id));
  CHECK(done->changed);
  CHECK(done->left == 0);
  CHECK(done->erased_before.empty());
  CHECK(done->entries == would->entries);
  for (const std::size_t i : {std::size_t{0}, count / 2, count - 1})
    CHECK(e.get(uris[i].id).error().code == errc::erased);
  auto again = e.erase(r);
  REQUIRE(again);
  CHECK_FALSE(again->changed);
  CHECK(again->erased_before.size() == count);
}

TEST_CASE("what rests on something that is erased already is found by its name") {
  engine e = opened("");
  const memory_id first = write(e, note_of("ana", "first"));
  write_request second = note_of("bob", "second");
  second.provenance.derived_from = {to_string(memory_uri{memory_type::note, first, 1})};
  const memory_id rests = write(e, second);
  erase_request r;
  r.ids = {first};
  r.reason = "asked for";
  r.by = "host";
  REQUIRE(e.erase(r));
  r.with_derived = true;
  auto done = e.erase(r);
  REQUIRE(done);
  REQUIRE(done->erased.size() == 1);
  CHECK(done->erased[0].id == rests);
  CHECK_FALSE(done->erased[0].named);
}

TEST_CASE("an erasure goes from branch to branch") {
  const temporary_directory site;
  const auto at = [&](const char* name) { return site.path() + "/" + name; };
  memory_id shared;
  {
    engine e = opened(at("a"));
    shared = write(e, note_of("ana", "the zyxneedle of all"));
    write(e, note_of("bob", "plain"));
    REQUIRE(e.fork_to(at("b")));
    REQUIRE(fork_world(at("b"), at("c")));
    REQUIRE(fork_world(at("a"), at("gone")));
    std::filesystem::remove_all(at("gone"));
    write(e, note_of("ana", "the zyxneedle of a"));
  }
  {
    engine c = opened(at("c"));
    write(c, note_of("ana", "the zyxneedle of c"));
  }
  erase_request r = all_of("ana");
  {
    engine b = opened(at("b"));
    const auto open_elsewhere = std::make_unique<engine>(opened(at("c")));
    auto left = b.erase(r);
    REQUIRE(left);
    CHECK(left->branches == std::vector<std::string>{at("a"), at("c")});
    CHECK(left->in_branches.empty());
    r.with_branches = true;
    auto done = b.erase(r);
    REQUIRE(done);
    REQUIRE(done->in_branches.size() == 3);
    CHECK(done->in_branches[0].outcome == branch_outcome::erased);
    CHECK(done->in_branches[0].memories == 2);
    CHECK(done->in_branches[1].outcome == branch_outcome::busy);
    CHECK(done->in_branches[2].outcome == branch_outcome::missing);
    CHECK(done->in_branches[2].path == at("gone"));
    CHECK(done->branches == std::vector<std::string>{at("c")});
    // It goes on as it is, and brings nothing back.
    CHECK(open_elsewhere->get(shared));
    write(*open_elsewhere, note_of("bob", "plain in c"));
    REQUIRE(open_elsewhere->checkpoint());
    CHECK(open_elsewhere->get(shared));
    CHECK_FALSE(anywhere_in(at("a"), "zyxneedle"));
  }
  CHECK(anywhere_in(at("c"), "zyxneedle"));
  CHECK_FALSE(anywhere_in(at("b"), "zyxneedle"));
  {
    engine b = opened(at("b"));
    auto done = b.erase(r);
    REQUIRE(done);
    CHECK(done->erased.empty());
    CHECK(done->branches.empty());
    REQUIRE(done->in_branches.size() == 3);
    CHECK(done->in_branches[0].outcome == branch_outcome::nothing);
    CHECK(done->in_branches[1].outcome == branch_outcome::erased);
    CHECK(done->in_branches[1].memories == 2);
  }
  CHECK_FALSE(anywhere_in(site.path(), "zyxneedle"));
  for (const char* name : {"a", "b", "c"}) {
    engine e = opened(at(name));
    CHECK(e.get(shared).error().code == errc::erased);
    REQUIRE(e.close());
    CHECK(verify_world(at(name)));
  }
}

TEST_CASE("a branch that a world took the place of again is missed, wherever it is") {
  const temporary_directory site;
  const auto at = [&](const char* name) { return site.path() + "/" + name; };
  {
    engine e = opened(at("w"));
    write(e, note_of("ana", "the zyxneedle of all"));
    write(e, note_of("bob", "plain"));
  }
  REQUIRE(rewind_world(at("w"), seq_no{1}, {.keep_as = "before", .random = {}}));
  std::filesystem::rename(at("w"), at("away"));
  std::filesystem::rename(at("before"), at("w")); // as it is taken back
  engine e = opened(at("w"));
  erase_request r = all_of("ana");
  r.with_branches = true;
  auto done = e.erase(r);
  REQUIRE(done);
  REQUIRE(done->in_branches.size() == 1);
  CHECK(done->in_branches[0].outcome == branch_outcome::missing);
}
