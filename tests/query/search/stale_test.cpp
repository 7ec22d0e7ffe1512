// What no longer stands because something that it rests on has fallen.
// Of: views/standing.cpp, query/records/stale_reads.cpp, state/apply/apply_attributes.cpp
#include <catch2/catch.hpp>

#include <random>
#include <set>

#include "mneme/tick.hpp"
#include "tests/actors/facts_site.hpp"
#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

class stale_world : public search_world {
public:
  /// A note that is derived from others.
  memory_id resting(std::string statement, const std::vector<memory_id>& on,
                    std::string actor = {}) {
    write_request r;
    r.type = memory_type::note;
    r.data["statement"] = std::move(statement);
    r.actor = std::move(actor);
    r.visibility = visibility::actor_public;
    for (const auto& id : on) r.provenance.derived_from.push_back(to_string(uri(id)));
    return put(std::move(r));
  }
  bool stale(const memory_id& id, std::optional<seq_no> at = {}) {
    auto m = target.get(id, {.actor = {}, .at_seq = at});
    if (!m) FAIL(m.error().message);
    return m->standing.stale;
  }
  void affirm(const memory_id& id) {
    update_head_request r{};
    r.uri = uri(id);
    r.affirm = true;
    auto done = target.apply(std::move(r));
    if (!done) FAIL(done.error().message);
    CHECK(done->changed);
  }
  void update(const memory_id& id, const std::vector<memory_id>& on) {
    update_request r{};
    r.uri = uri(id);
    r.data["statement"] = std::string("again");
    for (const auto& source : on) r.provenance.derived_from.push_back(to_string(uri(source)));
    auto done = target.apply(std::move(r));
    if (!done) FAIL(done.error().message);
  }
  void remove(const memory_id& src, edge_type type, const memory_id& dst) {
    remove_edge_request r{};
    r.src = src;
    r.type = static_cast<std::uint8_t>(type);
    r.dst = dst;
    if (auto done = target.apply(std::move(r)); !done) FAIL(done.error().message);
  }
  std::vector<memory_id> because_of(const memory_id& id, std::optional<seq_no> at = {},
                                    std::optional<std::string> actor = {}) {
    auto found = target.stale_of({.id = id, .options = {.actor = std::move(actor), .at_seq = at}});
    if (!found) FAIL(found.error().message);
    std::vector<memory_id> ids;
    for (const auto& m : *found) {
      CHECK(m.standing.stale);
      ids.push_back(m.head->id);
    }
    CHECK(std::ranges::is_sorted(ids));
    return ids;
  }
  seq_no now() { return target.published(); }
};

std::vector<memory_id> in_order(std::vector<memory_id> ids) {
  std::ranges::sort(ids);
  return ids;
}

} // namespace

TEST_CASE("stale: what rests on a tombstoned memory, through any steps, until it is affirmed") {
  stale_world w;
  const auto ground = w.note("ground");
  const auto near = w.resting("near", {ground});
  const auto far = w.note("far");
  w.edge(far, edge_type::derived_from, near);
  const auto apart = w.note("apart");
  w.edge(apart, edge_type::references, ground);
  for (const auto& id : {ground, near, far, apart}) CHECK_FALSE(w.stale(id));
  CHECK(w.because_of(ground).empty());
  const auto before = w.now();
  w.tombstone(ground);
  CHECK(w.stale(near));
  CHECK(w.stale(far));
  CHECK_FALSE(w.stale(apart));
  CHECK(w.because_of(ground) == in_order({near, far}));
  CHECK(w.because_of(near).empty());
  // As of a seq, exactly.
  CHECK_FALSE(w.stale(far, before));
  CHECK(w.because_of(ground, before).empty());
  // Each by itself, by a new version or a word.
  w.update(near, {ground});
  CHECK_FALSE(w.stale(near));
  CHECK(w.stale(far));
  CHECK(w.because_of(ground) == in_order({far}));
  const auto updated = w.now();
  w.affirm(far);
  CHECK_FALSE(w.stale(far));
  CHECK(w.stale(far, updated));
  CHECK(w.because_of(ground).empty());
  // What is written afterwards knows of it.
  CHECK_FALSE(w.stale(w.resting("late", {ground})));
}

