// Vectors of a remote embedder: their entries, what they change, and forged ones.
// Of: state/embedding/unembedded.cpp, messages/codec/leaf_of.cpp, state/recovery/replay_check.cpp

#include <catch2/catch.hpp>

#include "messages/codec/leaf_of.hpp"
#include "state/embedding/unembedded.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// Nobody is behind it: whoever asked would see an error.
constexpr const char* nowhere = "http:http://127.0.0.1:1/#model=m,dim=2";

struct remote_world {
  site place;
  std::unique_ptr<world> w;
  std::unique_ptr<driven> d;

  remote_world() {
    place.embedder = nowhere;
    reopen();
  }
  void reopen() {
    d.reset();
    w.reset();
    w = place.open();
    d = std::make_unique<driven>(*w);
  }
  result<seq_no> embed(std::vector<late_vector> items) {
    std::optional<result<seq_no>> answer;
    d->core.enqueue(embed_command{std::move(items), [&](result<seq_no> r) { answer = r; }});
    d->pump();
    return *answer;
  }
  std::uint64_t pending() {
    std::uint64_t found = 0;
    each_unembedded(w->views(), w->published_seq(), [&](const memory_id&) {
      ++found;
      return true;
    });
    CHECK(w->published_counts().live.unembedded == found);
    return found;
  }
  head head_of(const memory_id& id) {
    auto reader = w->store->reader();
    return read_head(**reader, id, w->published_seq()).value().value();
  }
};

/// Commits `forged` behind an honest write and answers what replay and recovery say of it.
template <class Forge>
error replayed(Forge forge) {
  remote_world r;
  const auto uri = *r.d->apply(note("a"))->uri;
  head h = r.head_of(uri.id);
  h.embedding = embedding_ref{.dim = 2, .version = 1};
  embed_payload p{.head = h, .vector = spaced_vector{{.model = "http:m", .dim = 2}, {1, 2}}};
  entry_header header{.seq = {2},
                      .kind = entry_kind::embed,
                      .created_at = r.d->time->now(),
                      .created_by = {},
                      .leaves = {},
                      .payload_hash = {}};
  forge(p, header);
  if (header.leaves.empty()) header.leaves = {leaf_of(p.head)};
  std::vector<entry> entries;
  entries.push_back(seal_entry(header, p));
  // What a forger can do: a journal that is whole, with roots that fit.
  REQUIRE(r.w->journal->append(entries, r.w->ledger->roots().overall));
  REQUIRE(apply_to_ledger(*r.w, entries));
  REQUIRE(r.w->journal->append_seal(r.w->ledger->roots().overall));
  REQUIRE(r.w->journal->sync());
  site other;
  other.embedder = nowhere;
  auto into = other.open();
  auto replay = replay_journal(*r.place.files, "world", *into, {}, {});
  r.d.reset();
  r.w.reset();
  auto opened = open_world(r.place.options());
  REQUIRE(replay.has_value() == opened.has_value());
  if (replay) return {};
  CHECK(opened.error().code == replay.error().code);
  return replay.error();
}

} // namespace

TEST_CASE("a write does not wait for a remote embedder; the vector is an entry of its own") {
  remote_world r;
  const auto uri = *r.d->apply(note("a"))->uri;
  CHECK(r.pending() == 1);
  CHECK_FALSE(r.head_of(uri.id).embedding);
  const head before = r.head_of(uri.id);
  const auto used = r.w->attributes().activation_of(r.w->nodes.find(uri.id), {1});
  REQUIRE(r.d->touch({.predicate = {},
                      .types = {},
                      .tags = {},
                      .limit = {},
                      .result_count = 1,
                      .accessed = {uri.id},
                      .actor = {},
                      .nonce = {}}));
  REQUIRE(r.embed({{uri.id, 1, {1, 2}}}).value() == seq_no{3});
  CHECK(r.pending() == 0);
  head after = r.head_of(uri.id);
  CHECK(after.embedding == embedding_ref{.dim = 2, .version = 1});
  after.embedding.reset();
  CHECK(after == before);
  CHECK(r.w->vectors().space() == vector_space{.model = "http:m", .dim = 2});
  const auto a = r.w->attributes().activation_of(r.w->nodes.find(uri.id), {3});
  CHECK(a.access_count == used.access_count + 1);
  // Before its entry the memory had no vector, and has none as of then.
  const auto row = r.w->attributes().row_of(r.w->nodes.find(uri.id), {2});
  CHECK(r.w->vectors().get(r.w->attributes().slot(row)).empty());
}

