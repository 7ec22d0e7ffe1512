// An engine under which something ends: its store (a full disk cuts a checkpoint short), the actors
// that write, the window that is read from.
// Of: actors/committer_actor.cpp, actors/checkpoint_actor.cpp, actors/engine_life.cpp
// Of: actors/running_engine.cpp, actors/spawn.cpp, actors/store_actor.cpp
// Of: query/records/whole_world.cpp, views/read_window.cpp
#include <atomic>
#include <chrono>

#include "actors/engine_actor.hpp"
#include "query/records/whole_world.hpp"
#include "state/inspection/stats.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// What fails, and whether the store is gone then; shared with the store, which the engine owns.
struct store_faults {
  std::atomic<bool> checkpoint = false; ///< the next one fails, and the store stops
  std::atomic<bool> read = false;       ///< likewise
  std::atomic<bool> apply = false;      ///< fails; the store stays
  std::atomic<bool> held = false;       ///< a checkpoint that fails answers later
  std::atomic<bool> stopped = false;
  std::atomic<bool> apply_held = false; ///< what is given to the files is taken later
  std::atomic<bool> applying = false;
  std::atomic<bool> read_held = false; ///< a read of the store or of leaves answers later
  std::atomic<bool> reading = false;
  std::atomic<bool> end_held = false; ///< the store takes its time to close
  std::atomic<bool> ending = false;

  static void raise(std::atomic<bool>& flag) {
    flag = true;
    flag.notify_all();
  }
  static void release(std::atomic<bool>& flag) {
    flag = false;
    flag.notify_all();
  }
  void release() { release(held); }
};

error no_space(const char* what) {
  return {errc::io, std::string(what) + ": no space left on device", {}};
}

/// What a read meets.
result<void> usable(store_faults& faults) {
  store_faults::raise(faults.reading);
  faults.read_held.wait(true);
  if (faults.read) faults.stopped = true;
  if (faults.stopped) return std::unexpected(no_space("read"));
  return {};
}

/// A ledger of an empty world that reads its leaves as readers do the store.
std::unique_ptr<ledger> failing_ledger(world& w, std::shared_ptr<store_faults> faults) {
  return std::make_unique<ledger>(
      w.info.id,
      ledger_sources{.leaves = [&w, faults](state_namespace ns, const digest& first,
                                            const digest& last) -> result<std::vector<tree_leaf>> {
                       if (auto ok = usable(*faults); !ok) return propagate(ok);
                       return w.leaves.read(ns, first, last);
                     },
                     .headers = []() -> header_reader {
                       return [](seq_no, std::uint64_t) { return fail(errc::io, "no headers"); };
                     }},
      w.leaf_cache_bytes);
}

class failing_reader final : public kv_reader {
public:
  failing_reader(std::unique_ptr<kv_reader> real, std::shared_ptr<store_faults> faults)
      : real_(std::move(real)), faults_(std::move(faults)) {}

  result<std::optional<std::string>> get(kv_table table, std::string_view key) override {
    if (auto ok = usable(*faults_); !ok) return propagate(ok);
    return real_->get(table, key);
  }
  result<std::optional<std::pair<std::string, std::string>>>
  first(kv_table table, std::string_view lower, std::string_view upper) override {
    if (auto ok = usable(*faults_); !ok) return propagate(ok);
    return real_->first(table, lower, upper);
  }
  result<void> scan(kv_table table, std::string_view lower, std::string_view upper,
                    const std::function<bool(std::string_view, std::string_view)>& visit) override {
    if (auto ok = usable(*faults_); !ok) return ok;
    return real_->scan(table, lower, upper, visit);
  }

private:
  std::unique_ptr<kv_reader> real_;
  std::shared_ptr<store_faults> faults_;
};

class failing_store final : public kv_store {
public:
  failing_store(std::unique_ptr<kv_store> real, std::shared_ptr<store_faults> faults)
      : real_(std::move(real)), faults_(std::move(faults)) {}
  ~failing_store() override {
    store_faults::raise(faults_->ending);
    faults_->end_held.wait(true);
  }

