// An engine with a remote embedder of its host: writes do not wait, vectors follow, failures pass.

#include <algorithm>
#include <atomic>

#include <catch2/catch.hpp>

#include "mneme/engine.hpp"

using namespace mneme;

namespace {

constexpr std::int64_t long_enough_ms = 300'000;

/// Counts the letters a and b. Fails as long as it is told to.
class letters final : public remote_embedder {
public:
  [[nodiscard]] vector_space space() const override { return {.model = "letters", .dim = 2}; }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    if (is_down) return fail(errc::io, "down");
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

  mutable std::atomic<bool> is_stopped = false;
  std::atomic<bool> is_down = false;
};

write_request note(std::string text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(text);
  return r;
}

engine open_with(const std::shared_ptr<letters>& embedder) {
  engine_options options;
  options.embedder = embedder;
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
    REQUIRE(e.apply(note(i == 7 ? "aaaa" : "b"), durability::relaxed));
    if (i % 3 == 0) REQUIRE(e.wait_for_embeddings(long_enough_ms).value() == 0);
  }
  REQUIRE(e.wait_for_embeddings(long_enough_ms).value() == 0);
  const auto stats = e.stats().value();
  CHECK(stats.vectors == 300);
  CHECK(stats.seq == seq_no{600});
  CHECK(stats.embedder_problem.empty());
  const auto found = e.find(near("aaaaa")).value();
  REQUIRE(found.memories.size() == 1);
  CHECK(std::get<std::string>(found.memories[0].version.data.at("statement")) == "aaaa");
  REQUIRE(e.close());
  CHECK(embedder->is_stopped);
}

TEST_CASE("an embedder that is down stops no write, and is asked again") {
  const auto embedder = std::make_shared<letters>();
  embedder->is_down = true;
  engine e = open_with(embedder);
  REQUIRE(e.apply(note("a")));
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
