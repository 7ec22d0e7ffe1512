// What a tombstone took out of the answers comes back as it was, and what it may not bring back.
// Of: state/execute/execute_restore.cpp
// Of: state/execute/overlay_supersession.cpp
#include "messages/codec/leaf_of.hpp"
#include "messages/codec/records.hpp"
#include "tests/state/execute/topic_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct restore_site : topic_site {
  memory_uri put(write_request r) {
    auto done = d.apply(std::move(r));
    REQUIRE(done);
    return *done->uri;
  }
  void end(const memory_uri& uri, tombstone_cause cause = tombstone_cause::deleted) {
    tombstone_request r{};
    r.uri = uri;
    r.by = "eve";
    r.cause = cause;
    REQUIRE(d.apply(r)->changed);
  }
  mutation_result restored(const memory_id& id) {
    restore_request r{};
    r.id = id;
    r.by = "ana";
    auto done = d.apply(std::move(r));
    REQUIRE(done);
    return std::move(*done);
  }
  error refused(restore_request r) {
    const seq_no before = w->published_seq();
    auto done = d.apply(std::move(r));
    REQUIRE_FALSE(done);
    CHECK(w->published_seq() == before);
    return done.error();
  }
  /// The rows of the memory that are alive.
  row_columns columns(const memory_id& id) {
    const attributes& rows = w->attributes();
    return rows.columns(rows.row_of(w->nodes.find(id), w->published_seq()));
  }
};

} // namespace