  result<std::unique_ptr<kv_reader>> reader() override {
    if (faults_->stopped) return std::unexpected(no_space("reader"));
    auto real = real_->reader();
    if (!real) return real;
    return std::make_unique<failing_reader>(std::move(*real), faults_);
  }
  result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override {
    store_faults::raise(faults_->applying);
    faults_->apply_held.wait(true);
    if (faults_->stopped || faults_->apply) return std::unexpected(no_space("apply"));
    return real_->apply(writes, commit);
  }
  result<void> set_stable(seq_no stable) override { return real_->set_stable(stable); }
  result<void> checkpoint() override {
    if (!faults_->checkpoint) return real_->checkpoint();
    faults_->stopped = true;
    faults_->stopped.notify_all();
    faults_->held.wait(true);
    return std::unexpected(no_space("checkpoint"));
  }
  [[nodiscard]] seq_no recovered() const override { return real_->recovered(); }
  [[nodiscard]] std::optional<error> stopped() const override {
    if (!faults_->stopped) return {};
    return no_space(faults_->read ? "read" : "checkpoint");
  }
  result<void> verify() override { return real_->verify(); }

private:
  std::unique_ptr<kv_store> real_;
  std::shared_ptr<store_faults> faults_;
};

class engine_on_failing_store {
public:
  explicit engine_on_failing_store(std::size_t threads = 4,
                                   std::optional<std::uint64_t> row_buffer_bytes = {})
      : config_(threads) {
    engine_options o;
    o.seed = 1;
    o.embedder_spec = "none";
    o.leaf_cache_bytes = 0;   // the ledger keeps no leaves
    o.record_cache_bytes = 0; // nor readers records
    auto opened = open_engine(o);
    REQUIRE(opened);
    state_ = opened->state.get();
    if (row_buffer_bytes) state_->row_buffer_bytes = *row_buffer_bytes;
    state_->ledger = failing_ledger(*state_, faults);
    state_->store = std::make_unique<buffered_store>(
        std::make_unique<failing_store>(std::move(state_->store), faults));
    auto engine = start_engine(system_, std::move(*opened));
    held_ = engine->state;
    committer_ = engine->actors.committer;
    checkpointer_ = engine->actors.checkpointer;
    coordinator_ = engine->actors.coordinator;
    handle_ = system_.spawn(engine_behavior, std::move(engine));
  }
  ~engine_on_failing_store() { end(); }

