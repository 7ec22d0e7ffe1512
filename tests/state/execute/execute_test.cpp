// What each mutation does to the state, what it journals, and that a refused one changes nothing.
// Of: state/execute/execute_touch.cpp, state/execute/overlay.cpp, messages/seams/checked_seams.cpp
#include <catch2/catch.hpp>

#include "messages/codec/records.hpp"
#include "state/recovery/dump.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct fixture {
  site place;
  std::unique_ptr<world> w = place.open();
  driven d{*w};

  memory get(const memory_id& id) {
    auto reader = w->store->reader();
    auto m = read_memory(w->views(), **reader, id, w->published_seq());
    REQUIRE(m);
    REQUIRE(m->has_value());
    return **m;
  }
  std::string dump() {
    auto text = canonical_dump(*w);
    REQUIRE(text);
    return *text;
  }
  /// Runs a request that must fail, and shows that nothing moved: no seq, no root, no draw.
  error refused(mutation m) {
    const std::string before = dump();
    const memory_id drawn = w->last_drawn_id;
    auto r = d.apply(std::move(m));
    REQUIRE_FALSE(r);
    CHECK(dump() == before);
    CHECK(w->last_drawn_id == drawn);
    return r.error();
  }
};

update_request update_of(const memory_uri& uri, std::string text) {
  update_request u;
  u.uri = uri;
  u.data["statement"] = std::move(text);
  u.actor = "bob";
  return u;
}

} // namespace

TEST_CASE("a write makes version 1 and answers its uri and seq") {
  fixture f;
  write_request r = note("the kettle is on");
  r.tags = {"tea", "kitchen", "tea"};
  r.importance = 7;
  auto done = f.d.apply(r);
  REQUIRE(done);
  CHECK(done->changed);
  CHECK(done->seq == seq_no{1});
  CHECK(done->uri->version == 1);
  const memory m = f.get(done->uri->id);
  CHECK(m.head->tags == std::vector<std::string>{"kitchen", "tea"});
  CHECK(m.head->declared_importance == 7);
  CHECK(m.head->version_hash == m.version->hash);
  CHECK(hash_of(m.version) == m.version->hash);
  CHECK(m.version->created_by == "ana");
  CHECK(m.version->valid_from == m.version->created_at);
  CHECK(m.activation.last_used == m.head->created_at);
  CHECK(m.activation.access_count == 0);
  CHECK(m.activation.importance == 7);
}

TEST_CASE("a confidence of zero means one") {
  fixture f;
  write_request r = note("x");
  r.confidence = 0;
  CHECK(f.get(f.d.apply(r)->uri->id).version->confidence == 1.0);
}

