// The change feed: what each entry is told as and to whom, pages, filters, waiting, subscriptions.
// Of: query/changes/changes.cpp, query/changes/told_change.cpp, query/changes/change_match.cpp
// Of: actors/engine_changes.cpp, actors/feed_carrier.cpp, state/commit/feed_head.cpp
// Of: actors/change_pages.cpp, journal/frame_scan.cpp, journal/frame_places.cpp
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <random>
#include <thread>

#include "tests/actors/facts_site.hpp"
#include "tests/actors/world_at_noon.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

changes_result told(engine& e, changes_request r) {
  auto page = e.changes(std::move(r));
  if (!page) FAIL(page.error().message << " at " << page.error().at);
  return std::move(*page);
}

changes_request from(std::uint64_t since) {
  changes_request r;
  r.since = seq_no{since};
  return r;
}

changes_request from_for(std::uint64_t since, std::string actor) {
  changes_request r = from(since);
  r.actor = std::move(actor);
  return r;
}

std::vector<change_kind> kinds_of(const changes_result& page) {
  std::vector<change_kind> kinds;
  for (const change& c : page.changes) kinds.push_back(c.kind);
  return kinds;
}

std::vector<std::uint64_t> seqs_of(const changes_result& page) {
  std::vector<std::uint64_t> seqs;
  for (const change& c : page.changes) seqs.push_back(c.seq.value);
  return seqs;
}

add_edge_request edge(const memory_id& src, const memory_id& dst, std::string actor = "") {
  add_edge_request r;
  r.src = src;
  r.type = static_cast<std::uint8_t>(edge_type::references);
  r.dst = dst;
  r.actor = std::move(actor);
  return r;
}

remove_edge_request no_edge(const memory_id& src, const memory_id& dst) {
  remove_edge_request r;
  r.src = src;
  r.type = static_cast<std::uint8_t>(edge_type::references);
  r.dst = dst;
  return r;
}

using enum change_kind;
using kinds = std::vector<change_kind>;
using seqs = std::vector<std::uint64_t>;

/// Subscribes to everything from the start, and keeps what it is told.
struct listener {
  std::mutex guard;
  std::vector<std::uint64_t> heard;
  std::condition_variable more;

  std::function<void(const change&)> ear() {
    return [this](const change& c) {
      const std::scoped_lock lock(guard);
      heard.push_back(c.seq.value);
      more.notify_all();
    };
  }
  void await(std::size_t count) {
    std::unique_lock lock(guard);
    more.wait(lock, [&] { return heard.size() >= count; });
  }
  std::vector<std::uint64_t> all() {
    const std::scoped_lock lock(guard);
    return heard;
  }
};

bool counts_from_one(const std::vector<std::uint64_t>& heard) {
  for (std::size_t i = 0; i < heard.size(); ++i)
    if (heard[i] != i + 1) return false;
  return true;
}

} // namespace

