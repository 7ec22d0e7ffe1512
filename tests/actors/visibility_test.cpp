// A tombstoned or archived memory is found through no door and no leg: one table of every way in,
// asked live, of the past, after reopening and after replay.
// Of: views/asker.cpp, state/recovery/closed_world.cpp
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <set>

#include "mneme/tick.hpp"
#include "tests/actors/engine_site.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

using ids = std::set<memory_id>;

const std::vector<std::string> hashtags = {"tea",  "leaf", "cup",  "steam",
                                           "rain", "moss", "clay", "storm"};
const std::vector<float> direction = {1, 0, 0};

// One of each for what stays, what is tombstoned, and what is archived.
enum copy_of : std::uint8_t { kept = 1, dead = 2, archived = 3 };
enum role : std::uint8_t { topic = 1, chunk, goal, event, fact, decision };
memory_id made(copy_of copy, role what) {
  return id_of(static_cast<std::uint8_t>(16 * copy + what));
}
const memory_id hub = id_of(1);
const memory_id first_decision = id_of(2);
const std::vector<role> roles = {topic, chunk, goal, event, fact, decision};

memory_type type_of(role what) {
  constexpr std::array types = {memory_type::topic, memory_type::chunk, memory_type::goal,
                                memory_type::event, memory_type::fact,  memory_type::decision};
  return types.at(static_cast<std::size_t>(what) - 1);
}

memory_data data_of(role what) {
  switch (what) {
  case topic:
    return {{"title", std::string("kettle")}, {"summary", std::string("copper kettle")}};
  case chunk:
    return {{"content", std::string("copper kettle")}};
  case goal:
    return {{"statement", std::string("mend the kettle")}, {"status", std::string("active")}};
  case fact:
    return {{"statement", std::string("the kettle leaks")},
            {"subject", std::string("kettle")},
            {"predicate", std::string("leaks")}};
  case decision:
    return {{"statement", std::string("keep the kettle")}, {"replaces", first_decision}};
  default:
    return {{"kind", std::string("observation")},
            {"outcome", std::string("failure")},
            {"counterparty", std::string("kettle")},
            {"summary", std::string("the kettle fell")}};
  }
}

class visible_world {
public:
  explicit visible_world(engine_options o) : engine_(opened(std::move(o))) {}

  static engine_options at(const std::string& directory) {
    engine_options o;
    o.directory = directory;
    o.embedder_spec = "none";
    o.seed = 1;
    o.exact_near = true;
    o.clock = std::make_shared<manual_clock>(timestamp{1'704'067'200'000'000'000});
    return o;
  }

  void fill() {
    for (std::size_t i = 0; i < hashtags.size(); ++i) {
      assign_tag_request r;
      r.tag = hashtags[i];
      r.anchor = i == 7 ? 7501 : 1 + 1000 * static_cast<std::int64_t>(i);
      do_it(r);
    }
    write_request r;
    r.type = memory_type::note;
    r.id = hub;
    r.data = {{"statement", std::string("hub")}};
    do_it(r);
    r.type = memory_type::decision;
    r.id = first_decision;
    r.data = {{"statement", std::string("first")}};
    do_it(r);
    for (const copy_of copy : {kept, dead, archived})
      for (const role what : roles) write(copy, what);
  }

  void take_away() {
    for (const role what : roles) {
      tombstone_request t;
      t.uri = {type_of(what), made(dead, what), 1};
      t.reason = "over";
      do_it(t);
      update_head_request h;
      h.uri = {type_of(what), made(archived, what), 1};
      h.lifecycle.emplace().status = lifecycle_status::archived;
      do_it(h);
    }
  }

