// A leader over a log behind a bad network: whatever is lost, late or doubled, its answer about a
// frame is true for ever. The log at the end is looked at, after everything late has arrived.
// Of: journal/log/log_leader.cpp, journal/log/faulty_log.cpp
#include "journal/log/log_leader.hpp"

#include <map>

#include <rapidcheck.h>

#include "journal/log/faulty_log.hpp"
#include "journal/log/memory_log.hpp"
#include "tests/journal/journal_site.hpp"
#include "tests/journal/log/log_rules.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

using std::chrono::milliseconds;

leader_options named(const std::string& holder) {
  return {.holder = holder, .lease = milliseconds{1000}, .attempts = 8};
}

std::unique_ptr<log_leader> leads(memory_log_server& server, const std::string& holder) {
  auto leader = log_leader::claim(server.connect(), named(holder));
  REQUIRE(leader);
  return std::move(*leader);
}

std::size_t frames_in(memory_log_server& server) {
  return server.connect()->read(0, 1000, 1ULL << 30)->size();
}

errc failure(const result<void>& outcome) {
  REQUIRE_FALSE(outcome);
  return outcome.error().code;
}

/// One frame that a leader was asked to append, and what it said of it.
struct told_frame {
  log_epoch epoch;
  std::uint64_t at = 0;
  digest hash;
  std::optional<errc> refused{};
};

/// Some leaders that take each other's place over one log, each behind its own network.
class rivals {
public:
  rivals(std::uint64_t seed, std::size_t count) : roll_(seed) {
    RC_ASSERT(server_.connect()->create("w").has_value());
    for (std::size_t i = 0; i < count; ++i)
      networks_.push_back(std::make_shared<faulty_log>(server_.connect(), roll_.next(), faults()));
    leaders_.resize(count);
  }

  void step() {
    const auto i = roll_.below(networks_.size());
    if (roll_.one_in(8)) server_.pass(milliseconds{1500});
    if (roll_.one_in(40)) networks_[i]->cut_off(roll_.one_in(2));
    if (!leaders_[i] || roll_.one_in(30)) {
      // A process that ends leaves on the way what it has sent.
      auto leader = log_leader::claim(
          networks_[i], named(std::to_string(i) + "/" + std::to_string(++incarnations_)));
      leaders_[i] = leader ? std::move(*leader) : nullptr;
      if (leader) RC_ASSERT(epochs_.emplace(leaders_[i]->epoch(), i).second);
      return;
    }
    append(i);
  }

  void check() {
    for (const auto& network : networks_) network->deliver_late();
    const auto frames = server_.connect()->read(0, 100'000, 1ULL << 40);
    RC_ASSERT(frames.has_value());
    std::map<digest, std::uint64_t> places;
    for (const auto& frame : *frames) RC_ASSERT(places.emplace(frame.hash, places.size()).second);
    for (const auto& told : told_) {
      const auto found = places.find(told.hash);
      if (!told.refused) {
        RC_ASSERT(found != places.end());
        RC_ASSERT(found->second == told.at);
      } else if (*told.refused != errc::outcome_unknown) {
        RC_ASSERT(found == places.end());
      }
    }
    for (std::size_t i = 1; i < frames->size(); ++i)
      RC_ASSERT(check_log_frame((*frames)[i])->previous_frame == (*frames)[i - 1].hash);
    RC_CLASSIFY(frames->size() > 50, "long log");
  }

private:
  log_faults faults() {
    const auto some = [&] { return static_cast<std::uint32_t>(roll_.below(120)); };
    return {.away = some(),
            .lost_request = some(),
            .lost_answer = some(),
            .doubled = some(),
            .late = some()};
  }

  void append(std::size_t i) {
    log_leader& leader = *leaders_[i];
    const auto frame = frame_behind(leader.tail(), {std::to_string(++payloads_)});
    told_frame told{.epoch = leader.epoch(), .at = leader.tail().end.frames, .hash = frame.hash};
    const auto outcome = leader.append(frame);
    if (!outcome) told.refused = outcome.error().code;
    if (!outcome && outcome.error().code != errc::busy) {
      RC_ASSERT(outcome.error().code != errc::corrupt);
      leaders_[i] = nullptr;
    }
    told_.push_back(told);
  }

  dice roll_;
  memory_log_server server_;
  std::vector<std::shared_ptr<faulty_log>> networks_;
  std::vector<std::unique_ptr<log_leader>> leaders_;
  std::map<log_epoch, std::size_t> epochs_; ///< each has one leader
  std::vector<told_frame> told_;
  std::uint64_t payloads_ = 0;
  std::uint64_t incarnations_ = 0;
};

} // namespace

