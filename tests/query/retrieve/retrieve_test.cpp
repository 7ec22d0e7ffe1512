// Retrieve, clause by clause, and on random worlds against a naive model.
// Of: query/retrieve/retrieve_fetch.cpp, views/topic_reads.cpp
#include <catch2/catch.hpp>

#include <rapidcheck.h>

#include "tests/query/retrieve/topic_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

ingest_request topic(std::uint8_t id, std::string title, std::vector<float> vector = {}) {
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.topic_id = id_of(id);
  r.title = std::move(title);
  r.actor = "ana";
  if (!vector.empty()) r.vector = std::move(vector);
  return r;
}

field_input number(std::string name, std::int64_t value) {
  field_input f;
  f.name = std::move(name);
  f.value.node = value;
  return f;
}

struct fixture {
  site place;
  std::unique_ptr<world> w = place.open();
  driven d{*w};

  void apply(mutation m) {
    auto r = d.apply(std::move(m));
    if (!r) FAIL(r.error().message);
  }
  retrieve_result ask(const retrieve_request& r) {
    auto run = run_retrieve(*w, r);
    if (!run) FAIL(run.error().message);
    return (*run)->take();
  }
  errc refused(const retrieve_request& r) {
    auto run = run_retrieve(*w, r);
    REQUIRE_FALSE(run);
    return run.error().code;
  }
  std::int64_t salience_e9(std::uint8_t id) const {
    return w->attributes()
        .activation_of(w->nodes.find(id_of(id)), w->published_seq())
        .topic_salience_e9;
  }
};

std::vector<memory_id> ids(const retrieve_result& r) {
  std::vector<memory_id> found;
  for (const auto& b : r.candidates) found.push_back(b.topic_id);
  return found;
}

/// Three topics around the north, and one without a vector.
struct three : fixture {
  three() {
    apply(topic(1, "north", {0, 1}));
    apply(topic(2, "north-east", {1, 1}));
    apply(topic(3, "east", {1, 0}));
    apply(topic(4, "nowhere"));
  }
};

const std::vector<float> to_north = {0, 1};

} // namespace

TEST_CASE("retrieve: bad stage, blank q, top_k below 1, a touch in the past") {
  three f;
  CHECK(f.refused({.q = " "}) == errc::empty_query);
  CHECK(f.refused({.q = "q", .stages = std::vector{static_cast<retrieve_stage>(9)}})
        == errc::bad_stage);
  CHECK(f.refused({.q = "q", .top_k = 0, .vector = to_north}) == errc::out_of_range);
  CHECK(f.refused({.q = "q", .vector = to_north, .at_seq = seq_no{1}, .touch = true})
        == errc::unsupported);
  CHECK(f.refused({.q = "q", .vector = std::vector{1.0F}}) == errc::dim_mismatch);
  CHECK(f.refused({.q = "q", .at_seq = seq_no{99}}) == errc::seq_unavailable);
  CHECK(f.refused({.q = "q"}) == errc::no_embedder);
  CHECK(f.refused({.q = "q", .stages = std::vector{retrieve_stage::temporal}, .expand_refs = true})
        == errc::unsupported);
}

