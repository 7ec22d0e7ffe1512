// An engine erases what is more than goes at once in portions, and answers once; in every branch
// that notes lead to, whether it was made of the world or the world of it, and whoever has it open.
// Of: actors/open_worlds.cpp

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include "mneme/engine.hpp"
#include "mneme/recovery.hpp"
#include "storage/file.hpp"
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
    const auto elsewhere = make_posix_file_system()->lock(at("c"));
    REQUIRE(elsewhere);
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

TEST_CASE("a branch that this process has open erases too, and goes on") {
  const temporary_directory site;
  const auto at = [&](const char* name) { return site.path() + "/" + name; };
  engine a = opened(at("a"));
  const memory_id shared = write(a, note_of("ana", "the zyxneedle of all"));
  write(a, note_of("bob", "plain"));
  REQUIRE(a.fork_to(at("b")));
  std::filesystem::create_directory_symlink(at("b"), at("other name"));
  engine b = opened(at("other name"));
  const memory_id own = write(b, note_of("ana", "the zyxneedle of b"));
  REQUIRE(b.checkpoint());
  erase_request r = all_of("ana");
  r.with_branches = true;
  r.dry_run = true;
  auto would = a.erase(r);
  REQUIRE(would);
  REQUIRE(would->in_branches.size() == 1);
  CHECK(would->in_branches[0].memories == 2);
  CHECK(b.get(own));
  r.dry_run = false;
  auto done = a.erase(r);
  if (!done) FAIL(done.error().message);
  REQUIRE(done->in_branches.size() == 1);
  CHECK(done->in_branches[0].outcome == branch_outcome::erased);
  CHECK(done->in_branches[0].memories == 2);
  CHECK(done->in_branches[0].seq == b.published());
  CHECK(done->branches.empty());
  CHECK(b.get(shared).error().code == errc::erased);
  CHECK(b.get(own).error().code == errc::erased);
  CHECK_FALSE(anywhere_in(site.path(), "zyxneedle"));
  write(b, note_of("bob", "b goes on"));
  // Once it is closed it is opened for that.
  REQUIRE(b.close());
  auto again = a.erase(r);
  REQUIRE(again);
  CHECK(again->in_branches.at(0).outcome == branch_outcome::nothing);
  CHECK(verify_world(at("b")));
}

TEST_CASE("worlds that are open here erase in each other at once") {
  const temporary_directory site;
  const auto at = [&](const char* name) { return site.path() + "/" + name; };
  engine a = opened(at("a"));
  write(a, note_of("ana", "the zyxneedle of all"));
  write(a, note_of("bob", "the zyxthread of all"));
  REQUIRE(a.fork_to(at("b")));
  engine b = opened(at("b"));
  const auto erase_everywhere = [](engine& e, const char* actor) {
    erase_request r = all_of(actor);
    r.with_branches = true;
    return e.erase(r).has_value();
  };
  auto other = std::async(std::launch::async, [&] { return erase_everywhere(b, "bob"); });
  CHECK(erase_everywhere(a, "ana"));
  CHECK(other.get());
  CHECK_FALSE(anywhere_in(site.path(), "zyxneedle"));
  CHECK_FALSE(anywhere_in(site.path(), "zyxthread"));
}

TEST_CASE("who has a branch open elsewhere is asked, where somebody can ask") {
  const temporary_directory site;
  const auto at = [&](const char* name) { return site.path() + "/" + name; };
  std::vector<std::string> asked;
  result<erase_result> answer = fail(errc::busy, "nobody answers");
  engine_options o;
  o.directory = at("a");
  o.embedder_spec = "none";
  o.erase_elsewhere = [&](const std::string& directory, const erase_request& r) {
    asked.push_back(directory);
    CHECK_FALSE(r.with_branches);
    CHECK(r.owned_by == "ana");
    return answer;
  };
  auto e = engine::open(o);
  REQUIRE(e);
  const memory_id shared = write(*e, note_of("ana", "the zyxneedle of all"));
  REQUIRE(e->fork_to(at("b")));
  const auto elsewhere = make_posix_file_system()->lock(at("b"));
  REQUIRE(elsewhere);
  erase_request r = all_of("ana");
  r.with_branches = true;
  auto done = e->erase(r);
  REQUIRE(done);
  CHECK(asked == std::vector<std::string>{at("b")});
  CHECK(done->in_branches.at(0).outcome == branch_outcome::busy);
  CHECK(done->branches == std::vector<std::string>{at("b")});
  erase_result its;
  its.erased.push_back({.id = shared, .type = memory_type::note, .actor = "ana"});
  its.changed = true;
  its.seq = seq_no{7};
  answer = its;
  done = e->erase(r);
  REQUIRE(done);
  CHECK(done->in_branches.at(0).outcome == branch_outcome::erased);
  CHECK(done->in_branches.at(0).memories == 1);
  CHECK(done->in_branches.at(0).seq == seq_no{7});
  CHECK(done->branches.empty());
  answer = fail(errc::read_only, "it follows");
  done = e->erase(r);
  REQUIRE(done);
  CHECK(done->in_branches.at(0).outcome == branch_outcome::failed);
  CHECK(done->in_branches.at(0).note == "it follows");
}
