// What the requests about topics do to the state, and that nothing of a topic is ever lost.
// Of: state/execute/execute_revise.cpp, state/execute/overlay_topics.cpp
// Of: state/execute/topic_events.cpp, messages/codec/topic_records.cpp
// Of: messages/validate/validate_topics.cpp
#include <array>
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "messages/hash.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "tests/state/execute/topic_site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("ingest new_topic answers its id, what was applied and the revision numbers") {
  topic_site f;
  auto r = new_topic(1, "Harbour");
  r.summary = "where the ferries land";
  r.salience = 2.5;
  r.fields = {field("depth", {12.5}), field("keeper", text("Ana"))};
  r.links = {{.topic_id = id_of(9), .kind = "has_detail"}};
  const auto done = f.applied(r);
  REQUIRE(done.topics);
  CHECK(done.uri == memory_uri{memory_type::topic, id_of(1), 1});
  CHECK(done.topics->applied
        == std::vector<std::string>{"created_topic:" + to_string(id_of(1)),
                                    "salience:" + to_string(id_of(1)), "field:depth",
                                    "field:keeper", "edge:" + to_string(id_of(9))});
  CHECK(done.topics->revisions
        == std::map<std::string, std::uint32_t, std::less<>>{{"depth", 1}, {"keeper", 1}});
  CHECK(done.seq == seq_no{6}); // with the text of what it has now
  CHECK(f.get(id_of(1)).activation.topic_salience_e9 == 2'500'000'000);
  CHECK(f.fields(id_of(1)).size() == 2);
  CHECK(f.fields(id_of(1))[0].head.type == topic_field_type::float_);
}

TEST_CASE("history never shrinks: a new value is a new revision and the newest is current") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  std::vector<seq_no> seqs;
  for (int i = 0; i < 5; ++i)
    seqs.push_back(f.applied(extend(1, {field("keeper", {std::int64_t{i}})})).seq);
  const auto all = f.view(id_of(1), "keeper", {.history = true});
  REQUIRE(all.history.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(all.history[i].number == 5 - i);
    CHECK(all.history[i].value == json_value{static_cast<std::int64_t>(4 - i)});
    CHECK(all.history[i].hash == hash_of(all.history[i]));
  }
  CHECK(all.current->number == 5);
  // The past shows what there was.
  for (std::size_t i = 0; i < 5; ++i) {
    const auto then = f.view(id_of(1), "keeper", {.history = true}, seqs[i]);
    CHECK(then.history.size() == i + 1);
    CHECK(then.current->number == i + 1);
  }
  CHECK(f.fields(id_of(1), seq_no{1}).empty());
  // A reply is bounded, what is kept is not.
  CHECK(f.view(id_of(1), "keeper", {.history = true, .history_limit = 2}).history.size() == 2);
}

TEST_CASE("version_field takes one field that exists") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  auto r = extend(1, {field("keeper", text("Ana"))});
  r.placement = ingest_placement::version_field;
  CHECK(f.refused(r).code == errc::not_found);
  f.applied(extend(1, {field("keeper", text("Ana"))}));
  CHECK(f.applied(r).topics->revisions.at("keeper") == 2);
  r.fields.push_back(field("depth", {1.0}));
  CHECK(f.refused(r).code == errc::bad_value);
}

