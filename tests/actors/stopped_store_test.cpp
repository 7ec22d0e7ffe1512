// A store that stops for good under a running engine: a full disk cuts a checkpoint short.
#include <atomic>

#include "actors/engine_actor.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// What fails, and whether the store is gone then; shared with the store, which the engine owns.
struct store_faults {
  std::atomic<bool> checkpoint = false; ///< the next one fails, and the store stops
  std::atomic<bool> apply = false;      ///< fails; the store stays
  std::atomic<bool> stopped = false;
};

error no_space(const char* what) {
  return {errc::io, std::string(what) + ": no space left on device", {}};
}

class failing_store final : public kv_store {
public:
  failing_store(std::unique_ptr<kv_store> real, std::shared_ptr<store_faults> faults)
      : real_(std::move(real)), faults_(std::move(faults)) {}

  result<std::unique_ptr<kv_reader>> reader() override {
    if (faults_->stopped) return std::unexpected(no_space("reader"));
    return real_->reader();
  }
  result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override {
    if (faults_->stopped || faults_->apply) return std::unexpected(no_space("apply"));
    return real_->apply(writes, commit);
  }
  result<void> set_stable(seq_no stable) override { return real_->set_stable(stable); }
  result<void> checkpoint() override {
    if (!faults_->checkpoint) return real_->checkpoint();
    faults_->stopped = true;
    return std::unexpected(no_space("checkpoint"));
  }
  [[nodiscard]] seq_no recovered() const override { return real_->recovered(); }
  [[nodiscard]] bool damaged() const override { return faults_->stopped; }
  result<void> verify() override { return real_->verify(); }

private:
  std::unique_ptr<kv_store> real_;
  std::shared_ptr<store_faults> faults_;
};

class engine_on_failing_store {
public:
  engine_on_failing_store() {
    engine_options o;
    o.seed = 1;
    o.embedder_spec = "none";
    auto opened = open_engine(o);
    REQUIRE(opened);
    state_ = opened->state.get();
    state_->store = std::make_unique<failing_store>(std::move(state_->store), faults);
    handle_ = system_.spawn(engine_behavior, start_engine(system_, std::move(*opened)));
  }
  ~engine_on_failing_store() { caf::anon_send_exit(handle_, caf::exit_reason::user_shutdown); }

  std::optional<error> write(const std::string& text) {
    write_request r;
    r.type = memory_type::note;
    r.data["statement"] = text;
    return ask<mutation_result>(apply_message{r});
  }
  std::optional<error> checkpoint() { return ask<checkpoint_reply>(checkpoint_message{}); }
  std::optional<error> find() {
    find_request f;
    f.types = {memory_type::note};
    f.limit = 10;
    return ask<find_reply>(find_message{f});
  }
  [[nodiscard]] seq_no journaled() const { return state_->journal->last_seq(); }

  std::shared_ptr<store_faults> faults = std::make_shared<store_faults>();

private:
  template <class Answer, class Message>
  std::optional<error> ask(Message m) {
    std::optional<error> failed;
    self_->request(handle_, caf::infinite, std::move(m))
        .receive([](const Answer&) {}, [&](const caf::error& e) { failed = to_error(e); });
    return failed;
  }

  host_config config_;
  caf::actor_system system_{config_};
  caf::scoped_actor self_{system_};
  world* state_ = nullptr;
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

TEST_CASE("a store that fails one batch and stays is still read from") {
  engine_on_failing_store e;
  CHECK_FALSE(e.write("before"));
  e.faults->apply = true;
  const auto unknown = e.write("under way");
  REQUIRE(unknown);
  CHECK(unknown->code == errc::outcome_unknown);
  const auto refused = e.write("after");
  REQUIRE(refused);
  CHECK(refused->code == errc::io);
  CHECK(says(refused, "reads go on"));
  CHECK_FALSE(e.find());
}
