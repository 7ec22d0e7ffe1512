// The blocking facade as a host uses it: write, ask, prove, close, reopen; from many threads.
#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <future>
#include <set>
#include <thread>

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/hash.hpp"
#include "messages/seams/unasked_embedder.hpp"
#include "mneme/engine.hpp"
#include "query/list_deadline.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// A directory that goes with the test.
struct scratch {
  std::filesystem::path path;
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "mneme-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~scratch() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string world() const { return (path / "world").string(); }
};

engine_options deterministic(std::string directory, std::uint64_t seed = 1) {
  engine_options o;
  o.directory = std::move(directory);
  o.seed = seed;
  o.clock = std::make_shared<manual_clock>(timestamp{946'684'800'000'000'000});
  o.commit = commit_mode::per_request;
  o.exact_near = true;
  o.embedder_spec = "hash:64";
  return o;
}

write_request fact(std::string statement, std::string actor = "ana") {
  write_request r;
  r.type = memory_type::fact;
  r.data["statement"] = std::move(statement);
  r.data["subject"] = std::string("s");
  r.data["predicate"] = std::string("p");
  r.actor = std::move(actor);
  return r;
}

find_request by_type(memory_type type, std::int64_t limit = 10) {
  find_request f;
  f.types = {type};
  f.limit = limit;
  return f;
}

std::set<std::string> statements(const find_result& r) {
  std::set<std::string> found;
  for (const auto& m : r.memories)
    found.insert(std::get<std::string>(m.version.data.at("statement")));
  return found;
}

} // namespace

TEST_CASE("write, find, prove, close and reopen on disk") {
  scratch s;
  root_set root;
  memory_id id;
  {
    engine e = opened(deterministic(s.world()));
    auto first = e.apply(fact("rain tomorrow"));
    REQUIRE(first);
    id = first->uri->id;
    REQUIRE(e.apply(fact("sun today")));
    auto found = e.find(by_type(memory_type::fact));
    REQUIRE(found);
    CHECK(statements(*found) == std::set<std::string>{"rain tomorrow", "sun today"});
    find_request near = by_type(memory_type::fact, 1);
    near.near = "will it rain tomorrow";
    CHECK(statements(*e.find(near)) == std::set<std::string>{"rain tomorrow"});
    root = *e.root();
    REQUIRE(e.close());
    CHECK(e.get(id).error().code == errc::shutdown);
    CHECK(e.apply(fact("late")).error().code == errc::shutdown);
    CHECK(e.close().error().code == errc::shutdown);
  }
  engine e = opened(deterministic(s.world()));
  CHECK(*e.root() == root);
  CHECK(e.opened().replayed_entries == 0);
  CHECK(e.get(id)->head.id == id);
  auto bundle = e.prove(
      {.ids = {id}, .edges = {}, .fields = {}, .seqs = {{1}, {2}}, .root = {}, .actor = {}});
  REQUIRE(bundle);
  CHECK(verify(*bundle));
  CHECK(bundle->states[0].proof.value_hash == sha256_of(*e.raw_head(id)));
  bundle->states[0].proof.value_hash->bytes[0] ^= 1;
  CHECK_FALSE(verify(*bundle));
}

TEST_CASE("the same requests give the same root and journal, in memory and on disk") {
  const auto run = [](std::string directory) {
    engine e = opened(deterministic(std::move(directory), 7));
    const auto a = e.apply(fact("a"))->uri->id;
    const auto b = e.apply(fact("b"))->uri->id;
    (void)e.apply(add_edge_request{.src = a,
                                   .type = 1,
                                   .dst = b,
                                   .actor = {},
                                   .weight = 1,
                                   .kind = {},
                                   .data = {},
                                   .by = {},
                                   .created_at = {}});
    find_request late = by_type(memory_type::fact);
    late.late_binding = true;
    REQUIRE(e.find(late)->seq == seq_no{4});
    std::vector<std::string> headers;
    const auto items = e.journal({1}, 100);
    REQUIRE(items);
    for (const auto& item : *items) headers.push_back(item.header);
    return std::pair(e.root()->overall, headers);
  };
  scratch s;
  CHECK(run("") == run(s.world()));
}

TEST_CASE("late binding reinforces exactly what it returned, a plain find moves no root") {
  engine e = opened(deterministic(""));
  for (int i = 0; i < 5; ++i) REQUIRE(e.apply(fact("f" + std::to_string(i))));
  const auto before = *e.root();
  REQUIRE(e.find(by_type(memory_type::fact, 2)));
  CHECK(*e.root() == before);
  find_request late = by_type(memory_type::fact, 2);
  late.late_binding = true;
  auto found = e.find(late);
  REQUIRE(found);
  CHECK(e.root()->state_roots == before.state_roots);
  CHECK(e.published() == before.seq.next());
  std::int64_t counted = 0;
  const auto all = e.find(by_type(memory_type::fact, 10));
  for (const auto& m : all->memories) counted += m.activation.access_count;
  CHECK(counted == 2);
  for (const auto& m : found->memories) CHECK(e.get(m.head.id)->activation.access_count == 1);
}

TEST_CASE("who asks decides what is seen, in every single read") {
  engine e = opened(deterministic(""));
  write_request hidden = fact("secret", "ana");
  write_request open = fact("open", "ana");
  open.visibility = visibility::actor_public;
  const auto a = *e.apply(hidden)->uri;
  const auto b = *e.apply(open)->uri;
  REQUIRE(e.apply(add_edge_request{.src = a.id,
                                   .type = 3,
                                   .dst = b.id,
                                   .actor = {},
                                   .weight = 1,
                                   .kind = {},
                                   .data = {},
                                   .by = {},
                                   .created_at = {}}));
  const read_options bob{.actor = "bob", .at_seq = {}};
  CHECK(e.get(a.id, bob).error().code == errc::not_found);
  CHECK(e.resolve(a, bob).error().code == errc::not_found);
  CHECK(e.get(b.id, bob));
  CHECK(e.get_edge({a.id, edge_type::references, b.id}, bob).error().code == errc::not_found);
  int seen = 0;
  REQUIRE(e.for_each_edge(b.id, edge_direction::both, {}, bob, [&](const edge_record&) {
    ++seen;
    return true;
  }));
  CHECK(seen == 0);
  CHECK(e.prove({.ids = {a.id}, .edges = {}, .fields = {}, .seqs = {}, .root = {}, .actor = "bob"})
            .error()
            .code
        == errc::not_found);
  find_request f = by_type(memory_type::fact);
  f.actor = "bob";
  CHECK(statements(*e.find(f)) == std::set<std::string>{"open"});
}

TEST_CASE("reads at an earlier seq see the past exactly") {
  engine e = opened(deterministic(""));
  const auto uri = *e.apply(fact("one"))->uri;
  const auto root1 = *e.root();
  update_request u;
  u.uri = uri;
  u.data = fact("two").data;
  REQUIRE(e.apply(u));
  const read_options past{.actor = {}, .at_seq = seq_no{1}};
  CHECK(std::get<std::string>(e.get(uri.id, past)->version.data.at("statement")) == "one");
  CHECK(*e.root(seq_no{1}) == root1);
  CHECK(e.get(uri.id, {.actor = {}, .at_seq = seq_no{9}}).error().code == errc::seq_unavailable);
  CHECK(e.root(seq_no{9}).error().code == errc::seq_unavailable);
  find_request f = by_type(memory_type::fact);
  f.at_seq = seq_no{1};
  CHECK(statements(*e.find(f)) == std::set<std::string>{"one"});
  f.at_seq = seq_no{0};
  CHECK(e.find(f)->memories.empty());
}

TEST_CASE("proofs against a snapshot stand while its state is retained") {
  engine e = opened(deterministic(""));
  const auto uri = *e.apply(fact("one"))->uri;
  const auto snap = e.snapshot("before");
  REQUIRE(snap);
  update_request u;
  u.uri = uri;
  u.data = fact("two").data;
  REQUIRE(e.apply(u));
  auto then = e.prove({.ids = {uri.id},
                       .edges = {},
                       .fields = {},
                       .seqs = {{1}},
                       .root = snap->manifest.overall_root,
                       .actor = {}});
  REQUIRE(then);
  CHECK(verify(*then));
  CHECK(then->roots.overall == snap->manifest.overall_root);
  auto now =
      e.prove({.ids = {uri.id}, .edges = {}, .fields = {}, .seqs = {}, .root = {}, .actor = {}});
  CHECK(now->states[0].proof.value_hash != then->states[0].proof.value_hash);
  CHECK(e.find_snapshot(snap->manifest.overall_root)->has_value());
  CHECK(
      e.prove(
           {.ids = {uri.id}, .edges = {}, .fields = {}, .seqs = {}, .root = digest{}, .actor = {}})
          .error()
          .code
      == errc::root_unavailable);
  // Absence: an id that was never written.
  memory_id unknown;
  unknown.bytes[0] = 1;
  auto absent =
      e.prove({.ids = {unknown}, .edges = {}, .fields = {}, .seqs = {}, .root = {}, .actor = {}});
  REQUIRE(absent);
  CHECK(verify(*absent));
  CHECK_FALSE(absent->states[0].proof.value_hash.has_value());
}

TEST_CASE("many threads write and read at once; every acknowledged write is read back") {
  scratch s;
  engine_options o;
  o.directory = s.world();
  o.embedder_spec = "none";
  o.checkpoint_journal_bytes = 64 << 10; // checkpoints while it runs
  engine e = opened(o);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string text = std::to_string(t) + "-" + std::to_string(i);
        auto done = e.apply(fact(text));
        if (!done) {
          ++wrong;
          continue;
        }
        auto m = e.get(done->uri->id);
        if (!m || std::get<std::string>(m->version.data.at("statement")) != text) ++wrong;
        if (i % 10 == 0 && !e.find(by_type(memory_type::fact, 5))) ++wrong;
        if (i % 40 == 0 && !e.root(done->seq)) ++wrong;
      }
    });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(e.stats()->memories == 400);
  // The automatic checkpoint is written beside the writes; it may still be under way.
  for (auto now = e.stats(); now->checkpoint_seq.value == 0; now = e.stats()) {
    REQUIRE(now);
    std::this_thread::yield();
  }
  REQUIRE(e.close());
  auto report = verify_world(s.world());
  REQUIRE(report);
  CHECK(report->ok);
  CHECK(report->entries == 400);
}

