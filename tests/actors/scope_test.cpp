// Scopes: what a sub-agent may see and do, through the facade.
// Of: messages/scope.cpp, messages/signature.cpp, views/scope_check.cpp
// Of: state/execute/scoped_writes.cpp
#include <catch2/catch.hpp>

#include <algorithm>

#include "mneme/tick.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

ed25519_key private_key(std::uint8_t n) {
  ed25519_key k{};
  k.fill(n);
  return k;
}
const auto keys = [] {
  return make_key_resolver(
      {{"ana", *public_key_of(private_key(1))}, {"", *public_key_of(private_key(2))}});
}();

write_request note(std::uint8_t n, std::string actor, visibility v,
                   std::vector<std::string> tags = {}) {
  write_request r;
  r.type = memory_type::note;
  r.id = id_of(n);
  r.data["statement"] = std::string("text");
  r.actor = std::move(actor);
  r.visibility = v;
  r.tags = std::move(tags);
  return r;
}
/// Its id is the engine's to draw.
write_request drawn(write_request r) {
  r.id.reset();
  return r;
}
memory_uri uri_of(std::uint8_t n) {
  return {memory_type::note, id_of(n), 1};
}

struct small_world {
  std::shared_ptr<manual_clock> clock =
      std::make_shared<manual_clock>(timestamp{946'684'800'000'000'000});
  engine e = open();
  digest snapshot;

  engine open(bool with_keys = true) {
    engine_options o;
    o.seed = 1;
    o.clock = clock;
    o.commit = commit_mode::per_request;
    o.exact_near = true;
    o.embedder_spec = "none";
    if (with_keys) o.keys = keys;
    auto opened = open_in_memory(std::move(o));
    REQUIRE(opened);
    return std::move(*opened);
  }
  small_world() {
    put(note(1, "ana", visibility::scoped, {"work"}));
    put(note(2, "ana", visibility::private_, {"work"}));
    put(note(3, "ana", visibility::actor_public, {"home"}));
    put(note(4, "ben", visibility::actor_public, {"work"}));
    put(note(5, "sub", visibility::scoped, {"work"}));
    auto taken = e.snapshot("scope");
    REQUIRE(taken);
    snapshot = taken->manifest.overall_root;
  }
  void put(write_request r) { REQUIRE(e.apply(std::move(r))); }

  /// Opens what is tagged work.
  scope unsigned_scope() {
    scope s;
    s.actor = "ana";
    s.snapshot_root = snapshot;
    s.include.tags = {"work"};
    s.expires_at = {clock->now().ns + 1'000'000'000};
    s.budget_tokens = 100;
    s.granted_by = "ana";
    s.granted_to = "sub";
    return s;
  }
  static std::shared_ptr<const scope> sealed(scope s, std::uint8_t key = 1) {
    REQUIRE(sign_scope(s, private_key(key)));
    return std::make_shared<const scope>(std::move(s));
  }
  std::shared_ptr<const scope> work() { return sealed(unsigned_scope()); }

  std::string check(const std::shared_ptr<const scope>& s, std::optional<std::string> actor = {}) {
    find_request f;
    f.types = {memory_type::note};
    f.limit = 10;
    f.actor = std::move(actor);
    f.scope = s;
    auto found = e.find(f);
    if (!found) return std::string(to_string(found.error().code));
    std::string ids;
    for (const auto& m : found->memories) ids += std::to_string(m.head->id.bytes[15]);
    return ids;
  }
  std::string kinds_from(std::uint64_t seq) {
    std::string kinds;
    auto items = e.journal({seq}, 1000);
    REQUIRE(items);
    for (const auto& i : *items) kinds += i.kind + " ";
    return kinds;
  }
};

} // namespace

TEST_CASE("8 scope: a door shows what include selects of the scope's actor, and nothing else") {
  small_world w;
  CHECK(w.check(w.work()) == "1");
  auto s = w.unsigned_scope();
  s.include.types = {memory_type::note};
  CHECK(w.check(w.sealed(s)) == "13");
  s.exclude.ids = {id_of(1)};
  CHECK(w.check(w.sealed(s)) == "3");
  context_request c;
  c.scope = w.work();
  REQUIRE(w.e.context(c));
  CHECK(w.e.context(c)->budget_tokens == 100);
  c.budget_tokens = 101;
  CHECK(w.e.context(c).error().code == errc::budget_exceeded);
}

TEST_CASE("8 scope: checks in their order, each with its own error") {
  small_world w;
  auto s = w.unsigned_scope();
  // Everything is wrong at once; mended one by one.
  s.schema = 2;
  s.include = {};
  s.expires_at = w.clock->now();
  s.granted_by = "ana";
  s.snapshot_root = digest{};
  s.proofs.emplace();
  const auto code = [&] { return w.check(std::make_shared<const scope>(s), "sub"); };
  CHECK(w.check(std::make_shared<const scope>(s), "another") == "actor_mismatch");
  s.granted_by = "ben";
  CHECK(code() == "actor_mismatch");
  s.granted_by = "ana";
  CHECK(code() == "bad_schema");
  s.schema = 1;
  CHECK(code() == "empty_include");
  s.include.ids = {id_of(1)};
  CHECK(code() == "scope_expired");
  s.expires_at.ns += 1;
  s.actor = "who has no key";
  s.granted_by = "who has no key";
  CHECK(code() == "unknown_agent");
  s.actor = "ana";
  s.granted_by = "ana";
  CHECK(code() == "bad_signature");
  REQUIRE(sign_scope(s, private_key(2)));
  CHECK(code() == "bad_signature"); // the host's key, not ana's
  REQUIRE(sign_scope(s, private_key(1)));
  CHECK(code() == "snapshot_unknown");
  s.snapshot_root = w.snapshot;
  REQUIRE(sign_scope(s, private_key(1)));
  CHECK(code() == "proof_mismatch");
  auto bundle = w.e.prove(
      {.ids = {id_of(1)}, .edges = {}, .fields = {}, .seqs = {}, .root = w.snapshot, .actor = {}});
  REQUIRE(bundle);
  s.proofs->push_back(bundle->states[0].proof);
  REQUIRE(sign_scope(s, private_key(1)));
  CHECK(code() == "1");
  s.proofs->front().path.bytes[0] ^= 1;
  REQUIRE(sign_scope(s, private_key(1)));
  CHECK(code() == "proof_mismatch");
  s.proofs.reset();
  s.granted_by = "";
  REQUIRE(sign_scope(s, private_key(2)));
  CHECK(code() == "1"); // the host may grant
  s.writable = true;
  CHECK(code() == "bad_signature"); // every member is signed

  engine without = w.open(false);
  find_request f;
  f.types = {memory_type::note};
  f.limit = 1;
  f.scope = std::make_shared<const scope>(s);
  CHECK(without.find(f).error().code == errc::no_key_resolver);
}

TEST_CASE("8 scope: texts that are not UTF-8 are refused, signed or not, and so is such an actor") {
  small_world w;
  auto s = w.unsigned_scope();
  s.granted_to = "\xff";
  CHECK(sign_scope(s, private_key(1)).error().code == errc::bad_utf8);
  const auto read =
      w.e.get(id_of(1), {.actor = {}, .at_seq = {}, .scope = std::make_shared<scope>(s)});
  REQUIRE_FALSE(read);
  CHECK(read.error().code == errc::bad_utf8);
  CHECK(read.error().at == "scope.granted_to");
  retrieve_request r;
  r.q = "harbour";
  r.actor = "\xff";
  CHECK(w.e.retrieve(r).error().code == errc::bad_utf8);
  chroma_request c;
  c.hashtags = {"tea"};
  c.actor = "\xff";
  CHECK(w.e.chroma(c).error().code == errc::bad_utf8);
  search_request q;
  q.query = "text";
  q.actor = "\xff";
  CHECK(w.e.search(q).error().code == errc::bad_utf8);
}

TEST_CASE("8 scope: the order of a selector's items does not matter to the signature") {
  small_world w;
  auto s = w.unsigned_scope();
  s.include.tags = {"work", "home", "work"};
  s.include.types = {memory_type::note, memory_type::fact};
  REQUIRE(sign_scope(s, private_key(1)));
  std::ranges::reverse(s.include.types);
  s.include.tags = {"home", "work"};
  CHECK(w.check(std::make_shared<const scope>(s)) == "13");
}

TEST_CASE("8 scope: a single read outside is an error and is journaled, within limits") {
  small_world w;
  const std::uint64_t next = w.e.published().value + 1;
  read_options o;
  o.scope = w.work();
  CHECK(w.e.get(id_of(1), o));
  CHECK(w.e.published().value + 1 == next);
  CHECK(w.e.get(id_of(2), o).error().code == errc::scope_violation);
  CHECK(w.e.resolve(uri_of(3), o).error().code == errc::scope_violation);
  CHECK(w.e.get(id_of(99), o).error().code == errc::scope_violation); // it cannot tell
  CHECK(w.kinds_from(next) == "scope_violation scope_violation scope_violation ");
  for (int i = 0; i < 40; ++i) CHECK(w.e.get(id_of(2), o).error().code == errc::scope_violation);
  CHECK(w.e.published().value == next - 1 + 20); // a burst of 20, then nothing is journaled
  w.clock->set({w.clock->now().ns + 100'000'000});
  CHECK_FALSE(w.e.get(id_of(2), o));
  CHECK(w.e.published().value == next + 20);
}

TEST_CASE("8 scope: writes need writable and stay inside") {
  small_world w;
  const auto apply = [&](mutation m, const std::shared_ptr<const scope>& s) {
    auto done = w.e.apply(std::move(m), durability::durable, s);
    return done ? std::string("ok") : std::string(to_string(done.error().code));
  };
  update_head_request patch;
  patch.uri = uri_of(1);
  patch.importance = 9;
  CHECK(apply(patch, w.work()) == "scope_violation");
  auto s = w.unsigned_scope();
  s.writable = true;
  const auto writable = w.sealed(s);
  CHECK(apply(patch, writable) == "ok");
  patch.uri = uri_of(2);
  CHECK(apply(patch, writable) == "scope_violation");
  patch.uri = uri_of(1);
  patch.visibility = visibility::private_;
  CHECK(apply(patch, writable) == "scope_violation"); // it would leave the scope
  const auto made = [](visibility v, std::string tag) {
    return drawn(note(0, "sub", v, {std::move(tag)}));
  };
  CHECK(apply(made(visibility::private_, "work"), writable) == "scope_violation");
  CHECK(apply(made(visibility::scoped, "home"), writable) == "scope_violation");
  auto done = w.e.apply(made(visibility::scoped, "work"), durability::durable, writable);
  REQUIRE(done);
  auto written = w.e.get(done->uri->id);
  REQUIRE(written);
  CHECK(written->head->actor_scope == "ana"); // the memory is the scope's actor's
  CHECK(written->version->created_by == "sub");
  add_edge_request edge;
  edge.src = id_of(1);
  edge.dst = done->uri->id;
  edge.type = 3;
  CHECK(apply(edge, writable) == "ok");
  edge.dst = id_of(3);
  CHECK(apply(edge, writable) == "scope_violation");
  // A batch may touch what it wrote; one item outside refuses all.
  s.include.ids = {id_of(11), id_of(12)};
  const auto naming = w.sealed(s);
  tombstone_request t;
  t.uri = uri_of(11);
  auto batch = w.e.write_batch({note(11, "sub", visibility::scoped, {"work"}), t},
                               durability::durable, naming);
  CHECK(batch);
  t.uri = uri_of(3);
  batch = w.e.write_batch({note(12, "sub", visibility::scoped, {"work"}), t}, durability::durable,
                          naming);
  REQUIRE_FALSE(batch);
  CHECK(batch.error().at == "items[1].uri");
  CHECK_FALSE(w.e.get(id_of(12)));
  attest_request a{.intent_id = "i",
                   .outcome = attest_outcome::success,
                   .reason = {},
                   .cited = {to_string(uri_of(1)), to_string(uri_of(3))},
                   .actor = {},
                   .scope = w.work()};
  CHECK(w.e.attest(a).error().code == errc::scope_violation);
  a.scope = writable;
  REQUIRE(w.e.attest(a));
  CHECK(w.e.attest(a)->skipped.size() == 1);
}

TEST_CASE("8 scope: a given id does not tell whether a memory is behind the scope") {
  small_world w;
  auto s = w.unsigned_scope();
  s.writable = true;
  const auto writable = w.sealed(s);
  for (const std::uint8_t n : {std::uint8_t{2}, std::uint8_t{99}}) { // private, and nobody's
    auto refused =
        w.e.apply(note(n, "sub", visibility::scoped, {"work"}), durability::durable, writable);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::scope_violation);
    CHECK(refused.error().at == "id");
    ingest_request topic;
    topic.placement = ingest_placement::new_topic;
    topic.topic_id = id_of(n);
    topic.title = "harbour";
    refused = w.e.apply(topic, durability::durable, writable);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::scope_violation);
    CHECK(refused.error().at == "topic_id");
  }
  // What the granter named, the grantee knows of.
  s.include.ids = {id_of(2)};
  auto taken =
      w.e.apply(note(2, "sub", visibility::scoped, {"work"}), durability::durable, w.sealed(s));
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == errc::already_exists);
}

