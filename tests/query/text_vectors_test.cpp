// The vectors of queries' texts: each text once, in few calls, and none for what is refused anyway.
#include "query/text_vectors.hpp"

#include "query/find/find.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// Remembers how many texts each call brought.
class counting_remote final : public remote_embedder {
public:
  [[nodiscard]] vector_space space() const override { return {.model = "counting", .dim = 2}; }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    calls.push_back(1);
    return vector_of(text);
  }
  [[nodiscard]] result<std::vector<std::vector<float>>>
  embed_many(std::span<const std::string> texts) const override {
    calls.push_back(texts.size());
    std::vector<std::vector<float>> vectors;
    for (const auto& text : texts) {
      auto v = vector_of(text);
      if (!v) return propagate(v);
      vectors.push_back(std::move(*v));
    }
    return vectors;
  }
  void stop() const override {}

  mutable std::vector<std::size_t> calls;
  bool is_down = false;

private:
  [[nodiscard]] result<std::vector<float>> vector_of(std::string_view text) const {
    if (is_down) return mneme::fail(errc::io, "down");
    if (text == "refused") return mneme::fail(errc::bad_value, "not this text");
    return std::vector<float>{1.0F, static_cast<float>(text.size())};
  }
};

find_request near_a(std::string text) {
  find_request r;
  r.near = std::move(text);
  r.limit = 1;
  return r;
}

struct asked_world {
  explicit asked_world(std::shared_ptr<const embedder> by) : asked(std::move(by)) {
    seams.time = std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'000});
  }
  [[nodiscard]] read_views views() const {
    read_views v = opened->views();
    v.embedder = asked;
    return v;
  }
  [[nodiscard]] text_vectors vectors() const { return {views(), seams}; }

  site here;
  std::unique_ptr<world> opened = here.open();
  std::shared_ptr<const embedder> asked;
  query_seams seams;
};

} // namespace

TEST_CASE("a tick's texts are embedded once each, as many at a time as a call takes") {
  const auto remote = std::make_shared<counting_remote>();
  const asked_world w(remote);
  tick_request tick;
  tick.reads.emplace_back(get_read{});
  for (int i = 0; i < 130; ++i) {
    const std::string text(static_cast<std::size_t>(1 + i / 2), 'a'); // each of 65 twice
    tick.reads.emplace_back(near_a(text));
  }
  auto no_limit = near_a("never asked for");
  no_limit.limit = 0;
  tick.reads.emplace_back(no_limit);
  CHECK(asks_by_text(tick));
  const auto texts = w.vectors().embed(tick);
  CHECK(remote->calls == std::vector<std::size_t>{64, 1});
  REQUIRE(texts.size() == 132);
  CHECK(texts[0].vector == nullptr);
  for (std::size_t i = 0; i < 130; ++i) {
    REQUIRE(texts[1 + i].vector != nullptr);
    CHECK(texts[1 + i].vector->value()[1] == static_cast<float>(1 + i / 2));
  }
  CHECK(texts[131].vector == nullptr);
  REQUIRE(texts[131].refused);
  CHECK(texts[131].refused->code == errc::out_of_range);
}

TEST_CASE("a text that is refused takes no other one along; any other error is that of all") {
  const auto remote = std::make_shared<counting_remote>();
  const asked_world w(remote);
  tick_request tick;
  for (const char* text : {"one", "refused", "three"}) tick.reads.emplace_back(near_a(text));
  auto texts = w.vectors().embed(tick);
  CHECK(remote->calls == std::vector<std::size_t>{3, 1, 1, 1});
  CHECK(texts[0].vector->value()[1] == 3.0F);
  CHECK(texts[1].vector->error().code == errc::bad_value);
  CHECK(texts[2].vector->value()[1] == 5.0F);
  remote->calls.clear();
  remote->is_down = true;
  texts = w.vectors().embed(tick);
  CHECK(remote->calls == std::vector<std::size_t>{3});
  for (const auto& text : texts) CHECK(text.vector->error().code == errc::io);
}

TEST_CASE("a query's text is embedded unless the query is refused, or embeds for itself") {
  const auto remote = std::make_shared<counting_remote>();
  const asked_world w(remote);
  const auto job_of = [](find_request r) {
    return door_job<find_run>(std::move(r), [](const result<find_result>&) {});
  };
  auto plain = job_of(near_a("tea"));
  w.vectors().embed(plain, {});
  REQUIRE(plain.embedded != nullptr);
  CHECK(plain.embedded->value()[1] == 3.0F);
  auto future = near_a("tea");
  future.at_seq = seq_no{99};
  auto refused = job_of(future);
  w.vectors().embed(refused, {});
  CHECK(refused.embedded == nullptr);
  REQUIRE(refused.refused);
  CHECK(refused.refused->code == errc::seq_unavailable);
  CHECK(remote->calls == std::vector<std::size_t>{1});
  auto local = job_of(near_a("tea"));
  const asked_world nearby(make_embedder("hash:8").value());
  nearby.vectors().embed(local, {});
  CHECK(local.embedded == nullptr);
  CHECK_FALSE(local.refused);
}

TEST_CASE("the time in which a text is embedded counts for the query's deadline") {
  const auto remote = std::make_shared<counting_remote>();
  asked_world w(remote);
  std::int64_t now_ns = 0;
  w.seams.stopwatch = [&] { return now_ns += 1'000'000'000; }; // each look finds a second gone
  for (const std::int64_t ms : {1'000, 1'000'000}) {
    auto r = near_a("tea");
    r.types = {memory_type::note};
    r.deadline_ms = ms;
    door_job<find_run> job(std::move(r), [](const result<find_result>&) {});
    w.vectors().embed(job, {});
    const auto context = context_of(w.seams, w.views(), std::nullopt);
    REQUIRE(context);
    const auto compiled = job.compile(*context, w.views());
    if (ms > 1'000)
      CHECK(compiled);
    else
      CHECK(compiled.error().code == errc::deadline_exceeded);
  }
}
