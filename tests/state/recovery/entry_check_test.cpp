// Journals whose frames, chains and hashes fit, but whose entries no engine would have written.
// Of: state/recovery/replay_check.cpp, state/recovery/verify.cpp, messages/codec/leaf_of.cpp
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "messages/codec/leaf_of.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/hash.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct forgery {
  site place;
  head h;
  version v;
  digest root;
  std::uint64_t seq = 0;

  /// A sound world of one memory, with two versions.
  forgery() {
    auto w = place.open();
    driven d(*w);
    write_request r = note("one");
    r.vector = std::vector<float>{1, 2, 3};
    const memory_uri uri = *d.apply(r)->uri;
    update_request u;
    u.uri = uri;
    u.data["statement"] = "two";
    REQUIRE(d.apply(u));
    auto reader = w->store->reader();
    h = **read_head(**reader, uri.id, w->published_seq());
    v = **read_version(**reader, uri.id, 2);
    root = w->published_roots().overall;
    seq = w->published_seq().value;
  }

  void anchor() {
    v.hash = {};
    v.hash = hash_of(v);
    h.version_hash = v.hash;
    h.current_version = v.number;
  }

  /// Appends the entry in a frame of its own and shows that everybody refuses it.
  void refused(entry_kind kind, entry_payload payload, std::vector<state_leaf> leaves) {
    entry e = seal_entry({.seq = {seq + 1},
                          .kind = kind,
                          .created_at = {5},
                          .created_by = "x",
                          .leaves = std::move(leaves),
                          .payload_hash = {}},
                         std::move(payload));
    refused(std::move(e));
  }
  void refused(entry e) {
    {
      auto out = journal::open(place.files, "world/journal", seeded_world_id("test", 1), {}, {});
      REQUIRE(out);
      std::vector<entry> entries;
      e.header.seq = {seq + 1}; // what the journal looks at; the bytes may say otherwise
      entries.push_back(std::move(e));
      REQUIRE((*out)->append(entries, root));
      REQUIRE((*out)->sync());
    }
    const auto is_located = [&](const error& problem) {
      CHECK(problem.code == errc::corrupt);
      CHECK(problem.message.find(".seg, offset ") != std::string::npos);
      CHECK(problem.message.find("entry " + std::to_string(seq + 1)) != std::string::npos);
    };
    auto opened = open_world(place.options());
    REQUIRE_FALSE(opened);
    is_located(opened.error());
    site other;
    auto into = other.open();
    auto replayed = replay_journal(*place.files, "world", *into, {}, {});
    REQUIRE_FALSE(replayed);
    is_located(replayed.error());
    CHECK(into->published_seq().value == seq);
    auto report = verify_journal(*place.files, "world", {});
    REQUIRE(report);
    CHECK_FALSE(report->ok);
    CHECK(report->problem.find("entry " + std::to_string(seq + 1)) != std::string::npos);
  }
};

} // namespace

TEST_CASE("an update of an unknown memory is corrupt") {
  forgery f;
  f.h.id = f.v.id = id_of(9);
  f.v.number = 3;
  f.anchor();
  f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {leaf_of(f.h)});
}

TEST_CASE("a head or a touch of an unknown memory is corrupt") {
  forgery f;
  f.h.id = id_of(9);
  SECTION("head") {
    f.refused(entry_kind::update_head, head_payload{f.h}, {leaf_of(f.h)});
  }
  SECTION("touch") {
    find_late_payload touch;
    touch.accessed = {id_of(9)};
    f.refused(entry_kind::find_late, touch, {});
  }
  SECTION("attest") {
    attest_payload attest;
    attest.outcome = attest_outcome::success;
    attest.cited = {id_of(9)};
    f.refused(entry_kind::attest, attest, {});
  }
  SECTION("retrieve") {
    reinforce_payload found{.door = reinforcing_door::retrieve, .actor = {}, .items = {}};
    found.items.push_back({.id = id_of(9), .from_e9 = 0, .to_e9 = 5});
    f.refused(entry_kind::reinforce, found, {});
  }
  SECTION("salience") {
    topic_salience_payload set;
    set.topic = id_of(9);
    f.refused(entry_kind::topic_salience, set, {});
  }
  SECTION("decay of what has no colour") {
    decay_cycle_payload decay;
    decay.items.push_back({.id = f.v.id, .strength_e9 = 5, .ascended = false, .rotten = false});
    f.refused(entry_kind::decay_cycle, decay, {});
  }
}

