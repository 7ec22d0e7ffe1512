// SQLite, as a user would write it, finds what is right.
// Of: bench/workloads/sqlite_peer.cpp, bench/workloads/sqlite_statement.hpp
#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "bench/workloads/sqlite_peer.hpp"

using namespace mneme::workloads;

namespace {

/// A loaded database in a directory that goes with it.
struct loaded_peer {
  dataset d = make_dataset(400, 3);
  std::filesystem::path directory;
  std::unique_ptr<sqlite_peer> peer;

  loaded_peer() {
    std::string name = (std::filesystem::temp_directory_path() / "mneme-peer-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory = name;
    peer = open();
    REQUIRE(peer->load(d));
  }
  ~loaded_peer() {
    peer.reset();
    std::filesystem::remove_all(directory);
  }
  [[nodiscard]] std::unique_ptr<sqlite_peer> open() const {
    return sqlite_peer::open(directory / "peer.db").value();
  }
};

} // namespace

TEST_CASE("the benchmark's peer answers its reads as the truth does") {
  loaded_peer p;
  const auto& d = p.d;
  for (std::size_t k = 0; k < 100; ++k) {
    const auto& q = d.queries[k];
    const float* vector = d.query_vector(k);
    CHECK(p.peer->near_in_tag(d, vector, q.tag_1_percent, 10).value()
          == nearest_of(d, vector, d.postings[q.tag_1_percent], 10));
    CHECK(p.peer->salient(q).value() == most_salient(d, in_tag_type_time(d, q), 20));
    rows reached;
    for (const auto& [i, hops] : within_three_hops(d, q)) reached.push_back(i);
    CHECK(p.peer->within_three_hops(q).value() == reached);
    CHECK(p.peer->near_in_reach(d, q, vector).value()
          == nearest_of(d, vector, tagged_in_reach(d, q), 10));
    CHECK(p.peer->own_near(d, q.small_actor, vector, 10).value()
          == nearest_of(d, vector, d.own[q.small_actor], 10));
    CHECK(p.peer->own_salient(q.large_actor, q).value()
          == most_salient(d, own_in_tag_type_time(d, q.large_actor, q), 20));
    CHECK(p.peer->own_relevant(d, q.large_actor, vector, 20).value()
          == most_relevant(d, vector, d.own[q.large_actor], 20));
    CHECK(p.peer->search(q).value().size() == 10);
  }
  CHECK(p.peer->vectors().value() == d.vectors);
}

TEST_CASE("the benchmark's peer finds what was written and touched, also when opened again") {
  loaded_peer p;
  auto& d = p.d;
  const auto found = std::ranges::find_if(
      d.queries, [&](const query& q) { return in_tag_type_time(d, q).size() > 3; });
  REQUIRE(found != d.queries.end());
  const auto& q = *found;
  const auto before = p.peer->salient(q).value();
  const auto last = before.back();
  touch(d.rows[last]);
  const auto added = add_row(d, 5);
  REQUIRE(p.peer->begin());
  REQUIRE(p.peer->touch({last}));
  REQUIRE(p.peer->write(d, added));
  REQUIRE(p.peer->link({.src = added, .dst = 5, .type = 3}));
  REQUIRE(p.peer->commit());
  p.peer = p.open();
  CHECK(p.peer->salient(q).value() == most_salient(d, in_tag_type_time(d, q), 20));
  const auto tag = d.rows[5].tags[0];
  CHECK(p.peer->near_in_tag(d, d.vector_of(5), tag, 10).value()
        == nearest_of(d, d.vector_of(5), d.postings[tag], 10));
}

TEST_CASE("what the benchmark's peer refuses is an error with SQLite's words") {
  loaded_peer p;
  REQUIRE(p.peer->begin());
  const auto again = p.peer->write(p.d, 0);
  REQUIRE(!again);
  CHECK(again.error().message == "SQLite: UNIQUE constraint failed: mem.id");
  CHECK(!sqlite_peer::open(p.directory / "none" / "peer.db"));
}