TEST_CASE("stale: an affirmation outlives other changes of the head, which affirm nothing") {
  stale_world w;
  const auto ground = w.note("ground");
  const auto near = w.resting("near", {ground});
  w.tombstone(ground);
  update_head_request r{};
  r.uri = w.uri(near);
  r.tags = {"tea"};
  REQUIRE(w.target.apply(r));
  CHECK(w.stale(near));
  w.affirm(near);
  r.tags = {"coffee"};
  REQUIRE(w.target.apply(r));
  CHECK_FALSE(w.stale(near));
  // An affirmation says nothing of what comes later.
  const auto other = w.note("other");
  w.edge(near, edge_type::derived_from, other);
  w.tombstone(other);
  CHECK(w.stale(near));
  r.tags = {};
  const auto refused = w.target.apply(r);
  CHECK(refused.error().code == errc::no_op);
}

TEST_CASE("stale: what is superseded, replaced or contradicted in the name of its own actor") {
  stale_world w;
  for (const auto type : {edge_type::supersedes, edge_type::contradicts}) {
    const auto ground = w.note("ground");
    const auto near = w.resting("near", {ground});
    const auto against = w.note("against");
    w.edge(against, type, ground);
    CHECK(w.stale(near));
    CHECK(w.because_of(ground) == in_order({near}));
    w.remove(against, type, ground);
    CHECK_FALSE(w.stale(near));
    w.edge(against, type, ground); // a fresh edge is a fresh word
    CHECK(w.stale(near));
    w.affirm(near);
    CHECK_FALSE(w.stale(near));
    const auto second = w.note("second");
    w.edge(second, type, ground);
    CHECK(w.stale(near));
    w.tombstone(second); // who is gone speaks no more
    CHECK_FALSE(w.stale(near));
  }
  const auto old = w.decision("old");
  const auto near = w.resting("near", {old});
  const auto newer = w.decision("new", old);
  CHECK(w.stale(near));
  w.affirm(near);
  update_request u{};
  u.uri = w.uri(newer);
  u.data["statement"] = std::string("new, in other words");
  u.data["replaces"] = old;
  REQUIRE(w.target.apply(u));
  CHECK_FALSE(w.stale(near)); // it said so before
  u.data.erase("replaces");
  REQUIRE(w.target.apply(u));
  u.data["replaces"] = old;
  REQUIRE(w.target.apply(u));
  CHECK(w.stale(near));
}

TEST_CASE("stale: others' objections count for nothing, the host's for everybody") {
  stale_world w;
  const auto ground = w.resting("ground", {}, "ana");
  const auto near = w.resting("near", {ground}, "ana");
  w.edge(w.resting("against", {}, "ben"), edge_type::contradicts, ground);
  CHECK_FALSE(w.stale(near));
  w.edge(w.note("the host's"), edge_type::contradicts, ground);
  CHECK(w.stale(near));
}

TEST_CASE("stale: what takes its own sources' place is not shaken by that") {
  stale_world w;
  const auto a = w.note("a");
  const auto b = w.note("b");
  const auto c = w.note("c");
  const auto whole = w.resting("whole", {a, b, c});
  const auto above = w.resting("above", {whole});
  w.edge(whole, edge_type::supersedes, a);
  tombstone_request r{};
  r.uri = w.uri(b);
  r.superseded_by = whole;
  REQUIRE(w.target.apply(r));
  CHECK_FALSE(w.stale(whole));
  CHECK_FALSE(w.stale(above));
  CHECK(w.because_of(a).empty());
  CHECK(w.because_of(b).empty());
  w.edge(w.note("somebody else"), edge_type::supersedes, a);
  CHECK(w.stale(whole));
  CHECK(w.because_of(a) == in_order({whole, above}));
  w.affirm(whole);
  w.affirm(above);
  r.uri = w.uri(c);
  r.superseded_by = w.note("not from it");
  REQUIRE(w.target.apply(r));
  CHECK(w.stale(whole));
  CHECK(w.because_of(c) == in_order({whole, above}));
}

TEST_CASE("stale: no more once what fell is restored, and what is restored is as it was") {
  stale_world w;
  const auto ground = w.note("ground");
  const auto near = w.resting("near", {ground});
  const auto above = w.resting("above", {near});
  w.tombstone(ground);
  CHECK(w.stale(near));
  w.tombstone(near); // when it was stale
  CHECK(w.stale(above));
  REQUIRE(w.target.apply(restore_request{.id = near, .actor = {}}));
  CHECK(w.stale(near));
  CHECK(w.stale(above)); // by the ground
  REQUIRE(w.target.apply(restore_request{.id = ground, .actor = {}}));
  CHECK_FALSE(w.stale(near));
  CHECK_FALSE(w.stale(above));
  CHECK(w.because_of(ground).empty());
}

