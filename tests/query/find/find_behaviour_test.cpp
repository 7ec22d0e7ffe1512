// What a find promises beside its rows: rendering and budgets, touches, scores, time, deadlines,
// the walk's rules for askers, and that errors of the store come through.
// Of: query/find/find_fetch.cpp, query/rendering.cpp, views/salience.cpp, views/read_views.cpp

#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include "messages/math.hpp"
#include "query/find/find.hpp"
#include "storage/key_layout.hpp"
#include "tests/query/find/small_world.hpp"

namespace mneme::testing {
namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;

find_request of_notes(std::optional<std::int64_t> limit = 10) {
  find_request r;
  r.types = {memory_type::note};
  r.limit = limit;
  return r;
}

memory_state note(std::uint64_t number, std::string text) {
  return small_world::draft(number, memory_type::note, std::move(text));
}

/// A note of so many tokens in its short form, with a salience that grows with `use`.
void put_note(small_world& world, std::uint64_t number, std::size_t tokens, std::int64_t use) {
  auto s = note(number, "x");
  s.version.forms.short_form = std::string(4 * tokens, 'x');
  world.put(s, {.last_used = {}, .access_count = use});
}

std::vector<memory_id> numbered(std::initializer_list<std::uint64_t> numbers) {
  std::vector<memory_id> ids;
  for (const auto n : numbers) ids.push_back(numbered_id(n));
  return ids;
}

TEST_CASE("nothing is rendered without form and budget") {
  small_world world;
  world.put(note(1, "one"));
  const auto answer = find_inline(world, of_notes());
  REQUIRE(answer.has_value());
  CHECK(answer->memories.size() == 1);
  CHECK(answer->rendered.empty());
  CHECK(answer->rendered_tokens.empty());
  CHECK_FALSE(answer->form.has_value());
  CHECK_FALSE(answer->form_defaulted);
  CHECK_FALSE(answer->total.has_value());
  CHECK_FALSE(answer->near_mode.has_value());
  CHECK_FALSE(answer->plan.has_value());
  CHECK_FALSE(answer->seq.has_value());
  CHECK(answer->distances.empty());
  CHECK(answer->hops.empty());
  CHECK(answer->via.empty());
}

TEST_CASE("forms") {
  small_world world;
  auto s = note(1, "the statement");
  s.version.data["label"] = std::string("shop");
  s.version.forms = {"own short", "own medium"};
  world.put(s);
  find_request r = of_notes();
  const auto render = [&] {
    const auto answer = find_inline(world, r);
    REQUIRE(answer.has_value());
    REQUIRE(answer->rendered.size() == 1);
    CHECK(answer->rendered_tokens
          == std::vector<std::int64_t>{
              static_cast<std::int64_t>((answer->rendered[0].size() + 3) / 4)});
    return std::pair(answer->rendered[0], answer->form_defaulted);
  };
  r.form = form_kind::short_form;
  CHECK(render() == std::pair(std::string("own short"), false));
  r.form = form_kind::medium;
  CHECK(render() == std::pair(std::string("own medium"), false));
  r.form = form_kind::full; // the automatic text, whatever the caller's medium is
  CHECK(render() == std::pair(std::string("the statement — shop"), false));
  r.form.reset();
  r.budget_tokens = 1000;
  CHECK(render() == std::pair(std::string("own medium"), true));
}

TEST_CASE("a budget drops the least salient first and keeps the order of the rest") {
  small_world world;
  put_note(world, 1, 10, 3);
  put_note(world, 2, 10, 1);
  put_note(world, 3, 10, 9);
  put_note(world, 4, 10, 2);
  find_request r = of_notes();
  r.form = form_kind::short_form;
  r.order = {{order_field::version_created_at, false}}; // all equal: id order
  const auto with_budget = [&](std::int64_t budget) {
    r.budget_tokens = budget;
    const auto answer = find_inline(world, r);
    REQUIRE(answer.has_value());
    CHECK(answer->trimmed_by_budget == 4 - static_cast<std::int64_t>(answer->memories.size()));
    return ids_of(*answer);
  };
  CHECK(with_budget(40) == numbered({1, 2, 3, 4}));
  CHECK(with_budget(39) == numbered({1, 3, 4}));
  CHECK(with_budget(29) == numbered({1, 3}));
  CHECK(with_budget(10) == numbered({3}));
  CHECK(with_budget(1) == numbered({3})); // one row stays even if it is too long
  r.limit.reset();
  CHECK(with_budget(29) == numbered({1, 3}));
}

TEST_CASE("of equally salient rows the later one is dropped") {
  small_world world;
  for (std::uint64_t n = 1; n <= 4; ++n) put_note(world, n, 10, 5);
  find_request r = of_notes();
  r.form = form_kind::short_form;
  r.budget_tokens = 25;
  CHECK(ids_of(*find_inline(world, r)) == numbered({1, 2}));
  world.touch(numbered_id(4), {.last_used = {}, .access_count = 6});
  CHECK(ids_of(*find_inline(world, r)) == numbered({4, 1}));
}

TEST_CASE("a long row ends the budget even where a later short one would fit") {
  small_world world;
  put_note(world, 1, 10, 9);
  put_note(world, 2, 50, 5);
  put_note(world, 3, 1, 1);
  find_request r = of_notes();
  r.form = form_kind::short_form;
  r.budget_tokens = 20;
  const auto answer = find_inline(world, r);
  CHECK(ids_of(*answer) == numbered({1}));
  CHECK(answer->trimmed_by_budget == 2);
}

TEST_CASE("near with a budget alone fills it with the nearest") {
  small_world world;
  for (std::uint64_t n = 1; n <= 60; ++n) {
    auto s = note(n, "x");
    s.version.forms.short_form = std::string(40, 'x');
    s.vector = {1, static_cast<float>(n) / 100, 0};
    world.put(s, {.last_used = {}, .access_count = static_cast<std::int64_t>(n)});
  }
  find_request r = of_notes({});
  r.form = form_kind::short_form;
  r.near_vector = std::vector<float>{1, 0, 0};
  const auto with_budget = [&](std::int64_t budget) {
    r.budget_tokens = budget;
    const auto answer = find_inline(world, r);
    REQUIRE(answer.has_value());
    return *answer;
  };
  // However much more salient those behind them are.
  auto answer = with_budget(305);
  REQUIRE(answer.memories.size() == 30);
  for (std::uint64_t n = 1; n <= 30; ++n) CHECK(ids_of(answer)[n - 1] == numbered_id(n));
  CHECK(answer.trimmed_by_budget == 8); // 38 may have fitted, had they 8 tokens each
  // Of the nearest 16 the least salient give way.
  answer = with_budget(25);
  CHECK(ids_of(answer) == numbered({15, 16}));
  CHECK(answer.trimmed_by_budget == 14);
  r.near_k = 3;
  CHECK(ids_of(with_budget(1000)) == numbered({1, 2, 3}));
}

TEST_CASE("rows without text cost nothing") {
  small_world world;
  put_note(world, 1, 10, 9);
  put_note(world, 2, 0, 5);
  put_note(world, 3, 0, 4);
  find_request r = of_notes();
  r.form = form_kind::short_form;
  r.budget_tokens = 10;
  CHECK(ids_of(*find_inline(world, r)) == numbered({1, 2, 3}));
  r.budget_tokens = 9; // the first alone is too long: nothing stays beside it
  CHECK(ids_of(*find_inline(world, r)) == numbered({1}));
}

TEST_CASE("salience by its formula") {
  small_world world;
  auto s = note(1, "one");
  s.vector = {3, 4, 0};
  world.put(s, {.last_used = {day_ns}, .access_count = 7, .citations = 100, .importance = 4});
  const double recency = stable_exp(-9.0 / 90.0);
  const double access = stable_log(8.0) / stable_log(1001.0);
  const double citations = stable_log(101.0) / stable_log(1001.0);
  const double plain = 0.25 * recency + 0.15 * access + 0.30 * citations + 0.20 * 0.4;
  find_request r = of_notes();
  const timestamp now{10 * day_ns};
  CHECK(find_inline(world, r, now)->scores[0] == Approx(plain / 0.9).epsilon(1e-14));
  r.near_vector = std::vector<float>{0, 1, 0};
  CHECK(find_inline(world, r, now)->scores[0] == Approx(plain + 0.10 * 0.8).epsilon(1e-14));
  r.near_vector = std::vector<float>{0, -1, 0}; // a negative cosine counts as zero
  CHECK(find_inline(world, r, now)->scores[0] == Approx(plain).epsilon(1e-14));
  r.near_vector.reset();
  // A clock that went back: the age is zero, not negative.
  CHECK(find_inline(world, r, timestamp{0})->scores[0]
        == Approx((plain - 0.25 * recency + 0.25) / 0.9).epsilon(1e-14));
  world.touch(
      numbered_id(1),
      {.last_used = now, .access_count = INT64_MAX, .citations = INT64_MAX, .importance = 10});
  CHECK(find_inline(world, r, now)->scores[0] == Approx(1.0).epsilon(1e-14));
  s.head.tombstone.emplace();
  world.put(s);
  r.include_tombstoned = true;
  CHECK(find_inline(world, r, now)->scores[0] == 0.0);
}

TEST_CASE("late binding names every returned row and nothing else") {
  small_world world;
  for (std::uint64_t n = 1; n <= 5; ++n) {
    auto s = note(n, "text");
    s.head.tags = {"a", "b"};
    world.put(s, {.last_used = {}, .access_count = static_cast<std::int64_t>(n)});
  }
  find_request r = of_notes(3);
  r.late_binding = true;
  r.actor = "";
  r.where = all_of({has_tag("b"), all_of({has_tag("a"), has_tag("b")}),
                    any_of({has_tag("a"), has_tag("zzz")}), negate(has_tag("c"))});
  const read_views views = world.views();
  auto run = find_run::compile(r, {world.seq(), {}, {}}, views);
  REQUIRE(run.has_value());
  REQUIRE(run_inline(**run, views).has_value());
  const auto touch = (*run)->touch();
  REQUIRE(touch.has_value());
  const auto& late = std::get<find_late_payload>(*touch);
  CHECK(late.accessed == numbered({5, 4, 3}));
  CHECK(late.result_count == 3);
  CHECK(late.limit == 3);
  CHECK(late.types == r.types);
  CHECK(late.tags == std::vector<std::string>{"b", "a"});
  CHECK(late.predicate == to_text(*r.where));
  CHECK(late.actor.empty());
  CHECK(ids_of((*run)->take()) == late.accessed);
}

TEST_CASE("late binding with no rows still has its entry; a pure read has none") {
  small_world world;
  find_request r = of_notes();
  const read_views views = world.views();
  auto pure = find_run::compile(r, {world.seq(), {}, {}}, views);
  REQUIRE(run_inline(**pure, views).has_value());
  CHECK_FALSE((*pure)->touch().has_value());
  r.late_binding = true;
  auto late = find_run::compile(r, {world.seq(), {}, {}}, views);
  REQUIRE(run_inline(**late, views).has_value());
  REQUIRE((*late)->touch().has_value());
  CHECK(std::get<find_late_payload>(*(*late)->touch()).result_count == 0);
}

TEST_CASE("a row that the budget drops is not touched") {
  small_world world;
  put_note(world, 1, 10, 1);
  put_note(world, 2, 10, 2);
  find_request r = of_notes();
  r.form = form_kind::short_form;
  r.budget_tokens = 10;
  r.late_binding = true;
  const read_views views = world.views();
  auto run = find_run::compile(r, {world.seq(), {}, {}}, views);
  REQUIRE(run_inline(**run, views).has_value());
  CHECK(std::get<find_late_payload>(*(*run)->touch()).accessed == numbered({2}));
}

TEST_CASE("what is archived at the seq that is read is found when asked for") {
  small_world world;
  put_note(world, 1, 1, 2);
  put_note(world, 2, 1, 1);
  const seq_no before = world.seq();
  auto s = world.memories[numbered_id(1)].back();
  const activation used{.last_used = {}, .access_count = 2};
  s.head.lifecycle.emplace().status = lifecycle_status::archived;
  world.put(s, used);
  const seq_no then = world.seq();
  s.head.lifecycle->status = lifecycle_status::open;
  world.put(s, used);
  find_request r = of_notes();
  r.count = true;
  const auto found_at = [&](seq_no at) {
    r.at_seq = at;
    const auto answer = find_inline(world, r, {}, at);
    CHECK(answer->total == std::ssize(answer->memories));
    return ids_of(*answer);
  };
  CHECK(found_at(before) == numbered({1, 2}));
  CHECK(found_at(then) == numbered({2}));
  CHECK(found_at(world.seq()) == numbered({1, 2}));
  r.include_archived = true;
  CHECK(found_at(then) == numbered({1, 2}));
}

TEST_CASE("valid time is half-open, and ends with expires_at too") {
  small_world world;
  auto s = note(1, "one");
  s.version.valid_from = {100};
  s.version.valid_until = timestamp{200};
  world.put(s);
  s = note(2, "two");
  s.version.valid_from = {100};
  s.version.valid_until = timestamp{300};
  s.version.expires_at = timestamp{150};
  world.put(s);
  find_request r = of_notes();
  const auto valid_at = [&](std::int64_t ns) {
    r.as_of = timestamp{ns};
    return ids_of(*find_inline(world, r));
  };
  CHECK(valid_at(99).empty());
  CHECK(valid_at(100) == numbered({1, 2}));
  CHECK(valid_at(149) == numbered({1, 2}));
  CHECK(valid_at(150) == numbered({1}));
  CHECK(valid_at(199) == numbered({1}));
  CHECK(valid_at(200).empty());
  r.as_of.reset();
  CHECK(ids_of(*find_inline(world, r)) == numbered({1, 2}));
}

TEST_CASE("the past is read as it was, activation too") {
  small_world world;
  put_note(world, 1, 1, 1);
  put_note(world, 2, 1, 2);
  const seq_no then = world.seq();
  world.touch(numbered_id(1), {.last_used = {}, .access_count = 50});
  auto s = world.memories[numbered_id(2)].back();
  s.head.tombstone.emplace();
  world.put(s);
  find_request r = of_notes();
  CHECK(ids_of(*find_inline(world, r)) == numbered({1}));
  r.at_seq = then;
  const auto past = find_inline(world, r, {}, then);
  CHECK(ids_of(*past) == numbered({2, 1}));
  CHECK(past->at_seq == then);
  CHECK(past->memories[1].activation.access_count == 1);
  CHECK(find_inline(world, r, {}, seq_no{0})->memories.empty());
}

TEST_CASE("a predicate that asks for the tombstoned alone does not include them") {
  small_world world;
  for (std::uint64_t n = 1; n <= 100; ++n) world.put(note(n, "text"));
  auto s = note(2, "two");
  s.head.tombstone.emplace();
  world.put(s);
  // The most salient of many are chosen by what is known of a row without a look at it.
  find_request r = of_notes(GENERATE(1, 90));
  r.where = in("head.tombstoned", {true});
  CHECK(find_inline(world, r)->memories.empty());
  r.include_tombstoned = true;
  CHECK(ids_of(*find_inline(world, r)) == numbered({2}));
  r.where = all_of({in("head.tombstoned", {true}), in("head.tombstoned", {false})});
  CHECK(find_inline(world, r)->memories.empty());
}

TEST_CASE("an erased memory is never returned") {
  small_world world;
  auto s = note(1, "one");
  s.vector = {1, 0, 0};
  world.put(s);
  s.head.erased = true;
  s.head.tombstone.emplace();
  world.put(s);
  find_request r = of_notes();
  r.include_tombstoned = true;
  CHECK(find_inline(world, r)->memories.empty());
}

struct walk_world : small_world {
  /// 1 → 2 → 3, 1 → 4 (a goal), 4 → 5, 1 → 9 (missing), 9 → 6; 2 is ben's own.
  walk_world() {
    for (const std::uint64_t n : {1U, 3U, 5U, 6U}) put(note(n, "text"));
    auto hidden = note(2, "two");
    hidden.head.actor_scope = "ben";
    put(hidden);
    put(draft(4, memory_type::goal, "four"));
    for (const auto& [src, dst] : {std::pair{1, 2}, {2, 3}, {1, 4}, {4, 5}, {1, 9}, {9, 6}})
      put_edge(numbered_id(static_cast<std::uint64_t>(src)), edge_type::references,
               numbered_id(static_cast<std::uint64_t>(dst)));
  }
};

TEST_CASE("the walk passes through what the answer leaves out") {
  walk_world world;
  find_request r = of_notes();
  r.from = numbered_id(1);
  r.follow = follow_spec{.max_hops = 2};
  const auto answer = find_inline(world, r);
  REQUIRE(answer.has_value());
  CHECK(ids_of(*answer) == numbered({2, 3, 5, 6})); // through the goal and the missing id
  CHECK(answer->hops == std::vector<std::int64_t>{1, 2, 2, 2});
  CHECK(answer->via[1] == edge_key{numbered_id(2), edge_type::references, numbered_id(3)});
  CHECK(answer->via[3] == edge_key{numbered_id(9), edge_type::references, numbered_id(6)});
  auto s = world.memories[numbered_id(2)].back();
  s.head.tombstone.emplace();
  world.put(s);
  CHECK(ids_of(*find_inline(world, r)) == numbered({3, 5, 6}));
  s = world.memories[numbered_id(3)].back();
  s.head.lifecycle.emplace().status = lifecycle_status::archived;
  world.put(s);
  world.put_edge(numbered_id(3), edge_type::references, numbered_id(5));
  r.follow->min_hops = 2;
  r.follow->max_hops = 3;
  CHECK(ids_of(*find_inline(world, r)) == numbered({5, 6}));
  r.include_archived = true;
  CHECK(ids_of(*find_inline(world, r)) == numbered({3, 5, 6}));
  r.as_of = timestamp{5};
  CHECK(find_inline(world, r)->memories.empty());
}

TEST_CASE("an asker's walk stops at what it may not see") {
  walk_world world;
  for (const std::uint64_t n : {1U, 3U, 4U, 5U, 6U}) {
    auto own = world.memories[numbered_id(n)].back();
    own.head.actor_scope = "ana";
    world.put(own);
  }
  find_request r = of_notes();
  r.from = numbered_id(1);
  r.follow = follow_spec{.max_hops = 3};
  r.actor = "ana";
  CHECK(ids_of(*find_inline(world, r)) == numbered({5})); // neither 2, 3 nor through 9
  r.actor = "ben";
  CHECK(find_inline(world, r)->memories.empty()); // may not see the start
  r.from = numbered_id(2);
  CHECK(find_inline(world, r)->memories.empty()); // may not see 3
}

TEST_CASE("from an unknown id the answer is empty") {
  const walk_world world;
  find_request r = of_notes();
  r.from = GENERATE(numbered_id(777), memory_id{});
  r.count = true;
  r.form = form_kind::short_form;
  const auto answer = find_inline(world, r);
  REQUIRE(answer.has_value());
  CHECK(answer->memories.empty());
  CHECK(answer->total == 0);
  CHECK(answer->form == form_kind::short_form);
}

TEST_CASE("a walk says that it was cut short") {
  small_world world;
  world.put(note(1, "hub"));
  for (std::uint64_t n = 2; n <= 20; ++n) {
    world.put(note(n, "leaf"));
    world.put_edge(numbered_id(1), edge_type::references, numbered_id(n));
  }
  find_request r = of_notes(100);
  r.from = numbered_id(1);
  r.follow = follow_spec{.max_visited = 5};
  const auto cut = find_inline(world, r);
  CHECK(cut->truncated);
  CHECK(cut->memories.size() <= 5);
  r.follow->max_visited = 100;
  const auto whole = find_inline(world, r);
  CHECK_FALSE(whole->truncated);
  CHECK(whole->memories.size() == 19);
}

TEST_CASE("total counts what passes, whatever the page is") {
  small_world world;
  for (std::uint64_t n = 1; n <= 30; ++n) {
    auto s = note(n, n % 3 == 0 ? "match" : "other");
    world.put(s);
  }
  find_request r = of_notes(2);
  r.count = true;
  r.offset = 4;
  CHECK(find_inline(world, r)->total == 30);
  r.where = matches("data.statement", "^match$");
  const auto answer = find_inline(world, r);
  CHECK(answer->total == 10);
  CHECK(ids_of(*answer) == numbered({15, 18}));
  r.offset = 500;
  CHECK(find_inline(world, r)->total == 10);
  CHECK(find_inline(world, r)->memories.empty());
}

TEST_CASE("a deadline ends a query between its stages and between two records") {
  small_world world;
  for (std::uint8_t n = 1; n <= 20; ++n) world.put(note(n, "one"));
  find_request r = of_notes();
  SECTION("of the page") {
  }
  SECTION("of the page, as far as the budget goes") {
    r.limit.reset();
    r.budget_tokens = 1000;
  }
  SECTION("that the predicate needs") {
    r.where = matches("data.statement", "^one$");
  }
  SECTION("that the predicate needs, all of them") {
    r.where = matches("data.statement", "^one$");
    r.count = true;
  }
  r.deadline_ms = 15;
  std::int64_t time_ns = 0;
  const auto run_with_step = [&](std::int64_t step_ns) {
    time_ns = 0;
    const read_views views = world.views();
    auto run = find_run::compile(r, {world.seq(), {}, [&] { return time_ns += step_ns; }}, views);
    REQUIRE(run.has_value());
    return run_inline(**run, views);
  };
  CHECK(run_with_step(1000).has_value());
  for (const std::int64_t step_ns : {16'000'000, 1'000'000}) {
    const auto late = run_with_step(step_ns);
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().code == errc::deadline_exceeded);
    CHECK(late.error().at == "deadline_ms");
    CHECK(time_ns <= 16 * step_ns); // it ends at the look that shows it
  }
}

