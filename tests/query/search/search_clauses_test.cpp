// The clauses of search, one test each.
// Of: query/search/search_fetch.cpp, query/search/search_merge.cpp, query/search/search_select.cpp
// Of: views/search_weights.cpp
#include <catch2/catch.hpp>

#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

lifecycle with_status(lifecycle_status status, std::optional<timestamp> due = {}) {
  lifecycle l;
  l.status = status;
  l.due_date = due;
  return l;
}

search_request asking(std::string query) {
  search_request r;
  r.query = std::move(query);
  r.similarity_floor = 0;
  return r;
}

using ids = std::vector<memory_id>;

} // namespace

TEST_CASE("search finds memories and chunks by their words, best first") {
  search_world w;
  const auto tea = w.note("green tea in the morning");
  const auto both = w.note("green green tea");
  w.note("a boat on the river");
  const auto page = w.chunk("kitchen.md", "how to make green tea");
  const auto answer = w.search("green tea");
  CHECK(same_ids(answer, {tea, both, page}));
  CHECK(answer.results.front().uri.id == both);
  CHECK(answer.results.front().score == 1.0);
  CHECK(answer.sort == search_sort::relevance);
}

TEST_CASE("16: a query that matches nothing returns nothing") {
  search_world w;
  w.note("green tea");
  const auto answer = w.search("submarine");
  CHECK(answer.results.empty());
  CHECK(answer.coverage.memory.searched == 1);
  CHECK(answer.coverage.memory.candidates == 0);
}

TEST_CASE("19: with fewer than three rows in the window the floor is on the raw score") {
  search_world w;
  const auto one = w.note("green tea");
  const auto two = w.note("green tea with a great many other words that make it longer by far");
  auto r = asking("green tea");
  r.similarity_floor = 0.3;
  CHECK(ids_of(w.search(r)) == ids{one, two});
}

TEST_CASE("what has half of the best raw score is not below the floor") {
  search_world w("vector=0,text=1");
  const auto car = w.note("Bob owns a red car");
  const auto boat = w.note("Bob owns a small wooden boat");
  const auto bicycle = w.note("Bob owns a very old bicycle in Lisbon");
  w.note("the weather was nice");
  auto r = asking("what does Bob own");
  r.similarity_floor = 0.1;
  const auto three = w.search(r);
  CHECK(ids_of(three) == ids{car, boat, bicycle});
  CHECK(three.results.back().score == 0.0);
  CHECK(three.results.back().raw_score > 0.5);
  // A floor above a half is a share of the best.
  r.similarity_floor = 1;
  CHECK(ids_of(w.search(r)) == ids{car});
  // What has less than half of it is held against the floor by its score.
  w.note("Bob and the many others of the harbour waited for a ferry that never came to the island");
  r.similarity_floor = 0.1;
  const auto of_four = w.search(r);
  CHECK(ids_of(of_four) == ids{car, boat, bicycle});
  CHECK(of_four.coverage.memory.below_floor == 1);
}

TEST_CASE("20: without a query vector bm25 alone makes the score of both legs") {
  search_world w;
  const auto page = w.chunk("a.md", "green tea");
  auto r = asking("green tea");
  r.similarity_floor = 0.3;
  const auto answer = w.search(r);
  CHECK(ids_of(answer) == ids{page});
  CHECK(answer.results.front().raw_score == 1.0);
}

TEST_CASE("8: tombstoned and archived memories and chunks are found through no leg") {
  search_world w;
  const auto gone = w.note("green tea one");
  const auto filed = w.note("green tea two", with_status(lifecycle_status::archived));
  const auto page = w.chunk("a.md", "green tea three");
  const auto filed_page = w.chunk("b.md", "green tea four");
  w.tombstone(gone);
  w.tombstone(page);
  w.set_lifecycle(filed_page, with_status(lifecycle_status::archived));
  CHECK(w.search("green tea").results.empty());
  auto r = asking("green tea");
  r.include_archived = true;
  CHECK(same_ids(w.search(r), {filed, filed_page}));
  r.memory_ids = {gone, page};
  CHECK(w.search(r).coverage.not_found_ids == ids{gone, page});
}

TEST_CASE("resolved and expired memories stay in the default answer") {
  search_world w;
  const auto resolved = w.note("tea one", with_status(lifecycle_status::resolved));
  const auto expired = w.note("tea two", with_status(lifecycle_status::expired));
  CHECK(same_ids(w.search("tea"), {resolved, expired}));
}