TEST_CASE("8 scope: what a Decision replaces and a tombstone names is open to it") {
  small_world w;
  auto s = w.unsigned_scope();
  s.writable = true;
  s.include.ids = {id_of(11)};
  const auto writable = w.sealed(s);
  const auto refused_at = [&](mutation m) {
    auto done = w.e.apply(std::move(m), durability::durable, writable);
    if (done) return std::string("ok");
    return std::string(to_string(done.error().code)) + " " + done.error().at;
  };
  auto decision = drawn(note(0, "sub", visibility::scoped, {"work"}));
  decision.type = memory_type::decision;
  for (const std::uint8_t hidden : {std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{99}}) {
    decision.data["replaces"] = id_of(hidden);
    CHECK(refused_at(decision) == "scope_violation data.replaces");
    tombstone_request t;
    t.uri = uri_of(1);
    t.superseded_by = id_of(hidden);
    CHECK(refused_at(t) == "scope_violation superseded_by");
    auto newer = drawn(note(0, "sub", visibility::scoped, {"work"}));
    newer.supersedes = {uri_of(1), {memory_type::note, id_of(hidden), 1}};
    CHECK(refused_at(newer) == "scope_violation supersedes[1]");
  }
  decision.data["replaces"] = id_of(1);
  decision.id = id_of(11);
  CHECK(refused_at(decision) == "ok");
  update_request u;
  u.uri = {memory_type::decision, id_of(11), 1};
  u.data = decision.data;
  u.data["replaces"] = id_of(2);
  CHECK(refused_at(u) == "scope_violation data.replaces");
  u.data["replaces"] = id_of(11); // itself, which hides nothing
  CHECK(refused_at(u) == "ok");
}