  mneme::engine& engine() { return engine_; }

private:
  void write(copy_of copy, role what) {
    write_request r;
    r.type = type_of(what);
    r.id = made(copy, what);
    r.data = data_of(what);
    // Of one path a search shows two chunks at most.
    if (what == chunk) r.data["path"] = "path " + std::to_string(copy);
    r.vector = direction;
    r.hashtags = hashtags;
    r.tags = {"kettle"};
    if (what == event || what == fact) r.frames = {{verb::build, object_kind::plan, "kettle"}};
    do_it(r);
    add_edge_request e;
    e.src = hub;
    e.dst = *r.id;
    e.type = static_cast<std::uint8_t>(edge_type::references);
    do_it(e);
    if (what == topic && copy != kept) {
      e.src = made(kept, topic);
      do_it(e);
    }
  }
  void do_it(const mutation& m) {
    auto done = engine_.apply(m);
    if (!done) FAIL(done.error().message << " at " << done.error().at);
  }

  mneme::engine engine_;
};

template <class T>
T taken(result<T> r) {
  if (!r) FAIL(r.error().message << " at " << r.error().at);
  return std::move(*r);
}

ids ids_of(const find_result& r) {
  ids found;
  for (const auto& m : r.memories) found.insert(m.head->id);
  return found;
}
ids ids_of(const context_result& r) {
  ids found;
  for (const auto* tier : {&r.pinned, &r.outcomes, &r.frame_relevant, &r.found, &r.notable})
    for (const auto& item : *tier) found.insert(item.uri.id);
  for (const auto& uri : r.reachable_uris) found.insert(uri.id);
  return found;
}

using asked_at = std::optional<seq_no>;

find_request any_find(asked_at at) {
  find_request r;
  r.limit = 100;
  r.at_seq = at;
  return r;
}
ids find_by(engine& e, asked_at at, const std::function<void(find_request&)>& how) {
  auto r = any_find(at);
  how(r);
  return ids_of(taken(e.find(r)));
}

/// By the coordinator and its readers.
ids many_finds(engine& e, asked_at at) {
  auto by_tag = any_find(at);
  by_tag.where = predicate{has_tag_predicate{"kettle"}};
  auto by_walk = any_find(at);
  by_walk.from = hub;
  ids found;
  for (auto& answer : e.find_many({by_tag, by_walk})) found.merge(ids_of(taken(std::move(answer))));
  return found;
}

ids retrieve_by(engine& e, asked_at at, const std::function<void(retrieve_request&)>& how) {
  retrieve_request r;
  r.q = "kettle";
  r.vector = direction;
  r.top_k = 100;
  r.at_seq = at;
  if (!at) r.touch = false;
  how(r);
  ids found;
  for (const auto& c : taken(e.retrieve(r)).candidates) found.insert(c.topic_id);
  return found;
}
ids topic_neighbours(engine& e, asked_at at) {
  retrieve_request r;
  r.q = "kettle";
  r.stages = {retrieve_stage::structural};
  r.topic_ids = {made(kept, topic)};
  r.at_seq = at;
  if (!at) r.touch = false;
  ids found;
  for (const auto& c : taken(e.retrieve(r)).candidates)
    for (const auto& n : *c.neighbours) found.insert(n.id);
  return found;
}

ids chroma_by(engine& e, asked_at at, bool approximate) {
  chroma_request r;
  r.hashtags = hashtags;
  r.k = 100;
  r.approximate = approximate;
  r.at_seq = at;
  if (!at) r.touch = false;
  ids found;
  for (const auto& row : taken(e.chroma(r)).rows) found.insert(row.memory.head->id);
  return found;
}

ids search_by(engine& e, asked_at at, const std::function<void(search_request&)>& how) {
  search_request r;
  r.query = "kettle";
  r.limit = 100;
  r.similarity_floor = 0;
  r.include_low_relevance = true;
  r.at_seq = at;
  how(r);
  ids found;
  for (const auto& hit : taken(e.search(r)).results) found.insert(hit.uri.id);
  return found;
}
ids lineage(engine& e, asked_at at) {
  search_request r;
  r.memory_ids = {first_decision};
  r.include_lineage = true;
  r.at_seq = at;
  ids found;
  for (const auto& hit : taken(e.search(r)).results)
    for (const auto& item : hit.lineage->descendants) found.insert(item.uri.id);
  return found;
}