TEST_CASE("a damaged store is made anew at the next open, which says so") {
  scratch dir;
  root_set before;
  {
    engine e = opened(deterministic(dir.world()));
    for (int i = 0; i < 50; ++i) REQUIRE(e.apply(fact("fact " + std::to_string(i))));
    before = *e.root();
    REQUIRE(e.close());
  }
  const std::string file = GENERATE("WiredTiger.wt", "WiredTiger.turtle", "state_leaves.wt", "");
  if (file.empty())
    std::filesystem::remove_all(dir.world() + "/store");
  else
    std::filesystem::resize_file(dir.world() + "/store/" + file, 10);
  engine e = opened(deterministic(dir.world()));
  INFO(file);
  CHECK(e.opened().store_rebuilt);
  CHECK_FALSE(e.opened().store_problem.empty());
  CHECK(*e.root() == before);
  CHECK(e.find(by_type(memory_type::fact, 100))->memories.size() == 50);
  REQUIRE(e.apply(fact("one more")));
}

TEST_CASE("closing waits for the calls of other threads, and later ones answer shutdown") {
  for (int round = 0; round < 20; ++round) {
    engine e = opened(deterministic({}));
    REQUIRE(e.apply(fact("first")));
    std::atomic<int> started{0};
    std::atomic<int> strange{0};
    const auto judge = [&](const auto& r) {
      if (!r && r.error().code != errc::shutdown) ++strange;
      return r.has_value();
    };
    const auto call = [&](auto ask) {
      return std::thread([&, ask] {
        ++started;
        while (judge(ask())) {
        }
      });
    };
    std::vector<std::thread> callers;
    callers.push_back(call([&] { return e.find(by_type(memory_type::fact)); }));
    callers.push_back(call([&] { return e.apply(fact("more")); }));
    callers.push_back(call([&] { return e.stats(); }));
    callers.push_back(call([&] { return e.for_each_memory([](const auto&) { return true; }); }));
    callers.push_back(call([&] { return e.root(seq_no{1}); }));
    callers.push_back(call([&] { return e.checkpoint(); }));
    while (started < 6) std::this_thread::yield();
    CHECK(e.close());
    auto late = e.find(by_type(memory_type::fact));
    REQUIRE_FALSE(late);
    CHECK(late.error().code == errc::shutdown);
    CHECK(e.close().error().code == errc::shutdown);
    for (auto& t : callers) t.join();
    CHECK(strange == 0);
  }
}

