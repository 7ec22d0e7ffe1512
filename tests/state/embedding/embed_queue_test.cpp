// Batches, backoff and refusals of what a remote embedder has yet to do.

#include <catch2/catch.hpp>

#include "state/embedding/embed_queue.hpp"

using namespace mneme;

namespace {

memory_id numbered(std::uint8_t n) {
  memory_id id;
  id.bytes[15] = n;
  return id;
}

std::vector<std::uint8_t> numbers(const std::vector<embed_job>& jobs) {
  std::vector<std::uint8_t> found;
  for (const auto& job : jobs) found.push_back(job.id.bytes[15]);
  return found;
}
using taken = std::vector<std::uint8_t>;

} // namespace

TEST_CASE("ids leave the embed queue in order, in batches, once") {
  embed_queue queue({.batch = 2});
  for (const int n : {1, 2, 1, 3}) queue.add(numbered(static_cast<std::uint8_t>(n)));
  CHECK(queue.waiting() == 3);
  CHECK(numbers(queue.take()) == taken{1, 2});
  queue.add(numbered(1)); // new content while the old is under way
  queue.succeeded();
  CHECK(numbers(queue.take()) == taken{3, 1});
  queue.succeeded();
  CHECK(queue.is_empty());
  CHECK(queue.take().empty());
}

TEST_CASE("a full embed queue remembers that it was") {
  embed_queue queue({.capacity = 2});
  for (std::uint8_t n = 1; n < 4; ++n) queue.add(numbered(n));
  CHECK(queue.waiting() == 2);
  CHECK(queue.take_overflow());
  CHECK_FALSE(queue.take_overflow());
}

TEST_CASE("a failed batch waits again in front, longer each time, with jitter") {
  embed_queue queue({.batch = 2, .first_delay_ms = 100, .max_delay_ms = 1000});
  const auto random = make_seeded_random(1, 1);
  for (std::uint8_t n = 1; n < 4; ++n) queue.add(numbered(n));
  CHECK(queue.delay_ms(*random) == 0);
  for (const std::int64_t whole : {100, 200, 400, 800, 1000, 1000}) {
    CHECK(numbers(queue.take()) == taken{1, 2});
    queue.failed();
    std::set<std::int64_t> delays;
    for (int i = 0; i < 50; ++i) delays.insert(queue.delay_ms(*random));
    CHECK(*delays.begin() >= whole / 2);
    CHECK(*delays.rbegin() <= whole);
    CHECK(delays.size() > 5);
  }
  for (int i = 0; i < 100; ++i) {
    (void)queue.take();
    queue.failed();
  }
  CHECK(queue.delay_ms(*random) <= 1000);
  (void)queue.take();
  queue.succeeded();
  CHECK(queue.delay_ms(*random) == 0);
}

TEST_CASE("refused texts are tried alone, then shorter, then no more") {
  embed_queue queue({.batch = 8, .max_bytes = 1024, .min_bytes = 512});
  for (std::uint8_t n = 1; n < 4; ++n) queue.add(numbered(n));
  (void)queue.take();
  queue.refused();
  auto jobs = queue.take();
  REQUIRE(numbers(jobs) == taken{1});
  CHECK(jobs[0].max_bytes == 1024);
  queue.refused();
  jobs = queue.take();
  REQUIRE(numbers(jobs) == taken{1});
  CHECK(jobs[0].max_bytes == 512);
  queue.refused();
  CHECK(queue.refused_count() == 1);
  CHECK(numbers(queue.take()) == taken{2});
  queue.succeeded();
  queue.add_found(numbered(1)); // a scan does not try it again
  CHECK(numbers(queue.take()) == taken{3});
  queue.succeeded();
  CHECK(queue.is_empty());
  queue.add(numbered(1)); // new content does
  CHECK(queue.refused_count() == 0);
  CHECK(numbers(queue.take()) == taken{1});
}

TEST_CASE("a new text is tried whole, however short the old one was cut") {
  embed_queue queue({.batch = 2, .max_bytes = 1000, .min_bytes = 100});
  queue.add(numbered(1));
  for (const std::size_t bytes : {1000U, 500U}) {
    CHECK(queue.take().front().max_bytes == bytes);
    queue.refused();
  }
  queue.add(numbered(1));
  CHECK(queue.waiting() == 1);
  CHECK(queue.take().front().max_bytes == 1000);
}

TEST_CASE("an embedder that refuses everything is not asked at full speed") {
  embed_queue queue({.batch = 1});
  const auto random = make_seeded_random(1, 1);
  for (std::uint8_t n = 1; n < 100; ++n) queue.add(numbered(n));
  for (int i = 0; i < 40; ++i) {
    (void)queue.take();
    queue.refused();
  }
  CHECK(queue.delay_ms(*random) > 0);
}
