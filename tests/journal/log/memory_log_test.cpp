// The log in memory: the rules of every log, and what it can do that no log may.
#include "journal/log/memory_log.hpp"

#include <catch2/catch.hpp>

#include "tests/journal/log/log_rules.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

class memory_site final : public log_site {
public:
  std::shared_ptr<log_store> connect() override { return server.connect(); }
  void pass(std::chrono::milliseconds time) override { server.pass(time); }
  bool holds(const std::string& bytes) override {
    return server.everything().find(bytes) != std::string::npos;
  }
  memory_log_server server;
};

} // namespace

TEST_CASE("a log in memory keeps the rules of every log", "[log]") {
  for (const auto& rule : log_rules()) {
    DYNAMIC_SECTION(rule.says) {
      memory_site site;
      rule.check(site);
    }
  }
}

TEST_CASE("a log in memory can be rolled back", "[log]") {
  memory_log_server server;
  auto log = server.connect();
  REQUIRE(log->create("w"));
  const std::chrono::milliseconds lease{10};
  REQUIRE(log->claim(log_epoch{0}, "one", lease));
  std::vector<log_tail> tails{*log->tail()};
  for (const char* payload : {"a", "b", "c"}) {
    const auto& tail = tails.back();
    REQUIRE(log->append(tail.end, tail.epoch, lease, frame_behind(tail, {payload})));
    tails.push_back(*log->tail());
  }
  server.roll_back(1);
  CHECK(log->tail()->end == tails[1].end);
  CHECK(log->tail()->last_seq == seq_no{1});
  CHECK(log->read(0, 10, 1000)->size() == 1);
  server.roll_back(0);
  CHECK(*log->tail() == log_tail{});
}