TEST_CASE("a gap in the versions, a second first version and a borrowed hash are corrupt") {
  forgery f;
  SECTION("gap") {
    f.v.number = 4;
    f.anchor();
    f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {leaf_of(f.h)});
  }
  SECTION("written twice") {
    f.v.number = 1;
    f.anchor();
    f.refused(entry_kind::write, write_payload{f.h, f.v, {}, true}, {leaf_of(f.h)});
  }
  SECTION("a head of an earlier version") {
    f.h.current_version = 1;
    f.refused(entry_kind::update_head, head_payload{f.h}, {leaf_of(f.h)});
  }
  SECTION("content that the hash is not of") {
    f.v.number = 3;
    f.anchor();
    f.v.data["statement"] = std::string("other");
    f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {leaf_of(f.h)});
  }
  SECTION("a version of another memory") {
    f.v.number = 3;
    f.v.id = id_of(9);
    f.anchor();
    f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {leaf_of(f.h)});
  }
  SECTION("another type") {
    f.v.number = 3;
    f.v.type = f.h.type = memory_type::fact;
    f.anchor();
    f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {leaf_of(f.h)});
  }
  SECTION("a field that the type does not have") {
    f.v.number = 3;
    f.v.data.clear();
    f.anchor();
    f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {leaf_of(f.h)});
  }
  SECTION("a vector of another dimension") {
    f.v.number = 3;
    f.anchor();
    const spaced_vector longer{{.model = "external", .dim = 4}, {1, 2, 3, 4}};
    f.refused(entry_kind::update, update_payload{f.h, f.v, longer}, {leaf_of(f.h)});
  }
}

TEST_CASE("a head that no request could make is corrupt") {
  forgery f;
  SECTION("more tags than a memory has") {
    for (int i = 0; i < 70'000; ++i) f.h.tags.push_back(fmt::format("{:05}", i));
  }
  SECTION("a colour where there was none") {
    f.h.colour = colour{.hashtags = {"#a"}, .L = 50, .a = 0, .b = 0, .mode = "adaptive"};
  }
  SECTION("a mode that is none") {
    f.h.colour = colour{.hashtags = {"#a"}, .L = 50, .a = 0, .b = 0, .mode = "other"};
  }
  f.refused(entry_kind::update_head, head_payload{f.h}, {leaf_of(f.h)});
}

TEST_CASE("leaves that are not those of the payload are corrupt") {
  forgery f;
  f.v.number = 3;
  f.anchor();
  auto leaf = leaf_of(f.h);
  SECTION("another hash") {
    leaf.value_hash.bytes[0] ^= 1;
    f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {leaf});
  }
  SECTION("none") {
    f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {});
  }
  SECTION("one more") {
    f.refused(entry_kind::update, update_payload{f.h, f.v, {}}, {leaf, leaf});
  }
}

TEST_CASE("edges that contradict their entry are corrupt") {
  forgery f;
  edge_record e;
  e.key = {f.h.id, static_cast<edge_type>(3), id_of(8)};
  e.created_at = {5};
  e.weight = 1;
  SECTION("an end that is not one") {
    f.refused(entry_kind::remove_edge, edge_payload{e}, {leaf_of(e)});
  }
  SECTION("to itself") {
    e.key.dst = e.key.src;
    f.refused(entry_kind::add_edge, edge_payload{e}, {leaf_of(e)});
  }
  SECTION("to nobody") {
    e.key.dst = {};
    f.refused(entry_kind::add_edge, edge_payload{e}, {leaf_of(e)});
  }
}

