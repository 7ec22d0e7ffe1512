// A promotion is executed whole in the committer: of the chunk as it is at its turn.
#include <catch2/catch.hpp>

#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("a promotion sees what the same batch has made of the chunk") {
  site place;
  auto w = place.open();
  auto time = std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'000});
  committer core(*w, time, make_seeded_random(1, 1), {});
  std::vector<std::string> answers;
  const auto reply = [&](const auto& r) {
    answers.emplace_back(r ? "ok" : r.error().at + ": " + std::string(to_string(r.error().code)));
  };
  write_request chunk;
  chunk.type = memory_type::chunk;
  chunk.id = id_of(1);
  chunk.data["content"] = "tea is at four";
  chunk.data["path"] = "a.md";
  chunk.forms.short_form = "own form";
  write_request made = note("tea");
  made.id = id_of(2);
  update_request update;
  update.uri = {memory_type::chunk, id_of(1), 1};
  update.data = chunk.data;
  update.data["content"] = "tea is at five";
  update.forms.short_form = "own form";
  core.enqueue(mutate_command{.items = {chunk, made}, .is_batch = true, .reply = reply});
  core.enqueue(mutate_command{.items = {update}, .reply = reply});
  core.enqueue(promote_command{{id_of(1), id_of(2), "ana"}, reply});
  core.enqueue(promote_command{{id_of(2), id_of(1), "ana"}, reply});
  core.enqueue(promote_command{{id_of(1), id_of(3), "ana"}, reply});
  const auto round = core.next_round();
  REQUIRE(round.batch != nullptr);
  REQUIRE(round.batch->entries.size() == 4);
  const auto& promoted = std::get<update_payload>(round.batch->entries.back().payload);
  CHECK(promoted.version.number == 3);
  CHECK(promoted.version.created_by == "ana");
  CHECK(promoted.version.forms.short_form == "own form");
  CHECK(promoted.version.short_overridden);
  CHECK(std::get<std::string>(promoted.version.data.at("content")) == "tea is at five");
  CHECK(std::get<memory_id>(promoted.version.data.at("promoted_to")) == id_of(2));
  core.fail({errc::outcome_unknown, "enough", {}}, {errc::io, "enough", {}});
  CHECK(answers.size() == 5);
}
