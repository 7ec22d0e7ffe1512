// Standings of many rows side by side are those of each row alone, and of what speaks against a
// memory everything is heard, however much of it does not count.
// Of: views/standing.cpp
#include "views/standing.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "tests/index/dice.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

write_request note_of(const std::string& actor, std::optional<double> trust = {}) {
  write_request r = note("said by " + actor);
  r.actor = actor;
  r.provenance.trust = trust;
  return r;
}

memory_id written(driven& d, const write_request& r) {
  auto done = d.apply(r);
  if (!done) FAIL(done.error().message);
  return done->uri->id;
}

void link(driven& d, const memory_id& src, edge_type type, const memory_id& dst) {
  add_edge_request e;
  e.src = src;
  e.type = static_cast<std::uint8_t>(type);
  e.dst = dst;
  (void)d.apply(e);
}

std::vector<row_no> rows_at(world& w, seq_no at) {
  std::vector<row_no> rows;
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i)
    if (const row_no row = w.attributes().row_of({i}, at); row.value != no_number)
      rows.push_back(row);
  return rows;
}

void require_alike(world& w, seq_no at) {
  const read_views views = w.views();
  const lineage_reader lineage(views, at);
  const std::vector<row_no> rows = rows_at(w, at);
  const auto together = lineage.standings_of(rows);
  REQUIRE(together.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const memory_standing alone = lineage.standing_of(rows[i]);
    INFO("row " << rows[i].value << " at seq " << at.value);
    REQUIRE(together[i].trust == alone.trust);
    REQUIRE(together[i].stale == alone.stale);
    REQUIRE(together[i].truncated == alone.truncated);
  }
}

} // namespace

TEST_CASE("standings of many rows are those of each alone") {
  site place;
  auto w = place.open();
  driven d(*w);
  dice c(3);
  std::vector<memory_id> ids;
  for (int i = 0; i < 60; ++i)
    ids.push_back(
        written(d, note_of("actor" + std::to_string(c.below(3)),
                           c.below(4) == 0 ? std::optional(0.1 * static_cast<double>(c.below(9)))
                                           : std::nullopt)));
  const std::vector<edge_type> types{edge_type::supersedes, edge_type::contradicts,
                                     edge_type::derived_from, edge_type::derived_from};
  for (int step = 0; step < 300; ++step) {
    const memory_id& one = ids[c.below(ids.size())];
    if (c.below(12) == 0) {
      tombstone_request t;
      t.uri = {memory_type::note, one, 1};
      if (!d.apply(t)) {
        restore_request r;
        r.id = one;
        (void)d.apply(r);
      }
    } else {
      link(d, one, types[c.below(types.size())], ids[c.below(ids.size())]);
    }
    if (step % 25 != 0) continue;
    const seq_no last = w->published_seq();
    require_alike(*w, last);
    require_alike(*w, seq_no{1 + c.below(last.value)});
  }
  const read_views views = w->views();
  const lineage_reader lineage(views, views.published);
  const auto standings = lineage.standings_of(rows_at(*w, views.published));
  CHECK(std::ranges::any_of(standings, &memory_standing::stale));
  CHECK(std::ranges::any_of(standings, [](const auto& s) { return s.trust < 1; }));
  CHECK(lineage.standings_of({}).empty());
}

TEST_CASE("what counts is heard behind much that does not") {
  site place;
  auto w = place.open();
  driven d(*w);
  const memory_id support = written(d, note_of("ana"));
  const memory_id resting = written(d, note_of("ana"));
  link(d, resting, edge_type::derived_from, support);
  const auto is_stale = [&] {
    const read_views views = w->views();
    const lineage_reader lineage(views, views.published);
    const row_no row = views.attributes->row_of(views.nodes->find(resting), views.published);
    const auto standing = lineage.standings_of(std::vector{row, row});
    CHECK(standing[0].stale == standing[1].stale);
    CHECK(standing[0].stale == lineage.standing_of(row).stale);
    return standing[0].stale;
  };
  // Somebody else's does not, and is not among what is looked through.
  for (int i = 0; i < 10; ++i) link(d, written(d, note_of("ben")), edge_type::contradicts, support);
  CHECK_FALSE(is_stale());
  // Its own actor's, which are gone.
  for (int i = 0; i < 70; ++i) {
    const memory_id other = written(d, note_of("ana"));
    link(d, other, edge_type::contradicts, support);
    CHECK(is_stale());
    tombstone_request t;
    t.uri = {memory_type::note, other, 1};
    REQUIRE(d.apply(t));
    if (i % 8 == 0 || i == 69) CHECK_FALSE(is_stale());
  }
  // Lists go by the other's id: one that is there comes anywhere among them.
  const memory_id own = written(d, note_of("ana"));
  link(d, own, edge_type::contradicts, support);
  CHECK(is_stale());
}