TEST_CASE("7 BM25: a text is found however its letters are composed, and a tag too") {
  search_world w("vector=0,text=1,neighbours=0");
  const auto one = w.note("the caf\u00E9 at the corner");
  const auto two = w.note("a cafe\u0301 by the sea");
  CHECK(same_ids(w.search("caf\u00E9"), {one, two}));
  CHECK(same_ids(w.search("cafe\u0301"), {one, two}));
  CHECK(same_ids(w.search("cafe"), {one, two})); // people leave accents out

  write_request tagged;
  tagged.type = memory_type::note;
  tagged.data = {{"statement", std::string("tea")}};
  tagged.tags = {"cafe\u0301"};
  const auto three = w.put(tagged);
  for (const char* tag : {"cafe\u0301", "caf\u00E9"}) {
    auto r = asking("tea");
    r.tag = tag;
    CHECK(same_ids(w.search(r), {three}));
    find_request f;
    f.types = {memory_type::note};
    f.limit = 5;
    f.where = predicate{has_tag_predicate{tag}};
    const auto found = w.target.find(f);
    REQUIRE(found);
    CHECK(found->memories.size() == 1);
  }
}

TEST_CASE("a tag that a journal has in two code points is found by both spellings, in all doors") {
  search_world w("vector=0,text=1,neighbours=0");
  const auto id = w.note("tea");
  const auto kept = w.target.get(id);
  REQUIRE(kept);
  // As it was exported before names were composed.
  put_record_request again{.head = kept->head, .version = kept->version, .vector = {}};
  again.head.tags = {"cafe\u0301", "tea"};
  REQUIRE(w.target.apply(again));
  CHECK(w.target.get(id)->head->tags == again.head.tags);
  for (const char* tag : {"cafe\u0301", "caf\u00E9"}) {
    auto r = asking("tea");
    r.tag = tag;
    CHECK(same_ids(w.search(r), {id}));
    find_request f;
    f.types = {memory_type::note};
    f.limit = 5;
    f.where = predicate{has_tag_predicate{tag}};
    CHECK(w.target.find(f)->memories.size() == 1);
    // Beside what the record alone can decide.
    or_predicate either;
    either.items.push_back(
        predicate{compare_predicate{comparison::eq, "version.created_by", std::string("x")}});
    either.items.push_back(predicate{has_tag_predicate{tag}});
    f.where = predicate{std::move(either)};
    CHECK(w.target.find(f)->memories.size() == 1);
  }
}

TEST_CASE("8: the status is asked of memories alone and opens no archived chunk") {
  search_world w("vector=0,text=1,neighbours=0");
  const auto filed = w.note("green tea", with_status(lifecycle_status::archived));
  const auto page = w.chunk("tea.md", "green tea");
  w.set_lifecycle(w.chunk("old.md", "green tea"), with_status(lifecycle_status::archived));

  auto r = asking("tea");
  r.status = search_status::archived;
  const auto answer = w.search(r);
  CHECK(same_ids(answer, {filed, page}));
  CHECK(answer.coverage.content.searched == 1);
}

TEST_CASE("108: what is superseded or replaced is hidden, and shown with include_archived") {
  search_world w;
  const auto old_note = w.note("tea at four");
  const auto new_note = w.note("tea at five");
  w.edge(new_note, edge_type::supersedes, old_note);
  const auto old_decision = w.decision("tea is served cold");
  const auto new_decision = w.decision("tea is served hot", old_decision);
  CHECK(same_ids(w.search("tea"), {new_note, new_decision}));
  CHECK(w.search("tea").coverage.memory.superseded == 2);
  auto r = asking("tea");
  r.include_archived = true;
  CHECK(same_ids(w.search(r), {old_note, new_note, old_decision, new_decision}));
  CHECK(w.search(r).coverage.memory.superseded == 0);
  w.tombstone(new_decision);
  w.tombstone(new_note);
  CHECK(same_ids(w.search("tea"), {old_note, old_decision}));
}