TEST_CASE("an ingest that breaks a rule changes and draws nothing") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  f.applied(note("no topic"));
  const memory_id other = f.w->last_drawn_id;
  auto untitled = new_topic(2, "");
  untitled.title.reset();
  CHECK(f.refused(untitled).code == errc::missing_key);
  CHECK(f.refused(new_topic(1, "Again")).code == errc::already_exists);
  CHECK(f.refused(extend(7, {})).code == errc::not_found);
  // The id is drawn before the field is looked at, and given back.
  auto dangling = new_topic(3, "Pier");
  dangling.topic_id.reset();
  auto refers = field("of", text("x"));
  refers.ref_topic_id = id_of(8);
  dangling.fields = {field("a", {true}), refers};
  const auto missing = f.refused(dangling);
  CHECK(missing.code == errc::not_found);
  CHECK(missing.at == "fields.of.ref_topic_id");
  dangling.fields[1].ref_topic_id = other;
  CHECK(f.refused(dangling).code == errc::not_found);
  auto not_a_topic = extend(0, {field("a", {true})});
  not_a_topic.topic_id = other;
  CHECK(f.refused(not_a_topic).code == errc::type_data_mismatch);
  auto backwards = field("a", {true});
  backwards.valid_from = timestamp{5};
  backwards.valid_until = timestamp{5};
  CHECK(f.refused(extend(1, {backwards})).code == errc::bad_interval);
  CHECK(f.refused(extend(1, {field("", {true})})).code == errc::missing_field);
  auto heavy = field("a", {true});
  heavy.salience = 10.5;
  CHECK(f.refused(extend(1, {heavy})).code == errc::out_of_range);
  auto looped = extend(1, {});
  looped.links = {{.topic_id = id_of(1), .kind = {}}};
  CHECK(f.refused(looped).code == errc::self_edge);
}

TEST_CASE("extend_topic changes only the keys that it names") {
  topic_site f;
  auto r = new_topic(1, "Harbour");
  r.summary = "ferries";
  r.topic_kind = "place";
  f.applied(r);
  auto more = extend(1, {});
  more.summary = "ferries and boats";
  f.applied(more);
  const auto m = f.get(id_of(1));
  CHECK(m.version->number == 2);
  CHECK(std::get<std::string>(m.version->data.at("title")) == "Harbour");
  CHECK(std::get<std::string>(m.version->data.at("summary")) == "ferries and boats");
  CHECK(std::get<std::string>(m.version->data.at("topic_kind")) == "place");
  CHECK(m.head->actor_scope == "ana");
}

TEST_CASE("every change of a topic has an audit event") {
  topic_site f;
  auto r = new_topic(1, "Harbour");
  r.salience = 0.04;
  r.fields = {field("keeper", text("Ana"))};
  f.applied(r);
  auto more = extend(1, {});
  more.title = "North harbour";
  f.applied(more);
  REQUIRE(f.d.touch_entry(reinforce_payload{.door = reinforcing_door::retrieve,
                                            .actor = "ana",
                                            .items = {{.id = id_of(1)}},
                                            .nonce = {}}));
  auto less = extend(1, {});
  less.salience = 0.01;
  f.applied(less);
  f.applied(forget_request{});
  f.applied(unarchive_request{.id = id_of(1), .actor = "ana"});
  tombstone_request end;
  end.uri = {memory_type::topic, id_of(1), 2};
  f.applied(end);
  std::vector<std::pair<topic_event_kind, std::string>> kinds;
  for (const auto& e : f.events(id_of(1))) kinds.emplace_back(e.kind, e.reason);
  CHECK(kinds
        == std::vector<std::pair<topic_event_kind, std::string>>{
            {topic_event_kind::created, ""},
            {topic_event_kind::salience, "set"},
            {topic_event_kind::field, ""},
            {topic_event_kind::meta, "update"},
            {topic_event_kind::salience, "query_bump"},
            {topic_event_kind::salience, "set"},
            {topic_event_kind::archived, "forget"},
            {topic_event_kind::meta, "topic_unarchive"},
            {topic_event_kind::meta, "tombstone"}});
  const auto bump = f.events(id_of(1))[4];
  CHECK(bump.from_e9 == 40'000'000);
  CHECK(bump.to_e9 == 140'000'000);
  const auto forgotten = f.events(id_of(1))[6];
  CHECK(forgotten.from_e9 == 10'000'000);
  CHECK(forgotten.to_e9 == 5'000'000);
}

