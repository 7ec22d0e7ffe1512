// Whatever a host can make large in a request counts.
#include "query/asked_bytes.hpp"

#include <catch2/catch.hpp>

using namespace mneme;

namespace {

constexpr std::size_t large = 10'000;
const std::string text(large, 'x');
const std::vector<float> numbers(large, 0.5F);

template <class Request, class Change>
bool grows(const Change& change) {
  Request changed;
  change(changed);
  return asked_bytes(changed) >= asked_bytes(Request{}) + large;
}

} // namespace

TEST_CASE("the texts and vectors of a find count, those within its predicate too") {
  using r = find_request;
  CHECK(grows<r>([](r& q) { q.near = text; }));
  CHECK(grows<r>([](r& q) { q.near_vector = numbers; }));
  CHECK(grows<r>([](r& q) { q.types.assign(large, memory_type::note); }));
  CHECK(grows<r>([](r& q) { q.actor = text; }));
  const predicate has{has_tag_predicate{text}};
  CHECK(grows<r>([&](r& q) { q.where = has; }));
  CHECK(grows<r>(
      [](r& q) { q.where = predicate{compare_predicate{comparison::eq, "data.a", text}}; }));
  CHECK(grows<r>([](r& q) { q.where = predicate{matches_predicate{"data.a", text}}; }));
  CHECK(grows<r>([](r& q) { q.where = predicate{in_predicate{"data.a", {text}}}; }));
  CHECK(grows<r>([&](r& q) { q.where = predicate{and_predicate{{has}}}; }));
  CHECK(grows<r>([&](r& q) { q.where = predicate{or_predicate{{has}}}; }));
  CHECK(grows<r>(
      [&](r& q) { q.where = predicate{not_predicate{std::make_shared<const predicate>(has)}}; }));
}

TEST_CASE("so do those of the other doors, and of what a tick asks") {
  CHECK(grows<context_request>([](auto& q) { q.query = text; }));
  CHECK(grows<context_request>([](auto& q) { q.objects = {{object_kind::service, text}}; }));
  CHECK(grows<retrieve_request>([](auto& q) { q.q = text; }));
  CHECK(grows<retrieve_request>([](auto& q) { q.vector = numbers; }));
  CHECK(grows<retrieve_request>([](auto& q) { q.field_names = {text}; }));
  CHECK(grows<chroma_request>([](auto& q) { q.hashtags = {text}; }));
  CHECK(grows<chroma_request>([](auto& q) { q.filters["a"].any_of = {text}; }));
  CHECK(grows<search_request>([](auto& q) { q.query = text; }));
  CHECK(grows<search_request>([](auto& q) { q.memory_ids.emplace(large); }));
  CHECK(grows<select_request>([](auto& q) { q.words = text; }));
  CHECK(grows<select_request>([](auto& q) { q.tags = {text}; }));
  CHECK(grows<select_request>([](auto& q) { q.types.assign(large, memory_type::note); }));
  CHECK(grows<read_options>([](auto& o) { o.actor = text; }));
  CHECK(grows<retrieve_request>([](auto& q) { q.stages.emplace(large); }));
  CHECK(grows<context_request>([](auto& q) { q.tiers.emplace(large); }));
  get_read get;
  const auto small = asked_bytes(tick_read{get});
  get.options.actor = text;
  CHECK(asked_bytes(tick_read{get}) >= small + large);
  find_request find;
  find.near = text;
  CHECK(asked_bytes(tick_read{find}) == asked_bytes(find));
  CHECK(asked_bytes(std::vector<find_request>{find, find}) == 2 * asked_bytes(find));
}