TEST_CASE("108: what an asker cannot see hides nothing of its own") {
  search_world w;
  const auto written_by = [](std::string actor, memory_type type, memory_data data) {
    write_request r;
    r.actor = std::move(actor);
    r.type = type;
    r.data = std::move(data);
    return r;
  };
  const auto tea = w.put(written_by("ana", memory_type::note, {{"statement", std::string("tea")}}));
  const auto over =
      w.put(written_by("ben", memory_type::decision,
                       {{"statement", std::string("tea is over")}, {"replaces", tea}}));
  const auto newer = w.put(written_by("ben", memory_type::note, {{"statement", std::string("z")}}));
  w.edge(newer, edge_type::supersedes, tea);
  auto r = asking("tea");
  CHECK(same_ids(w.search(r), {tea, over})); // nor what is another's
  r.actor = "ana";
  CHECK(same_ids(w.search(r), {tea}));
}

TEST_CASE("108: nobody takes another's memory out of answers, but for its own actor and the host") {
  search_world w;
  const auto written_by = [&](std::string actor, std::optional<memory_id> replaces = {}) {
    write_request r;
    r.actor = std::move(actor);
    r.type = replaces ? memory_type::decision : memory_type::note;
    r.visibility = visibility::actor_public;
    r.data = {{"statement", std::string(replaces ? "over" : "tea")}};
    if (replaces) r.data["replaces"] = *replaces;
    return w.put(r);
  };
  auto r = asking("tea");
  const auto tea = written_by("ana");
  w.edge(written_by("ben"), edge_type::supersedes, tea);
  written_by("ben", tea);
  for (const auto* asker : {"", "ana", "ben", "cy"}) {
    r.actor = asker;
    CHECK(std::ranges::count(ids_of(w.search(r)), tea) == 1);
  }
  SECTION("by an edge of its actor's") {
    w.edge(written_by("ana"), edge_type::supersedes, tea);
  }
  SECTION("by a decision of its actor's") {
    written_by("ana", tea);
  }
  SECTION("by an edge of the host's") {
    w.edge(written_by(""), edge_type::supersedes, tea);
  }
  SECTION("by a decision of the host's") {
    written_by("", tea);
  }
  for (const auto* asker : {"", "ana", "ben", "cy"}) {
    r.actor = asker;
    CHECK(std::ranges::count(ids_of(w.search(r)), tea) == 0);
  }
}

TEST_CASE("filters: type, project, status, origin, tag, due, atomic") {
  search_world w;
  lifecycle l;
  l.project = "kitchen";
  l.origin = lifecycle_origin::hook;
  l.atomic = true;
  l.status = lifecycle_status::open;
  l.due_date = timestamp{test_start.ns + one_day_ns};
  const auto all_of_it = w.note("tea", l);
  w.note("tea");
  w.decision("tea");
  const auto only = [&](auto set) {
    auto r = asking("tea");
    r.source = search_source::memory;
    set(r);
    return ids_of(w.search(r)) == ids{all_of_it};
  };
  CHECK(only([](auto& r) { r.project = "kitchen"; }));
  CHECK(only([](auto& r) { r.origin = lifecycle_origin::hook; }));
  CHECK(only([](auto& r) { r.atomic_only = true; }));
  CHECK(only([](auto& r) { r.status = search_status::open; }));
  CHECK(only([&](auto& r) { r.due_after = l.due_date; }));
  CHECK(only([&](auto& r) { r.due_before = l.due_date; }));
  auto r = asking("tea");
  r.project = "kitchen";
  r.type = memory_type::decision;
  CHECK(w.search(r).results.empty());
  r.project = "kitch";
  r.type = {};
  CHECK(w.search(r).results.empty());
}

TEST_CASE("overdue is computed from due_date and now") {
  search_world w;
  const auto due =
      w.note("tea", with_status(lifecycle_status::waiting, timestamp{test_start.ns + one_day_ns}));
  w.note("tea too", with_status(lifecycle_status::resolved, test_start));
  CHECK(!w.search("tea").results.front().overdue);
  w.pass(2);
  auto r = asking("tea");
  r.status = search_status::overdue;
  const auto answer = w.search(r);
  CHECK(ids_of(answer) == ids{due});
  CHECK(answer.results.front().overdue);
}

TEST_CASE("lifecycle moves that are not allowed are bad_transition") {
  search_world w;
  const auto id = w.note("tea", with_status(lifecycle_status::resolved));
  update_head_request r{};
  r.uri = w.uri(id);
  r.lifecycle = with_status(lifecycle_status::waiting);
  auto refused = w.target.apply(r);
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::bad_transition);
  r.lifecycle = with_status(lifecycle_status::open);
  CHECK(w.target.apply(r));
}

