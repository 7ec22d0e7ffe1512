// Queries of very many words: what they cost, when they end, and that they are ranked as others.
// Of: query/search/word_sums.cpp, query/search/bm25.cpp
#include <catch2/catch.hpp>

#include "query/search/search.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// "w0 w1 … w<count - 1>", each `step`-th.
std::string words(int count, int step = 1) {
  std::string text;
  for (int i = 0; i < count; i += step) text += "w" + std::to_string(i) + " ";
  return text;
}

class wordy_world {
public:
  wordy_world() : world_(site_.open()), driver_(*world_) {}

  void note(std::string statement) {
    write_request w;
    w.type = memory_type::note;
    w.data["statement"] = std::move(statement);
    REQUIRE(driver_.run({w}, false));
  }
  result<search_result> search(search_request r, query_context context = {}) {
    context.at = world_->published_seq();
    context.now = driver_.time->now();
    const read_views views = world_->views();
    auto run = search_run::compile(std::move(r), context, views);
    if (!run) return propagate(run);
    if (auto done = run_inline(**run, views); !done) return propagate(done);
    return (*run)->take();
  }

private:
  site site_;
  std::unique_ptr<world> world_;
  driven driver_;
};

search_request asking(std::string query) {
  search_request r;
  r.query = std::move(query);
  r.similarity_floor = 0;
  r.explain = true;
  return r;
}

/// A stopwatch that moves with each look at it, and tells how often that was.
struct counting_watch {
  std::int64_t looks = 0;
  query_context context() {
    return {.at = {}, .now = {}, .stopwatch = [this] { return 1'000'000 * looks++; }};
  }
};

} // namespace

TEST_CASE("a query of 100,000 words answers, whether they are found or not") {
  wordy_world w;
  w.note(words(100'000));
  w.note("nothing of this");
  const auto found = w.search(asking(words(100'000)));
  REQUIRE(found);
  CHECK(found->results.size() == 1);
  CHECK(found->results[0].raw_score == 1.0);
  auto nothing = asking(words(100'000));
  nothing.query.insert(0, "x");
  for (char& c : nothing.query)
    if (c == 'w') c = 'v';
  const auto none = w.search(nothing);
  REQUIRE(none);
  CHECK(none->results.empty());
}

TEST_CASE("a query of very many words ranks as one that scores row by row") {
  wordy_world w;
  for (int step = 1; step < 60; ++step) w.note(words(40 * step, step) + words(300, 7));
  const auto many = [&](int count) {
    auto listed = asking(words(count) + " w0 w0");
    listed.type = memory_type::note;
    query_context all;
    all.ranks_all = true;
    const auto by_list = w.search(listed);
    const auto by_rank = w.search(listed, all);
    const auto counted = w.search(asking(words(count)));
    REQUIRE(by_list);
    REQUIRE(by_rank);
    REQUIRE(counted);
    REQUIRE(by_list->results.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
      CHECK(by_list->results[i].uri == by_rank->results[i].uri);
      CHECK(by_list->results[i].raw_score == by_rank->results[i].raw_score);
      CHECK(by_list->results[i].uri == counted->results[i].uri);
      CHECK(by_list->results[i].raw_score == counted->results[i].raw_score);
    }
  };
  many(100);  // read one by one
  many(3000); // read at once
}

TEST_CASE("a search looks at its deadline while it reads the lists of its words") {
  wordy_world w;
  w.note(words(20'000));
  auto r = asking(words(20'000));
  counting_watch watch;
  r.deadline_ms = 1'000'000;
  REQUIRE(w.search(r, watch.context()));
  CHECK(watch.looks > 100);
  for (const std::int64_t deadline : {2, 20, 60, 100}) {
    counting_watch again;
    r.deadline_ms = deadline;
    const auto late = w.search(r, again.context());
    REQUIRE_FALSE(late);
    CHECK(late.error().code == errc::deadline_exceeded);
    CHECK(late.error().at == "deadline_ms");
    CHECK(again.looks <= deadline + 4); // it ends at the look that shows it
  }
}