TEST_CASE("a snapshot of another state is corrupt") {
  forgery f;
  snapshot_payload s;
  s.manifest.seq = {f.seq};
  s.manifest.overall_root = f.root;
  f.refused(entry_kind::snapshot, s, {});
}

TEST_CASE("an entry that carries another seq, or another payload's hash, is corrupt") {
  forgery f;
  entry e = seal_entry({.seq = {f.seq + 7},
                        .kind = entry_kind::update_head,
                        .created_at = {5},
                        .created_by = "x",
                        .leaves = {leaf_of(f.h)},
                        .payload_hash = {}},
                       head_payload{f.h});
  SECTION("seq") {
    f.refused(std::move(e));
  }
  SECTION("payload") {
    e.header.seq = {f.seq + 1};
    e.header_bytes = encode(e.header);
    e.payload_bytes.back() = static_cast<char>(e.payload_bytes.back() ^ 1);
    f.refused(std::move(e));
  }
}

TEST_CASE("what is said of a topic that is none is corrupt") {
  {
    forgery f;
    f.refused(entry_kind::topic_salience, topic_salience_payload{f.h.id, 0, 1, "set", {}}, {});
  }
  {
    forgery f;
    f.refused(entry_kind::reinforce,
              reinforce_payload{reinforcing_door::retrieve, "x", {{f.h.id, 0, 1}}, {}}, {});
  }
  {
    forgery f;
    f.refused(entry_kind::topic_merge, topic_merge_payload{f.h.id, f.h}, {leaf_of(f.h)});
  }
  forgery f;
  field_revision r;
  r.topic = f.h.id;
  r.field = "a";
  r.number = 1;
  r.hash = hash_of(r);
  topic_field field;
  field.head = {.topic = f.h.id,
                .name = "a",
                .type = topic_field_type::string,
                .ref_topic_id = {},
                .revisions = 1,
                .newest_hash = r.hash};
  field.current = 1;
  f.refused(entry_kind::field, field_payload{field, {r}}, {});
}

TEST_CASE("learned weights that nothing taught are corrupt") {
  forgery f;
  learn_weights_payload p{.actor = "x", .skipped = false, .weights = {}, .nonce = {}};
  SECTION("negative") {
    p.weights.recency = -1;
    p.weights.access += 250'000'001;
  }
  SECTION("not a share of the whole") {
    p.weights.recency += 1'000'000;
  }
  SECTION("of another actor") {
    p.actor = "y";
  }
  f.refused(entry_kind::learn_weights, p, {});
}

TEST_CASE("a compact record of what is not there is corrupt") {
  forgery f;
  compact_payload p{
      .intent_id = "i",
      .step_id = "s",
      .actor = "x",
      .budget_tokens = 10,
      .tokens = 4,
      .kept = {weighed_uri{
          .uri = {f.h.type, f.h.id, 2}, .salience = 0, .tokens = 4, .short_form = ""}},
      .compacted = {},
      .nonce = {}};
  SECTION("an unknown memory") {
    p.kept[0].uri.id = id_of(9);
  }
  SECTION("an unknown version") {
    p.kept[0].uri.version = 3;
  }
  SECTION("tokens that do not add up") {
    p.tokens = 5;
  }
  SECTION("over its budget") {
    p.kept[0].tokens = p.tokens = 11;
  }
  f.refused(entry_kind::compact, p, {});
}

TEST_CASE("a hashtag's assignment that no request makes is corrupt") {
  forgery f;
  assign_tag_payload p{"sea", 12, "x", {}};
  SECTION("not normalised") {
    p.tag = "Sea ";
  }
  SECTION("no anchor") {
    p.anchor = 0;
  }
  SECTION("an anchor behind the last one") {
    p.anchor = 10'001;
  }
  f.refused(entry_kind::assign_tag, p, {});
}

TEST_CASE("weights of search that no request sets are corrupt") {
  forgery f;
  search_weights_payload p{to_string(search_weights{}), "x", {}};
  SECTION("out of range") {
    p.weights = "b=2";
  }
  SECTION("unknown") {
    p.weights += ",tea=1";
  }
  f.refused(entry_kind::search_weights, p, {});
}