TEST_CASE("in the sight of an actor nobody says what another's memory replaces or supersedes") {
  small_world w;
  auto his = note(30, "ana", visibility::actor_public);
  his.type = memory_type::decision;
  w.put(his);
  add_edge_request edge;
  edge.src = id_of(3);
  edge.dst = id_of(30);
  edge.type = static_cast<std::uint8_t>(edge_type::supersedes);
  REQUIRE(w.e.apply(edge));
  const std::uint64_t before = w.e.published().value;
  const auto refused_at = [&](mutation m, const std::string& who) {
    auto done = w.e.apply(std::move(m), durability::durable, {}, {}, who);
    if (done) return std::string("ok");
    return std::string(to_string(done.error().code)) + " " + done.error().at;
  };
  remove_edge_request removed;
  removed.src = edge.src;
  removed.dst = edge.dst;
  removed.type = edge.type;
  CHECK(refused_at(removed, "ben") == "actor_mismatch src");
  update_request u;
  u.uri = {memory_type::decision, id_of(30), 1};
  u.data = his.data;
  u.data["replaces"] = id_of(3);
  CHECK(refused_at(u, "ben") == "actor_mismatch data.replaces");
  u.data["replaces"] = id_of(2); // ana's alone
  CHECK(refused_at(u, "ben") == "not_found data.replaces");
  auto own = note(31, "ben", visibility::actor_public);
  own.type = memory_type::decision;
  own.data["replaces"] = id_of(2);
  CHECK(refused_at(own, "ben") == "not_found data.replaces");
  CHECK(w.e.published().value == before);
  own.data["replaces"] = id_of(3); // which hides nothing of ana's
  CHECK(refused_at(own, "ben") == "ok");
  u.data["replaces"] = id_of(3);
  CHECK(refused_at(u, "ana") == "ok");
  CHECK(refused_at(removed, "ana") == "ok");
}