TEST_CASE("a late vector that no longer fits is passed over") {
  remote_world r;
  const auto uri = *r.d->apply(note("a"))->uri;
  update_request u;
  u.uri = uri;
  u.data = {{"statement", std::string("b")}};
  REQUIRE(r.d->apply(u));
  CHECK(r.embed({{uri.id, 1, {1, 2}}}).value() == seq_no{2});
  CHECK(r.embed({{uri.id, 2, {1, 2}}}).value() == seq_no{3});
  CHECK(r.embed({{uri.id, 2, {2, 1}}}).value() == seq_no{3});
  CHECK(r.embed({{id_of(77), 1, {2, 1}}}).value() == seq_no{3});
  // New text, no vector until its own comes.
  REQUIRE(r.d->apply(u));
  CHECK(r.pending() == 1);
  tombstone_request t;
  t.uri = uri;
  REQUIRE(r.d->apply(t));
  CHECK(r.pending() == 0);
  CHECK(r.embed({{uri.id, 3, {2, 1}}}).value() == seq_no{5});
}

TEST_CASE("late vectors of another dimension, infinite or zero ones change nothing") {
  remote_world r;
  const auto one = *r.d->apply(note("a"))->uri;
  const auto two = *r.d->apply(note("b"))->uri;
  const auto refusal = [&](std::vector<float> values) {
    auto done = r.embed({{one.id, 1, {1, 2}}, {two.id, 1, std::move(values)}});
    REQUIRE_FALSE(done);
    CHECK(r.w->published_seq() == seq_no{2});
    return done.error().code;
  };
  CHECK(refusal({1, 2, 3}) == errc::dim_mismatch);
  CHECK(refusal({0, 0}) == errc::bad_vector);
  CHECK(refusal({1, std::numeric_limits<float>::infinity()}) == errc::bad_vector);
  CHECK(refusal({}) == errc::bad_vector);
}

TEST_CASE("embed entries survive reopening, checkpoints and replay") {
  remote_world r;
  std::vector<memory_uri> uris;
  for (int i = 0; i < 5; ++i) uris.push_back(*r.d->apply(note("n" + std::to_string(i)))->uri);
  REQUIRE(r.embed({{uris[1].id, 1, {1, 2}}, {uris[3].id, 1, {3, 4}}}));
  const std::string dump = canonical_dump(*r.w).value();
  r.reopen();
  CHECK(canonical_dump(*r.w).value() == dump);
  CHECK(r.pending() == 3);
  std::optional<result<seq_no>> checkpoint;
  r.d->core.enqueue(checkpoint_command{[&](result<seq_no> c) { checkpoint = c; }});
  r.d->pump();
  REQUIRE(*checkpoint);
  REQUIRE(r.embed({{uris[0].id, 1, {5, 6}}}));
  const std::string later = canonical_dump(*r.w).value();
  r.reopen();
  CHECK(canonical_dump(*r.w).value() == later);
  site other;
  other.embedder = nowhere;
  auto copy = other.open();
  REQUIRE(replay_journal(*r.place.files, "world", *copy, {}, {}));
  CHECK(canonical_dump(*copy).value() == later);
  CHECK(verify_journal(*r.place.files, "world", {}).value().ok);
}

TEST_CASE("a forged embed entry is corrupt") {
  CHECK(replayed([](embed_payload&, entry_header&) {}).message.empty()); // the honest one
  const auto code = [](auto forge) { return replayed(forge).code; };
  CHECK(code([](embed_payload& p, entry_header&) { p.head.id = id_of(9); }) == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) { p.head.tags = {"x"}; }) == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) {
          p.head.current_version = 2;
          p.head.embedding->version = 2;
        })
        == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) { p.head.embedding->dim = 3; }) == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) { p.head.embedding.reset(); }) == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) { p.vector->space.model = "other"; })
        == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) {
          p.vector = spaced_vector{{.model = "http:m", .dim = 3}, {1, 2, 3}};
          p.head.embedding->dim = 3;
        })
        == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) { p.vector->values = {0, 0}; }) == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) {
          p.vector->values[0] = std::numeric_limits<float>::infinity();
        })
        == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) { p.text = "of a note"; }) == errc::corrupt);
  CHECK(code([](embed_payload& p, entry_header&) {
          p.vector.reset();
          p.head.embedding.reset();
        })
        == errc::corrupt);
  CHECK(
      code([](embed_payload& p, entry_header& h) { h.leaves = {leaf_of(p.head), leaf_of(p.head)}; })
      == errc::corrupt);
}
