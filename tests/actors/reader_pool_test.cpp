// A slow read keeps one reader, and nobody else who has a reader free.
#include "tests/actors/gated_host.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("a read that takes long delays nothing while another reader is free") {
  gated_host host;
  REQUIRE(host.ask<mutation_result>(apply_message{note_of("tea")}));
  std::atomic<bool> is_open = false;
  hand_over_read(*host.engine, [&] { is_open.wait(false); });
  find_request all;
  all.types = {memory_type::note};
  all.limit = 1;
  auto tick = std::make_shared<tick_request>();
  for (int i = 0; i < 8; ++i) {
    const auto found = host.ask<find_reply>(find_message{all});
    REQUIRE(found);
    REQUIRE((*found)->memories.size() == 1);
    CHECK(host.ask<memory_reply>(get_message{(*found)->memories[0].head->id, {}}));
    tick->reads.emplace_back(all);
    const auto ticked = host.ask<tick_reply>(tick_message{tick});
    REQUIRE(ticked);
    CHECK((*ticked)->reads.size() == tick->reads.size());
  }
  is_open = true;
  is_open.notify_all();
  host.close();
}

TEST_CASE("a query whose text takes long to embed keeps no other query waiting") {
  gated_host host;
  REQUIRE(host.ask<mutation_result>(apply_message{note_of("tea")}));
  auto waiting = host.self->request(host.memory, caf::infinite, find_message{near_text(slow_text)});
  search_request words;
  words.query = "tea";
  for (int i = 0; i < 4; ++i) {
    const auto found = host.ask<find_reply>(find_message{near_text("tea")});
    REQUIRE(found);
    CHECK((*found)->memories.size() == 1);
    const auto searched = host.ask<search_reply>(search_message{words});
    REQUIRE(searched);
    CHECK((*searched)->results.size() == 1);
  }
  REQUIRE(host.ask<mutation_result>(apply_message{note_of("cup")}));
  host.embedder->open();
  // It reads as of when it came.
  waiting.receive([](const find_reply& r) { CHECK(r->at_seq == seq_no{1}); }, not_expected);
  host.close();
}
