// Both drivers of a search: the caller's thread, and the coordinator by messages.
#include <catch2/catch.hpp>

#include <filesystem>

#include <caf/all.hpp>

#include "mneme/caf.hpp"
#include "tests/query/search/search_world.hpp"

using namespace mneme;

namespace {

struct host_config : caf::actor_system_config {
  host_config() { configure(*this); }
};

engine_options seeded() {
  engine_options o;
  o.seed = 7;
  o.clock = std::make_shared<manual_clock>(testing::test_start);
  o.exact_near = true;
  return o;
}

std::vector<mutation> memories() {
  std::vector<mutation> items;
  for (const char* text : {"green tea in the morning", "black tea", "a boat", "the tea harbour"}) {
    write_request r;
    r.type = memory_type::note;
    r.data["statement"] = std::string(text);
    items.emplace_back(r);
    r.type = memory_type::chunk;
    r.data = {{"content", std::string(text)}, {"path", std::string("a.md")}};
    items.emplace_back(r);
  }
  return items;
}

std::vector<search_request> questions() {
  std::vector<search_request> asked;
  for (const char* text : {"tea", "green boats", "harbour last week", " "}) {
    search_request r;
    r.query = text;
    r.similarity_floor = 0;
    r.explain = true;
    asked.push_back(r);
  }
  return asked;
}

void check_same(const search_result& a, const search_result& b) {
  REQUIRE(a.results.size() == b.results.size());
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    CHECK(a.results[i].uri == b.results[i].uri);
    CHECK(a.results[i].score == b.results[i].score);
    CHECK(a.results[i].raw_score == b.results[i].raw_score);
  }
  CHECK(a.coverage.memory.searched == b.coverage.memory.searched);
  CHECK(a.coverage.notes == b.coverage.notes);
}

} // namespace

TEST_CASE("a search by message answers as one in the caller's thread") {
  auto facade = open_in_memory(seeded());
  REQUIRE(facade);
  REQUIRE(facade->write_batch(memories()));
  const auto expected = facade->search_many(questions());

  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, seeded());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  const auto failed = [](const caf::error& e) { FAIL(to_error(e).message); };
  self->request(*memory, caf::infinite, batch_message{memories()})
      .receive([](const batch_result&) {}, failed);
  self->request(*memory, caf::infinite, search_many_message{questions()})
      .receive(
          [&](const search_many_reply& r) {
            REQUIRE(r.results.size() == expected.size());
            for (std::size_t i = 0; i + 1 < expected.size(); ++i) {
              REQUIRE(expected[i]);
              REQUIRE(r.results[i]);
              check_same(**r.results[i], *expected[i]);
            }
            CHECK(r.results.back().error().code == errc::empty_query);
            CHECK(expected.back().error().code == errc::empty_query);
          },
          failed);
  self->request(*memory, caf::infinite, search_message{questions().front()})
      .receive([&](const search_reply& r) { check_same(*r, *expected.front()); }, failed);
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, failed);
}

TEST_CASE("a search survives closing and opening, from the image and without it") {
  auto o = seeded();
  std::string name = "/tmp/mneme-search-XXXXXX";
  REQUIRE(mkdtemp(name.data()) != nullptr);
  o.directory = name + "/world";
  std::vector<result<search_result>> before;
  {
    auto e = engine::open(o);
    REQUIRE(e);
    REQUIRE(e->write_batch(memories()));
    before = e->search_many(questions());
    REQUIRE(e->close());
  }
  const auto again = [&] {
    auto e = engine::open(o);
    REQUIRE(e);
    check_same(*e->search_many(questions()).front(), *before.front());
    REQUIRE(e->close());
  };
  again();
  std::filesystem::remove_all(o.directory + "/images");
  again();
  std::filesystem::remove_all(name);
}
