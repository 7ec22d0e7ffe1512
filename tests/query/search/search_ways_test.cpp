// A search that scores just the rows that it lists answers what ranking all rows answers, to the
// last bit: random stores, askers, scopes and filters.
// Of: query/search/search_score.cpp, query/search/search_select.cpp, query/search/word_sums.cpp
#include <catch2/catch.hpp>

#include "query/search/search.hpp"
#include "tests/index/dice.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::int64_t hour_ns = 3'600'000'000'000;

class searched_world {
public:
  explicit searched_world(std::uint64_t seed)
      : dice_(seed), world_(site_.open()), driver_(*world_, seed) {
    for (int i = 0; i < 12; ++i) REQUIRE(driver_.run(batch(25), true));
    for (int i = 0; i < 40; ++i) end_one();
  }

  /// The same question both ways.
  void ask() {
    const search_request r = question();
    query_context context = {.at = world_->published_seq(), .now = driver_.time->now()};
    if (dice_.one_in(4)) context.at.value -= dice_.below(30);
    if (dice_.one_in(4)) context.scope = any_scope();
    read_views views = world_->views();
    views.search = any_weights();
    const search_result listed = answer(r, context, views);
    context.ranks_all = true;
    check_equal(listed, answer(r, context, views));
    returned_ += listed.results.size();
  }
  [[nodiscard]] std::size_t returned() const { return returned_; }

private:
  static search_result answer(const search_request& r, const query_context& context,
                              const read_views& views) {
    auto run = search_run::compile(r, context, views);
    if (!run) FAIL(run.error().message);
    REQUIRE(run_inline(**run, views));
    return (*run)->take();
  }

  static void check_equal(const search_result& a, const search_result& b) {
    const auto same = [](const leg_coverage& x, const leg_coverage& y) {
      CHECK(x.searched == y.searched);
      CHECK(x.candidates == y.candidates);
      CHECK(x.below_floor == y.below_floor);
      CHECK(x.cut == y.cut);
      CHECK(x.returned == y.returned);
      CHECK(x.promoted_hidden == y.promoted_hidden);
      CHECK(x.ended == y.ended);
    };
    same(a.coverage.memory, b.coverage.memory);
    same(a.coverage.content, b.coverage.content);
    REQUIRE(a.results.size() == b.results.size());
    for (std::size_t i = 0; i < a.results.size(); ++i) {
      const search_hit& x = a.results[i];
      const search_hit& y = b.results[i];
      CHECK(x.uri == y.uri);
      CHECK(x.score == y.score);
      CHECK(x.raw_score == y.raw_score);
      CHECK(x.parts->vector == y.parts->vector);
      CHECK(x.parts->text == y.parts->text);
      CHECK(x.parts->neighbours == y.parts->neighbours);
      CHECK(x.parts->recency == y.parts->recency);
    }
  }

  std::vector<mutation> batch(std::size_t count) {
    std::vector<mutation> items;
    while (items.size() < count) {
      write_request w;
      w.id = id_of(next_);
      w.type = dice_.one_in(3) ? memory_type::chunk : memory_type::note;
      const bool is_chunk = w.type == memory_type::chunk;
      w.data[is_chunk ? "content" : "statement"] = any_text(1 + dice_.below(9));
      if (is_chunk) w.data["path"] = "p" + std::to_string(dice_.below(9));
      // Most belong to one actor, so that what the others may see is few.
      w.actor = dice_.one_in(12) ? "ana" : dice_.one_in(30) ? "bo" : "crowd";
      w.visibility = dice_.one_in(2) ? visibility::scoped : visibility::private_;
      if (dice_.one_in(40)) w.visibility = visibility::actor_public;
      if (dice_.one_in(9)) w.tags = {"rare"};
      if (dice_.one_in(9)) w.lifecycle.emplace().project = "p1";
      if (dice_.one_in(7))
        w.expires_at = timestamp{driver_.time->now().ns + (dice_.one_in(2) ? -1 : 1) * hour_ns};
      if (!dice_.one_in(5)) w.vector = any_vector();
      items.emplace_back(std::move(w));
      if (next_ > 0 && dice_.one_in(2)) items.emplace_back(link(next_ - 1, next_));
      ++next_;
    }
    return items;
  }