TEST_CASE("an engine that one thread has opened ends in another, while the first still runs") {
  std::promise<engine> made;
  std::promise<void> ended;
  std::thread opener([&] {
    made.set_value(std::move(*open_in_memory(deterministic({}))));
    ended.get_future().wait();
  });
  {
    engine e = made.get_future().get();
    CHECK(e.apply(fact("x")));
  }
  ended.set_value();
  opener.join();
}

TEST_CASE("replay into a new directory gives the same root; a read-only engine runs beside") {
  scratch s;
  engine e = opened(deterministic(s.world()));
  const auto id = e.apply(fact("one"))->uri->id;
  REQUIRE(e.apply(fact("two")));
  const auto root = *e.root();
  auto replayed = replay_world(s.world(), (s.path / "copy").string());
  REQUIRE(replayed);
  CHECK(*replayed == root);
  CHECK(replay_world(s.world(), (s.path / "copy").string()).error().code == errc::already_exists);
  engine copy = opened(deterministic((s.path / "copy").string()));
  CHECK(*copy.root() == root);

  CHECK(engine::open(deterministic(s.world())).error().code == errc::busy);
  engine_options beside;
  beside.directory = s.world();
  beside.read_only = true;
  engine reader = opened(beside);
  CHECK(*reader.root() == root);
  CHECK(reader.get(id));
  CHECK(verify(*reader.prove(
      {.ids = {id}, .edges = {}, .fields = {}, .seqs = {{1}}, .root = {}, .actor = {}})));
  CHECK(reader.apply(fact("three")).error().code == errc::read_only);
}

