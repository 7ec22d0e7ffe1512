// A slow read keeps one reader, and nobody else who has a reader free.
#include <catch2/catch.hpp>

#include <atomic>

#include <caf/all.hpp>

#include "actors/engine_actor.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

write_request note_of_tea() {
  write_request r;
  r.type = memory_type::note;
  r.id = id_of(1);
  r.data["statement"] = std::string("tea");
  return r;
}

/// Holds up whoever asks for the text "wait for it".
class gated_embedder final : public embedder {
public:
  [[nodiscard]] vector_space space() const override { return {.model = "gated", .dim = 2}; }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    if (text == "wait for it") is_open.wait(false);
    return std::vector<float>{1.0F, static_cast<float>(text.size())};
  }
  void open() {
    is_open = true;
    is_open.notify_all();
  }
  std::atomic<bool> is_open = false;
};

find_request near_text(std::string text) {
  find_request r;
  r.near = std::move(text);
  r.limit = 1;
  return r;
}

const auto not_expected = [](const caf::error& e) { FAIL(to_error(e).message); };

void close_host(caf::scoped_actor& self, const engine_actor& memory) {
  self->request(memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, not_expected);
}

} // namespace

TEST_CASE("a read that takes long delays nothing while another reader is free") {
  host_config config(4);
  caf::actor_system system(config);
  engine_options options;
  options.embedder_spec = "none";
  options.readers = 2;
  auto running = start_engine(system, options);
  REQUIRE(running);
  const auto engine = *running;
  const engine_actor memory = system.spawn(engine_behavior, engine);
  caf::scoped_actor self(system);
  self->request(memory, caf::infinite, apply_message{note_of_tea()})
      .receive([](const mutation_result&) {}, not_expected);
  std::atomic<bool> is_open = false;
  hand_over_read(*engine, [&] { is_open.wait(false); });
  auto tick = std::make_shared<tick_request>();
  for (int i = 0; i < 8; ++i) {
    self->request(memory, caf::infinite, get_message{id_of(1), {}})
        .receive([](const memory_reply& m) { CHECK(m->head.id == id_of(1)); }, not_expected);
    find_request all;
    all.types = {memory_type::note};
    all.limit = 1;
    self->request(memory, caf::infinite, find_message{all})
        .receive([](const find_reply& r) { CHECK(r->memories.size() == 1); }, not_expected);
    tick->reads.emplace_back(all);
    self->request(memory, caf::infinite, tick_message{tick})
        .receive([&](const tick_reply& r) { CHECK(r->reads.size() == tick->reads.size()); },
                 not_expected);
  }
  is_open = true;
  is_open.notify_all();
  close_host(self, memory);
}

TEST_CASE("a query whose text takes long to embed keeps no other query waiting") {
  host_config config(4);
  caf::actor_system system(config);
  const auto embedder = std::make_shared<gated_embedder>();
  engine_options options;
  options.embedder = embedder;
  options.readers = 2;
  auto memory = mneme::spawn(system, options);
  REQUIRE(memory);
  caf::scoped_actor self(system);
  self->request(*memory, caf::infinite, apply_message{note_of_tea()})
      .receive([](const mutation_result&) {}, not_expected);
  auto waiting = self->request(*memory, caf::infinite, find_message{near_text("wait for it")});
  for (int i = 0; i < 4; ++i) {
    self->request(*memory, caf::infinite, find_message{near_text("tea")})
        .receive([](const find_reply& r) { CHECK(r->memories.size() == 1); }, not_expected);
    search_request words;
    words.query = "tea";
    self->request(*memory, caf::infinite, search_message{words})
        .receive([](const search_reply& r) { CHECK(r->results.size() == 1); }, not_expected);
  }
  embedder->open();
  waiting.receive([](const find_reply& r) { CHECK(r->at_seq == seq_no{1}); }, not_expected);
  close_host(self, *memory);
}