  std::optional<error> write(const std::string& text) {
    return ask<mutation_result>(apply_message{note(text)});
  }
  /// Two memories and an edge.
  std::optional<error> write_linked() {
    add_edge_request edge;
    edge.type = static_cast<std::uint8_t>(edge_type::references);
    batch_message linked;
    for (auto* end : {&edge.src, &edge.dst}) {
      *end = id_of(static_cast<std::uint8_t>(linked.items.size() + 1));
      auto r = note("end");
      r.id = *end;
      linked.items.emplace_back(std::move(r));
    }
    linked.items.emplace_back(edge);
    return ask<batch_result>(std::move(linked));
  }
  /// Writes while a checkpoint fails whose answer is late.
  std::optional<error> write_beside_failing_checkpoint() {
    faults->checkpoint = true;
    faults->held = true;
    auto checkpointed = self_->request(handle_, caf::infinite, checkpoint_message{});
    faults->stopped.wait(false);
    auto written = write("beside");
    faults->release();
    REQUIRE(outcome_of<checkpoint_reply>(checkpointed));
    return written;
  }
  /// Gives the store's files what is in memory, so that it is read from them.
  void flush() {
    REQUIRE(state_->store->set_stable(state_->published_seq()));
    REQUIRE(state_->store->flush());
  }
  /// Writes so much that the owners take it by themselves, while the engine ends under the write:
  /// the ledger waits for its leaves.
  std::optional<error> write_into_end() {
    faults->reading = false;
    faults->read_held = true;
    batch_message many;
    for (std::size_t i = 0; i <= actor_options().entries_applied_here; ++i)
      many.items.emplace_back(note("under way"));
    auto written = self_->request(handle_, caf::infinite, std::move(many));
    faults->reading.wait(false);
    end();
    auto failed = outcome_of<batch_result>(written);
    store_faults::release(faults->read_held);
    return failed;
  }
  /// A checkpoint that waits for copies of the indexes, which come back while a batch is under way
  /// that then fails: what it is answered. Precondition: the first rows are too many for memory.
  std::optional<error> checkpoint_behind_compaction() {
    state_->window.retain(1);
    state_->compaction_states = 1;
    faults->apply_held = true; // the checkpointer is busy with the first rows for the files
    if (auto failed = write_linked()) return failed;
    faults->applying.wait(false);
    for (int i = 0; i < 20; ++i) {
      update_head_request touched;
      touched.uri = {memory_type::note, id_of(1), 1};
      touched.importance = 1 + i % 5;
      if (auto failed = ask<mutation_result>(apply_message{touched})) return failed;
    }
    auto checkpointed = self_->request(handle_, patience, checkpoint_message{});
    if (auto failed = write("behind the barrier")) return failed;
    faults->reading = false;
    faults->read_held = true;
    batch_message many;
    for (std::size_t i = 0; i <= actor_options().entries_applied_here; ++i)
      many.items.emplace_back(note("under way"));
    auto written = self_->request(handle_, caf::infinite, std::move(many));
    faults->reading.wait(false);
    store_faults::release(faults->apply_held);
    // Behind the copies, whose answer is on its way then.
    self_->request(checkpointer_, caf::infinite, free_indexes{})
        .receive([] {}, [](const caf::error&) {});
    faults->read = true;
    store_faults::release(faults->read_held);
    REQUIRE(outcome_of<batch_result>(written));
    return outcome_of<checkpoint_reply>(checkpointed);
  }
  /// Whether other requests of the host are answered while a single read takes its time.
  bool answers_beside_slow_read(const memory_id& id) {
    faults->reading = false;
    faults->read_held = true;
    auto slow = self_->request(handle_, caf::infinite, edges_of(id));
    faults->reading.wait(false);
    bool answered = false;
    self_->request(handle_, patience, root_message{})
        .receive([&](const root_set&) { answered = true; }, [](const caf::error&) {});
    store_faults::release(faults->read_held);
    return !outcome_of<edges_reply>(slow) && answered;
  }
  /// Whether the host's actors go on while the world is being closed.
  bool host_goes_on_beside_close() {
    faults->end_held = true;
    auto closed = self_->request(handle_, caf::infinite, close_message{});
    faults->ending.wait(false);
    auto other = system_.spawn(
        [](caf::event_based_actor*) -> caf::behavior { return {[](caf::ok_atom) { return 1; }}; });
    bool answered = false;
    self_->request(other, patience, caf::ok_atom::value)
        .receive([&](int) { answered = true; }, [](const caf::error&) {});
    store_faults::release(faults->end_held);
    return !outcome_of<closed_reply>(closed) && answered;
  }
  std::optional<error> tick(std::vector<tick_write> writes) {
    auto request = std::make_shared<tick_request>();
    request->writes = std::move(writes);
    return ask<tick_reply>(tick_message{std::move(request)});
  }
  std::optional<error> close() { return ask<closed_reply>(close_message{}); }
  void end() { caf::anon_send_exit(handle_, caf::exit_reason::user_shutdown); }
  void kill_committer() { caf::anon_send_exit(committer_, caf::exit_reason::kill); }
  std::optional<error> checkpoint() { return ask<checkpoint_reply>(checkpoint_message{}); }
  std::optional<error> find() {
    find_request f;
    f.types = {memory_type::note};
    f.limit = 10;
    return ask<find_reply>(find_message{f});
  }
  /// Edges are the store's; a record may come from the journal.
  std::optional<error> edges() { return ask<edges_reply>(edges_of(id_of(1))); }
  [[nodiscard]] seq_no journaled() const { return state_->journal->last_seq(); }
  [[nodiscard]] world& state() { return *state_; }
  /// False: the directory can be opened again.
  [[nodiscard]] bool holds_world() const { return !held_.expired(); }

  static edges_message edges_of(const memory_id& id) {
    edges_message m;
    m.id = id;
    return m;
  }
  static write_request note(const std::string& text) {
    write_request r;
    r.type = memory_type::note;
    r.data["statement"] = text;
    return r;
  }

  std::shared_ptr<store_faults> faults = std::make_shared<store_faults>();

private:
  /// For what must come but for a bug.
  static constexpr std::chrono::seconds patience{60};

  template <class Answer, class Request>
  std::optional<error> outcome_of(Request& asked) {
    std::optional<error> failed;
    asked.receive([](const Answer&) {}, [&](const caf::error& e) { failed = to_error(e); });
    return failed;
  }
  template <class Answer, class Message>
  std::optional<error> ask(Message m) {
    auto asked = self_->request(handle_, caf::infinite, std::move(m));
    return outcome_of<Answer>(asked);
  }

  host_config config_;
  caf::actor_system system_{config_};
  caf::scoped_actor self_{system_};
  world* state_ = nullptr;
  std::weak_ptr<world> held_;
  caf::actor committer_; // handles keep actors in memory, as their last message may
  caf::actor coordinator_;
  caf::actor checkpointer_;
  engine_actor handle_;
};

bool says(const std::optional<error>& e, std::string_view text) {
  return e && e->message.find(text) != std::string::npos;
}

} // namespace

