// What is prepared before a command's turn: the same answers as in its turn, and nothing twice.
#include <catch2/catch.hpp>

#include <atomic>

#include "messages/validate/validate.hpp"
#include "state/execute/preparation.hpp"

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
struct single_counter : token_counter {
  [[nodiscard]] std::int64_t count(std::string_view text) const override {
    return static_cast<std::int64_t>(text.size());
  }
};

write_request plain_note(std::string text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(text);
  return r;
}

} // namespace

TEST_CASE("a content is rendered and embedded ahead, unless it brings its vector") {
  const counting_embedder embedder;
  const auto tokens = make_default_token_counter();
  auto ahead = prepare_ahead(plain_note("tea"), false, &embedder, *tokens);
  CHECK(ahead.validity.value().has_value());
  CHECK(ahead.forms.value()->short_form == "tea");
  CHECK(ahead.vector.value() == std::vector<float>{1.0F, 3.0F});
  auto given = plain_note("tea");
  given.vector = {0.5F, 0.5F};
  CHECK_FALSE(prepare_ahead(given, false, &embedder, *tokens).vector.has_value());
  CHECK_FALSE(prepare_ahead(plain_note("tea"), false, nullptr, *tokens).vector.has_value());
  CHECK(embedder.calls == 1);
}

TEST_CASE("what depends on the clock, the state or a scope is left to the turn") {
  const counting_embedder embedder;
  const auto tokens = make_default_token_counter();
  const auto is_whole = [](const prepared_ahead& ahead) { return ahead.forms && ahead.vector; };
  auto seen = plain_note("tea");
  seen.type = memory_type::capability; // which defaults to have been observed when it is written
  seen.data = {{"subject", std::string("door")}, {"capability", std::string("opens")}};
  CHECK_FALSE(is_whole(prepare_ahead(seen, false, &embedder, *tokens)));
  seen.created_at = timestamp{1};
  CHECK(is_whole(prepare_ahead(seen, false, &embedder, *tokens)));
  CHECK_FALSE(prepare_ahead(plain_note("tea"), true, &embedder, *tokens).validity.has_value());
  ingest_request more;
  more.placement = ingest_placement::extend_topic;
  more.topic_id = memory_id{};
  more.topic_id->bytes[15] = 1;
  more.title = "harbour";
  CHECK_FALSE(prepare_ahead(more, false, &embedder, *tokens).vector.has_value());
  // A counter that one thread alone may use.
  const auto ahead = prepare_ahead(plain_note("tea"), false, &embedder, single_counter{});
  CHECK_FALSE(ahead.forms.has_value());
  CHECK(ahead.vector.has_value());
}

TEST_CASE("what is refused ahead is not embedded, nor is a command of too many items") {
  const counting_embedder embedder;
  const auto tokens = make_default_token_counter();
  auto bad = plain_note("tea");
  bad.importance = 99;
  const auto ahead = prepare_ahead(bad, false, &embedder, *tokens);
  CHECK(ahead.validity.value().error().code == errc::out_of_range);
  CHECK_FALSE(ahead.forms.has_value());
  const std::vector<mutation> many(max_batch_items + 1, plain_note("tea"));
  CHECK(prepare_ahead(many, false, &embedder, *tokens).empty());
  CHECK(embedder.calls == 0);
}