TEST_CASE("forget archives what is below 0.05, halves its salience and deletes nothing") {
  topic_site f;
  for (std::uint8_t i = 1; i <= 3; ++i) {
    auto r = new_topic(i, "Topic " + std::to_string(i));
    r.salience = i == 1 ? 0.05 : 0.049;
    r.fields = {field("a", {true})};
    f.applied(r);
  }
  const auto before = f.w->published_roots().state_roots[1];
  const auto done = f.applied(forget_request{.actor = "host"});
  CHECK(done.topics->archived == std::vector{id_of(2), id_of(3)});
  CHECK_FALSE(f.archived(id_of(1)));
  CHECK(f.archived(id_of(2)));
  CHECK(f.get(id_of(2)).activation.topic_salience_e9 == 24'500'000);
  CHECK(f.w->published_roots().state_roots[1] == before);
  CHECK(f.fields(id_of(2)).size() == 1);
  const auto again = f.applied(forget_request{});
  CHECK_FALSE(again.changed);
  CHECK(again.seq == done.seq);
  // The past is as it was.
  CHECK(f.get(id_of(2), seq_no{done.seq.value - 2}).activation.topic_salience_e9 == 49'000'000);
  CHECK(f.applied(unarchive_request{.id = id_of(2), .actor = {}}).changed);
  CHECK(f.get(id_of(2)).head->lifecycle->status == lifecycle_status::open);
  CHECK_FALSE(f.applied(unarchive_request{.id = id_of(2), .actor = {}}).changed);
  CHECK(f.refused(unarchive_request{.id = id_of(77), .actor = {}}).code == errc::not_found);
}

TEST_CASE("revise ends chains of equal titles in one keeper and loses no link or value") {
  topic_site f;
  const auto dated = [](std::string name, json_value v, std::int64_t from) {
    auto input = field(std::move(name), std::move(v));
    input.valid_from = timestamp{from};
    return input;
  };
  for (const std::uint8_t i : std::array<std::uint8_t, 3>{3, 1, 2})
    f.applied(new_topic(i, "Harbour"));
  f.applied(new_topic(4, "Sea"));
  f.applied(extend(1, {dated("keeper", text("own 1"), 50), dated("keeper", text("own 2"), 10)}));
  f.applied(extend(2, {dated("keeper", text("second a"), 40), dated("keeper", text("second b"), 60),
                       dated("depth", {1.0}, 1)}));
  f.applied(extend(3, {dated("keeper", text("third"), 55)}));
  const auto link = [&](std::uint8_t src, edge_type type, std::uint8_t dst, std::string kind) {
    add_edge_request e;
    e.src = id_of(src);
    e.type = static_cast<std::uint8_t>(type);
    e.dst = id_of(dst);
    e.kind = std::move(kind);
    e.weight = 0.25F;
    f.applied(e);
  };
  link(2, edge_type::related_to, 4, "shore");
  link(4, edge_type::part_of, 3, "");
  link(1, edge_type::related_to, 4, "own shore");
  link(2, edge_type::references, 1, "a loop when they are one");
  const auto done = f.applied(revise_request{.actor = "host"});
  CHECK(done.topics->merged
        == std::vector<merged_topics>{{.keeper = id_of(1), .loser = id_of(2)},
                                      {.keeper = id_of(1), .loser = id_of(3)}});
  CHECK(f.archived(id_of(2)));
  CHECK(f.archived(id_of(3)));
  CHECK_FALSE(f.archived(id_of(1)));
  const auto keeper = f.view(id_of(1), "keeper", {.history = true});
  std::vector<json_value> values;
  for (const auto& r : keeper.history) values.push_back(r.value);
  CHECK(values
        == std::vector{text("own 2"), text("own 1"), text("second b"), text("third"),
                       text("second a")});
  CHECK(keeper.current->value == text("own 2"));
  CHECK(keeper.history[3].merged_from == id_of(3));
  CHECK(f.view(id_of(1), "depth").current->value == json_value{1.0});
  // The losers keep what they had.
  CHECK(f.view(id_of(2), "keeper", {.history = true}).history.size() == 2);
  CHECK(f.live_edges(id_of(1))
        == std::vector<edge_key>{{id_of(1), edge_type::supersedes, id_of(2)},
                                 {id_of(1), edge_type::supersedes, id_of(3)},
                                 {id_of(1), edge_type::related_to, id_of(4)},
                                 {id_of(4), edge_type::part_of, id_of(1)}});
  auto old =
      read_edge(*f.reader(), {id_of(2), edge_type::related_to, id_of(4)}, f.w->published_seq());
  REQUIRE(old);
  CHECK((*old)->tombstoned);
  CHECK((*old)->tombstoned_reason == "merged");
  // The keeper's own link to the same topic stays what it was.
  auto own =
      read_edge(*f.reader(), {id_of(1), edge_type::related_to, id_of(4)}, f.w->published_seq());
  CHECK((*own)->kind == "own shore");
  CHECK_FALSE(f.applied(revise_request{}).changed);
  // A later value goes on top of all of them.
  CHECK(f.applied(extend(1, {field("keeper", text("new"))})).topics->revisions.at("keeper") == 6);
  CHECK(f.view(id_of(1), "keeper", {.history = true}).history[0].value == text("new"));
}

