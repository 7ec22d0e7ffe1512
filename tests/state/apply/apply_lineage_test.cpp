// The lineage has no objections that can never count, whichever way it is known whose the memories
// are, and all those that may.
#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

#include "state/apply/apply.hpp"
#include "tests/state/site.hpp"
#include "views/lineage_edges.hpp"
#include "views/standing.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// The batch as it reaches the owner of the graphs: rows of its memories need not be there yet.
struct handmade_batch {
  node_table nodes;
  mneme::graph edges_of{nodes};
  mneme::graph lineage{nodes};
  attributes rows;
  std::vector<std::unique_ptr<head>> heads;
  std::vector<std::unique_ptr<edge_record>> edges;
  std::vector<index_delta> deltas;
  seq_no last{0};

  index_delta& next() {
    last = last.next();
    index_delta& d = deltas.emplace_back();
    d.seq = last;
    return d;
  }
  void add_memory(std::uint8_t n, const std::string& actor) {
    auto h = std::make_unique<head>();
    h->id = id_of(n);
    h->type = memory_type::note;
    h->actor_scope = actor;
    index_delta& d = next();
    d.head = h.get();
    d.node = nodes.intern(id_of(n));
    heads.push_back(std::move(h));
  }
  void add_edge(std::uint8_t src, edge_type type, std::uint8_t dst, bool tombstoned = false) {
    auto e = std::make_unique<edge_record>();
    e->key = {id_of(src), type, id_of(dst)};
    e->tombstoned = tombstoned;
    index_delta& d = next();
    d.edge = e.get();
    d.src = nodes.intern(id_of(src));
    d.dst = nodes.intern(id_of(dst));
    edges.push_back(std::move(e));
  }
  void apply() {
    apply_to(edges_of, deltas);
    apply_lineage(lineage, edges_of, rows, deltas);
    deltas.clear();
  }
  bool has(std::uint8_t src, lineage_kind kind, std::uint8_t dst) {
    bool found = false;
    lineage.neighbours(nodes.find(id_of(dst)), edge_direction::in, last, false,
                       [&](const neighbour& n) {
                         found = n.node == nodes.find(id_of(src)) && n.type == in_lineage(kind);
                         return !found;
                       });
    return found;
  }
};

write_request note_of(std::uint8_t n, const std::string& actor) {
  write_request r = note("said by " + actor);
  r.id = id_of(n);
  r.actor = actor;
  return r;
}

mutation edge_of(std::uint8_t src, edge_type type, std::uint8_t dst) {
  add_edge_request e;
  e.src = id_of(src);
  e.type = static_cast<std::uint8_t>(type);
  e.dst = id_of(dst);
  return e;
}

std::uint64_t objections_to(const world& w, std::uint8_t n) {
  std::uint64_t count = 0;
  w.lineage.neighbours(w.nodes.find(id_of(n)), edge_direction::in, w.published_seq(), false,
                       [&](const neighbour& by) {
                         if (is_objection(by.type)) ++count;
                         return true;
                       });
  return count;
}

} // namespace

TEST_CASE("of memories that come with their edges, what can count is in the lineage") {
  handmade_batch batch;
  batch.add_memory(1, "ana");
  batch.add_memory(2, "ana");
  batch.add_memory(3, "ben");
  batch.add_memory(4, "");
  batch.add_edge(2, edge_type::supersedes, 1);
  batch.add_edge(3, edge_type::supersedes, 1);
  batch.add_edge(4, edge_type::contradicts, 1);
  batch.add_edge(3, edge_type::derived_from, 1);
  batch.add_edge(1, edge_type::contradicts, 4);
  batch.add_edge(9, edge_type::contradicts, 1); // whose that is nobody knows
  batch.apply();
  CHECK(batch.has(2, lineage_kind::supersedes, 1));
  CHECK_FALSE(batch.has(3, lineage_kind::supersedes, 1));
  CHECK(batch.has(4, lineage_kind::contradicts, 1)); // the host's
  CHECK(batch.has(3, lineage_kind::derived_from, 1));
  CHECK_FALSE(batch.has(1, lineage_kind::contradicts, 4));
  CHECK(batch.has(9, lineage_kind::contradicts, 1));
  CHECK(batch.lineage.edge_count() == 4);
}