  static memory_id id_of(std::uint32_t n) {
    memory_id id;
    id.bytes[13] = 1;
    id.bytes[14] = static_cast<std::uint8_t>(n >> 8U);
    id.bytes[15] = static_cast<std::uint8_t>(n);
    return id;
  }
  static add_edge_request link(std::uint32_t from, std::uint32_t to) {
    add_edge_request r;
    r.src = id_of(from);
    r.dst = id_of(to);
    r.type = static_cast<std::uint8_t>(edge_type::related_to);
    r.kind = "next";
    return r;
  }

  /// Tombstones a memory, or writes its head anew.
  void end_one() {
    const memory_id id = id_of(dice_.below(next_));
    auto reader = world_->store->reader();
    REQUIRE(reader);
    const auto h = read_head(**reader, id, world_->published_seq());
    REQUIRE(h);
    if ((*h)->tombstone) return;
    const memory_uri uri{(*h)->type, id, (*h)->current_version};
    if (dice_.one_in(2)) {
      tombstone_request r;
      r.uri = uri;
      r.reason = "over";
      REQUIRE(driver_.apply(r));
    } else {
      update_head_request r;
      r.uri = uri;
      r.tags = std::vector<std::string>{"rare"};
      REQUIRE(driver_.apply(r));
    }
  }

  search_request question() {
    search_request r;
    r.query = any_text(1 + dice_.below(4));
    r.explain = true;
    r.limit = 1 + dice_.below(20);
    r.similarity_floor = dice_.one_in(2) ? 0 : 0.3;
    r.source = static_cast<search_source>(dice_.below(3));
    r.sort = static_cast<search_sort>(dice_.below(5));
    r.include_archived = dice_.one_in(3);
    r.include_ended = dice_.one_in(3);
    r.include_low_relevance = dice_.one_in(2);
    if (!dice_.one_in(3)) r.vector = any_vector();
    if (!dice_.one_in(4)) r.actor = dice_.one_in(2) ? "ana" : dice_.one_in(2) ? "bo" : "crowd";
    if (dice_.one_in(3)) r.tag = "rare";
    if (dice_.one_in(4)) r.project = "p1";
    if (dice_.one_in(4)) r.source_filter = "3";
    return r;
  }

  std::shared_ptr<const scope> any_scope() {
    auto s = std::make_shared<scope>();
    s->actor = dice_.one_in(2) ? "crowd" : "ana";
    s->granted_to = "bo";
    if (dice_.one_in(2)) s->include.types = {memory_type::note};
    if (dice_.one_in(2)) s->include.tags = {"rare"};
    for (int i = 0; i < 5; ++i) s->include.ids.push_back(id_of(dice_.below(next_)));
    if (dice_.one_in(3)) s->exclude.types = {memory_type::chunk};
    std::ranges::sort(s->include.ids);
    return s;
  }

  search_weights any_weights() {
    search_weights w;
    w.relative = dice_.one_in(2);
    w.neighbours = dice_.one_in(2) ? 0.5 : 0;
    w.vector = dice_.one_in(5) ? 0 : 0.6;
    w.text = dice_.one_in(5) ? 0 : 0.4;
    if (dice_.one_in(2)) w.b_short = 0.1, w.short_length = 3, w.long_length = 8;
    return w;
  }
  std::string any_text(std::uint32_t words) {
    std::string text;
    for (std::uint32_t i = 0; i < words; ++i)
      text += "the w" + std::to_string(dice_.below(1 + dice_.below(60))) + " ";
    return text;
  }
  std::vector<float> any_vector() {
    // Of few values, so that rows tie.
    return {dice_.one_in(2) ? 1.0F : 0.25F, dice_.number(), dice_.one_in(2) ? -1.0F : 0.5F};
  }

  dice dice_;
  site site_;
  std::unique_ptr<world> world_;
  driven driver_;
  std::uint32_t next_ = 0;
  std::size_t returned_ = 0;
};

} // namespace

TEST_CASE("a search that scores just what it lists answers as one that ranks all") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    searched_world world(seed);
    for (int i = 0; i < 60; ++i) world.ask();
    CHECK(world.returned() > 50);
  }
}