TEST_CASE("revise keeps topics of other actors and visibilities apart") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  auto bo = new_topic(2, "Harbour");
  bo.actor = "bo";
  f.applied(bo);
  auto open = new_topic(3, "Harbour");
  open.visibility = visibility::actor_public;
  f.applied(open);
  auto gone = new_topic(4, "Harbour");
  f.applied(gone);
  tombstone_request end;
  end.uri = {memory_type::topic, id_of(4), 1};
  f.applied(end);
  CHECK_FALSE(f.applied(revise_request{}).changed);
}

TEST_CASE("ingest is a batch op and sees what comes before it in the batch") {
  topic_site f;
  auto link = extend(1, {field("keeper", text("Ana")), field("keeper", text("Bo"))});
  link.links = {{.topic_id = id_of(2), .kind = "next"}};
  link.fields[0].ref_topic_id = id_of(2);
  link.summary = "by the sea";
  auto done = f.d.run({new_topic(1, "Harbour"), new_topic(2, "Sea"), link}, true);
  REQUIRE(done);
  CHECK(done->results[2].topics->revisions.at("keeper") == 2);
  auto bad = f.d.run({new_topic(3, "Pier"), extend(9, {})}, true);
  REQUIRE_FALSE(bad);
  CHECK(bad.error().at == "items[1].topic_id");
  CHECK(f.w->nodes.find(id_of(3)).value == no_number);
}

TEST_CASE("revise finds the links that came before it in its batch, both ways") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  f.applied(new_topic(3, "Sea"));
  const auto link = [](std::uint8_t src, std::uint8_t dst) {
    add_edge_request e;
    e.src = id_of(src);
    e.type = static_cast<std::uint8_t>(edge_type::related_to);
    e.dst = id_of(dst);
    return e;
  };
  remove_edge_request gone;
  gone.src = id_of(2);
  gone.type = static_cast<std::uint8_t>(edge_type::related_to);
  gone.dst = id_of(4);
  auto done = f.d.run({new_topic(2, "Harbour"), link(2, 3), link(3, 2), link(2, 4), gone,
                       link(4, 3), revise_request{.actor = "host"}},
                      true);
  REQUIRE(done);
  CHECK(f.live_edges(id_of(1))
        == std::vector<edge_key>{{id_of(1), edge_type::supersedes, id_of(2)},
                                 {id_of(1), edge_type::related_to, id_of(3)},
                                 {id_of(3), edge_type::related_to, id_of(1)}});
}