TEST_CASE("restore: the head is what it was without its tombstone, and so is its activation") {
  restore_site f;
  write_request r = note("tea at five");
  r.tags = {"tea"};
  r.vector = std::vector<float>{1, 0};
  const auto uri = f.put(r);
  f.d.time->set(timestamp{f.d.time->now().ns + 1'000'000'000});
  const memory before = f.get(uri.id);
  const row_columns row = f.columns(uri.id);
  f.end(uri, tombstone_cause::wrong);
  f.d.time->set(timestamp{f.d.time->now().ns + 1'000'000'000});
  const auto done = f.restored(uri.id);
  CHECK(done.changed);
  CHECK(done.uri == uri);
  CHECK(done.restored == restored_memory{});
  const memory after = f.get(uri.id);
  head expected = *before.head;
  expected.last_updated_at = after.head->last_updated_at;
  CHECK(*after.head == expected);
  CHECK(after.head->last_updated_at == f.d.time->now());
  CHECK(after.version->hash == before.version->hash);
  CHECK(after.activation == before.activation);
  const row_columns again = f.columns(uri.id);
  CHECK_FALSE(again.tombstoned);
  CHECK(again.slot == row.slot);
  CHECK(f.get(uri.id, seq_no{2}).head->tombstone->by == "eve"); // as it was in between
  update_request u{};
  u.uri = uri;
  u.data["statement"] = std::string("x");
  CHECK(f.d.apply(u));
}

TEST_CASE("restore: what is not gone changes nothing, and nothing else comes back") {
  restore_site f;
  const auto uri = f.put(note("x"));
  const auto none = f.restored(uri.id);
  CHECK_FALSE(none.changed);
  CHECK(none.seq == f.w->published_seq());
  CHECK(none.uri == uri);
  restore_request r{};
  r.id = id_of(99);
  CHECK(f.refused(r).code == errc::not_found);
  f.end(uri);
  r.id = uri.id;
  r.expect_version = 2;
  CHECK(f.refused(r).code == errc::version_conflict);
  r.id = {};
  CHECK(f.refused(r).code == errc::bad_id);
}

TEST_CASE("restore: what had ended stays ended, and the answer says since when") {
  restore_site f;
  write_request r = note("until noon");
  r.valid_until = timestamp{f.d.time->now().ns + 5};
  r.expires_at = timestamp{f.d.time->now().ns + 3};
  const auto uri = f.put(r);
  f.end(uri);
  f.d.time->set(timestamp{f.d.time->now().ns + 100});
  const auto done = f.restored(uri.id);
  CHECK(done.restored->ended == r.expires_at);
  CHECK(f.get(uri.id).version->expires_at == r.expires_at);
}

TEST_CASE("restore: what superseded it stays, and the edge that came with the tombstone goes") {
  restore_site f;
  const auto old = f.put(note("tea at five"));
  write_request r = note("tea at six");
  r.supersedes = {old};
  const auto newer = f.put(r);
  const edge_key key{newer.id, edge_type::supersedes, old.id};
  SECTION("the edge is that of the tombstone") {
    const auto done = f.restored(old.id);
    CHECK(done.restored->newer == newer.id);
    CHECK_FALSE(f.get(newer.id).head->tombstone);
    const auto edge = read_edge(*f.reader(), key, f.w->published_seq());
    REQUIRE(edge);
    CHECK((*edge)->tombstoned);
    CHECK((*edge)->tombstoned_reason == "restored");
    CHECK(done.seq == f.w->published_seq());
  }
  SECTION("somebody else says so by now") {
    remove_edge_request gone{};
    gone.src = newer.id;
    gone.type = static_cast<std::uint8_t>(edge_type::supersedes);
    gone.dst = old.id;
    REQUIRE(f.d.apply(gone));
    add_edge_request again{};
    again.src = newer.id;
    again.type = gone.type;
    again.dst = old.id;
    f.d.time->set(timestamp{f.d.time->now().ns + 1});
    REQUIRE(f.d.apply(again));
    f.restored(old.id);
    CHECK_FALSE((*read_edge(*f.reader(), key, f.w->published_seq()))->tombstoned);
  }
}

TEST_CASE("restore: in one batch with what it undoes, and all or none") {
  restore_site f;
  const auto uri = f.put(note("x"));
  tombstone_request gone{};
  gone.uri = uri;
  restore_request back{};
  back.id = uri.id;
  auto done = f.d.run({gone, back, back}, true);
  REQUIRE(done);
  CHECK(done->results[1].changed);
  CHECK_FALSE(done->results[2].changed);
  CHECK_FALSE(f.get(uri.id).head->tombstone);
  f.end(uri);
  restore_request unknown{};
  unknown.id = id_of(98);
  auto refused = f.d.run({back, unknown}, true);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().at == "items[1].id");
  CHECK(f.get(uri.id).head->tombstone);
}

TEST_CASE(
    "restore: a topic that was archived is open again; one that was tombstoned is as it was") {
  restore_site f;
  auto t = new_topic(1, "Harbour");
  t.salience = 0.01;
  t.fields = {field("keeper", text("Ana"))};
  REQUIRE(f.d.apply(t));
  const auto uri = memory_uri{memory_type::topic, id_of(1), 1};
  REQUIRE(f.d.apply(forget_request{})->changed);
  f.end(uri);
  const auto first = f.restored(uri.id);
  CHECK(first.changed);
  CHECK(first.restored->archived);
  const auto second = f.restored(uri.id);
  CHECK(second.changed);
  CHECK_FALSE(second.restored->archived);
  CHECK(f.get(uri.id).head->lifecycle->status == lifecycle_status::open);
  CHECK_FALSE(f.restored(uri.id).changed);
  auto more = f.d.apply(extend(1, {field("keeper", text("Bo"))}));
  CHECK(more);
}

TEST_CASE("restore: of what was erased nothing is left") {
  restore_site f;
  const auto uri = f.put(note("x"));
  f.end(uri);
  head h = *f.get(uri.id).head;
  h.erased = true;
  std::vector<entry> erased;
  erased.push_back(seal_entry({.seq = f.w->published_seq().next(),
                               .kind = entry_kind::tombstone,
                               .created_at = f.d.time->now(),
                               .created_by = {},
                               .leaves = {leaf_of(h)},
                               .payload_hash = {}},
                              head_payload{h}));
  const auto done = commit_directly(*f.w, std::move(erased), true);
  REQUIRE(done);
  restore_request r{};
  r.id = uri.id;
  const error refused = f.refused(r);
  CHECK(refused.code == errc::erased);
  CHECK(refused.at == "id");
}

TEST_CASE("restore: the same after the world is made anew from its journal") {
  restore_site f;
  const auto kept = f.put(note("kept"));
  const auto back = f.put(note("back"));
  f.end(kept);
  f.end(back);
  f.restored(back.id);
  auto before = canonical_dump(*f.w);
  REQUIRE(before);
  f.w.reset();
  f.place.disk = make_memory_disk();
  auto again = f.place.open();
  auto after = canonical_dump(*again);
  REQUIRE(after);
  CHECK(*after == *before);
}
