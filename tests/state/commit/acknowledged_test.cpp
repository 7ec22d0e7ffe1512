// What is acknowledged is sound: the journal that holds it is verified, replayed and opened again.
// Of: state/execute/execute_put_record.cpp, state/execute/execute_revise.cpp
#include <catch2/catch.hpp>

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/validate/validate.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "tests/state/site.hpp"
#include "views/topic_reads.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct written {
  site place;
  std::unique_ptr<world> w = place.open();
  driven d{*w};

  head head_of(const memory_id& id) {
    auto reader = w->store->reader();
    return read_head(**reader, id, w->published_seq()).value().value();
  }
  version version_of(const memory_id& id, std::uint32_t number) {
    auto reader = w->store->reader();
    return read_version(**reader, id, number).value().value();
  }
  std::size_t vector_size(const memory_id& id) {
    const row_no row = w->attributes().row_of(w->nodes.find(id), w->published_seq());
    return w->vectors().get(w->attributes().slot(row)).size();
  }

  void check_sound() {
    const root_set before = w->published_roots();
    auto verified = verify_journal(*place.files, "world", {});
    REQUIRE(verified);
    CHECK(verified->problem.empty());
    site other;
    auto into = other.open();
    auto replayed = replay_journal(*place.files, "world", *into, {}, {});
    if (!replayed) FAIL("replay: " << replayed.error().message);
    CHECK(into->published_roots() == before);
    w.reset();
    w = place.open(); // from the journal alone: nothing was checkpointed
    CHECK(w->published_roots() == before);
  }
};

write_request belief(std::size_t bytes) {
  write_request r;
  r.type = memory_type::belief;
  r.data["stance"] = std::string("believe");
  r.data["statement"] = std::string(bytes, 'x');
  return r;
}

} // namespace

TEST_CASE("data that is too large with its defaults is refused, what just fits is sound") {
  written at;
  std::size_t bytes = max_data_bytes;
  while (encode_data(memory_type::belief, belief(bytes).data).size() > max_data_bytes) --bytes;
  const auto refused = at.d.apply(belief(bytes)); // a Belief's subject has a default
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::limit_exceeded);
  CHECK(refused.error().at == "data");
  while (!at.d.apply(belief(bytes))) --bytes;
  at.check_sound();
}

TEST_CASE("a memory that is restored again with the vector that it lacked has it") {
  written at;
  const bool has_space = GENERATE(false, true);
  if (has_space) {
    auto other = note("other");
    other.vector = std::vector<float>{1, 2, 3};
    REQUIRE(at.d.apply(other));
  }
  auto one = note("one");
  one.id = id_of(1);
  REQUIRE(at.d.apply(one));
  put_record_request again{
      .head = at.head_of(id_of(1)), .version = at.version_of(id_of(1), 1), .vector = {}};
  again.head.embedding = embedding_ref{.dim = 3, .version = 1};
  SECTION("which is not given") {
    const auto done = at.d.apply(again);
    REQUIRE(done);
    CHECK_FALSE(done->changed);
    CHECK_FALSE(at.head_of(id_of(1)).embedding);
  }
  SECTION("of another size than the head says") {
    again.vector = std::vector<float>{1, 2};
    CHECK(at.d.apply(again).error().at == "head.embedding");
  }
  SECTION("which is given, beside another change") {
    again.vector = std::vector<float>{1, 2, 3};
    again.head.tags = {"tea"};
    REQUIRE(at.d.apply(again));
    CHECK(at.head_of(id_of(1)) == again.head);
    CHECK(at.vector_size(id_of(1)) == 3);
    CHECK_FALSE(at.d.apply(again)->changed);
    SECTION("and stays when an older head comes") {
      again.vector.reset();
      again.head.embedding.reset();
      CHECK_FALSE(at.d.apply(again)->changed);
      CHECK(at.vector_size(id_of(1)) == 3);
    }
  }
  update_request u;
  u.uri = {memory_type::note, id_of(1), 1};
  u.data["statement"] = std::string("two");
  REQUIRE(at.d.apply(u));
  CHECK((at.vector_size(id_of(1)) != 0) == at.head_of(id_of(1)).embedding.has_value());
  at.check_sound();
}

TEST_CASE("a vector that an earlier version had comes back behind the version that kept it") {
  written source;
  auto one = note("one");
  one.id = id_of(1);
  one.vector = std::vector<float>{1, 2, 3};
  REQUIRE(source.d.apply(one));
  update_request u;
  u.uri = {memory_type::note, id_of(1), 1};
  u.data["statement"] = std::string("two");
  REQUIRE(source.d.apply(u));
  put_record_request last{.head = source.head_of(id_of(1)),
                          .version = source.version_of(id_of(1), 2),
                          .vector = one.vector};
  REQUIRE(last.head.embedding == embedding_ref{.dim = 3, .version = 1});
  written at;
  put_record_request first{
      .head = last.head, .version = source.version_of(id_of(1), 1), .vector = {}};
  first.head.current_version = 1;
  first.head.version_hash = first.version.hash;
  REQUIRE(at.d.apply(first));
  auto bare = last;
  bare.vector.reset();
  REQUIRE(at.d.apply(bare)); // an import that was interrupted
  REQUIRE(at.d.apply(last));
  CHECK(at.head_of(id_of(1)) == last.head);
  CHECK(at.vector_size(id_of(1)) == 3);
  CHECK_FALSE(at.d.apply(last)->changed);
  at.check_sound();
}