TEST_CASE("nobody writes under a name of control characters, and no hashtag is one") {
  small_world w;
  auto s = w.unsigned_scope();
  s.granted_to = "a\nb";
  s.writable = true;
  attest_request a{.intent_id = "i",
                   .outcome = attest_outcome::success,
                   .reason = {},
                   .cited = {to_string(uri_of(1))},
                   .actor = {},
                   .scope = w.sealed(s)};
  const auto before = w.e.published();
  CHECK(w.e.attest(a).error().code == errc::bad_value);
  assign_tag_request bound;
  bound.zone = colour_zone::core;
  for (const char* tag : {"a\nb", "\x7f"}) {
    bound.tag = tag;
    const auto refused = w.e.apply(bound);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::bad_value);
    CHECK(refused.error().at == "tag");
  }
  CHECK(w.e.published() == before);
}

TEST_CASE("8 scope: what is read through one for reading only is not reinforced") {
  small_world w;
  auto tea = note(20, "ana", visibility::scoped, {"work"});
  for (char letter = 'a'; letter <= 'h'; ++letter) {
    assign_tag_request bound;
    bound.tag = std::string("tag") + letter;
    bound.zone = letter == 'a'   ? colour_zone::core
                 : letter == 'h' ? colour_zone::outer
                                 : colour_zone::mid;
    REQUIRE(w.e.apply(bound));
    tea.hashtags.push_back(bound.tag);
  }
  w.put(tea);
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.topic_id = id_of(30);
  topic.title = "harbour";
  topic.actor = "ana";
  topic.visibility = visibility::scoped;
  REQUIRE(w.e.apply(topic));
  auto s = w.unsigned_scope();
  s.include.ids = {id_of(30)};
  const auto reading = w.sealed(s);
  s.writable = true;
  const auto writable = w.sealed(s);
  const auto is_refused = [](const auto& answer, std::string_view key) {
    return !answer && answer.error().code == errc::scope_violation && answer.error().at == key;
  };

  find_request f{.types = {memory_type::note}, .limit = 5};
  f.late_binding = true;
  retrieve_request r;
  r.q = "harbour";
  r.topic_ids = {{id_of(30)}};
  chroma_request c;
  c.hashtags = tea.hashtags;
  const std::uint64_t before = w.e.published().value;
  f.scope = r.scope = c.scope = reading;
  CHECK(is_refused(w.e.find(f), "late_binding"));
  auto topics = w.e.retrieve(r);
  REQUIRE(topics);
  CHECK(topics->candidates.size() == 1);
  CHECK_FALSE(topics->seq);
  auto coloured = w.e.chroma(c);
  REQUIRE(coloured);
  CHECK(coloured->rows.size() == 1);
  CHECK_FALSE(coloured->seq);
  r.touch = c.touch = true;
  CHECK(is_refused(w.e.retrieve(r), "touch"));
  CHECK(is_refused(w.e.chroma(c), "touch"));
  tick_request t;
  t.reads = {f, r, c};
  auto ticked = w.e.tick(t);
  REQUIRE(ticked);
  CHECK(ticked->reads[0].error().code == errc::scope_violation);
  CHECK(ticked->reads[1].error().code == errc::scope_violation);
  CHECK(ticked->reads[2].error().code == errc::scope_violation);
  CHECK(w.e.published().value == before);

  r.touch.reset();
  c.touch.reset();
  f.scope = r.scope = c.scope = writable;
  CHECK(w.e.find(f)->seq);
  CHECK(w.e.retrieve(r)->seq);
  CHECK(w.e.chroma(c)->seq);
}