TEST_CASE("each entry is a change in terms of memories, in order") {
  engine e = world_of();
  const memory_uri first = put(e, note_by(1, "tea at five"));
  const memory_uri second = put(e, note_by(2, "rain"));
  update_request again;
  again.uri = first;
  again.data = memory_data{{"statement", "tea at six"}};
  again.actor = "bo";
  REQUIRE(e.apply(again));
  update_head_request head;
  head.uri = first;
  head.tags = std::vector<std::string>{"tea"};
  head.importance = 9;
  REQUIRE(e.apply(head));
  REQUIRE(e.apply(edge(id_of(1), id_of(2))));
  REQUIRE(e.apply(no_edge(id_of(1), id_of(2))));
  tombstone_request gone;
  gone.uri = second;
  gone.reason = "over";
  gone.cause = tombstone_cause::wrong;
  REQUIRE(e.apply(gone));
  REQUIRE(e.apply(restore_request{.id = id_of(2), .actor = {}}));

  const auto page = told(e, from(0));
  CHECK(kinds_of(page)
        == kinds{written, written, updated, head_changed, edge_added, edge_removed, tombstoned,
                 restored});
  CHECK(seqs_of(page) == seqs{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(page.next == e.published());
  CHECK(page.seq == e.published());
  CHECK_FALSE(page.more);
  const auto& c = page.changes;
  CHECK(c[0].id == id_of(1));
  CHECK(c[0].type == memory_type::note);
  CHECK(c[0].version == 1);
  CHECK(c[0].made_by == "ana");
  CHECK(c[2].version == 2);
  CHECK(c[2].made_by == "bo");
  CHECK(std::ranges::find(c[2].fields, "data.statement") != c[2].fields.end());
  CHECK(c[3].fields == std::vector<std::string>{"tags", "importance"});
  CHECK(c[4].edge == edge_key{id_of(1), edge_type::references, id_of(2)});
  CHECK(c[6].cause == tombstone_cause::wrong);
}

TEST_CASE("topics, tags, weights and uses are told; uses where they are asked for") {
  engine e = world_of();
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.topic_id = id_of(1);
  topic.title = "Harbour";
  topic.actor = "ana";
  topic.fields.emplace_back().name = "opens";
  topic.fields.back().value.node = std::string("six");
  REQUIRE(e.apply(topic));
  assign_tag_request tag_request;
  tag_request.tag = "honey";
  tag_request.zone = colour_zone::mid;
  REQUIRE(e.apply(tag_request));
  put(e, note_by(2));
  find_request late = notes();
  late.late_binding = true;
  REQUIRE(e.find(late));
  REQUIRE(e.snapshot("now"));

  changes_request r = from(0);
  const auto page = told(e, r);
  CHECK(page.changes[0].kind == written);
  CHECK(page.changes[1].kind == field_changed);
  CHECK(page.changes[1].id == id_of(1));
  CHECK(page.changes[1].fields == std::vector<std::string>{"opens"});
  CHECK(std::ranges::none_of(page.changes, [](const change& c) { return is_use(c.kind); }));
  const auto tag = std::ranges::find(page.changes, tag_assigned, &change::kind);
  REQUIRE(tag != page.changes.end());
  CHECK(tag->name == "honey");
  CHECK(page.changes.back().kind == snapshot_taken);

  r.filter.kinds = {found};
  const auto uses = told(e, r);
  REQUIRE(uses.changes.size() == 1);
  CHECK(uses.changes[0].used == std::vector<memory_id>{id_of(2)});
  CHECK_FALSE(uses.changes[0].id);
  r.actor = "bo"; // who looked for what is ana's business
  CHECK(told(e, r).changes.empty());
  r.actor = "ana";
  CHECK(told(e, r).changes.size() == 1);
}

TEST_CASE("a filter asks of the memory as the change left it, of an edge of either end") {
  engine e = world_of();
  write_request tea = note_by(1, "tea");
  tea.tags = {"tea", "warm"};
  tea.id.reset();
  const auto was_put = e.put({"town", "tea"}, tea);
  REQUIRE(was_put);
  put(e, note_by(2, "rain", "bo"));
  put(e, of_type(memory_type::blocker, 3, {{"statement", "it rains"}}, "bo"));
  REQUIRE(e.apply(edge(id_of(3), was_put->uri->id, "cy")));
  REQUIRE(e.snapshot("now"));

  const auto of = [&](auto set) {
    changes_request r = from(0);
    set(r.filter);
    return seqs_of(told(e, r));
  };
  CHECK(of([](change_filter& f) { f.types = {memory_type::blocker}; }) == seqs{3, 4});
  CHECK(of([](change_filter& f) { f.owners = {"bo"}; }) == seqs{2, 3, 4});
  CHECK(of([](change_filter& f) { f.made_by = {"bo"}; }) == seqs{2, 3});
  CHECK(of([](change_filter& f) { f.made_by = {"", "cy"}; }) == seqs{4, 5});
  CHECK(of([](change_filter& f) { f.namespaces = {"town"}; }) == seqs{1, 4});
  CHECK(of([](change_filter& f) { f.tags = {"warm", "tea"}; }) == seqs{1, 4});
  CHECK(of([](change_filter& f) { f.tags = {"warm", "cold"}; }).empty());
  CHECK(of([](change_filter& f) { f.ids = {id_of(2)}; }) == seqs{2});
  CHECK(of([](change_filter& f) { f.kinds = {edge_added, snapshot_taken}; }) == seqs{4, 5});
}

TEST_CASE("pages are cut anywhere and lose nothing; what is not wanted is passed") {
  engine e = world_of();
  for (std::uint8_t i = 1; i <= 20; ++i) put(e, note_by(i, "text", i % 3 == 0 ? "bo" : "ana"));
  for (std::int64_t limit = 1; limit <= 21; ++limit) {
    changes_request r = from(0);
    r.limit = limit;
    seqs all;
    for (;;) {
      const auto page = told(e, r);
      CHECK(page.changes.size() <= static_cast<std::size_t>(limit));
      for (const auto seq : seqs_of(page)) all.push_back(seq);
      CHECK(page.more == (page.next < e.published()));
      if (!page.more) break;
      r.since = page.next;
    }
    CHECK(all.size() == 20);
    CHECK(counts_from_one(all));
  }
  changes_request r = from(0);
  r.filter.owners = {"nobody"};
  CHECK(told(e, r).next == e.published());
  // From now on.
  CHECK(told(e, {}).changes.empty());
  CHECK(told(e, {}).next == e.published());
}

TEST_CASE("a batch is one frame, and is cut like the rest") {
  engine e = world_of();
  std::vector<mutation> items;
  for (std::uint8_t i = 1; i <= 9; ++i) items.push_back(note_by(i));
  REQUIRE(e.write_batch(std::move(items)));
  put(e, note_by(10));
  changes_request r = from(4);
  r.limit = 3;
  CHECK(seqs_of(told(e, r)) == seqs{5, 6, 7});
  r.since = seq_no{7};
  CHECK(seqs_of(told(e, r)) == seqs{8, 9, 10});
}

TEST_CASE("an actor is told what it could have read then, and that it may see something no more") {
  engine e = world_of();
  put(e, note_by(1, "mine", "ana"));
  write_request open_note = note_by(2, "open", "bo");
  open_note.visibility = visibility::actor_public;
  const memory_uri theirs = put(e, open_note);
  put(e, note_by(3, "secret", "bo"));
  REQUIRE(e.apply(edge(id_of(1), id_of(2))));
  REQUIRE(e.apply(edge(id_of(1), id_of(3))));
  update_head_request shut;
  shut.uri = theirs;
  shut.visibility = visibility::private_;
  REQUIRE(e.apply(shut));
  REQUIRE(e.snapshot("now"));
  update_head_request opens = shut;
  opens.visibility = visibility::actor_public;
  REQUIRE(e.apply(opens));

  const auto page = told(e, from_for(0, "ana"));
  CHECK(seqs_of(page) == seqs{1, 2, 4, 6, 8});
  CHECK(kinds_of(page) == kinds{written, written, edge_added, hidden, head_changed});
  CHECK(page.changes[3].id == id_of(2));
  CHECK(page.changes[3].version == 0);
  CHECK(page.changes[3].made_by.empty());
  CHECK(page.changes[3].fields.empty());
  CHECK(page.next == e.published()); // what it is not told of is passed
  CHECK(seqs_of(told(e, from_for(0, "cy"))) == seqs{2, 6, 8});
  CHECK(seqs_of(told(e, from_for(0, "bo"))) == seqs{2, 3, 6, 8});
}

TEST_CASE("with the record a change has the memory as it was then") {
  engine e = world_of();
  const memory_uri first = put(e, note_by(1, "tea at five"));
  update_request again;
  again.uri = first;
  again.data = memory_data{{"statement", "tea at six"}};
  REQUIRE(e.apply(again));
  changes_request r = from(0);
  r.with_record = true;
  const auto page = told(e, r);
  for (const change& c : page.changes) {
    REQUIRE(c.record);
    const auto then = e.get(id_of(1), {.actor = {}, .at_seq = c.seq, .scope = {}});
    REQUIRE(then);
    CHECK(*c.record->version == *then->version);
    CHECK(*c.record->head == *then->head);
  }
}

TEST_CASE("what was erased is told as erased and gives nothing away") {
  scratch s;
  engine_options o = at_noon();
  o.directory = s.world();
  engine e = opened(o);
  put(e, note_by(1, "secret"));
  put(e, note_by(2, "kept"));
  CHECK(told(e, from(0)).changes.size() == 2); // what was read then is kept by nobody
  REQUIRE(e.erase({.ids = {id_of(1)}, .reason = "asked for", .by = "ana"}));
  changes_request r = from(0);
  r.with_record = true;
  const auto page = told(e, r);
  CHECK(kinds_of(page) == kinds{written, written, erased});
  CHECK(page.changes[0].content_erased);
  CHECK_FALSE(page.changes[0].id);
  CHECK_FALSE(page.changes[0].record);
  CHECK(page.changes[1].record);
  CHECK(page.changes[2].id == id_of(1));
  CHECK_FALSE(page.changes[2].record);
  // Nobody can say whether it was of a memory that is asked for, or open to whom.
  r.filter.ids = {id_of(1)};
  CHECK(kinds_of(told(e, r)) == kinds{erased});
  CHECK(kinds_of(told(e, from_for(0, "ana"))) == kinds{written, erased});
  CHECK(told(e, from_for(0, "bo")).changes.empty());
}

TEST_CASE("what is not right of a request is refused at its key") {
  engine e = world_of();
  put(e, note_by(1));
  const auto refusal = [&](auto set) {
    changes_request r = from(0);
    set(r);
    auto page = e.changes(std::move(r));
    REQUIRE_FALSE(page);
    return std::pair(page.error().code, page.error().at);
  };
  using pair = std::pair<errc, std::string>;
  CHECK(refusal([](auto& r) { r.limit = 0; }) == pair(errc::out_of_range, "limit"));
  CHECK(refusal([](auto& r) { r.limit = 1001; }) == pair(errc::out_of_range, "limit"));
  CHECK(refusal([](auto& r) { r.wait_ms = -1; }) == pair(errc::out_of_range, "wait_ms"));
  CHECK(refusal([](auto& r) { r.wait_ms = 60'001; }) == pair(errc::out_of_range, "wait_ms"));
  CHECK(refusal([](auto& r) { r.deadline_ms = 0; }) == pair(errc::out_of_range, "deadline_ms"));
  CHECK(refusal([](auto& r) { r.since = seq_no{2}; }) == pair(errc::seq_unavailable, "since"));
}

TEST_CASE("an answer holds what it may; what does not fit is the next page's") {
  engine_options o = at_noon();
  o.max_answer_bytes = 4'000;
  engine e = world_of(o);
  for (std::uint8_t i = 1; i <= 20; ++i) put(e, note_by(i, std::string(300, 'x')));
  changes_request r = from(0);
  r.with_record = true;
  seqs all;
  int pages = 0;
  for (bool more = true; more; ++pages) {
    const auto page = told(e, r);
    for (const auto seq : seqs_of(page)) all.push_back(seq);
    r.since = page.next;
    more = page.more;
  }
  CHECK(all.size() == 20);
  CHECK(counts_from_one(all));
  CHECK(pages > 3);
}

TEST_CASE("what a power cut may take back is told where it is asked for") {
  scratch s;
  engine_options o = at_noon();
  o.directory = s.world();
  engine e = opened(o);
  put(e, note_by(1));
  REQUIRE(e.apply(note_by(2), durability::relaxed));
  CHECK(seqs_of(told(e, from(0))) == seqs{1});
  CHECK(told(e, from(0)).seq == seq_no{1});
  CHECK(told(e, from(2)).next == seq_no{2}); // who was told of it goes on behind it
  changes_request all = from(0);
  all.include_unsynced = true;
  CHECK(seqs_of(told(e, all)) == seqs{1, 2});
  put(e, note_by(3)); // makes both durable
  CHECK(seqs_of(told(e, from(0))) == seqs{1, 2, 3});
}

TEST_CASE("random worlds, read on from anywhere after they were opened again, give the same") {
  const auto seed = GENERATE(range(1U, 6U));
  std::mt19937 draw(seed);
  const auto below = [&](unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(draw);
  };
  scratch s;
  engine_options o = at_noon();
  o.directory = s.world();
  seqs heard;
  seq_no since;
  std::uint64_t wrote = 0;
  for (int round = 0; round < 6; ++round) {
    engine e = opened(o);
    for (unsigned i = below(20); i > 0; --i) {
      if (below(3) == 0) {
        std::vector<mutation> items;
        for (unsigned k = 1 + below(4); k > 0; --k, ++wrote) items.push_back(fact("x"));
        REQUIRE(e.write_batch(std::move(items)));
      } else {
        REQUIRE(e.apply(fact("y")));
        ++wrote;
      }
      if (below(2) == 0) continue;
      changes_request r;
      r.since = since;
      r.limit = 1 + below(7);
      const auto page = told(e, r);
      for (const auto seq : seqs_of(page)) heard.push_back(seq);
      since = page.next;
    }
    if (below(2) == 0) REQUIRE(e.checkpoint());
  }
  engine e = opened(o);
  changes_request r;
  r.since = since;
  r.limit = 1'000;
  for (const auto seq : seqs_of(told(e, r))) heard.push_back(seq);
  CHECK(heard.size() == wrote);
  CHECK(counts_from_one(heard));
}

TEST_CASE("who waits is answered when something comes that is wanted") {
  engine e = world_of();
  put(e, note_by(1));
  changes_request r;
  r.wait_ms = 60'000;
  r.filter.owners = {"bo"};
  r.since = e.published();
  auto waiting = std::async(std::launch::async, [&] { return e.changes(r); });
  put(e, note_by(2)); // is not wanted
  put(e, note_by(3, "text", "bo"));
  auto page = waiting.get();
  REQUIRE(page);
  CHECK(seqs_of(*page) == seqs{3});
  // Nothing comes: the time is over.
  r.wait_ms = 1;
  r.since = page->next;
  page = e.changes(r);
  REQUIRE(page);
  CHECK(page->changes.empty());
  // Nobody waits any more.
  r.wait_ms = 60'000;
  auto last = std::async(std::launch::async, [&] { return e.changes(r); });
  e.stop_waiting();
  REQUIRE(last.get());
  REQUIRE(e.changes(r));
}

TEST_CASE("closing ends who waits") {
  engine e = world_of();
  changes_request r;
  r.wait_ms = 60'000;
  std::atomic<bool> begins{false};
  auto waiting = std::async(std::launch::async, [&] {
    begins = true;
    return e.changes(r);
  });
  while (!begins) std::this_thread::yield();
  REQUIRE(e.close());
  const auto page = waiting.get();
  CHECK((page || page.error().code == errc::shutdown));
}

TEST_CASE(
    "subscriptions hear everything in order and once, whoever writes and however many they are") {
  scratch s;
  engine_options o;
  o.directory = s.world();
  o.embedder_spec = "none";
  engine e = opened(o);
  std::array<listener, 5> ears;
  std::vector<subscription> subscribed;
  for (auto& l : ears) {
    auto made = e.subscribe(from(0), l.ear());
    REQUIRE(made);
    subscribed.push_back(std::move(*made));
  }
  std::vector<std::thread> writers;
  for (int t = 0; t < 3; ++t)
    writers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) (void)e.apply(fact("x"));
    });
  for (auto& t : writers) t.join();
  for (auto& l : ears) {
    l.await(150);
    CHECK(l.all().size() == 150);
    CHECK(counts_from_one(l.all()));
  }
  for (auto& sub : subscribed) {
    CHECK_FALSE(sub.ended());
    sub.stop();
    CHECK(sub.next() == seq_no{150});
  }
  REQUIRE(e.apply(fact("nobody hears it")));
  for (auto& l : ears) CHECK(l.all().size() == 150);
}

TEST_CASE("a subscriber that stands still holds up nobody, and goes on where it was") {
  engine e = world_of();
  std::promise<void> goes_on;
  auto gate = goes_on.get_future().share();
  listener slow;
  auto made = e.subscribe(from(0), [&, hear = slow.ear()](const change& c) {
    gate.wait();
    hear(c);
  });
  REQUIRE(made);
  for (std::uint8_t i = 1; i <= 50; ++i) put(e, note_by(i)); // all answered
  CHECK(slow.all().empty());
  goes_on.set_value();
  slow.await(50);
  CHECK(counts_from_one(slow.all()));
}

TEST_CASE("a subscription ends from inside its call, with its owner, and with the engine") {
  engine e = world_of();
  put(e, note_by(1));
  put(e, note_by(2));
  {
    std::atomic<int> calls{0};
    std::promise<void> was_called;
    subscription own;
    std::promise<void> is_made;
    auto ready = is_made.get_future().share();
    auto made = e.subscribe(from(0), [&](const change&) {
      ready.wait();
      ++calls;
      own.stop();
      was_called.set_value();
    });
    REQUIRE(made);
    own = std::move(*made);
    is_made.set_value();
    was_called.get_future().wait();
    put(e, note_by(3));
    CHECK(calls == 1);
    CHECK(own.next().value <= 1);
  }
  listener l;
  auto stays = e.subscribe(from(0), l.ear());
  REQUIRE(stays);
  l.await(3);
  {
    auto goes = e.subscribe(from(0), [](const change&) {});
  }
  REQUIRE(e.close());
  while (!stays->ended()) std::this_thread::yield();
  CHECK(stays->ended()->code == errc::shutdown);
  CHECK(stays->next() == seq_no{3});
  CHECK_FALSE(e.subscribe(from(0), l.ear()));
  // What is wrong is told at once.
  engine other = world_of();
  CHECK_FALSE(other.subscribe(from(7), l.ear()));
}

TEST_CASE("closing beside subscribers and writers: no call begins after it") {
  for (int round = 0; round < 20; ++round) {
    engine e = world_of();
    std::atomic<bool> is_closed{false};
    std::atomic<int> late{0};
    std::vector<subscription> subscribed;
    for (int i = 0; i < 4; ++i) {
      auto made = e.subscribe(from(0), [&](const change&) {
        if (is_closed) ++late;
        (void)e.published();
      });
      REQUIRE(made);
      subscribed.push_back(std::move(*made));
    }
    std::thread writer([&] {
      for (int i = 0; i < 30; ++i) (void)e.apply(fact("x"));
    });
    if (round % 2 == 0) subscribed.pop_back();
    REQUIRE(e.close());
    is_closed = true;
    writer.join();
    CHECK(late == 0);
  }
}

TEST_CASE("reading beside erasures is never refused, and nothing that is gone is told afterwards") {
  scratch s;
  engine_options o = at_noon();
  o.directory = s.world();
  engine e = opened(o);
  for (std::uint8_t i = 1; i <= 12; ++i) put(e, note_by(i, "secret"));
  std::atomic<bool> is_over{false};
  std::atomic<int> refused{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!is_over)
        if (!e.changes(from(0))) ++refused;
    });
  for (std::uint8_t i = 1; i <= 6; ++i) {
    REQUIRE(e.erase({.ids = {id_of(i)}, .reason = "asked for", .by = "ana"}));
    changes_request r = from(0);
    r.with_record = true;
    const auto page = told(e, r);
    const auto gone = std::ranges::count_if(page.changes, &change::content_erased);
    CHECK(gone == i);
  }
  is_over = true;
  for (auto& t : readers) t.join();
  CHECK(refused == 0);
}
