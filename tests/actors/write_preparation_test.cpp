// What the facade does of a write in its caller's thread, before the write's turn.
// Of: state/execute/preparation.cpp, actors/engine.cpp
#include <catch2/catch.hpp>

#include <atomic>

#include "mneme/tick.hpp"

using namespace mneme;

namespace {

struct counting_embedder : embedder {
  mutable std::atomic<int> calls{0};
  [[nodiscard]] vector_space space() const override { return {.model = "count", .dim = 2}; }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    ++calls;
    if (text.contains("refuse")) return fail(errc::bad_value, "not this text");
    return std::vector<float>{1.0F, static_cast<float>(text.size())};
  }
};
write_request plain_note(std::string text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(text);
  return r;
}

} // namespace

TEST_CASE("the facade embeds once, in its caller's thread, and refuses as the turn would") {
  engine_options options;
  const auto embedder = std::make_shared<counting_embedder>();
  options.embedder = embedder;
  auto e = open_in_memory(std::move(options));
  REQUIRE(e);
  auto done = e->apply(plain_note("tea"));
  REQUIRE(done);
  CHECK(embedder->calls == 1);
  CHECK(e->get(done->uri->id)->head->embedding);
  const auto seq = e->published();
  auto refused = e->write_batch({plain_note("leaf"), plain_note("refuse this"), plain_note("cup")});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::bad_value);
  CHECK(refused.error().at == "items[1]");
  auto bad = plain_note("cup");
  bad.importance = 99;
  refused = e->write_batch({plain_note("leaf"), bad, plain_note("refuse this")});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().at == "items[1].importance");
  CHECK(e->published() == seq);
  embedder->calls = 0;
  tick_request tick;
  tick.writes = {scoped_mutation{plain_note("one"), {}}, attest_request{}, scoped_mutation{bad, {}},
                 scoped_mutation{plain_note("two"), {}}};
  auto ticked = e->tick(tick);
  REQUIRE(ticked);
  CHECK(ticked->writes[0]);
  CHECK_FALSE(ticked->writes[1]);
  CHECK(ticked->writes[2].error().at == "importance");
  CHECK(ticked->writes[3]);
  CHECK(embedder->calls == 2);
}