TEST_CASE("8 scope: in a tick each item has its own, and violations commit with it") {
  small_world w;
  tick_request t;
  read_options o;
  o.scope = w.work();
  t.reads.emplace_back(get_read{id_of(2), o});
  t.reads.emplace_back(get_read{id_of(1), o});
  t.writes.emplace_back(scoped_mutation{
      .request = drawn(note(10, "sub", visibility::scoped, {"work"})), .scope = w.work()});
  const std::uint64_t next = w.e.published().value + 1;
  auto done = w.e.tick(t);
  REQUIRE(done);
  CHECK(done->reads[0].error().code == errc::scope_violation);
  CHECK(done->reads[1]);
  CHECK(done->writes[0].error().code == errc::scope_violation);
  CHECK(w.kinds_from(next) == "scope_violation scope_violation ");
}

TEST_CASE("8 scope: search, retrieve and chroma show what it opens, and touch as the grantee") {
  small_world w;
  auto tea = note(20, "ana", visibility::scoped, {"work"});
  tea.data["statement"] = std::string("green tea");
  w.put(tea);
  auto hidden = note(21, "ana", visibility::scoped, {"home"});
  hidden.data["statement"] = std::string("green tea at home");
  w.put(hidden);
  search_request s;
  s.query = "green tea";
  s.similarity_floor = 0;
  CHECK(w.e.search(s)->coverage.memory.searched == 7);
  s.scope = w.work();
  auto found = w.e.search(s);
  REQUIRE(found);
  REQUIRE(found->results.size() == 1);
  CHECK(found->results[0].uri.id == id_of(20));
  CHECK(found->coverage.memory.searched == 2); // 1 and 20
  s.query.clear();
  s.memory_ids = {{id_of(21), id_of(20)}};
  found = w.e.search(s);
  REQUIRE(found);
  CHECK(found->coverage.not_found_ids == std::vector{id_of(21)});
  s.actor = "another";
  CHECK(w.e.search(s).error().code == errc::actor_mismatch);

  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.topic_id = id_of(30);
  topic.title = "harbour";
  topic.actor = "ana";
  topic.visibility = visibility::scoped;
  REQUIRE(w.e.apply(topic));
  auto opens = w.unsigned_scope();
  opens.include.ids = {id_of(30)};
  opens.writable = true;
  retrieve_request r;
  r.q = "harbour";
  r.topic_ids = {{id_of(30)}};
  r.scope = w.work();
  CHECK(w.e.retrieve(r)->candidates.empty());
  r.scope = w.sealed(opens);
  auto bundles = w.e.retrieve(r);
  REQUIRE(bundles);
  CHECK(bundles->candidates.size() == 1);
  CHECK(w.e.journal(*bundles->seq, 1)->front().created_by == "sub");
}