TEST_CASE("an export restores to the same heads, versions and edges") {
  engine a = opened(deterministic("", 1));
  const auto one = *a.apply(fact("one"))->uri;
  const auto two = *a.apply(fact("two"))->uri;
  update_request u;
  u.uri = one;
  u.data = fact("one again").data;
  REQUIRE(a.apply(u));
  REQUIRE(a.apply(add_edge_request{.src = one.id,
                                   .type = 1,
                                   .dst = two.id,
                                   .actor = {},
                                   .weight = 0.5F,
                                   .kind = "k",
                                   .data = "d",
                                   .by = {},
                                   .created_at = {}}));
  engine b = opened(deterministic("", 2));
  REQUIRE(a.for_each_memory([&](const memory_record& m) {
    for (const auto& v : m.versions) {
      restore_request r{.head = m.head, .version = v, .vector = {}};
      r.head.current_version = v.number;
      r.head.version_hash = v.hash;
      if (v.number == m.head.current_version) r.vector = m.vector;
      REQUIRE(b.apply(r));
    }
    return true;
  }));
  REQUIRE(a.for_each_edge_record([&](const edge_record& e) {
    REQUIRE(b.apply(restore_edge_request{e}));
    CHECK_FALSE(b.apply(restore_edge_request{e})->changed);
    return true;
  }));
  CHECK(b.root()->state_roots == a.root()->state_roots);
  CHECK(b.get(one.id)->version == a.get(one.id)->version);
}

