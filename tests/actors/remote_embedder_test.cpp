// An engine with a remote embedder of its host: writes do not wait, vectors follow, failures pass.
// Of: actors/embedder_actor.cpp, actors/query_vectors_actor.cpp, query/query_text.cpp
// Of: state/embedding/embed_status.cpp, messages/seams/lent_embedder.cpp

#include <algorithm>
#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include "mneme/arms.hpp"
#include "mneme/tick.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::int64_t long_enough_ms = 300'000;

/// Counts the letters a and b. Fails as long as it is told to.
class letters final : public remote_embedder {
public:
  [[nodiscard]] vector_space space() const override { return {.model = "letters", .dim = 2}; }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    ++calls;
    if (text == "wait for it") is_open.wait(false);
    if (is_down) return mneme::fail(errc::io, "down");
    return std::vector<float>{1.0F + static_cast<float>(std::ranges::count(text, 'a')),
                              1.0F + static_cast<float>(std::ranges::count(text, 'b'))};
  }
  [[nodiscard]] result<std::vector<std::vector<float>>>
  embed_many(std::span<const std::string> texts) const override {
    std::vector<std::vector<float>> vectors;
    for (const auto& text : texts) {
      auto v = embed(text);
      if (!v) return propagate(v);
      vectors.push_back(std::move(*v));
    }
    return vectors;
  }
  void stop() const override { is_stopped = true; }

  mutable std::atomic<int> calls = 0; ///< texts that it was asked for
  mutable std::atomic<bool> is_stopped = false;
  std::atomic<bool> is_down = false;
  std::atomic<bool> is_open = true; ///< else the text "wait for it" waits
};

write_request of_text(std::string text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(text);
  return r;
}

engine open_with(const std::shared_ptr<letters>& embedder,
                 query_driver driver = query_driver::caller) {
  engine_options options;
  options.embedder = embedder;
  options.queries = driver;
  auto opened = open_in_memory(std::move(options));
  REQUIRE(opened);
  return std::move(*opened);
}

find_request near(std::string text) {
  find_request r;
  r.near = std::move(text);
  r.limit = 1;
  return r;
}

} // namespace

TEST_CASE("every write gets its vector, however close the embedder is behind it") {
  const auto embedder = std::make_shared<letters>();
  engine e = open_with(embedder);
  for (int i = 0; i < 300; ++i) {
    REQUIRE(e.apply(of_text(i == 7 ? "aaaa" : "b"), durability::relaxed));
    if (i % 3 == 0) REQUIRE(e.wait_for_embeddings(long_enough_ms).value() == 0);
  }
  REQUIRE(e.wait_for_embeddings(long_enough_ms).value() == 0);
  const auto stats = e.stats().value();
  CHECK(stats.vectors == 300);
  CHECK(stats.seq == seq_no{600});
  CHECK(stats.embedder_problem.empty());
  const auto found = e.find(near("aaaaa")).value();
  REQUIRE(found.memories.size() == 1);
  CHECK(std::get<std::string>(found.memories[0].version->data.at("statement")) == "aaaa");
  REQUIRE(e.close());
  CHECK(embedder->is_stopped);
}