context_request any_context(asked_at at, context_tier tier) {
  context_request r;
  r.action = verb::build;
  r.objects = {{object_kind::plan, "kettle"}};
  r.tiers = {tier};
  r.outcome_limit = 100;
  r.at_seq = at;
  return r;
}
ids context_by(engine& e, asked_at at, context_tier tier) {
  return ids_of(taken(e.context(any_context(at, tier))));
}

ids context_found(engine& e, asked_at at) {
  auto r = any_context(at, context_tier::found);
  r.query = "unheard";
  r.vector = direction;
  return ids_of(taken(e.context(r)));
}
ids context_notable(engine& e, asked_at at) {
  auto r = any_context(at, context_tier::notable);
  r.action.reset();
  return ids_of(taken(e.context(r)));
}

/// Of a context without room, what it says can be reached.
ids context_cut(engine& e, asked_at at) {
  auto r = any_context(at, context_tier::frame_relevant);
  r.budget_tokens = 1;
  return ids_of(taken(e.context(r)));
}

/// Of every copy, by its id.
ids asked_by_name(asked_at at,
                  const std::function<bool(const memory_uri&, read_options)>& is_there) {
  ids found;
  for (const copy_of copy : {kept, dead, archived})
    for (const role what : roles)
      if (is_there({type_of(what), made(copy, what), 1}, {.actor = {}, .at_seq = at}))
        found.insert(made(copy, what));
  return found;
}
ids got_by_id(engine& e, asked_at at) {
  return asked_by_name(at, [&](const memory_uri& uri, const read_options& options) {
    return e.get(uri.id, options).has_value();
  });
}
ids resolved_by_uri(engine& e, asked_at at) {
  return asked_by_name(at, [&](const memory_uri& uri, const read_options& options) {
    return e.resolve(uri, options).has_value();
  });
}
ids listed(engine& e, asked_at at) {
  ids found;
  for (const auto& m : taken(e.list_by_type(memory_type::fact, 100, {.actor = {}, .at_seq = at})))
    found.insert(m.head->id);
  return found;
}
ids listed_with_archived(engine& e, asked_at at) {
  ids found;
  const read_options options{.actor = {}, .at_seq = at};
  for (const auto& m : taken(e.list_by_type(memory_type::fact, 100, options, true)))
    found.insert(m.head->id);
  return found;
}
ids along_edges(engine& e, asked_at at) {
  ids found;
  const auto add = [&](const edge_record& edge) { return found.insert(edge.key.dst).second; };
  REQUIRE(e.for_each_edge(hub, edge_direction::out, {}, {.actor = {}, .at_seq = at}, add));
  return found;
}
ids proved(engine& e, asked_at) {
  prove_request r;
  for (const copy_of copy : {kept, dead, archived})
    for (const role what : roles) r.ids.push_back(made(copy, what));
  ids found;
  const auto bundle = taken(e.prove(r));
  for (std::size_t i = 0; i < r.ids.size(); ++i)
    if (bundle.states.at(i).proof.value_hash) found.insert(r.ids[i]);
  return found;
}

ids tick_by(engine& e, asked_at at) {
  tick_request t;
  auto r = any_find(at);
  r.types = {memory_type::fact};
  t.reads.emplace_back(r);
  t.reads.emplace_back(any_context(at, context_tier::pinned));
  const auto answer = taken(e.tick(t));
  ids found = ids_of(std::get<find_result>(taken(answer.reads[0])));
  found.merge(ids_of(std::get<context_result>(taken(answer.reads[1]))));
  return found;
}

/// One way in: which copies it finds of what was left alone, and what it still answers of what was
/// taken away, with the reason.
struct way_in {
  std::string name;
  std::vector<role> finds;
  std::function<ids(engine&, asked_at)> ask;
  std::vector<role> still_archived{};
  std::vector<role> still_dead{};
  std::string why{};
};

const std::vector<role> no_chunk = {topic, goal, event, fact, decision};