TEST_CASE("bad options and missing worlds are plain errors") {
  scratch s;
  engine_options o;
  o.directory = s.world();
  o.create = false;
  CHECK(engine::open(o).error().code == errc::not_found);
  o.create = true;
  o.embedder_spec = "word2vec";
  CHECK(engine::open(o).error().code == errc::bad_value);
  CHECK(verify_world(s.world()).error().code == errc::not_found);
  CHECK(replay_world(s.world(), (s.path / "x").string()).error().code == errc::not_found);
}

TEST_CASE("a world behind an endpoint opens where something can ask it") {
  scratch s;
  engine_options o = deterministic(s.world());
  o.embedder_spec = "http:http://127.0.0.1:1/#model=m,dim=2";
  const auto refused = engine::open(o);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::no_embedder);
  CHECK(refused.error().at == "embedder");
  CHECK(refused.error().message.contains("mneme::remote_embedder"));
  CHECK_FALSE(std::filesystem::exists(s.world()));

  engine_options linked = o;
  linked.remote_embedders = make_unasked_embedder;
  root_set roots;
  {
    engine e = opened(linked);
    CHECK(e.stats()->space == vector_space{.model = "http:m", .dim = 2});
    REQUIRE(e.apply(fact("one")));
    roots = *e.root();
    REQUIRE(e.close());
  }
  CHECK(engine::open(o).error().code == errc::no_embedder);
  o.read_only = true;
  CHECK(engine::open(o).error().code == errc::no_embedder);
  // What asks nobody needs nothing that could.
  CHECK(verify_world(s.world())->ok);
  CHECK(replay_world(s.world(), (s.path / "again").string())->overall == roots.overall);
  CHECK(opened(linked).root()->overall == roots.overall);
}