TEST_CASE("106: recency and updated order memories by time, then chunks by score") {
  search_world w;
  const auto first = w.note("tea tea tea");
  const auto page = w.chunk("a.md", "tea");
  w.pass(1);
  const auto second = w.note("tea and much else");
  w.pass(1);
  w.set_lifecycle(first, with_status(lifecycle_status::open));
  auto r = asking("tea");
  r.sort = search_sort::recency;
  CHECK(ids_of(w.search(r)) == ids{second, first, page});
  r.sort = search_sort::updated;
  CHECK(ids_of(w.search(r)) == ids{first, second, page});
}

TEST_CASE("107: auto is hybrid when the query asks for the newest, else relevance") {
  search_world w;
  w.note("tea");
  CHECK(w.search("the LATEST tea?").sort == search_sort::hybrid);
  CHECK(w.search("what tea these days").sort == search_sort::hybrid);
  CHECK(w.search("recently").sort == search_sort::hybrid);
  CHECK(w.search("tea of last week").sort == search_sort::relevance);
  CHECK(w.search("knowing these teas, days").sort == search_sort::relevance);
}

TEST_CASE("135: hybrid mixes recency in, raw_score is from before") {
  search_world w;
  const auto best = w.note("tea tea");
  w.note("tea or other drinks");
  w.pass(900);
  const auto newest = w.note("tea or some other drinks");
  auto r = asking("tea");
  CHECK(w.search(r).results.front().uri.id == best);
  r.sort = search_sort::hybrid;
  const auto answer = w.search(r);
  const auto& top = answer.results.front();
  CHECK((top.uri.id == newest || top.uri.id == best));
  for (const auto& hit : answer.results)
    if (hit.uri.id == best) CHECK(hit.raw_score == 1.0);
}

TEST_CASE("content: at most two chunks of one path") {
  search_world w;
  for (int i = 0; i < 4; ++i) w.chunk("a.md", "tea number " + std::to_string(i), i);
  w.chunk("b.md", "tea elsewhere");
  const auto answer = w.search("tea");
  CHECK(answer.results.size() == 3);
  CHECK(answer.coverage.content.cut == 2);
  CHECK(answer.coverage.content.indexed_sources == 2);
}

TEST_CASE("content: the raw floor of 0.3, and include_low_relevance") {
  search_world w;
  w.chunk("a.md", "tea tea tea tea");
  std::string weak = "tea";
  for (int i = 0; i < 200; ++i) weak += " word" + std::to_string(i);
  w.chunk("b.md", weak);
  for (int i = 0; i < 8; ++i) w.chunk("c" + std::to_string(i), "boat");
  CHECK(w.search("tea").coverage.content.below_floor == 1);
  auto r = asking("tea");
  r.include_low_relevance = true;
  CHECK(w.search(r).results.size() == 2);
}

TEST_CASE("content: a chunk with a live promotion is hidden, and counted before searched") {
  search_world w;
  const auto page = w.chunk("a.md", "tea is at five");
  const auto made = w.note("tea at five");
  REQUIRE(w.target.promote({.chunk = page, .memory = made, .actor = {}}));
  auto answer = w.search("tea");
  CHECK(ids_of(answer) == ids{made});
  CHECK(answer.coverage.content.promoted_hidden == 1);
  CHECK(answer.coverage.content.searched == 0);
  w.tombstone(made);
  CHECK(ids_of(w.search("tea")) == ids{page});
}

TEST_CASE("promote refuses what is no chunk, and no memory") {
  search_world w;
  const auto page = w.chunk("a.md", "tea");
  const auto made = w.note("tea");
  CHECK(w.target.promote({made, page, {}}).error().code == errc::type_data_mismatch);
  CHECK(w.target.promote({page, page, {}}).error().code == errc::type_data_mismatch);
  CHECK(w.target.promote({page, memory_id{}, {}}).error().at == "memory");
  w.tombstone(made);
  CHECK(w.target.promote({page, made, {}}).error().code == errc::tombstoned);
}