TEST_CASE("an embedder that is down stops no write, and is asked again") {
  const auto embedder = std::make_shared<letters>();
  embedder->is_down = true;
  engine e = open_with(embedder);
  REQUIRE(e.apply(of_text("a")));
  CHECK(e.wait_for_embeddings(long_enough_ms).value() == 1);
  CHECK(e.stats().value().embedder_problem == "down");
  const auto refused = e.find(near("a"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::io);
  CHECK(refused.error().at == "near");
  embedder->is_down = false;
  while (e.wait_for_embeddings(long_enough_ms).value() != 0) {
  }
  CHECK(e.find(near("a")).value().memories.size() == 1);
}

namespace {

search_request words(std::string query) {
  search_request r;
  r.query = std::move(query);
  r.explain = true;
  r.similarity_floor = 0;
  r.sort = search_sort::relevance;
  return r;
}

std::string statement_of(const search_hit& hit) {
  return hit.content;
}

} // namespace

TEST_CASE("a memory whose vector came late is found by its words as before") {
  const auto embedder = std::make_shared<letters>();
  embedder->is_down = true;
  engine e = open_with(embedder);
  REQUIRE(e.apply(of_text("lanterns over the harbour")));
  REQUIRE(e.apply(of_text("nothing of that")));
  const auto by_words = e.search(words("lanterns")).value();
  REQUIRE(by_words.results.size() == 1);
  const seq_no before = e.published();
  embedder->is_down = false;
  while (e.wait_for_embeddings(long_enough_ms).value() != 0) {
  }
  const auto found = e.search(words("lanterns")).value();
  REQUIRE_FALSE(found.results.empty());
  CHECK(statement_of(found.results[0]) == statement_of(by_words.results[0]));
  CHECK(found.results[0].parts->text == 1.0);
  CHECK(found.results[0].parts->vector > 0);
  // As of the time before the vector: by words, and with no vector.
  auto then = words("lanterns");
  then.at_seq = before;
  const auto past = e.search(then).value();
  REQUIRE_FALSE(past.results.empty());
  CHECK(past.results[0].parts->text == 1.0);
  CHECK(past.results[0].parts->vector == 0);
}

TEST_CASE("7: search goes by words when the embedder is down, and says so") {
  const auto driver = GENERATE(query_driver::caller, query_driver::coordinator);
  const auto embedder = std::make_shared<letters>();
  engine e = open_with(embedder, driver);
  REQUIRE(e.apply(of_text("lanterns over the harbour")));
  while (e.wait_for_embeddings(long_enough_ms).value() != 0) {
  }
  CHECK(e.search(words("lanterns")).value().embedder_problem.empty());
  embedder->is_down = true;
  const auto found = e.search(words("lanterns"));
  REQUIRE(found);
  CHECK(found->embedder_problem == "down");
  REQUIRE(found->results.size() == 1);
  CHECK(found->results[0].parts->vector == 0);
  CHECK(std::ranges::count(found->coverage.notes,
                           "the embedder gave the query no vector: words alone")
        == 1);
  // A given vector needs no embedder.
  auto given = words("lanterns");
  given.vector = std::vector<float>{1, 2};
  CHECK(e.search(given).value().embedder_problem.empty());
  // The other doors have no other way.
  CHECK(e.find(near("a")).error().code == errc::io);
  tick_request t;
  t.reads.emplace_back(words("lanterns"));
  t.reads.emplace_back(near("a"));
  t.reads.emplace_back(context_request{.query = "lanterns"});
  auto ticked = e.tick(t);
  REQUIRE(ticked);
  CHECK(std::get<search_result>(*ticked->reads[0]).embedder_problem == "down");
  CHECK(ticked->reads[1].error().code == errc::io);
  CHECK(std::get<context_result>(*ticked->reads[2]).embedder_problem == "down");
  CHECK(std::get<context_result>(*ticked->reads[2]).found.size() == 1);
  CHECK(e.context({.query = "lanterns"})->embedder_problem == "down");
  CHECK(e.context({})->embedder_problem.empty());
  embedder->is_down = false;
  ticked = e.tick(t);
  REQUIRE(ticked);
  CHECK(std::get<search_result>(*ticked->reads[0]).embedder_problem.empty());
  CHECK(std::get<context_result>(*ticked->reads[2]).embedder_problem.empty());
  CHECK(std::get<find_result>(*ticked->reads[1]).memories.size() == 1);
}

TEST_CASE("a query that waits for a remote embedder keeps nobody else waiting") {
  const auto embedder = std::make_shared<letters>();
  engine_options options;
  options.embedder = embedder;
  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, options);
  REQUIRE(memory);
  caf::scoped_actor self(system);
  const auto failed = [](const caf::error& e) { FAIL(to_error(e).message); };
  self->request(*memory, caf::infinite, apply_message{of_text("a")})
      .receive([](const mutation_result&) {}, failed);
  embedder->is_open = false;
  auto waiting = self->request(*memory, caf::infinite, find_message{near("wait for it")});
  find_request plain;
  plain.types = {memory_type::note};
  plain.limit = 1;
  self->request(*memory, caf::infinite, find_message{plain})
      .receive([](const find_reply& r) { CHECK(r->memories.size() == 1); }, failed);
  auto tick = std::make_shared<tick_request>();
  tick->reads.emplace_back(plain);
  self->request(*memory, caf::infinite, tick_message{tick})
      .receive([](const tick_reply& r) { CHECK(r->reads[0].has_value()); }, failed);
  embedder->is_open = true;
  embedder->is_open.notify_all();
  waiting.receive([](const find_reply&) {}, failed);
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, failed);
}

TEST_CASE("who waits for embeddings does not keep the world from closing") {
  const auto embedder = std::make_shared<letters>();
  engine e = open_with(embedder);
  embedder->is_open = false;
  REQUIRE(e.apply(of_text("wait for it")));
  std::atomic<bool> is_waiting = false;
  result<std::uint64_t> waited;
  std::thread waiter([&] {
    is_waiting = true;
    is_waiting.notify_all();
    waited = e.wait_for_embeddings(long_enough_ms);
  });
  is_waiting.wait(false);
  result<void> closed;
  std::thread closer([&] { closed = e.close(); });
  waiter.join();
  embedder->is_open = true;
  embedder->is_open.notify_all();
  closer.join();
  CHECK(closed);
  REQUIRE_FALSE(waited);
  CHECK(waited.error().code == errc::shutdown);
}