TEST_CASE("the deadlines of a list count from its start") {
  find_request r;
  CHECK(shorten_deadline(r, 5'000'000'000));
  CHECK_FALSE(r.deadline_ms);
  r.deadline_ms = 10;
  CHECK(shorten_deadline(r, 3'999'999));
  CHECK(r.deadline_ms == 7);
  const auto late = shorten_deadline(r, 7'000'000);
  REQUIRE_FALSE(late);
  CHECK(late.error().code == errc::deadline_exceeded);
  CHECK(late.error().at == "deadline_ms");
  r.deadline_ms = -1; // refused by find itself
  CHECK(shorten_deadline(r, 7'000'000));
}

TEST_CASE("a reader beside the writer knows of its checkpoint") {
  scratch dir;
  engine e = opened(deterministic(dir.world()));
  REQUIRE(e.apply(fact("one")));
  REQUIRE(e.checkpoint());
  REQUIRE(e.apply(fact("two")));
  engine_options beside;
  beside.directory = dir.world();
  beside.read_only = true;
  engine reader = opened(beside);
  CHECK(reader.stats()->checkpoint_seq == seq_no{1});
  CHECK(reader.stats()->seq == seq_no{2});
}

TEST_CASE("a proof of an entry that is not there names it") {
  engine e = opened(deterministic(""));
  REQUIRE(e.apply(fact("one")));
  const auto taken = e.snapshot("now");
  REQUIRE(taken);
  for (const bool against_root : {false, true}) {
    prove_request r;
    r.seqs = {{1}, {9}};
    if (against_root) r.root = taken->manifest.overall_root;
    const auto refused = e.prove(r);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::seq_unavailable);
    CHECK(refused.error().at == "seqs[1]");
  }
}

TEST_CASE("what is asked to be proved again is proved once, where it was asked first") {
  engine e = opened(deterministic(""));
  const memory_id a = e.apply(fact("one"))->uri->id;
  const memory_id b = e.apply(fact("two"))->uri->id;
  const edge_key edge{a, edge_type::references, b};
  prove_request r;
  r.ids = {b, a, b, b, a};
  r.edges = {edge, edge};
  r.fields = {{a, "f"}, {a, "g"}, {a, "f"}};
  r.seqs = {{2}, {1}, {2}, {2}};
  const auto bundle = e.prove(r);
  REQUIRE(bundle);
  CHECK(verify(*bundle));
  std::vector<std::string> keys;
  for (const auto& s : bundle->states) keys.push_back(s.key);
  CHECK(keys
        == std::vector<std::string>{std::string(b.raw()), std::string(a.raw()), key_bytes(edge),
                                    field_key_bytes(a, "f"), field_key_bytes(a, "g")});
  REQUIRE(bundle->entries.size() == 2);
  CHECK(bundle->entries[0].seq == seq_no{2});
  CHECK(bundle->entries[1].seq == seq_no{1});
}

TEST_CASE("a request proves at most 10,000 things, those asked again counted") {
  engine e = opened(deterministic(""));
  const memory_id a = e.apply(fact("one"))->uri->id;
  prove_request r;
  r.ids.assign(4'000, a);
  r.edges.assign(3'000, {a, edge_type::references, {}});
  r.fields.assign(2'000, {a, "f"});
  r.seqs.assign(1'000, {1});
  CHECK(e.prove(r));
  const auto refused_at = [&](const prove_request& more) {
    const auto refused = e.prove(more);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::limit_exceeded);
    return refused.error().at;
  };
  r.seqs.push_back({1});
  CHECK(refused_at(r) == "seqs");
  r.fields.resize(4'000, {a, "f"});
  CHECK(refused_at(r) == "fields");
  r.edges.resize(10'000);
  CHECK(refused_at(r) == "edges");
  r.ids.resize(10'001, a);
  CHECK(refused_at(r) == "ids");
}

namespace {

/// What a list of touching finds answers and leaves in the journal.
std::string list_with_readers(std::size_t readers, query_driver driver) {
  engine_options o;
  o.seed = 7;
  o.embedder_spec = "none";
  o.clock = std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'000});
  o.exact_near = true;
  o.commit = commit_mode::per_request;
  o.readers = readers;
  o.queries = driver;
  auto e = opened(std::move(o));
  for (int i = 0; i < 30; ++i) REQUIRE(e.apply(fact("fact " + std::to_string(i))));
  std::vector<find_request> list;
  for (int i = 0; i < 40; ++i) {
    find_request f;
    f.types = {memory_type::fact};
    f.limit = 1 + i % 7;
    f.late_binding = i % 3 != 0;
    list.push_back(f);
  }
  list[11].types.clear(); // refused alone
  list[11].limit.reset();
  list[12].at_seq = seq_no{5};
  std::string seen;
  for (const auto& r : e.find_many(list)) {
    if (!r) {
      seen += std::string(to_string(r.error().code)) + "\n";
      continue;
    }
    seen += std::to_string(r->at_seq.value) + " " + std::to_string(r->seq ? r->seq->value : 0);
    for (const auto& m : r->memories) seen += " " + to_string(m.head.id);
    seen += "\n";
  }
  const auto journal = e.journal(seq_no{1}, 1000);
  REQUIRE(journal);
  for (const auto& item : *journal) seen += to_hex(item.payload_hash) + "\n";
  REQUIRE(e.close());
  return seen;
}

} // namespace

TEST_CASE("a list of queries gives the same answers and journal with 1 or N readers") {
  const std::string one = list_with_readers(1, query_driver::caller);
  CHECK(one.find("unbounded") != std::string::npos);
  CHECK(list_with_readers(2, query_driver::caller) == one);
  CHECK(list_with_readers(5, query_driver::caller) == one);
  CHECK(list_with_readers(3, query_driver::coordinator) == one);
}

TEST_CASE("an engine has as many readers as its options say, or as the machine has cores") {
  for (const std::size_t readers : {0U, 1U, 3U}) {
    engine_options o;
    o.embedder_spec = "none";
    o.readers = readers;
    auto e = opened(std::move(o));
    REQUIRE(e.apply(fact("x")));
    std::vector<find_request> list(10);
    for (auto& f : list) {
      f.types = {memory_type::fact};
      f.limit = 1;
      f.deadline_ms = 1'000'000;
    }
    for (const auto& r : e.find_many(list)) CHECK(r->memories.size() == 1);
    CHECK(e.close());
  }
}