TEST_CASE("content: source_filter and content_source_type; what matches no path is reported") {
  search_world w;
  const auto page = w.chunk("docs/tea.md", "tea");
  w.chunk("src/boat.cpp", "tea");
  auto r = asking("tea");
  r.source_filter = "docs/";
  CHECK(ids_of(w.search(r)) == ids{page});
  CHECK(w.search(r).coverage.requested_sources_not_found.empty());
  r.source_filter = "nowhere";
  const auto answer = w.search(r);
  CHECK(answer.results.empty());
  CHECK(answer.coverage.requested_sources_not_found == std::vector<std::string>{"nowhere"});
  r.source_filter = {};
  r.content_source = chunk_source::github;
  CHECK(w.search(r).results.empty());
}

TEST_CASE("108: memory_ids looks up in the given order, duplicates once, filters ignored") {
  search_world w;
  const auto a = w.note("one", with_status(lifecycle_status::archived));
  const auto b = w.note("two");
  const auto page = w.chunk("a.md", "three");
  search_request r;
  r.memory_ids = {b, a, b, page, memory_id{}};
  r.limit = 1;
  r.project = "none";
  const auto answer = w.search(r);
  CHECK(ids_of(answer) == ids{b, a});
  CHECK(answer.results.front().score == 1.0);
  CHECK(answer.coverage.not_found_ids == ids{page, memory_id{}});
}

TEST_CASE("include_lineage: the chain through replaces in both directions") {
  search_world w;
  const auto a = w.decision("first");
  const auto b = w.decision("second", a);
  const auto c = w.decision("third", b);
  const auto d = w.decision("fourth", c);
  search_request r;
  r.memory_ids = {c};
  r.include_lineage = true;
  const auto answer = w.search(r);
  REQUIRE(answer.results.size() == 1);
  REQUIRE(answer.results.front().lineage);
  const auto& chain = *answer.results.front().lineage;
  REQUIRE(chain.ancestors.size() == 2);
  CHECK(chain.ancestors[0].uri.id == a);
  CHECK(chain.ancestors[1].uri.id == b);
  REQUIRE(chain.descendants.size() == 1);
  CHECK(chain.descendants[0].uri.id == d);
  CHECK(!chain.truncated);
}

TEST_CASE("include_lineage: what was superseded is in the chain, what was tombstoned is not") {
  search_world w;
  const auto a = w.decision("first");
  const auto b = w.decision("second", a);
  const auto c = w.decision("third", b);
  tombstone_request over;
  over.uri = w.uri(b);
  over.cause = tombstone_cause::superseded;
  over.superseded_by = c;
  REQUIRE(w.target.apply(over));
  search_request r;
  r.memory_ids = {c};
  r.include_lineage = true;
  CHECK(w.search(r).results.front().lineage->ancestors.size() == 2);
  over = {};
  over.uri = w.uri(a);
  REQUIRE(w.target.apply(over));
  const auto chain = *w.search(r).results.front().lineage;
  REQUIRE(chain.ancestors.size() == 1);
  CHECK(chain.ancestors[0].uri.id == b);
}

TEST_CASE("include_lineage: cycles stop, and depth 10 truncates") {
  search_world w;
  const memory_id own = w.decision("self");
  update_request cycle{};
  cycle.uri = w.uri(own);
  cycle.data = {{"statement", std::string("self")}, {"replaces", own}};
  REQUIRE(w.target.apply(cycle));
  search_request r;
  r.include_lineage = true;
  r.memory_ids = {own};
  CHECK(w.search(r).results.front().lineage->ancestors.empty());
  memory_id last = w.decision("0");
  const memory_id first = last;
  for (int i = 1; i <= 12; ++i) last = w.decision(std::to_string(i), last);
  r.memory_ids = {last, first};
  const auto answer = w.search(r);
  CHECK(answer.results[0].lineage->ancestors.size() == 10);
  CHECK(answer.results[0].lineage->truncated);
  CHECK(answer.results[1].lineage->descendants.size() == 10);
  CHECK(answer.results[1].lineage->truncated);
}

TEST_CASE("include_lineage without memory_ids is ignored, with a note") {
  search_world w;
  w.decision("tea");
  auto r = asking("tea");
  r.include_lineage = true;
  const auto answer = w.search(r);
  CHECK(!answer.results.front().lineage);
  CHECK(answer.coverage.notes.size() == 2);
}

TEST_CASE("atomic_only with source_type content: empty, a note, no error") {
  search_world w;
  w.chunk("a.md", "tea");
  auto r = asking("tea");
  r.atomic_only = true;
  r.source = search_source::content;
  const auto answer = w.search(r);
  CHECK(answer.results.empty());
  CHECK(answer.coverage.content.searched == 0);
  CHECK(!answer.coverage.notes.empty());
}