std::vector<way_in> finds_in() {
  const auto find = [](auto how) {
    return [how](engine& e, asked_at at) { return find_by(e, at, how); };
  };
  const auto kettle = predicate{has_tag_predicate{"kettle"}};
  const auto both_taken = [](auto& r) { r.include_tombstoned = r.include_archived = true; };
  return {
      {"find by type", {fact}, find([](auto& r) { r.types = {memory_type::fact}; })},
      {"find by tag", roles, find([=](auto& r) { r.where = kettle; })},
      {"find near a vector", roles, find([](auto& r) { r.near_vector = direction; })},
      {"find along edges", roles, find([](auto& r) { r.from = hub; })},
      {"find, reinforcing", roles, find([=](auto& r) {
         r.where = kettle;
         r.late_binding = !r.at_seq;
       })},
      {"finds in a batch", roles, many_finds},
      {"find with include_archived",
       roles,
       find([=](auto& r) {
         r.where = kettle;
         r.include_archived = true;
       }),
       roles,
       {},
       "asked for"},
      {"find with include_tombstoned",
       roles,
       find([=](auto& r) {
         r.where = kettle;
         r.include_tombstoned = true;
       }),
       {},
       roles,
       "asked for"},
      {"find with both, near", roles, find([=](auto& r) {
         r.near_vector = direction;
         both_taken(r);
       }),
       roles, roles, "asked for"},
      {"find with both, along edges", roles, find([=](auto& r) {
         r.from = hub;
         both_taken(r);
       }),
       roles, roles, "asked for"},
  };
}

std::vector<way_in> topics_in() {
  const auto retrieve = [](auto how) {
    return [how](engine& e, asked_at at) { return retrieve_by(e, at, how); };
  };
  return {
      {"retrieve, semantic", {topic}, retrieve([](auto&) {})},
      {"retrieve, first topics", {topic}, retrieve([](auto& r) {
         r.stages = {retrieve_stage::temporal};
       })},
      {"retrieve by ids", {topic}, retrieve([](auto& r) {
         r.stages = {retrieve_stage::structural};
         r.topic_ids = {made(kept, topic), made(dead, topic), made(archived, topic)};
       })},
      {"retrieve, neighbours",
       {},
       topic_neighbours,
       {topic},
       {},
       "a link is not lost by forgetting"},
      {"chroma", roles, [](engine& e, asked_at at) { return chroma_by(e, at, false); }},
      {"chroma, approximate", roles, [](engine& e, asked_at at) { return chroma_by(e, at, true); }},
  };
}

std::vector<way_in> searches_in() {
  const auto search = [](auto how) {
    return [how](engine& e, asked_at at) { return search_by(e, at, how); };
  };
  const std::string by_name = "naming an id is asking for it, not finding it";
  return {
      {"search, memories by words", no_chunk,
       search([](auto& r) { r.source = search_source::memory; })},
      {"search, memories by vector", no_chunk, search([](auto& r) {
         r.source = search_source::memory;
         r.query = "unheard";
         r.vector = direction;
       })},
      {"search, chunks by words", {chunk}, search([](auto& r) {
         r.source = search_source::content;
       })},
      {"search, chunks by vector", {chunk}, search([](auto& r) {
         r.source = search_source::content;
         r.query = "unheard";
         r.vector = direction;
       })},
      {"search with include_archived",
       no_chunk,
       search([](auto& r) {
         r.source = search_source::memory;
         r.include_archived = true;
       }),
       no_chunk,
       {},
       "asked for"},
      {"search by ids",
       no_chunk,
       search([](auto& r) {
         r.memory_ids.emplace();
         for (const copy_of copy : {kept, dead, archived})
           for (const role what : roles) r.memory_ids->push_back(made(copy, what));
       }),
       no_chunk,
       {},
       by_name},
      {"search, lineage", {decision}, lineage, {decision}, {}, "history of a memory that is named"},
  };
}