TEST_CASE("a leader appends, and its epoch is its own", "[log]") {
  memory_log_server server;
  REQUIRE(server.connect()->create("w"));
  auto one = leads(server, "one");
  CHECK(one->epoch() == log_epoch{1});
  REQUIRE(one->append(frame_behind(one->tail(), {"a"})));
  REQUIRE(one->append(frame_behind(one->tail(), {})));
  CHECK(one->tail() == *server.connect()->tail());
  const auto other = log_leader::claim(server.connect(), named("two"));
  REQUIRE_FALSE(other);
  CHECK(other.error().code == errc::busy);
  CHECK(other.error().message.find("'one' leads") != std::string::npos);
  one->let_go();
  auto two = leads(server, "two");
  CHECK(two->epoch() == log_epoch{2});
  CHECK(two->tail().end.frames == 2);
}

TEST_CASE("a leader that was replaced acknowledges nothing more", "[log]") {
  memory_log_server server;
  REQUIRE(server.connect()->create("w"));
  auto one = leads(server, "one");
  REQUIRE(one->append(frame_behind(one->tail(), {"a"})));
  server.pass(milliseconds{5000}); // as if it had been stopped
  auto two = leads(server, "two");
  const auto late = frame_behind(one->tail(), {"b"});
  SECTION("before the new one has appended") {
    const auto refused = one->append(late);
    CHECK(failure(refused) == errc::read_only);
    CHECK(refused.error().message.find("'two' leads it in epoch 2") != std::string::npos);
  }
  SECTION("and after") {
    REQUIRE(two->append(frame_behind(two->tail(), {"c"})));
    CHECK(failure(one->append(late)) == errc::read_only);
  }
  CHECK(failure(one->append(late)) == errc::read_only);
  CHECK(failure(one->renew()) == errc::read_only);
  CHECK(failure(one->look()) == errc::read_only);
  CHECK(two->look());
}

TEST_CASE("a frame whose answer was lost is found", "[log]") {
  memory_log_server server;
  REQUIRE(server.connect()->create("w"));
  auto network = std::make_shared<faulty_log>(server.connect(), 1, log_faults{});
  auto leader = log_leader::claim(network, named("one"));
  REQUIRE(leader);
  network->change({.lost_answer = 1000});
  SECTION("by reading the tail") {
    // Looks fail too while answers are lost, so that the leader has nothing to say of it.
    const auto frame = frame_behind((*leader)->tail(), {"a"});
    CHECK(failure((*leader)->append(frame)) == errc::outcome_unknown);
    CHECK(failure((*leader)->append(frame)) == errc::outcome_unknown);
    CHECK(frames_in(server) == 1);
  }
  SECTION("when it arrived twice") {
    network->change({.doubled = 1000});
    for (int i = 0; i < 20; ++i)
      REQUIRE((*leader)->append(frame_behind((*leader)->tail(), {std::to_string(i)})));
    CHECK(frames_in(server) == 20);
  }
}

namespace {

/// Somebody else claims the log while the answer of an append is on its way, and it is lost.
class claimed_behind final : public log_store {
public:
  explicit claimed_behind(memory_log_server& server) : server_(server), to_(server.connect()) {}