TEST_CASE("audience: the binding applies unless the request says otherwise") {
  search_world w("", "none", lifecycle_audience::work);
  lifecycle work;
  work.audience = lifecycle_audience::work;
  lifecycle personal;
  personal.audience = lifecycle_audience::personal;
  const auto at_work = w.note("tea", work);
  const auto at_home = w.note("tea", personal);
  const auto answer = w.search("tea");
  CHECK(ids_of(answer) == ids{at_work});
  CHECK(answer.applied_audience == search_audience::work);
  auto r = asking("tea");
  r.audience = search_audience::all;
  CHECK(same_ids(w.search(r), {at_work, at_home}));
  r.audience = search_audience::personal;
  CHECK(ids_of(w.search(r)) == ids{at_home});
  search_world unbound;
  unbound.note("tea", work);
  CHECK(!unbound.search("tea").applied_audience);
}

TEST_CASE("visibility: an asker finds its own and what is public, by words and by id") {
  search_world w;
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::string("tea of ana");
  r.actor = "ana";
  const auto of_ana = w.put(r);
  r.data["statement"] = std::string("tea for everybody");
  r.visibility = visibility::actor_public;
  const auto of_all = w.put(r);
  auto s = asking("tea");
  s.actor = "bo";
  CHECK(ids_of(w.search(s)) == ids{of_all});
  CHECK(w.search(s).coverage.memory.searched == 1);
  s.memory_ids = {of_ana, of_all};
  CHECK(w.search(s).coverage.not_found_ids == ids{of_ana});
  s.actor = "ana";
  CHECK(ids_of(w.search(s)) == ids{of_ana, of_all});
}

TEST_CASE("neighbours: a turn gains by the turn right before or after it") {
  search_world w("vector=0,text=1,k1=1.2,b=0,b_short=0,neighbours=0.5");
  const auto question = w.note("where did we have tea");
  const auto reply = w.note("at the old harbour");
  w.note("nothing of that");
  CHECK(w.search("tea").results.size() == 1);
  w.edge(question, edge_type::related_to, reply, "next");
  const auto answer = w.search("tea");
  CHECK(ids_of(answer) == ids{question, reply});
  CHECK(answer.results[1].raw_score == Approx(0.5));
  // The last such edge goes: the past still has it.
  const seq_no with_edge = w.target.published();
  remove_edge_request gone{};
  gone.src = question;
  gone.dst = reply;
  gone.type = static_cast<std::uint8_t>(edge_type::related_to);
  REQUIRE(w.target.apply(gone));
  CHECK(ids_of(w.search("tea")) == ids{question});
  search_request past;
  past.query = "tea";
  past.similarity_floor = 0;
  past.at_seq = with_edge;
  CHECK(ids_of(w.search(past)) == ids{question, reply});
  // Other kinds of the same edge type say nothing of order.
  search_world other("vector=0,text=1,neighbours=0.5");
  const auto a = other.note("tea");
  other.edge(a, edge_type::related_to, other.note("harbour"), "like");
  CHECK(other.search("tea").results.size() == 1);
}

TEST_CASE("vectors: cosine and bm25 are mixed as the weights say") {
  search_world w("vector=0.8,text=0.2");
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::string("north");
  r.vector = std::vector<float>{0, 1};
  const auto north = w.put(r);
  r.data["statement"] = std::string("east tea");
  r.vector = std::vector<float>{1, 0};
  const auto east = w.put(r);
  auto s = asking("tea");
  s.vector = std::vector<float>{0, 1};
  s.explain = true;
  const auto answer = w.search(s);
  CHECK(ids_of(answer) == ids{north, east});
  CHECK(answer.results[0].raw_score == Approx(0.8));
  CHECK(answer.results[1].raw_score == Approx(0.2));
  CHECK(answer.results[0].parts->vector == Approx(1.0));
  CHECK(answer.results[1].parts->text == Approx(1.0));
}

TEST_CASE("hits: title, excerpt of 600 bytes at a code-point boundary, metadata") {
  search_world w;
  write_request r;
  r.type = memory_type::chunk;
  std::string content = "tea ";
  while (content.size() < 700) content += "ä";
  r.data = {{"content", content}, {"path", std::string("a.md")}};
  r.metadata["key"] = std::string("mine");
  w.put(r);
  const auto answer = w.search("tea");
  const auto& hit = answer.results.front();
  CHECK(hit.truncated);
  CHECK(hit.content.size() == 600);
  CHECK(content.starts_with(hit.content));
  CHECK(hit.path == "a.md");
  CHECK(std::get<std::string>(hit.metadata.at("key")) == "mine");
}