TEST_CASE("retrieve: what a request names is bounded, and the key is told") {
  three f;
  const auto refusal = [&](const retrieve_request& r) {
    auto run = run_retrieve(*f.w, r);
    REQUIRE_FALSE(run);
    return std::pair(run.error().code, run.error().at);
  };
  const std::vector<memory_id> too_many(10'001, id_of(1));
  const std::vector<std::string> names(10'001, "depth");
  using at = std::pair<errc, std::string>;
  CHECK(refusal({.q = "q", .top_k = 10'001, .vector = to_north})
        == at(errc::out_of_range, "top_k"));
  CHECK(refusal({.q = "q", .topic_ids = too_many, .vector = to_north})
        == at(errc::limit_exceeded, "topic_ids"));
  CHECK(refusal({.q = "q", .field_names = names, .vector = to_north})
        == at(errc::limit_exceeded, "field_names"));
}

TEST_CASE("retrieve: lists as long as they may be filter, and are read in their order") {
  three f;
  std::vector<memory_id> asked;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    memory_id other;
    other.bytes = {1, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)};
    asked.push_back(i == 5000 ? id_of(3) : i == 9999 ? id_of(1) : other);
  }
  const std::vector<std::string> names(10'000, "depth");
  const retrieve_request nearest{
      .q = "q", .top_k = 10'000, .topic_ids = asked, .field_names = names, .vector = to_north};
  CHECK(ids(f.ask(nearest)) == std::vector{id_of(1), id_of(3)});
  auto named = nearest;
  named.stages = std::vector{retrieve_stage::temporal};
  CHECK(ids(f.ask(named)) == std::vector{id_of(3), id_of(1)});
}

TEST_CASE("retrieve semantic: nearest first, capped by top_k, ties by id") {
  three f;
  CHECK(ids(f.ask({.q = "q", .vector = to_north})) == std::vector{id_of(1), id_of(2), id_of(3)});
  CHECK(ids(f.ask({.q = "q", .top_k = 1, .vector = to_north})) == std::vector{id_of(1)});
  f.apply(topic(5, "north again", {0, 2}));
  const auto found = f.ask({.q = "q", .top_k = 2, .vector = to_north});
  CHECK(ids(found) == std::vector{id_of(1), id_of(5)});
  CHECK(found.candidates[0].similarity == Approx(1.0));
}

TEST_CASE("retrieve with semantic and topic_ids selects first and filters then") {
  three f;
  CHECK(
      ids(f.ask(
          {.q = "q", .top_k = 2, .topic_ids = std::vector{id_of(3), id_of(2)}, .vector = to_north}))
      == std::vector{id_of(2)});
}

TEST_CASE("retrieve without any vector falls back to topic_ids, else to nothing") {
  fixture f;
  f.apply(topic(1, "a"));
  f.apply(topic(2, "b"));
  CHECK(ids(f.ask({.q = "q"})).empty());
  const auto found = f.ask({.q = "q", .topic_ids = std::vector{id_of(2), id_of(9), id_of(1)}});
  CHECK(ids(found) == std::vector{id_of(2), id_of(1)});
  CHECK_FALSE(found.candidates[0].similarity);
  // Cut first, skipped then.
  CHECK(
      ids(f.ask(
          {.q = "q", .top_k = 2, .topic_ids = std::vector{id_of(2), id_of(2), id_of(9), id_of(1)}}))
      == std::vector{id_of(2)});
}

TEST_CASE("retrieve with semantic off: the caller's order, else the first with a vector by id") {
  three f;
  const std::vector structural = {retrieve_stage::structural};
  CHECK(
      ids(f.ask(
          {.q = "q", .stages = structural, .topic_ids = std::vector{id_of(4), id_of(1), id_of(4)}}))
      == std::vector{id_of(4), id_of(1)});
  CHECK(ids(f.ask({.q = "q", .stages = structural, .top_k = 2}))
        == std::vector{id_of(1), id_of(2)});
}

TEST_CASE("an archived or tombstoned topic is found through no stage") {
  three f;
  update_head_request archive;
  archive.uri = {memory_type::topic, id_of(1), 1};
  archive.lifecycle.emplace().status = lifecycle_status::archived;
  f.apply(archive);
  tombstone_request end;
  end.uri = {memory_type::topic, id_of(2), 1};
  f.apply(end);
  const std::vector all = {id_of(1), id_of(2), id_of(3)};
  for (const auto& stages :
       {std::vector{retrieve_stage::semantic}, std::vector{retrieve_stage::structural},
        std::vector{retrieve_stage::temporal}, std::vector<retrieve_stage>{}}) {
    CHECK(ids(f.ask({.q = "q", .stages = stages, .vector = to_north})) == std::vector{id_of(3)});
    CHECK(ids(f.ask({.q = "q", .stages = stages, .topic_ids = all, .vector = to_north}))
          == std::vector{id_of(3)});
  }
  // The past shows them.
  CHECK(ids(f.ask({.q = "q", .vector = to_north, .at_seq = seq_no{4}})).size() == 3);
  f.apply(unarchive_request{.id = id_of(1), .actor = {}});
  CHECK(ids(f.ask({.q = "q", .vector = to_north})) == std::vector{id_of(1), id_of(3)});
}

TEST_CASE("retrieve shows an asker its own topics and public ones") {
  three f;
  auto open = topic(5, "open", {0, 1});
  open.visibility = visibility::actor_public;
  f.apply(open);
  CHECK(ids(f.ask({.q = "q", .vector = to_north, .actor = "bo"})) == std::vector{id_of(5)});
  CHECK(ids(f.ask({.q = "q", .vector = to_north, .actor = "ana"})).size() == 4);
}

TEST_CASE("stages decide what a bundle holds") {
  three f;
  auto more = topic(5, "whole", {0, 1});
  more.fields = {number("b", 1), number("a", 2), number("a", 3)};
  more.links = {{.topic_id = id_of(3), .kind = {}}};
  f.apply(more);
  const auto one = [&](std::optional<std::vector<retrieve_stage>> stages, bool explain,
                       std::optional<std::vector<std::string>> names = {}) {
    return f
        .ask({.q = "q",
              .stages = std::move(stages),
              .explain = explain,
              .topic_ids = std::vector{id_of(5)},
              .field_names = std::move(names),
              .vector = to_north})
        .candidates.at(0);
  };
  const auto semantic = one(std::vector{retrieve_stage::semantic}, true);
  CHECK(semantic.similarity);
  CHECK_FALSE(semantic.fields);
  CHECK_FALSE(semantic.neighbours);
  const auto structural = one(std::vector{retrieve_stage::structural}, true);
  CHECK_FALSE(structural.similarity);
  REQUIRE(structural.fields->size() == 2);
  CHECK(structural.fields->at(0).field.head.name == "a");
  CHECK(structural.fields->at(0).history.size() == 1);
  REQUIRE(structural.neighbours->size() == 1);
  CHECK(structural.neighbours->at(0).kind == "related_to");
  CHECK(one(std::vector{retrieve_stage::temporal}, false).fields->at(0).history.size() == 1);
  const auto temporal = one(std::vector{retrieve_stage::temporal}, true,
                            std::vector<std::string>{"b", "none", "a", "b"});
  CHECK_FALSE(temporal.neighbours);
  REQUIRE(temporal.fields->size() == 2);
  CHECK(temporal.fields->at(0).field.head.name == "b");
  CHECK(temporal.fields->at(1).history.size() == 2);
  const auto none = one(std::vector<retrieve_stage>{}, true);
  CHECK_FALSE(none.fields);
  CHECK_FALSE(none.neighbours);
}

TEST_CASE("a retrieval reinforces exactly what it returned") {
  three f;
  const auto before = f.w->published_seq();
  const auto root = f.w->published_roots().state_roots;
  auto found = retrieve_and_touch(*f.w, f.d, {.q = "q", .top_k = 2, .vector = to_north});
  REQUIRE(found);
  CHECK(found->seq == before.next());
  CHECK(f.w->published_seq() == before.next());
  CHECK(found->candidates[0].salience_e9 == salience_one_e9);
  CHECK(f.salience_e9(1) == 1'100'000'000);
  CHECK(f.salience_e9(2) == 1'100'000'000);
  CHECK(f.salience_e9(3) == salience_one_e9);
  CHECK(f.w->published_roots().state_roots == root);
  // Nothing found, untouched or in the past: no entry.
  for (const auto& r :
       {retrieve_request{.q = "q", .topic_ids = std::vector{id_of(9)}, .vector = to_north},
        retrieve_request{.q = "q", .vector = to_north, .touch = false},
        retrieve_request{.q = "q", .vector = to_north, .at_seq = before}}) {
    auto untouched = retrieve_and_touch(*f.w, f.d, r);
    REQUIRE(untouched);
    CHECK_FALSE(untouched->seq);
  }
  CHECK(f.w->published_seq() == before.next());
  // at_seq shows the past as it was.
  CHECK(f.ask({.q = "q", .vector = to_north, .at_seq = before}).candidates[0].salience_e9
        == salience_one_e9);
}

TEST_CASE("the summary names at most five topics") {
  fixture f;
  for (std::uint8_t i = 1; i <= 6; ++i) f.apply(topic(i, "t" + std::to_string(i), {0, 1}));
  const auto found = f.ask({.q = "what?", .vector = to_north});
  CHECK(found.candidates.size() == 6);
  CHECK(found.summary_text.starts_with("Top topics for 'what?':\n- " + to_string(id_of(1))
                                       + " 't1' sim=1.000\n"));
  CHECK(std::ranges::count(found.summary_text, '\n') == 5);
  CHECK(f.ask({.q = "what?", .stages = std::vector{retrieve_stage::structural}, .top_k = 1})
            .summary_text
        == "Top topics for 'what?':\n- " + to_string(id_of(1)) + " 't1'");
}

namespace {

/// A world that changes at random, and what the model says of it after every seq.
class random_world {
public:
  void step() {
    const auto id = id_of(static_cast<std::uint8_t>(dice(1, 9)));
    switch (dice(0, 9)) {
    case 0:
    case 1:
    case 2:
      return add_topic(id);
    case 3:
    case 4:
      return add_field(id);
    case 5:
      return add_link(id);
    case 6:
      return set_archived(id, dice(0, 1) == 1);
    case 7:
      return end(id);
    case 8:
      return unlink();
    default:
      touch();
    }
  }

  void compare() {
    retrieve_request r = any_request();
    const auto at = static_cast<std::uint64_t>(dice(0, static_cast<int>(seq())));
    const bool in_the_past = dice(0, 1) == 1;
    if (in_the_past) r.at_seq = seq_no{at};
    const topic_model& truth = in_the_past ? history_.at(at) : model_;
    auto run = run_retrieve(*f_.w, r);
    if (!run) {
      RC_ASSERT(run.error().code == errc::no_embedder || run.error().code == errc::dim_mismatch);
      return;
    }
    check((*run)->take(), truth.retrieve(r));
  }

private:
  static int dice(int least, int greatest) { return *rc::gen::inRange(least, greatest + 1); }
  [[nodiscard]] std::uint64_t seq() const { return f_.w->published_seq().value; }

  /// Applies the request; if it was taken, the model's state holds from its last entry on.
  bool apply(mutation m) {
    const std::uint64_t before = seq();
    auto done = f_.d.apply(std::move(m));
    if (!done) return false;
    applied_ = seq() != before;
    return true;
  }
  void remember() {
    // Seqs inside one request are not asked for: the model steps by requests.
    for (std::uint64_t s = history_.size(); s < seq(); ++s) history_.push_back(history_.back());
    if (history_.size() == seq()) history_.push_back(model_);
  }

  void add_topic(const memory_id& id) {
    ingest_request r;
    r.placement = ingest_placement::new_topic;
    r.topic_id = id;
    r.title = "t" + std::to_string(dice(0, 3));
    r.actor = dice(0, 1) == 0 ? "ana" : "bo";
    if (dice(0, 2) == 0) r.visibility = visibility::actor_public;
    if (dice(0, 3) != 0)
      r.vector = {static_cast<float>(dice(-2, 2)), static_cast<float>(dice(1, 3))};
    if (!apply(r)) return;
    model_topic t;
    t.title = *r.title;
    t.actor = r.actor;
    t.is_public = r.visibility.has_value();
    t.vector = r.vector.value_or(std::vector<float>{});
    model_.topics[id] = t;
    remember();
  }
  void add_field(const memory_id& id) {
    field_input f = number(dice(0, 1) == 0 ? "a" : "b", dice(0, 99));
    f.valid_from = timestamp{dice(0, 10)};
    if (dice(0, 1) == 0) f.valid_until = timestamp{f.valid_from->ns + dice(1, 5)};
    if (dice(0, 2) == 0) f.ref_topic_id = id_of(static_cast<std::uint8_t>(dice(1, 9)));
    ingest_request r;
    r.placement = ingest_placement::extend_topic;
    r.topic_id = id;
    r.fields = {f};
    if (!apply(r)) return;
    model_field& field = model_.topics.at(id).fields[f.name];
    model_value v{
        .value = std::get<std::int64_t>(f.value.node), .from = f.valid_from->ns, .until = {}};
    if (f.valid_until) v.until = f.valid_until->ns;
    field.values.push_back(v);
    if (f.ref_topic_id) field.ref = f.ref_topic_id;
    while (history_.size() < seq()) history_.push_back(model_); // behind it comes the topic's text
    remember();
  }
  void add_link(const memory_id& src) {
    add_edge_request e;
    e.src = src;
    e.type = static_cast<std::uint8_t>(dice(1, 3));
    e.dst = id_of(static_cast<std::uint8_t>(dice(1, 9)));
    if (dice(0, 1) == 0) e.kind = "k";
    if (!apply(e) || !applied_) return;
    model_.edges[{src, static_cast<edge_type>(e.type), e.dst}] = e.kind;
    remember();
  }
  void unlink() {
    if (model_.edges.empty()) return;
    const edge_key key =
        std::next(model_.edges.begin(), dice(0, static_cast<int>(model_.edges.size()) - 1))->first;
    remove_edge_request e;
    e.src = key.src;
    e.type = static_cast<std::uint8_t>(key.type);
    e.dst = key.dst;
    if (!apply(e)) return;
    model_.edges.erase(key);
    remember();
  }
  void set_archived(const memory_id& id, bool archived) {
    const auto found = model_.topics.find(id);
    if (found == model_.topics.end()) return;
    update_head_request archive;
    archive.uri = {memory_type::topic, id, 1};
    archive.lifecycle.emplace().status = lifecycle_status::archived;
    const mutation m =
        archived ? mutation(archive) : mutation(unarchive_request{.id = id, .actor = {}});
    if (!apply(m)) return;
    found->second.archived = archived;
    if (applied_) remember();
  }
  void end(const memory_id& id) {
    const auto found = model_.topics.find(id);
    if (found == model_.topics.end() || dice(0, 2) != 0) return;
    tombstone_request t;
    t.uri = {memory_type::topic, id, 1};
    if (!apply(t) || !applied_) return;
    found->second.tombstoned = true;
    remember();
  }
  void touch() {
    retrieve_request r = any_request();
    r.touch = true;
    const auto expected = model_.retrieve(r);
    const std::uint64_t before = seq();
    auto found = retrieve_and_touch(*f_.w, f_.d, r);
    if (!found) return;
    RC_ASSERT(found->seq.has_value() == !expected.empty());
    RC_ASSERT(seq() == before + (expected.empty() ? 0 : 1));
    for (const auto& b : expected) model_.topics.at(b.topic_id).salience_e9 += 100'000'000;
    if (!expected.empty()) remember();
  }

  retrieve_request any_request() {
    retrieve_request r;
    r.q = "q";
    if (dice(0, 2) != 0) {
      r.stages.emplace();
      for (const auto stage :
           {retrieve_stage::temporal, retrieve_stage::structural, retrieve_stage::semantic})
        if (dice(0, 1) == 0) r.stages->push_back(stage);
    }
    r.explain = dice(0, 1) == 0;
    r.top_k = dice(1, 5);
    if (dice(0, 1) == 0) {
      r.topic_ids.emplace();
      for (int i = dice(0, 6); i > 0; --i)
        r.topic_ids->push_back(id_of(static_cast<std::uint8_t>(dice(1, 10))));
    }
    if (dice(0, 3) == 0) r.field_names = {"b", "a", "b", "c"};
    r.vector = {static_cast<float>(dice(-2, 2)), static_cast<float>(dice(1, 3))};
    if (dice(0, 2) == 0) r.as_of = timestamp{dice(0, 15)};
    r.include_ended = dice(0, 2) == 0;
    if (dice(0, 1) == 0) r.now = timestamp{dice(0, 15)};
    if (dice(0, 2) == 0) r.actor = dice(0, 1) == 0 ? "ana" : "cy";
    const bool structural =
        !r.stages || std::ranges::find(*r.stages, retrieve_stage::structural) != r.stages->end();
    r.expand_refs = structural && dice(0, 1) == 0;
    return r;
  }

  static void check(const retrieve_result& found, const std::vector<topic_bundle>& expected) {
    RC_ASSERT(found.candidates.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const topic_bundle& a = found.candidates[i];
      const topic_bundle& b = expected[i];
      RC_ASSERT(a.topic_id == b.topic_id);
      RC_ASSERT(a.title == b.title);
      RC_ASSERT(a.salience_e9 == b.salience_e9);
      RC_ASSERT(a.similarity == b.similarity);
      RC_ASSERT(a.neighbours.has_value() == b.neighbours.has_value());
      if (a.neighbours) check_neighbours(*a.neighbours, *b.neighbours);
      RC_ASSERT(a.fields.has_value() == b.fields.has_value());
      if (a.fields) check_fields(*a.fields, *b.fields);
    }
  }
  static void check_neighbours(const std::vector<topic_neighbour>& a,
                               const std::vector<topic_neighbour>& b) {
    RC_ASSERT(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      RC_ASSERT(a[i].id == b[i].id);
      RC_ASSERT(a[i].title == b[i].title);
      RC_ASSERT(a[i].kind == b[i].kind);
      RC_ASSERT(a[i].outgoing == b[i].outgoing);
    }
  }
  static void check_fields(const std::vector<topic_field_view>& a,
                           const std::vector<topic_field_view>& b) {
    RC_ASSERT(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      RC_ASSERT(a[i].field.head.name == b[i].field.head.name);
      RC_ASSERT(a[i].field.head.ref_topic_id == b[i].field.head.ref_topic_id);
      RC_ASSERT(a[i].current.has_value() == b[i].current.has_value());
      if (a[i].current) {
        RC_ASSERT(a[i].current->number == b[i].current->number);
        RC_ASSERT(a[i].current->value == b[i].current->value);
      }
      RC_ASSERT(a[i].history.size() == b[i].history.size());
      for (std::size_t k = 0; k < a[i].history.size(); ++k) {
        RC_ASSERT(a[i].history[k].number == b[i].history[k].number);
        RC_ASSERT(a[i].history[k].value == b[i].history[k].value);
      }
    }
  }

  fixture f_;
  topic_model model_;
  std::vector<topic_model> history_ = {topic_model{}}; ///< by seq
  bool applied_ = false;
};

} // namespace

TEST_CASE("retrieve answers as the naive model does, now and at every seq") {
  CHECK(rc::check([] {
    random_world w;
    for (int i = 0; i < 60; ++i) {
      w.step();
      w.compare();
    }
  }));
}