TEST_CASE("stale: the newest tombstone says what took the place") {
  stale_world w;
  const auto ground = w.note("ground");
  const auto near = w.resting("near", {ground});
  tombstone_request r{};
  r.uri = w.uri(ground);
  r.superseded_by = near; // which rests on it, and is not shaken
  REQUIRE(w.target.apply(r));
  CHECK_FALSE(w.stale(near));
  REQUIRE(w.target.apply(restore_request{.id = ground, .actor = {}}));
  w.tombstone(ground); // by nothing
  CHECK(w.stale(near));
  REQUIRE(w.target.apply(restore_request{.id = ground, .actor = {}}));
  REQUIRE(w.target.apply(r));
  CHECK_FALSE(w.stale(near));
}

TEST_CASE("stale: told by every door, and asked for") {
  stale_world w;
  const auto ground = w.note("tea ground");
  const auto near = w.resting("tea near", {ground});
  const auto plain = w.note("tea plain");
  w.tombstone(ground);
  search_request s;
  s.query = "tea";
  s.similarity_floor = 0;
  for (const auto& hit : w.search(s).results) CHECK(hit.standing.stale == (hit.uri.id == near));
  s.stale = false;
  CHECK(same_ids(w.search(s), {plain}));
  s.stale = true;
  CHECK(same_ids(w.search(s), {near}));
  find_request f;
  f.types = {memory_type::note};
  f.limit = 10;
  f.count = true;
  f.stale = true;
  auto found = w.target.find(f);
  REQUIRE(found);
  CHECK(found->total == 1);
  CHECK(found->memories.at(0).head->id == near);
  CHECK(found->memories.at(0).standing.stale);
  f.stale = false;
  CHECK(w.target.find(f)->total == 1);
  auto context = w.target.context({});
  REQUIRE(context);
  for (const auto& item : context->notable) CHECK(item.standing.stale == (item.uri.id == near));
}

TEST_CASE("stale_of: page by page, what the asker sees; the fallen one must be there for him") {
  stale_world w;
  const auto ground = w.resting("ground", {}, "ana");
  std::vector<memory_id> all;
  for (int i = 0; i < 5; ++i) all.push_back(w.resting("r", {ground}, "ana"));
  write_request hidden;
  hidden.type = memory_type::note;
  hidden.data["statement"] = std::string("hers");
  hidden.actor = "ben";
  hidden.provenance.derived_from = {to_string(w.uri(ground))};
  const auto bens = w.put(hidden);
  w.tombstone(ground);
  CHECK(w.because_of(ground, {}, "ana") == in_order(all));
  all.push_back(bens);
  all = in_order(all);
  CHECK(w.because_of(ground) == all);
  std::vector<memory_id> paged;
  for (std::int64_t offset = 0; offset < 8; offset += 2) {
    const auto page = w.target.stale_of({.id = ground, .limit = 2, .offset = offset});
    REQUIRE(page);
    for (const auto& m : *page) paged.push_back(m.head->id);
  }
  CHECK(paged == all);
  CHECK(w.target.stale_of({.id = bens, .options = {.actor = "ana", .at_seq = {}}}).error().code
        == errc::not_found);
  CHECK(w.target.stale_of({.id = ground, .limit = 0}).error().at == "limit");
  CHECK(w.target.stale_of({.id = ground, .offset = -1}).error().at == "offset");
  memory_id nobody;
  nobody.bytes[15] = 1;
  CHECK(w.target.stale_of({.id = nobody}).error().code == errc::not_found);
}

namespace {

/// Fills a world at random with what makes memories stale, and what ends that.
class random_lineages {
public:
  random_lineages(engine& target, std::uint64_t seed) : target_(target), draw_(seed) {}