TEST_CASE("after a checkpoint that stopped the store no write reaches the journal") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write("before"));
  e.faults->checkpoint = true;
  CHECK(says(e.checkpoint(), "no space left"));
  const seq_no last = e.journaled();
  for (int i = 0; i < 3; ++i) {
    const auto refused = e.write("after");
    REQUIRE(refused);
    CHECK(refused->code == errc::io);
    CHECK(says(refused, "checkpoint: no space left"));
    CHECK(says(refused, "reads fail too"));
    CHECK(says(refused, "close and open it again"));
  }
  CHECK(e.journaled() == last);
  CHECK(e.find());
}

TEST_CASE("a write beside a checkpoint that stops the store is told what stopped it") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write("before"));
  const seq_no last = e.journaled();
  const auto refused = e.write_beside_failing_checkpoint();
  REQUIRE(refused);
  CHECK(says(refused, "checkpoint: no space left"));
  CHECK(e.journaled() == last);
}

TEST_CASE("a store whose files take no rows is still read from, and no more is written") {
  engine_on_failing_store e(4, 0); // every batch is to go to the files
  e.faults->apply = true;
  CHECK_FALSE(e.write("before"));
  std::optional<error> refused;
  for (int i = 0; !refused && i < 1'000'000; ++i) refused = e.write("until the files refuse");
  REQUIRE(refused);
  CHECK(refused->code == errc::io);
  CHECK(says(refused, "apply: no space left"));
  CHECK(says(refused, "reads go on"));
  CHECK_FALSE(e.find());
  CHECK(read_stats(e.state()).stopped == refused->message);
}

TEST_CASE("stats say that the store has stopped before a write hears of it") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write_linked());
  CHECK(read_stats(e.state()).stopped.empty());
  e.flush();
  e.faults->read = true;
  CHECK(e.edges());
  CHECK(read_stats(e.state()).stopped.find("no space left") != std::string::npos);
}

TEST_CASE("a write that executes after its own tick met the damage does not reach the journal") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write_linked());
  e.flush();
  const seq_no last = e.journaled();
  e.faults->read = true;
  update_head_request reads;
  reads.uri = {memory_type::note, id_of(1), 1};
  reads.importance = 3;
  const auto refused = e.tick({scoped_mutation{reads}, scoped_mutation{e.note("after")}});
  REQUIRE(refused);
  CHECK(refused->code == errc::io);
  CHECK(says(refused, "read: no space left"));
  CHECK(e.journaled() == last);
}

TEST_CASE("close says that its last checkpoint failed") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write("before"));
  e.flush(); // so that there is one
  SECTION("itself") {
    e.faults->checkpoint = true;
  }
  SECTION("since the engine had stopped before") {
    e.faults->checkpoint = true;
    CHECK(e.checkpoint());
    CHECK(e.write("after"));
  }
  CHECK(says(e.close(), "checkpoint: no space left"));
}

TEST_CASE("the world is let go of when close answers, whoever still has its actors") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write("before"));
  CHECK_FALSE(e.find());
  CHECK(e.holds_world());
  CHECK_FALSE(e.close());
  CHECK_FALSE(e.holds_world());
}

TEST_CASE("a slow read of one host's actor delays no other request") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write_linked());
  e.flush();
  CHECK(e.answers_beside_slow_read(id_of(1)));
}

TEST_CASE("the world is closed by no thread that the host's actors need") {
  engine_on_failing_store e(1);
  CHECK_FALSE(e.write("before"));
  CHECK(e.host_goes_on_beside_close());
}

TEST_CASE("close is answered where nobody is left who could checkpoint") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write("before"));
  e.kill_committer();
  const auto failed = e.close();
  REQUIRE(failed);
  CHECK(failed->code == errc::shutdown);
}

TEST_CASE("a checkpoint that waits for copies is answered though the batch beside them fails") {
  engine_on_failing_store e(4, 200 << 10); // less than a first row takes, with all beside it
  const auto failed = e.checkpoint_behind_compaction();
  REQUIRE(failed);
  CHECK(says(failed, "takes no more writes"));
  CHECK(e.close()); // and close is, too
}

TEST_CASE("a write under which the engine ends has an unknown outcome") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write_linked());
  e.flush();
  const auto failed = e.write_into_end();
  REQUIRE(failed);
  CHECK(failed->code == errc::outcome_unknown);
}

TEST_CASE("an export of edges is refused if the window has moved past it meanwhile") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write_linked());
  e.state().window.retain(2);
  int more = 3;
  const auto read = read_all_edges(e.state().views(), [&](const edge_record&) {
    for (; more > 0; --more) CHECK_FALSE(e.write("beside"));
    return true;
  });
  REQUIRE_FALSE(read);
  CHECK(read.error().code == errc::seq_unavailable);
  int edges = 0;
  CHECK(read_all_edges(e.state().views(), [&](const edge_record&) { return ++edges > 0; }));
  CHECK(edges == 1);
}