TEST_CASE("fields are leaves of their own tree and can be proven") {
  topic_site f;
  const auto empty = f.w->published_roots().state_roots[1];
  f.applied(new_topic(1, "Harbour"));
  CHECK(f.w->published_roots().state_roots[1] == empty);
  f.applied(extend(1, {field("keeper", text("Ana"))}));
  CHECK(f.w->published_roots().state_roots[1] != empty);
  const auto head = f.fields(id_of(1))[0].head;
  ledger::proof_request keys;
  keys.keys.emplace_back(state_namespace::fields, field_key_bytes(id_of(1), "keeper"));
  keys.keys.emplace_back(state_namespace::fields, field_key_bytes(id_of(1), "nothing"));
  auto bundle = f.w->ledger->prove(keys, f.w->published_seq());
  REQUIRE(bundle);
  CHECK(verify(*bundle));
  CHECK(bundle->states[0].proof.value_hash == sha256_of(encode(head)));
  CHECK_FALSE(bundle->states[1].proof.value_hash);
  // Salience is outside of every root.
  const auto root = f.w->published_roots().state_roots;
  auto dearer = extend(1, {});
  dearer.salience = 3.0;
  f.applied(dearer);
  CHECK(f.w->published_roots().state_roots == root);
}

TEST_CASE("a world with topics is the same after reopening, checkpoints and replay") {
  topic_site f;
  const auto fill = [&](std::uint8_t from) {
    for (std::uint8_t i = from; i < from + 3; ++i) {
      auto r = new_topic(i, i % 2 == 0 ? "Even" : "Odd");
      r.salience = i == from ? 0.01 : 1.0;
      r.fields = {field("a", {std::int64_t{i}}), field("a", text("again"))};
      f.applied(r);
    }
    f.applied(forget_request{});
    f.applied(revise_request{});
    REQUIRE(f.d.touch_entry(reinforce_payload{.door = reinforcing_door::retrieve,
                                              .actor = {},
                                              .items = {{.id = id_of(from)}},
                                              .nonce = {}}));
  };
  fill(1);
  REQUIRE(f.d.checkpoint());
  fill(11);
  const std::string live = f.dump();
  REQUIRE(f.w->journal->sync());

  site again{.files = f.place.files, .disk = make_memory_disk(), .embedder = "none"};
  auto options = again.options();
  options.directory = "replayed";
  auto replayed = open_world(options);
  REQUIRE(replayed);
  if (auto ok = replay_journal(*f.place.files, "world", **replayed, {}, {}); !ok)
    FAIL(ok.error().message);
  CHECK(*canonical_dump(**replayed) == live);

  const auto report = verify_journal(*f.place.files, "world", {});
  REQUIRE(report);
  CHECK(report->ok);
  CHECK(report->roots == f.w->published_roots());

  f.w.reset();
  const auto reopened = f.place.open();
  CHECK(*canonical_dump(*reopened) == live);
}

TEST_CASE("a field is restored to the byte, or refused") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  f.applied(extend(1, {field("a", text("x")), field("a", text("y"))}));
  const auto original = f.fields(id_of(1))[0];
  auto revisions = read_revisions(*f.reader(), original.head);
  REQUIRE(revisions);
  put_field_record_request r{.field = original, .revisions = *revisions};

  topic_site copy;
  CHECK(copy.refused(r).code == errc::not_found);
  copy.applied(new_topic(1, "Harbour"));
  CHECK(copy.applied(r).changed);
  CHECK(copy.fields(id_of(1))[0] == original);
  CHECK_FALSE(copy.applied(r).changed);
  auto forged = r;
  forged.revisions[0].value = text("z");
  CHECK(copy.refused(forged).code == errc::bad_value);
  // A field that went on is completed; one that went on differently is left alone.
  f.applied(extend(1, {field("a", text("w"))}));
  revisions = read_revisions(*f.reader(), f.fields(id_of(1))[0].head);
  CHECK(copy.applied(put_field_record_request{f.fields(id_of(1))[0], *revisions}).changed);
  CHECK(copy.view(id_of(1), "a", {.history = true}).history.size() == 3);
  CHECK(copy.refused(r).code == errc::already_exists);
}