  void step() {
    const auto kind = ids_.size() < 4 ? 0 : draw_() % 8;
    if (kind < 2) return write();
    const memory_id a = some();
    memory_id b = some();
    while (b == a) b = some();
    if (kind < 4) return edge(a, edge_type::derived_from, b);
    if (kind == 4) return edge(a, edge_type::supersedes, b);
    if (kind == 5) return edge(a, edge_type::contradicts, b);
    auto m = target_.get(a);
    REQUIRE(m);
    const memory_uri uri{memory_type::note, a, m->head->current_version};
    if (kind == 6 && draw_() % 2 == 0) {
      tombstone_request r{};
      r.uri = uri;
      if (draw_() % 2 == 0) r.superseded_by = b;
      REQUIRE(target_.apply(std::move(r)));
    } else if (m->head->tombstone) {
      REQUIRE(target_.apply(restore_request{.id = a, .actor = {}}));
    } else {
      update_head_request r{};
      r.uri = uri;
      r.affirm = draw_() % 2 == 0;
      r.importance = 3;
      REQUIRE(target_.apply(std::move(r)));
    }
  }
  [[nodiscard]] const std::vector<memory_id>& ids() const { return ids_; }

private:
  memory_id some() { return ids_[draw_() % ids_.size()]; }
  void write() {
    write_request r;
    r.type = memory_type::note;
    r.data["statement"] = std::string("a note");
    if (!ids_.empty() && draw_() % 2 == 0)
      r.provenance.derived_from = {to_string(memory_uri{memory_type::note, some(), 1})};
    if (draw_() % 3 == 0) r.provenance.trust = static_cast<double>(draw_() % 11) / 10;
    auto done = target_.apply(std::move(r));
    REQUIRE(done);
    ids_.push_back(done->uri->id);
  }
  void edge(const memory_id& src, edge_type type, const memory_id& dst) {
    add_edge_request r{};
    r.src = src;
    r.type = static_cast<std::uint8_t>(type);
    r.dst = dst;
    REQUIRE(target_.apply(std::move(r)));
  }

  engine& target_;
  std::mt19937_64 draw_;
  std::vector<memory_id> ids_;
};

std::vector<memory_standing> standings(engine& target, const std::vector<memory_id>& ids,
                                       seq_no at) {
  std::vector<memory_standing> all;
  for (const auto& id : ids) {
    auto m = target.get(id, {.actor = {}, .at_seq = at});
    all.push_back(m ? m->standing : memory_standing{});
  }
  return all;
}

} // namespace

TEST_CASE("stale_of: a chain is listed to its end, whatever it is trusted") {
  stale_world w;
  const auto first = w.note("the first");
  memory_id last = first;
  constexpr int length = 5000; // more than is looked at of one lineage
  for (int i = 0; i < length; ++i) {
    write_request r;
    r.type = memory_type::note;
    r.data["statement"] = std::string("rests on the one before");
    if (i == 0) r.provenance.trust = 0.5;
    r.provenance.derived_from.push_back("mneme://Note/" + to_string(last) + "#1");
    last = w.put(std::move(r));
  }
  w.tombstone(first);
  CHECK(w.because_of(first).size() == length);
  auto found = w.target.stale_of({.id = first, .options = {}});
  REQUIRE(found);
  CHECK(std::ranges::all_of(
      *found, [](const memory& m) { return m.standing.trust == 0.5 && !m.standing.truncated; }));
}

TEST_CASE("stale_of: together they list what every memory says of itself, at any seq") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    stale_world w;
    random_lineages world(w.target, seed);
    for (int i = 0; i < 150; ++i) world.step();
    for (const seq_no at : {seq_no{60}, seq_no{100}, w.now()}) {
      std::set<memory_id> listed;
      std::set<memory_id> told;
      for (const auto& id : world.ids()) {
        auto m = w.target.get(id, {.actor = {}, .at_seq = at});
        if (!m) continue; // written later
        if (m->standing.stale && !m->head->tombstone) told.insert(id);
        for (const auto& stale : w.because_of(id, at)) listed.insert(stale);
      }
      CHECK(listed == told);
      if (at == w.now()) CHECK_FALSE(told.empty());
    }
  }
}

TEST_CASE("standing: the same after a checkpoint, and in a world whose images are lost") {
  const scratch place;
  engine_options o;
  o.directory = place.world();
  o.seed = 1;
  std::vector<memory_id> ids;
  std::vector<std::vector<memory_standing>> expected;
  seq_no last;
  {
    engine target = opened(o);
    random_lineages world(target, 7);
    for (int i = 0; i < 120; ++i) world.step();
    REQUIRE(target.checkpoint());
    for (int i = 0; i < 30; ++i) world.step();
    ids = world.ids();
    last = target.published();
    for (seq_no at{1}; at <= last; at = at.next()) expected.push_back(standings(target, ids, at));
    REQUIRE(target.checkpoint());
    REQUIRE(target.close());
  }
  for (const bool loses_images : {false, true}) {
    if (loses_images) std::filesystem::remove_all(place.path / "world" / "images");
    engine target = opened(o);
    for (seq_no at{1}; at <= last; at = at.next())
      REQUIRE(standings(target, ids, at) == expected[at.value - 1]);
    REQUIRE(target.close());
  }
}