TEST_CASE("a row without its record is reported as damage") {
  small_world world;
  world.put(note(1, "one"));
  read_views views = world.views();
  const auto empty = make_memory_store(make_memory_disk());
  views.store = empty.get();
  auto run = find_run::compile(of_notes(), {world.seq(), {}, {}}, views);
  REQUIRE(run.has_value());
  const auto done = run_inline(**run, views);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == errc::corrupt);
  CHECK(done.error().message.find(to_string(numbered_id(1))) != std::string::npos);
}

TEST_CASE("readers beside a writer get the same answer at the same seq") {
  small_world world;
  for (std::uint64_t n = 1; n <= 50; ++n) put_note(world, n, 1, static_cast<std::int64_t>(n));
  const read_views views = world.views();
  std::atomic<std::uint64_t> published{world.seq().value};
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::atomic<int> answers{0};
  const auto read = [&] {
    find_request r = of_notes(7);
    r.where = any_of({has_tag("even"), compare(comparison::eq, "meta.k", std::int64_t{1})});
    r.from = numbered_id(1);
    r.follow = follow_spec{.max_hops = 3};
    while (!stop.load()) {
      const seq_no at{published.load()};
      const auto once = [&]() -> std::optional<find_result> {
        auto run = find_run::compile(r, {at, {}, {}}, views);
        if (!run || !run_inline(**run, views)) return std::nullopt;
        return (*run)->take();
      };
      const auto first = once();
      const auto second = once();
      if (!first || !second || ids_of(*first) != ids_of(*second) || first->scores != second->scores)
        ++failures;
      ++answers;
    }
  };
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  for (std::uint64_t i = 0; i < 600 || answers.load() < 50; ++i) {
    const std::uint64_t number = i * 7 % 50 + 1;
    auto s = world.memories[numbered_id(number)].back();
    if (i % 2 == 0) s.head.tags = {"even"};
    s.head.metadata["k"] = static_cast<std::int64_t>(i % 3);
    world.put(s, {.last_used = {}, .access_count = static_cast<std::int64_t>(i % 900)});
    if (number != 1)
      world.put_edge(numbered_id(1), edge_type::references, numbered_id(number), i % 4 == 3);
    published.store(world.seq().value);
  }
  stop.store(true);
  readers.clear();
  CHECK(failures.load() == 0);
  CHECK(answers.load() >= 50);
}

} // namespace
} // namespace mneme::testing