TEST_CASE("budget_tokens: hits are packed as they are ranked, whatever still fits") {
  search_world w;
  const auto small = w.note("tea");
  w.pass(1);
  const auto middle = w.note("tea and a kettle");
  w.pass(1);
  const auto best = w.note("green tea, and green tea again");
  auto r = asking("green tea");
  const auto packed = [&](std::int64_t budget) {
    r.budget_tokens = budget;
    const auto answer = w.search(r);
    CHECK(answer.form == form_kind::medium);
    CHECK(answer.tokens <= budget);
    CHECK(answer.coverage.memory.cut == 3 - std::ssize(answer.results));
    return ids_of(answer);
  };
  CHECK(packed(100) == ids{best, small, middle});
  CHECK(packed(13) == ids{best, small, middle}); // of 8, 1 and 4 tokens
  CHECK(packed(12) == ids{best, small});
  CHECK(packed(8) == ids{best}); // worth less per token than the small one, but it ranks higher
  CHECK(packed(7) == ids{small, middle});
  CHECK(packed(3) == ids{small});
}

TEST_CASE("at_seq: a search of the past answers as it did then") {
  search_world w;
  const auto a = w.note("green tea");
  const auto b = w.note("black tea");
  const seq_no then = w.target.published();
  const auto before = w.search("tea");
  w.tombstone(a);
  w.note("tea tea tea");
  w.set_lifecycle(b, with_status(lifecycle_status::archived));
  auto r = asking("tea");
  r.at_seq = then;
  const auto again = w.search(r);
  REQUIRE(ids_of(again) == ids_of(before));
  for (std::size_t i = 0; i < again.results.size(); ++i)
    CHECK(again.results[i].raw_score == before.results[i].raw_score);
}

TEST_CASE("a search reinforces nothing and moves no root") {
  search_world w;
  w.note("tea");
  const auto root = w.target.root()->overall;
  const auto seq = w.target.published();
  w.search("tea");
  w.search("tea");
  CHECK(w.target.root()->overall == root);
  CHECK(w.target.published() == seq);
  CHECK(w.search("tea").results.front().uri.version == 1);
}

TEST_CASE("refusals of search") {
  search_world w;
  CHECK(w.refusal(asking("  ")) == errc::empty_query);
  auto r = asking("tea");
  r.limit = 0;
  CHECK(w.refusal(r) == errc::out_of_range);
  r = asking("tea");
  r.similarity_floor = 1.5;
  CHECK(w.refusal(r) == errc::out_of_range);
  r = asking("tea");
  r.vector = std::vector<float>{};
  CHECK(w.refusal(r) == errc::bad_vector);
  r = asking("tea");
  r.type = memory_type::chunk;
  CHECK(w.refusal(r) == errc::bad_value);
  r = asking("tea");
  r.budget_tokens = 0;
  CHECK(w.refusal(r) == errc::out_of_range);
}

TEST_CASE("147: weights are checked, kept by the world, and echoed") {
  CHECK(parse_search_weights("k1=2,b=0.5", "none")->k1 == 2);
  CHECK(parse_search_weights("b=2", "none").error().code == errc::out_of_range);
  CHECK(parse_search_weights("bee=1", "none").error().code == errc::bad_value);
  CHECK(parse_search_weights("vector=0,text=0", "none").error().code == errc::out_of_range);
  CHECK(*parse_search_weights("", "none") == search_weights{});
  // Those of a host are tuned alike, but what its cosines are worth by themselves is not known.
  CHECK(*parse_search_weights("least_match=0.25", "host:m") == default_search_weights("hash:384"));
  CHECK(parse_search_weights("", "host:m")->least_match == 0);
  CHECK(*parse_search_weights("", "hash:384") == default_search_weights("hash:384"));
  const auto tuned = default_search_weights("hash:384");
  CHECK(*parse_search_weights(to_string(tuned), "none") == tuned);
  search_world w("k1=3");
  w.note("tea");
  CHECK(w.search("tea").coverage.notes.front().contains("k1=3,"));
}