namespace {

ingest_request topic(std::uint8_t n, std::string title, visibility v = visibility::scoped) {
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.topic_id = id_of(n);
  r.title = std::move(title);
  r.actor = "ana";
  r.visibility = v;
  return r;
}

/// Opens the topics 40 to 49 for writing.
std::shared_ptr<const scope> topics_scope(small_world& w) {
  auto s = w.unsigned_scope();
  s.include = {};
  for (std::uint8_t n = 40; n < 50; ++n) s.include.ids.push_back(id_of(n));
  s.writable = true;
  return w.sealed(s);
}

field_input field(std::string name, std::string value) {
  field_input f;
  f.name = std::move(name);
  f.value = json_value{std::move(value)};
  return f;
}

} // namespace

TEST_CASE("8 scope: ingest needs writable and stays inside") {
  small_world w;
  REQUIRE(w.e.apply(topic(40, "open")));
  REQUIRE(w.e.apply(topic(60, "shut")));
  const auto within = topics_scope(w);
  const auto apply = [&](mutation m, std::string* at = nullptr) {
    auto done = w.e.apply(std::move(m), durability::durable, within);
    if (!done && at != nullptr) *at = done.error().at;
    return done ? std::string("ok") : std::string(to_string(done.error().code));
  };
  auto made = topic(41, "new");
  made.actor = "sub";
  made.fields = {field("keeper", "Ana")};
  made.links = {{.topic_id = id_of(40), .kind = {}}};
  CHECK(apply(made) == "ok");
  auto written = w.e.get(id_of(41));
  REQUIRE(written);
  CHECK(written->head->actor_scope == "ana"); // the topic is the scope's actor's
  CHECK(written->version->created_by == "sub");
  CHECK(w.e.fields(id_of(41))->front().current->created_by == "sub");
  CHECK(w.e.get_edge({id_of(41), edge_type::related_to, id_of(40)})->created_by == "sub");
  auto closed = topic(42, "too private", visibility::private_);
  closed.actor = "sub";
  CHECK(apply(closed) == "scope_violation");
  auto outside = topic(61, "outside");
  outside.actor = "sub";
  CHECK(apply(outside) == "scope_violation");
  ingest_request more;
  more.placement = ingest_placement::extend_topic;
  more.topic_id = id_of(40);
  more.fields = {field("depth", "12")};
  CHECK(apply(more) == "ok");
  std::string at;
  more.topic_id = id_of(60);
  CHECK(apply(more, &at) == "scope_violation");
  CHECK(at == "topic_id");
  more.topic_id = id_of(40);
  more.fields[0].ref_topic_id = id_of(60);
  CHECK(apply(more, &at) == "scope_violation");
  CHECK(at == "fields.depth.ref_topic_id");
  more.fields[0].ref_topic_id.reset();
  more.links = {{.topic_id = id_of(60), .kind = {}}};
  CHECK(apply(more, &at) == "scope_violation");
  CHECK(at == "links[0].topic_id");
  // For reading only.
  more.links.clear();
  auto reading = w.unsigned_scope();
  reading.include.ids = {id_of(40)};
  CHECK(w.e.apply(more, durability::durable, w.sealed(reading)).error().code
        == errc::scope_violation);
}