TEST_CASE("the world's first vector settles its space, whatever an embedder says") {
  const vector_space silent{};
  CHECK(space_of_vectors(silent, {}, 3) == vector_space{.model = "external", .dim = 3});
  CHECK(space_of_vectors({.model = "m", .dim = 0}, {}, 3) == vector_space{.model = "m", .dim = 3});
  CHECK(space_of_vectors({.model = "m", .dim = 4}, {}, 3) == vector_space{.model = "m", .dim = 4});
  const vector_space known{.model = "external", .dim = 3};
  CHECK(space_of_vectors(silent, known, 3) == known);
  CHECK(space_of_vectors({.model = "m", .dim = 4}, known, 4) == known);
}

TEST_CASE("a version of another type is not restored behind those that are there") {
  written at;
  auto one = note("one");
  one.id = id_of(1);
  REQUIRE(at.d.apply(one));
  written elsewhere;
  auto other = note("two");
  other.type = memory_type::blocker;
  other.id = id_of(1);
  REQUIRE(elsewhere.d.apply(other));
  update_request u;
  u.uri = {memory_type::blocker, id_of(1), 1};
  u.data["statement"] = std::string("three");
  REQUIRE(elsewhere.d.apply(u));
  const auto refused = at.d.apply(put_record_request{.head = elsewhere.head_of(id_of(1)),
                                                     .version = elsewhere.version_of(id_of(1), 2),
                                                     .vector = {}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::bad_value);
  CHECK(refused.error().at == "head.type");
  at.check_sound();
}

TEST_CASE("a field is not restored as another one with the same revisions") {
  written at;
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.title = "Harbour";
  topic.topic_id = id_of(1);
  field_input depth;
  depth.name = "depth";
  depth.value = json_value{std::string("deep")};
  topic.fields.push_back(depth);
  REQUIRE(at.d.apply(topic));
  put_field_record_request r;
  {
    auto reader = at.w->store->reader();
    r.field = read_fields(**reader, id_of(1), at.w->published_seq()).value().at(0);
    r.revisions = read_revisions(**reader, r.field.head).value();
  }
  CHECK_FALSE(at.d.apply(r)->changed);
  r.field.salience_e9 = 500'000'000;
  const auto refused = at.d.apply(r);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::already_exists);
  at.check_sound();
}

TEST_CASE("a batch of more entries than a frame takes is refused and the engine goes on") {
  written at;
  std::vector<mutation> items;
  for (int t = 0; t < 100; ++t) {
    ingest_request topic;
    topic.placement = ingest_placement::new_topic;
    topic.title = "topic " + std::to_string(t);
    for (int k = 0; k < 1024; ++k) {
      field_input f;
      f.name = "f" + std::to_string(k);
      f.value = json_value{std::int64_t{k}};
      topic.fields.push_back(f);
    }
    items.emplace_back(std::move(topic));
  }
  const auto refused = at.d.run(items, true);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::limit_exceeded);
  CHECK(refused.error().at == "items[31]");
  items.resize(2);
  CHECK(at.d.run(items, true));
  at.check_sound();
}

TEST_CASE("forget does in some calls what is too much for one") {
  written at;
  constexpr std::size_t topics = sweep_entries + 10;
  for (std::size_t first = 0; first < topics;) {
    std::vector<mutation> items;
    for (; items.size() < 1000 && first < topics; ++first) {
      ingest_request topic;
      topic.placement = ingest_placement::new_topic;
      topic.title = "topic " + std::to_string(first);
      topic.salience = 0;
      items.emplace_back(std::move(topic));
    }
    REQUIRE(at.d.run(items, true));
  }
  const auto archived = [&] { return at.d.apply(forget_request{})->topics->archived.size(); };
  CHECK(archived() == sweep_entries);
  CHECK(archived() == 10);
  CHECK(archived() == 0);
}

TEST_CASE("what a snapshot, a decay cycle and a topic's writer are called is text") {
  written at;
  CHECK(at.d.snapshot("\xff").error().code == errc::bad_utf8);
  std::optional<result<decay_result>> decayed;
  at.d.core.enqueue(decay_command{"\xff", [&](result<decay_result> r) { decayed = std::move(r); }});
  at.d.pump();
  REQUIRE(decayed.has_value());
  CHECK(decayed->error().code == errc::bad_utf8);
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.title = "Harbour";
  topic.created_by = "\xff";
  const auto refused = at.d.apply(topic);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::bad_utf8);
  CHECK(refused.error().at == "created_by");
  CHECK(at.w->published_seq() == seq_no{0});
}

TEST_CASE("revise does in some calls what is too much for one") {
  written at;
  constexpr std::size_t topics = sweep_entries / 2 + 10; // a merge makes two entries or more
  for (std::size_t first = 0; first < topics;) {
    std::vector<mutation> items;
    for (; items.size() < 1000 && first < topics; ++first) {
      ingest_request topic;
      topic.placement = ingest_placement::new_topic;
      topic.title = "Harbour";
      items.emplace_back(std::move(topic));
    }
    REQUIRE(at.d.run(items, true));
  }
  const auto merged = [&] { return at.d.apply(revise_request{})->topics->merged.size(); };
  const std::size_t first = merged();
  CHECK(first <= sweep_entries / 2);
  CHECK(first + merged() == topics - 1);
  CHECK(merged() == 0);
}