  result<void> create(std::string_view founding) override { return to_->create(founding); }
  result<std::string> founding() override { return to_->founding(); }
  result<log_tail> tail() override { return to_->tail(); }
  result<append_outcome> append(const log_point& expect, log_epoch epoch, milliseconds ttl,
                                const log_frame& frame) override {
    auto done = to_->append(expect, epoch, ttl, frame);
    REQUIRE((done && *done == append_outcome::appended));
    server_.pass(2 * ttl);
    REQUIRE(to_->claim(epoch, "another", ttl)->outcome == claim_outcome::granted);
    return append_outcome::unknown;
  }
  result<std::vector<log_frame>> read(std::uint64_t from, std::size_t frames,
                                      std::uint64_t bytes) override {
    return to_->read(from, frames, bytes);
  }
  result<claim_answer> claim(log_epoch newest, std::string_view holder, milliseconds ttl) override {
    return to_->claim(newest, holder, ttl);
  }
  result<bool> renew(log_epoch epoch, milliseconds ttl) override { return to_->renew(epoch, ttl); }
  result<void> may_trim() override { return to_->may_trim(); }
  result<void> may_erase() override { return to_->may_erase(); }
  result<erase_outcome> erase(std::span<const seq_no> seqs, log_epoch epoch) override {
    return to_->erase(seqs, epoch);
  }
  result<std::uint64_t> trim(const journaled_trim& by, std::uint64_t from,
                             log_epoch epoch) override {
    return to_->trim(by, from, epoch);
  }
  result<digest> put_blob(std::string_view bytes) override { return to_->put_blob(bytes); }
  result<std::string> get_blob(const digest& hash) override { return to_->get_blob(hash); }

private:
  memory_log_server& server_;
  std::shared_ptr<log_store> to_;
};

} // namespace

TEST_CASE("a frame behind which another leads is not said to stay", "[log]") {
  memory_log_server server;
  REQUIRE(server.connect()->create("w"));
  auto leader = log_leader::claim(std::make_shared<claimed_behind>(server), named("one"));
  REQUIRE(leader);
  // A claim that only a wait for a standby left vouches for no frame before it.
  CHECK(failure((*leader)->append(frame_behind((*leader)->tail(), {"a"})))
        == errc::outcome_unknown);
  CHECK(failure((*leader)->append(frame_behind((*leader)->tail(), {"b"})))
        == errc::outcome_unknown);
  CHECK(frames_in(server) == 1);
}

TEST_CASE("while the log is away nothing is written, and later it goes on", "[log]") {
  memory_log_server server;
  REQUIRE(server.connect()->create("w"));
  auto network = std::make_shared<faulty_log>(server.connect(), 1, log_faults{});
  auto leader = log_leader::claim(network, named("one"));
  REQUIRE(leader);
  const auto frame = frame_behind((*leader)->tail(), {"a"});
  network->cut_off(true);
  CHECK(failure((*leader)->append(frame)) == errc::busy);
  CHECK(failure((*leader)->look()) == errc::busy);
  CHECK(frames_in(server) == 0);
  network->cut_off(false);
  CHECK((*leader)->append(frame));
  CHECK(frames_in(server) == 1);
}

TEST_CASE("a log that was rolled back ends its leader", "[log]") {
  memory_log_server server;
  REQUIRE(server.connect()->create("w"));
  auto leader = leads(server, "one");
  for (const char* payload : {"a", "b"})
    REQUIRE(leader->append(frame_behind(leader->tail(), {payload})));
  server.roll_back(1);
  CHECK(failure(leader->append(frame_behind(leader->tail(), {"c"}))) == errc::corrupt);
  CHECK(failure(leader->renew()) == errc::corrupt);
}

TEST_CASE("what leaders say of frames stays true", "[log][property]") {
  rc::prop("over any faults", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    rivals all(seed, 1 + seed % 4);
    for (int i = 0; i < 400; ++i) all.step();
    all.check();
  });
}