TEST_CASE("drawn ids increase even when the clock goes back") {
  fixture f;
  memory_id last;
  for (int i = 0; i < 50; ++i) {
    f.d.time->set({1'000'000'000'000'000'000 - i * 1'000'000'000LL});
    auto done = f.d.apply(note("n" + std::to_string(i)));
    REQUIRE(done);
    CHECK(done->uri->id > last);
    last = done->uri->id;
  }
}

TEST_CASE("a drawn id never meets one that a caller gave") {
  // With this source the first id drawn is known: the clock's milliseconds and zeros.
  struct zeros final : random_source {
    void fill(std::span<std::uint8_t> out) override { std::ranges::fill(out, std::uint8_t{0}); }
  };
  site place;
  auto w = place.open();
  driven d(*w, std::make_shared<zeros>());
  memory_id first;
  std::uint64_t ms = 1'000'000'000'000;
  for (std::size_t i = 6; i-- > 0; ms >>= 8) first.bytes[i] = static_cast<std::uint8_t>(ms);
  memory_id second = first;
  second.bytes[15] = 1;

  SECTION("to a memory before") {
    write_request taken = note("a caller's");
    taken.id = first;
    REQUIRE(d.apply(taken));
    CHECK(d.apply(note("drawn"))->uri->id == second);
  }
  SECTION("to an end of an edge before") {
    add_edge_request dangling;
    dangling.src = id_of(1);
    dangling.type = 3;
    dangling.dst = first;
    REQUIRE(d.apply(dangling));
    CHECK(d.apply(note("drawn"))->uri->id == second);
  }
  SECTION("to an item of the same batch") {
    write_request taken = note("a caller's");
    taken.id = first;
    auto done = d.run({note("drawn"), taken}, true);
    REQUIRE(done);
    CHECK(done->results[0].uri->id == second);
  }
}

TEST_CASE("a caller's id is kept, and taken only once") {
  fixture f;
  write_request r = note("mine");
  r.id = id_of(7);
  REQUIRE(f.d.apply(r));
  CHECK(f.refused(r).code == errc::already_exists);
  REQUIRE(f.d.apply(tombstone_request{.uri = {memory_type::note, id_of(7), 1},
                                      .actor = "",
                                      .reason = "gone",
                                      .by = {},
                                      .cause = tombstone_cause::deleted,
                                      .superseded_by = {},
                                      .expect_version = {}}));
  CHECK(f.refused(r).code == errc::already_exists);
}

TEST_CASE("an update replaces the data, keeps tags, and bumps the version") {
  fixture f;
  write_request r = note("first");
  r.tags = {"t"};
  const auto uri = *f.d.apply(r)->uri;
  f.d.time->set({1'000'000'100'000'000'000});
  auto done = f.d.apply(update_of(uri, "second"));
  REQUIRE(done);
  CHECK(done->uri->version == 2);
  const memory m = f.get(uri.id);
  CHECK(std::get<std::string>(m.version->data.at("statement")) == "second");
  CHECK(m.head->tags == std::vector<std::string>{"t"});
  CHECK(m.version->created_by == "bob");
  CHECK(m.activation.last_used == m.head->last_updated_at);
  // An older uri names the same memory.
  CHECK(f.d.apply(update_of(uri, "third"))->uri->version == 3);
}

TEST_CASE("what update refuses") {
  fixture f;
  const auto uri = *f.d.apply(note("first"))->uri;
  CHECK(f.refused(update_of({memory_type::note, id_of(9), 1}, "x")).code == errc::not_found);
  update_request wrong = update_of({memory_type::decision, uri.id, 1}, "x");
  CHECK(f.refused(wrong).code == errc::type_data_mismatch);
  update_request stale = update_of(uri, "x");
  stale.expect_version = 4;
  CHECK(f.refused(stale).code == errc::version_conflict);
  update_request interval = update_of(uri, "x");
  interval.valid_from = timestamp{2'000};
  interval.valid_until = timestamp{2'000};
  const error e = f.refused(interval);
  CHECK(e.code == errc::bad_interval);
  CHECK(e.at == "valid_until");
  update_request blank = update_of(uri, "  ");
  CHECK(f.refused(blank).code == errc::missing_field);
}

TEST_CASE("a span is put into a form of the caller's own where it is once, as into the data") {
  fixture f;
  write_request r = note("the ferry leaves at noon");
  r.forms.short_form = "afternoon? no, noon";
  r.forms.medium_form = "ferry: noon";
  const auto uri = *f.d.apply(r)->uri;
  update_request u;
  u.uri = uri;
  u.actor = "bob";
  u.replace = text_replacement{.from = "noon", .to = "ten"};
  REQUIRE(f.d.apply(u));
  auto v = *f.get(uri.id).version;
  CHECK(v.forms.short_form == "the ferry leaves at ten"); // which of both was meant, nobody knows
  CHECK_FALSE(v.short_overridden);
  CHECK(v.forms.medium_form == "ferry: ten");
  CHECK(v.medium_overridden);
  u.replace = text_replacement{.from = "leaves", .to = "goes"};
  REQUIRE(f.d.apply(u));
  v = *f.get(uri.id).version;
  CHECK(v.forms.short_form == "the ferry goes at ten");
  CHECK(v.forms.medium_form == "ferry: ten"); // says nothing of it
  CHECK(v.medium_overridden);
}

TEST_CASE("a span is found however its accents are spelled, and what is beside it stays") {
  fixture f;
  update_request u;
  u.actor = "bob";
  for (const auto& [text, old, made] : {std::tuple("Rene\u0301 dines at the cafe\u0301",
                                                   "caf\u00E9", "Rene\u0301 dines at the inn"),
                                        std::tuple("Ren\u00E9 dines at the caf\u00E9", "cafe\u0301",
                                                   "Ren\u00E9 dines at the inn")}) {
    u.uri = *f.d.apply(note(text))->uri;
    u.replace = text_replacement{.from = old, .to = "inn"};
    REQUIRE(f.d.apply(u));
    CHECK(std::get<std::string>(f.get(u.uri.id).version->data.at("statement")) == made);
  }
  u.uri = *f.d.apply(note("a caf\u00E9 is a cafe\u0301"))->uri;
  u.replace = text_replacement{.from = "caf\u00E9", .to = "inn"};
  CHECK(f.refused(u).code == errc::bad_value);
}

TEST_CASE("what a write supersedes may be named twice") {
  fixture f;
  const auto old = *f.d.apply(note("old"))->uri;
  write_request r = note("new");
  r.supersedes = {old, old};
  const auto newer = *f.d.apply(r)->uri;
  CHECK(f.get(old.id).head->tombstone->superseded_by == newer.id);
  CHECK(f.refused(r).code == errc::tombstoned); // an earlier write did
}

TEST_CASE("a head patch replaces what is present and makes no version") {
  fixture f;
  write_request r = note("x");
  r.tags = {"a"};
  const auto uri = *f.d.apply(r)->uri;
  update_head_request patch;
  patch.uri = uri;
  patch.tags = {{"c", "b"}};
  patch.importance = 9;
  patch.visibility = visibility::actor_public;
  auto done = f.d.apply(patch);
  REQUIRE(done);
  CHECK(done->uri->version == 1);
  const memory m = f.get(uri.id);
  CHECK(m.head->tags == std::vector<std::string>{"b", "c"});
  CHECK(m.activation.importance == 9);
  update_head_request empty;
  empty.uri = uri;
  CHECK(f.refused(empty).code == errc::no_op);
  update_head_request moved;
  moved.uri = uri;
  moved.lifecycle = lifecycle{.status = lifecycle_status::resolved,
                              .due_date = {},
                              .project = {},
                              .origin = {},
                              .atomic = false,
                              .audience = {}};
  REQUIRE(f.d.apply(moved));
  moved.lifecycle->status = lifecycle_status::waiting;
  CHECK(f.refused(moved).code == errc::bad_transition);
}

TEST_CASE("a tombstone is idempotent and stops changes") {
  fixture f;
  const auto uri = *f.d.apply(note("x"))->uri;
  tombstone_request t;
  t.uri = uri;
  t.reason = "wrong";
  t.cause = tombstone_cause::wrong;
  t.by = "eve";
  REQUIRE(f.d.apply(t)->changed);
  const std::string before = f.dump();
  auto again = f.d.apply(t);
  REQUIRE(again);
  CHECK_FALSE(again->changed);
  CHECK(f.dump() == before);
  CHECK(f.get(uri.id).head->tombstone->by == "eve");
  CHECK(f.refused(update_of(uri, "y")).code == errc::tombstoned);
  update_head_request patch;
  patch.uri = uri;
  patch.importance = 1;
  CHECK(f.refused(patch).code == errc::tombstoned);
}

TEST_CASE("edges: a live one is a no-op, a tombstoned one is revived as a fresh record") {
  fixture f;
  add_edge_request add;
  add.src = id_of(1);
  add.type = 3;
  add.dst = id_of(2);
  add.weight = 0.5F;
  REQUIRE(f.d.apply(add)->changed);
  add.weight = 0.9F;
  CHECK_FALSE(f.d.apply(add)->changed);
  remove_edge_request remove{
      .src = id_of(1), .type = 3, .dst = id_of(2), .actor = "ana", .reason = "old", .by = {}};
  REQUIRE(f.d.apply(remove)->changed);
  CHECK_FALSE(f.d.apply(remove)->changed);
  auto reader = f.w->store->reader();
  const edge_key key{id_of(1), edge_type::references, id_of(2)};
  auto removed = read_edge(**reader, key, f.w->published_seq());
  CHECK((*removed)->tombstoned);
  CHECK((*removed)->weight == 0.5F);
  CHECK((*removed)->tombstoned_by == "ana");
  REQUIRE(f.d.apply(add)->changed);
  auto revived = read_edge(**reader, key, f.w->published_seq());
  CHECK_FALSE((*revived)->tombstoned);
  CHECK((*revived)->weight == 0.9F);
  CHECK((*revived)->tombstoned_reason.empty());
  // Checks come in order: type, self, zero.
  add.type = 0x10;
  add.dst = id_of(1);
  CHECK(f.refused(add).code == errc::invalid_edge_type);
  add.type = 1;
  CHECK(f.refused(add).code == errc::self_edge);
  add.dst = {};
  CHECK(f.refused(add).code == errc::zero_id);
}

TEST_CASE("an edge is told from the others of its memory, however many it has") {
  fixture f;
  const memory_id hub = f.d.apply(note("hub"))->uri->id;
  std::vector<memory_id> others;
  for (int i = 0; i < 80; ++i) {
    others.push_back(f.d.apply(note("n" + std::to_string(i)))->uri->id);
    add_edge_request add;
    add.src = hub;
    add.dst = others.back();
    add.type =
        static_cast<std::uint8_t>(i % 4 == 0 ? edge_type::references : edge_type::related_to);
    add.actor = "ana";
    REQUIRE(f.d.apply(add)->changed);
  }
  remove_edge_request remove;
  remove.src = hub;
  remove.dst = others[40];
  remove.type = static_cast<std::uint8_t>(edge_type::references);
  remove.actor = "ana";
  REQUIRE(f.d.apply(remove)->changed);
  for (std::size_t i = 0; i < others.size(); ++i)
    for (const edge_type type : {edge_type::references, edge_type::related_to}) {
      add_edge_request add;
      add.src = hub;
      add.dst = others[i];
      add.type = static_cast<std::uint8_t>(type);
      add.actor = "ana";
      const bool is_there = (i % 4 == 0) == (type == edge_type::references) && i != 40;
      CHECK(f.d.apply(add)->changed == !is_there);
      add.src = others[i];
      add.dst = hub;
      remove.dst = hub;
      remove.src = others[i];
      remove.type = add.type;
      CHECK_FALSE(f.d.apply(remove)->changed); // the other way there is none
    }
}

TEST_CASE("a batch is all or nothing, and its items see each other") {
  fixture f;
  write_request first = note("first");
  first.id = id_of(1);
  update_request second = update_of({memory_type::note, id_of(1), 1}, "second");
  auto done = f.d.run({first, second}, true);
  REQUIRE(done);
  CHECK(done->seq == seq_no{2});
  CHECK(done->results[1].uri->version == 2);

  const std::string before = f.dump();
  const memory_id drawn = f.w->last_drawn_id;
  auto failed = f.d.run({note("kept out"), note("kept out too"), first}, true);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == errc::already_exists);
  CHECK(failed.error().at == "items[2].id");
  CHECK(f.dump() == before);
  CHECK(f.w->last_drawn_id == drawn);
}

TEST_CASE("a failed request does not shift what later ones draw") {
  const auto run = [](bool with_failures) {
    fixture f;
    (void)f.d.apply(note("one"));
    if (with_failures) {
      write_request bad = note("bad");
      bad.id = f.w->last_drawn_id;
      (void)f.d.apply(bad);
      (void)f.d.run({note("a"), bad}, true);
      (void)f.d.apply(note(""));
    }
    (void)f.d.apply(note("two"));
    return f.dump();
  };
  CHECK(run(false) == run(true));
}

TEST_CASE("the first explicit vector fixes the space of a world without an embedder") {
  fixture f;
  write_request r = note("v");
  r.vector = std::vector<float>{1, 2, 3};
  const auto uri = *f.d.apply(r)->uri;
  CHECK(f.w->vectors().space() == vector_space{"external", 3});
  CHECK(f.get(uri.id).head->embedding == embedding_ref{3, 1});
  write_request other = note("w");
  other.vector = std::vector<float>{1, 2};
  CHECK(f.refused(other).code == errc::dim_mismatch);
  other.vector = std::vector<float>{0, 0, 0};
  CHECK(f.refused(other).code == errc::bad_vector);
  // Without an embedder an update keeps the vector of the version before.
  REQUIRE(f.d.apply(update_of(uri, "v2")));
  const row_no row = f.w->attributes().row_of(f.w->nodes.find(uri.id), f.w->published_seq());
  const auto kept = f.w->vectors().get(f.w->attributes().slot(row));
  CHECK(std::vector<float>(kept.begin(), kept.end()) == std::vector<float>{1, 2, 3});
  CHECK(f.get(uri.id).head->embedding == embedding_ref{3, 1});
}

TEST_CASE("with an embedder every content gets a vector of its text") {
  site place;
  place.embedder = "hash:64";
  auto w = place.open();
  driven d(*w);
  auto done = d.apply(note("the cat sat on the mat"));
  REQUIRE(done);
  CHECK(w->vectors().size() == 1);
  REQUIRE(d.apply(update_of(*done->uri, "a dog")));
  CHECK(w->vectors().size() == 2);
}

TEST_CASE("a touch counts for exactly the rows named") {
  fixture f;
  const auto a = *f.d.apply(note("a"))->uri;
  const auto b = *f.d.apply(note("b"))->uri;
  const auto c = *f.d.apply(note("c"))->uri;
  f.d.time->set({1'000'000'500'000'000'000});
  auto seq = f.d.touch({.predicate = "",
                        .types = {},
                        .tags = {},
                        .limit = 2,
                        .result_count = 2,
                        .accessed = {a.id, c.id},
                        .actor = "ana"});
  REQUIRE(seq);
  CHECK(*seq == seq_no{4});
  CHECK(f.get(a.id).activation.access_count == 1);
  CHECK(f.get(b.id).activation.access_count == 0);
  CHECK(f.get(c.id).activation.access_count == 1);
  CHECK(f.get(a.id).activation.last_used == timestamp{1'000'000'500'000'000'000});
}

TEST_CASE("a snapshot pins the state before its own entry and moves no state root") {
  fixture f;
  (void)f.d.apply(note("a"));
  const root_set before = f.w->published_roots();
  auto s = f.d.snapshot("end of day");
  REQUIRE(s);
  CHECK(s->manifest.seq == before.seq);
  CHECK(s->manifest.overall_root == before.overall);
  CHECK(s->seq == before.seq.next());
  CHECK(f.w->published_roots().state_roots == before.state_roots);
  CHECK(f.w->published_roots().journal_root != before.journal_root);
}

TEST_CASE("a batch whose entries are too large for a frame is refused, and nothing of it stays") {
  fixture f;
  write_request large = note(std::string(1 << 20, 'x').substr(0, (1 << 20) - 100));
  large.forms.short_form = "short";
  large.forms.medium_form = "medium";
  const std::size_t too_many = (max_command_bytes >> 20) + 2;
  const std::string before = f.dump();
  auto r = f.d.run(std::vector<mutation>(too_many, large), true);
  REQUIRE_FALSE(r);
  CHECK(r.error().code == errc::limit_exceeded);
  CHECK(r.error().at.starts_with("items[51"));
  CHECK(f.dump() == before);
}

TEST_CASE("what a host's clock, embedder and token counter get wrong is an error of the request") {
  struct bad_clock final : clock {
    std::int64_t ns = 5;
    bool throws = false;
    timestamp now() override {
      if (throws) throw std::runtime_error("no time");
      return {ns};
    }
  };
  struct bad_embedder final : embedder {
    std::vector<float> gives{1, 0};
    bool throws = false;
    [[nodiscard]] vector_space space() const override { return {.model = "m", .dim = 2}; }
    [[nodiscard]] result<std::vector<float>> embed(std::string_view) const override {
      if (throws) throw 7;
      return gives;
    }
  };
  struct bad_counter final : token_counter {
    std::int64_t says = 1;
    bool throws = false;
    [[nodiscard]] std::int64_t count(std::string_view) const override {
      if (throws) throw std::runtime_error("no count");
      return says;
    }
  };
  site place;
  place.embedder = "host:m";
  auto options = place.options();
  const auto vectors = std::make_shared<bad_embedder>();
  const auto counter = std::make_shared<bad_counter>();
  const auto time = std::make_shared<bad_clock>();
  options.embedder = vectors;
  options.tokens = counter;
  {
    auto w = open_world(options);
    REQUIRE(w);
    driven d(**w, make_seeded_random(1, 0), time);
    REQUIRE(d.apply(note("sound")));
    const auto refused = [&](errc code) {
      auto r = d.apply(note("unsound"));
      REQUIRE_FALSE(r);
      CHECK(r.error().code == code);
      CHECK((*w)->published_seq() == seq_no{1});
    };
    time->ns = -1;
    refused(errc::bad_time);
    CHECK_FALSE(d.snapshot("s"));
    time->ns = std::numeric_limits<std::int64_t>::max();
    refused(errc::bad_time);
    time->throws = true;
    refused(errc::io);
    time->throws = false;
    time->ns = 6;

    vectors->gives = {1, 2, 3};
    refused(errc::dim_mismatch);
    vectors->gives = {1, std::numeric_limits<float>::quiet_NaN()};
    refused(errc::bad_vector);
    vectors->gives = {0, 0};
    refused(errc::bad_vector);
    vectors->throws = true;
    refused(errc::io);
    vectors->throws = false;
    vectors->gives = {0, 1};

    counter->says = -1;
    refused(errc::out_of_range);
    counter->says = std::numeric_limits<std::int64_t>::max();
    refused(errc::out_of_range);
    counter->throws = true;
    refused(errc::io);
    counter->throws = false;
    counter->says = 1;
    REQUIRE(d.apply(note("sound again")));
  }
  auto w = open_world(options);
  REQUIRE(w);
  CHECK((*w)->published_seq() == seq_no{2});
}