TEST_CASE("8 scope: a field names no topic that it does not open, nor does an event of a merge") {
  small_world w;
  for (const int n : {40, 41, 60})
    REQUIRE(w.e.apply(topic(static_cast<std::uint8_t>(n), n == 41 ? "other" : "twin")));
  auto more = topic(40, {});
  more.placement = ingest_placement::extend_topic;
  more.title.reset();
  more.visibility.reset();
  more.fields = {field("near", "41"), field("far", "60")};
  more.fields[0].ref_topic_id = id_of(41);
  more.fields[1].ref_topic_id = id_of(60);
  REQUIRE(w.e.apply(more));
  auto filed = topic(60, {});
  filed.placement = ingest_placement::extend_topic;
  filed.title.reset();
  filed.visibility.reset();
  filed.fields = {field("far", "away")};
  REQUIRE(w.e.apply(filed));
  REQUIRE(w.e.apply(revise_request{})); // 60 goes into 40
  const auto named = [&](const read_options& o) {
    std::string ids;
    const auto add = [&](const char* what, const std::optional<memory_id>& id) {
      if (id) ids += what + std::to_string(id->bytes[15]) + " ";
    };
    const auto add_fields = [&](const std::vector<topic_field_view>& views) {
      for (const auto& view : views) {
        add("ref", view.field.head.ref_topic_id);
        for (const auto& r : view.history) add("from", r.merged_from);
      }
    };
    add_fields(*w.e.fields(id_of(40), {.history = true}, o));
    retrieve_request r;
    r.q = "twin";
    r.topic_ids = {{id_of(40)}};
    r.touch = false;
    r.scope = o.scope;
    r.explain = true;
    add_fields(*w.e.retrieve(r)->candidates.at(0).fields);
    const auto events = w.e.events(id_of(40), o);
    for (const auto& event : *events) add("event", event.topic);
    return ids;
  };
  CHECK(named({}) == "ref60 from60 ref41 ref60 from60 ref41 event60 event60 ");
  read_options within;
  within.scope = topics_scope(w);
  CHECK(named(within) == "ref41 ref41 ");
}