std::vector<way_in> other_ways_in() {
  const auto context = [](context_tier tier) {
    return [tier](engine& e, asked_at at) { return context_by(e, at, tier); };
  };
  const std::string by_name = "naming an id is asking for it, not finding it";
  return {
      {"context, pinned", {goal}, context(context_tier::pinned)},
      {"context, outcomes", {event}, context(context_tier::outcomes)},
      {"context, frame", {fact}, context(context_tier::frame_relevant)},
      {"context, cut", {fact}, context_cut},
      {"context, found", roles, context_found},
      {"context, notable", no_chunk, context_notable},
      {"tick", {fact, goal}, tick_by},
      {"list by type", {fact}, listed},
      {"list by type, archived", {fact}, listed_with_archived, {fact}, {}, "asked for"},
      {"get", roles, got_by_id, roles, roles, by_name},
      {"resolve", roles, resolved_by_uri, roles, roles, by_name},
      {"edges", roles, along_edges, roles, roles, by_name},
      {"prove", roles, proved, roles, roles, by_name},
  };
}

std::vector<way_in> ways_in() {
  std::vector<way_in> all;
  for (const auto& part : {finds_in(), topics_in(), searches_in(), other_ways_in()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

bool has(const std::vector<role>& some, role what) {
  return std::ranges::find(some, what) != some.end();
}

/// Both sides of the moment when everything was taken away.
void check_all(engine& e, seq_no before, seq_no after) {
  for (const auto& way : ways_in()) {
    INFO(way.name);
    for (const asked_at at : {asked_at(), asked_at(after)}) {
      const ids found = way.ask(e, at);
      for (const role what : way.finds) CHECK(found.contains(made(kept, what)));
      for (const role what : roles) {
        INFO(to_string(type_of(what)));
        CHECK(found.contains(made(dead, what)) == has(way.still_dead, what));
        CHECK(found.contains(made(archived, what)) == has(way.still_archived, what));
      }
    }
    CHECK(way.why.empty() == (way.still_dead.empty() && way.still_archived.empty()));
    const ids then = way.ask(e, before);
    for (const role what : way.finds)
      for (const copy_of copy : {kept, dead, archived}) CHECK(then.contains(made(copy, what)));
  }
}

} // namespace

TEST_CASE("a tombstoned or archived memory is found through no door and no leg") {
  temporary_directory place;
  const std::string live = place.path() + "/live";
  const std::string replayed = place.path() + "/replayed";
  seq_no before;
  seq_no after;
  {
    visible_world w(visible_world::at(live));
    w.fill();
    before = w.engine().published();
    w.take_away();
    after = w.engine().published();
    SECTION("live") {
      check_all(w.engine(), before, after);
    }
    SECTION("live, with a checkpoint") {
      REQUIRE(w.engine().checkpoint());
      check_all(w.engine(), before, after);
    }
    REQUIRE(w.engine().close());
  }
  SECTION("after reopening") {
    visible_world again(visible_world::at(live));
    check_all(again.engine(), before, after);
  }
  SECTION("after replay") {
    REQUIRE(replay_world(live, replayed));
    visible_world again(visible_world::at(replayed));
    check_all(again.engine(), before, after);
  }
}

TEST_CASE("what is archived is found again when it is taken back") {
  visible_world w(visible_world::at(""));
  w.fill();
  w.take_away();
  unarchive_request back;
  back.id = made(archived, topic);
  REQUIRE(w.engine().apply(back));
  for (const auto& way : ways_in()) {
    if (!has(way.finds, topic)) continue;
    INFO(way.name);
    CHECK(way.ask(w.engine(), {}).contains(made(archived, topic)));
  }
}

TEST_CASE("an ingest calls no tombstoned or archived topic similar") {
  visible_world w(visible_world::at(""));
  w.fill();
  w.take_away();
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.title = "another kettle";
  r.vector = direction;
  const auto done = w.engine().apply(r);
  REQUIRE(done);
  CHECK(done->topics->similar_topic_ids == std::vector<memory_id>{made(kept, topic)});
}

TEST_CASE("a chunk is hidden by a live promotion only") {
  visible_world w(visible_world::at(""));
  w.fill();
  const auto found = [&] {
    return search_by(w.engine(), {}, [](auto& r) { r.source = search_source::content; });
  };
  REQUIRE(
      w.engine().promote({.chunk = made(kept, chunk), .memory = made(dead, fact), .actor = ""}));
  CHECK_FALSE(found().contains(made(kept, chunk)));
  w.take_away();
  CHECK(found().contains(made(kept, chunk)));
}