TEST_CASE("an objection that is in the lineage ends there, whoever is known by then") {
  handmade_batch batch;
  batch.add_memory(1, "ana");
  batch.add_edge(2, edge_type::contradicts, 1);
  batch.apply();
  REQUIRE(batch.has(2, lineage_kind::contradicts, 1));
  batch.add_memory(1, "ana");
  batch.add_memory(2, "ben");
  batch.add_edge(2, edge_type::contradicts, 1, true);
  batch.apply();
  CHECK_FALSE(batch.has(2, lineage_kind::contradicts, 1));
  // It comes again, and does not count.
  batch.add_memory(1, "ana");
  batch.add_memory(2, "ben");
  batch.add_edge(2, edge_type::contradicts, 1);
  batch.apply();
  CHECK_FALSE(batch.has(2, lineage_kind::contradicts, 1));
  CHECK(batch.lineage.edge_count() == 0);
}

TEST_CASE("of memories that are there, what can count is in the lineage, and stays over an open") {
  site place;
  auto w = place.open();
  driven d(*w);
  for (const auto& [n, actor] : std::vector<std::pair<std::uint8_t, std::string>>{
           {1, "ana"}, {2, "ana"}, {3, "ben"}, {4, ""}})
    REQUIRE(d.apply(note_of(n, actor)));
  REQUIRE(d.apply(edge_of(2, edge_type::contradicts, 1)));
  REQUIRE(d.apply(edge_of(3, edge_type::contradicts, 1)));
  REQUIRE(d.apply(edge_of(3, edge_type::supersedes, 4)));
  REQUIRE(d.apply(edge_of(4, edge_type::supersedes, 3)));
  const auto check = [](const world& now) {
    CHECK(objections_to(now, 1) == 1);
    CHECK(objections_to(now, 3) == 1);
    CHECK(objections_to(now, 4) == 0);
  };
  check(*w);
  w.reset();
  check(*place.open()); // from the journal
}

TEST_CASE("of a memory that becomes another's, what counts then is in the lineage") {
  handmade_batch batch;
  batch.add_memory(1, "ana");
  batch.add_memory(2, "ben");
  batch.add_memory(3, "cy");
  batch.add_edge(2, edge_type::supersedes, 1);
  const seq_no since = batch.last;
  batch.add_edge(2, edge_type::contradicts, 3);
  batch.add_edge(3, edge_type::contradicts, 2, true);
  batch.add_memory(2, "ana");
  batch.add_edge(1, edge_type::supersedes, 2); // which it is by then
  batch.apply();
  CHECK(batch.has(2, lineage_kind::supersedes, 1));
  CHECK(batch.has(1, lineage_kind::supersedes, 2));
  CHECK_FALSE(batch.has(2, lineage_kind::contradicts, 3));
  CHECK_FALSE(batch.has(3, lineage_kind::contradicts, 2)); // removed by then
  batch.lineage.neighbours(batch.nodes.find(id_of(1)), edge_direction::in, batch.last, false,
                           [&](const neighbour& n) {
                             CHECK(n.since == since);
                             return true;
                           });
}

TEST_CASE("a memory that an import gives to another takes out what it speaks against") {
  site place;
  auto w = place.open();
  driven d(*w);
  for (const auto& [n, actor] :
       std::vector<std::pair<std::uint8_t, std::string>>{{1, "ana"}, {2, "ben"}, {3, "ana"}})
    REQUIRE(d.apply(note_of(n, actor)));
  REQUIRE(d.apply(edge_of(3, edge_type::derived_from, 1)));
  REQUIRE(d.apply(edge_of(2, edge_type::contradicts, 1)));
  const auto is_stale = [](world& now, std::optional<seq_no> at = {}) {
    const read_views views = now.views();
    const seq_no as_of = at.value_or(views.published);
    const row_no row = views.attributes->row_of(views.nodes->find(id_of(3)), as_of);
    return lineage_reader(views, as_of).standing_of(row).stale;
  };
  CHECK_FALSE(is_stale(*w));
  const seq_no before = w->published_seq();
  auto reader = w->store->reader();
  REQUIRE(reader);
  const auto there = read_head(**reader, id_of(2), before);
  REQUIRE((there && *there));
  const auto content = read_version(**reader, id_of(2), (*there)->current_version);
  REQUIRE((content && *content));
  put_record_request r;
  r.head = **there;
  r.head.actor_scope = "ana";
  r.version = **content;
  auto done = d.apply(r);
  if (!done) FAIL(done.error().message);
  CHECK(is_stale(*w));
  CHECK_FALSE(is_stale(*w, before));
  w.reset();
  auto again = place.open(); // from the journal
  CHECK(is_stale(*again));
  CHECK_FALSE(is_stale(*again, before));
}