TEST_CASE("8 scope: revise, forget and unarchive leave alone what it does not open") {
  small_world w;
  for (const int n : {40, 41, 60, 61})
    REQUIRE(w.e.apply(topic(static_cast<std::uint8_t>(n), "twin")));
  REQUIRE(w.e.apply(topic(42, "twin with a link")));
  REQUIRE(w.e.apply(topic(43, "twin with a link")));
  add_edge_request out;
  out.src = id_of(43);
  out.dst = id_of(60);
  out.type = static_cast<std::uint8_t>(edge_type::related_to);
  REQUIRE(w.e.apply(out));
  const auto within = topics_scope(w);
  auto revised = w.e.apply(revise_request{}, durability::durable, within);
  REQUIRE(revised);
  // 60 and 61 are not open; 43 is linked to one of them, which a merge would have to move.
  CHECK(revised->topics->merged == std::vector<merged_topics>{{id_of(40), id_of(41)}});
  const auto archived = [&](std::uint8_t n) {
    const auto m = w.e.get(id_of(n));
    return m->head->lifecycle && m->head->lifecycle->status == lifecycle_status::archived;
  };
  CHECK(archived(41));
  CHECK_FALSE(archived(61));
  CHECK_FALSE(archived(43));
  for (const int n : {42, 60}) {
    ingest_request faint;
    faint.placement = ingest_placement::extend_topic;
    faint.topic_id = id_of(static_cast<std::uint8_t>(n));
    faint.salience = 0.01;
    REQUIRE(w.e.apply(faint));
  }
  auto forgot = w.e.apply(forget_request{}, durability::durable, within);
  REQUIRE(forgot);
  CHECK(forgot->topics->archived == std::vector{id_of(42)});
  CHECK(w.e.journal(forgot->seq, 1)->front().created_by == "sub");
  CHECK(w.e.apply(unarchive_request{.id = id_of(42), .actor = {}}, durability::durable, within));
  CHECK_FALSE(archived(42));
  REQUIRE(w.e.apply(forget_request{}));
  CHECK(archived(60));
  auto refused =
      w.e.apply(unarchive_request{.id = id_of(60), .actor = {}}, durability::durable, within);
  CHECK(refused.error().code == errc::scope_violation);
  CHECK(refused.error().at == "id");
}

TEST_CASE("8 scope: proves what it opens; anything else is an error and is journaled") {
  small_world w;
  prove_request p;
  p.ids = {id_of(1)};
  p.scope = w.work();
  CHECK(w.e.prove(p));
  const std::uint64_t next = w.e.published().value + 1;
  p.ids = {id_of(1), id_of(2)};
  CHECK(w.e.prove(p).error().code == errc::scope_violation);
  p.ids = {id_of(99)};
  CHECK(w.e.prove(p).error().code == errc::scope_violation);
  p.ids.clear();
  p.seqs = {seq_no{1}};
  CHECK(w.e.prove(p).error().code == errc::scope_violation);
  CHECK(w.kinds_from(next) == "scope_violation scope_violation scope_violation ");
  p.seqs.clear();
  p.ids = {id_of(1)};
  p.actor = "eve";
  CHECK(w.e.prove(p).error().code == errc::actor_mismatch);
}