TEST_CASE("a request that is refused anyway asks no remote embedder") {
  const auto driver = GENERATE(query_driver::caller, query_driver::coordinator);
  const auto embedder = std::make_shared<letters>();
  engine e = open_with(embedder, driver);

  auto unknown_field = near("a");
  unknown_field.where = predicate{compare_predicate{comparison::gt, "data.none", std::int64_t{1}}};
  auto no_scope = near("a");
  no_scope.scope = std::make_shared<const mneme::scope>();
  auto of_the_future = near("a");
  of_the_future.at_seq = seq_no{99};
  const std::vector<std::pair<find_request, errc>> finds = {{unknown_field, errc::field_unknown},
                                                            {no_scope, errc::no_key_resolver},
                                                            {of_the_future, errc::seq_unavailable}};
  auto no_limit = words("lanterns");
  no_limit.limit = 0;
  retrieve_request none;
  none.q = "a";
  none.top_k = 0;
  tick_request t;
  for (const auto& [r, code] : finds) {
    CHECK(e.find(r).error().code == code);
    t.reads.emplace_back(r);
  }
  CHECK(e.search(no_limit).error().code == errc::out_of_range);
  CHECK(e.retrieve(none).error().code == errc::out_of_range);
  t.reads.emplace_back(no_limit);
  t.reads.emplace_back(none);
  const auto ticked = e.tick(t);
  REQUIRE(ticked);
  for (std::size_t i = 0; i < finds.size(); ++i)
    CHECK(ticked->reads[i].error().code == finds[i].second);
  CHECK(ticked->reads[3].error().code == errc::out_of_range);
  CHECK(ticked->reads[4].error().code == errc::out_of_range);
  CHECK(embedder->calls == 0);
  CHECK(e.find(near("a")));
  CHECK(embedder->calls == 1);
}

TEST_CASE("a topic whose new text waits for its vector is similar to nothing yet") {
  const auto embedder = std::make_shared<letters>();
  engine e = open_with(embedder);
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.title = "b";
  REQUIRE(e.apply(topic));
  topic.title = "a";
  const auto made = e.apply(topic);
  REQUIRE(made);
  while (e.wait_for_embeddings(long_enough_ms).value() != 0) {
  }
  embedder->is_down = true;
  ingest_request more;
  more.placement = ingest_placement::extend_topic;
  more.topic_id = made->uri->id;
  field_input colour;
  colour.name = "colour";
  colour.value.node = std::string("red");
  more.fields.push_back(colour);
  // A link is no text.
  ingest_request linked = more;
  linked.fields.clear();
  linked.links = {{.topic_id = id_of(9), .kind = "near"}};
  const auto kept = e.apply(linked);
  REQUIRE(kept);
  CHECK(kept->topics->similar_topic_ids.size() == 1);
  const auto extended = e.apply(more);
  REQUIRE(extended);
  CHECK(extended->topics->similar_topic_ids.empty());
  more.title = "another";
  const auto renamed = e.apply(more);
  REQUIRE(renamed);
  CHECK(renamed->topics->similar_topic_ids.empty());
}

TEST_CASE("arms share an embedder, and none of them stops it for the others") {
  const auto embedder = std::make_shared<letters>();
  engine running = open_with(embedder);
  REQUIRE(running.apply(of_text("a")));
  auto base = arm_base::of(running);
  REQUIRE(base);
  {
    auto first = base->arm();
    REQUIRE(first);
    REQUIRE(first->apply(of_text("aa")));
    REQUIRE(first->close());
  }
  CHECK_FALSE(embedder->is_stopped);
  auto second = base->arm();
  REQUIRE(second);
  auto written = second->apply(of_text("bbbb"));
  REQUIRE(written);
  REQUIRE(second->wait_for_embeddings(long_enough_ms).value() == 0);
  auto found = second->find(near("bbb"));
  REQUIRE(found);
  REQUIRE(found->memories.size() == 1);
  CHECK(found->memories.front().head->id == written->uri->id);
  REQUIRE(second->close());
  base = fail(errc::not_found, "let go of");
  CHECK_FALSE(embedder->is_stopped); // the engine that it is of goes on
  REQUIRE(running.find(near("a")));
}
