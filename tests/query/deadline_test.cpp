// Every door looks at its deadline while it goes through rows, edges and records, and ends at the
// look that shows that it is late: on a stopwatch that moves with each look at it.
#include <catch2/catch.hpp>

#include "query/chroma/chroma.hpp"
#include "query/context/compact_record.hpp"
#include "query/context/context.hpp"
#include "query/deadline.hpp"
#include "query/find/find.hpp"
#include "query/records/edge_reads.hpp"
#include "query/records/point_reads.hpp"
#include "query/records/topic_parts.hpp"
#include "query/retrieve/retrieve.hpp"
#include "query/search/search.hpp"
#include "query/selection/selection.hpp"
#include "query/tick_reads.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr int many = 3000; ///< rows: a loop looks at the clock every so many

memory_id numbered(std::uint32_t number) {
  memory_id id;
  id.bytes[0] = 1;
  for (std::size_t i = 0; i < 4; ++i)
    id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

const std::vector<std::string> hashtags = {"tea",  "leaf", "cup",  "steam",
                                           "rain", "moss", "clay", "storm"};
constexpr std::array anchors = {1, 1001, 2001, 3001, 4001, 5001, 6001, 7501};

/// Many memories of each kind that a door goes through.
class crowded_world {
public:
  crowded_world() {
    for (std::size_t i = 0; i < hashtags.size(); ++i) {
      assign_tag_request tag;
      tag.tag = hashtags[i];
      tag.anchor = anchors[i];
      add(tag);
    }
    for (std::uint32_t i = 0; i < many; ++i) add(framed(i));
    for (std::uint32_t i = 0; i < many; ++i) add(topic(many + i));
    for (std::uint32_t i = 1; i < many; ++i) add(link(i));
    flush();
  }

  /// How often the run looked at its stopwatch; an error if it was late.
  template <class Run>
  result<std::int64_t> looks(typename Run::request_type request, std::int64_t deadline_ms,
                             const read_views& views) {
    std::int64_t count = 0;
    query_context context{.at = world_->published_seq(),
                          .now = driver_.time->now(),
                          .stopwatch = [&] { return 1'000'000 * count++; }};
    context.chroma.profiles = profiles_;
    request.deadline_ms = deadline_ms;
    auto run = Run::compile(std::move(request), context, views);
    if (!run) return propagate(run);
    if (auto done = run_inline(**run, views); !done) {
      CHECK(count <= deadline_ms + 4); // it ends at the look that shows it
      return propagate(done);
    }
    return count;
  }

  /// Late wherever the time ends, and in time when it does not; it looks at least so often.
  template <class Run>
  void check(const typename Run::request_type& request, std::int64_t least) {
    check<Run>(request, least, views());
  }
  template <class Run>
  void check(const typename Run::request_type& request, std::int64_t least,
             const read_views& views) {
    const auto whole = looks<Run>(request, 1'000'000, views);
    if (!whole) FAIL(whole.error().message);
    CHECK(*whole >= least);
    constexpr std::int64_t for_explain = 6; // looks that measure stages, and are no checks
    const std::int64_t step = std::max<std::int64_t>(1, *whole / 20);
    for (std::int64_t deadline = 1; deadline < *whole - for_explain; deadline += step) {
      const auto late = looks<Run>(request, deadline, views);
      REQUIRE_FALSE(late);
      CHECK(late.error().code == errc::deadline_exceeded);
      CHECK(late.error().at == "deadline_ms");
    }
  }

  /// The same of a read of records, which is done whole by `read(views, time)`.
  template <class Read>
  void check_read(const Read& read, std::int64_t least) {
    const auto looks = [&](std::int64_t deadline_ms) -> result<std::int64_t> {
      std::int64_t count = 0;
      const deadline time([&] { return ns_per_ms * count++; }, deadline_ms);
      const read_views views = this->views();
      if (auto done = read(views, time); !done) {
        CHECK(count <= deadline_ms + 3);
        return propagate(done);
      }
      return count;
    };
    const auto whole = looks(1'000'000);
    if (!whole) FAIL(whole.error().message);
    CHECK(*whole >= least);
    const std::int64_t step = std::max<std::int64_t>(1, *whole / 20);
    for (std::int64_t deadline = 1; deadline < *whole; deadline += step) {
      const auto late = looks(deadline);
      REQUIRE_FALSE(late);
      CHECK(late.error().code == errc::deadline_exceeded);
    }
  }
  /// Every record is read from the store, whoever read it before.
  [[nodiscard]] read_views views() const {
    read_views views = world_->views();
    views.records = nullptr;
    return views;
  }
  /// As a query that was asked before finds it.
  [[nodiscard]] read_views warm_views() const { return world_->views(); }

private:
  static write_request framed(std::uint32_t number) {
    write_request r = note("tea at five");
    r.id = numbered(number);
    r.type = memory_type::goal;
    r.data["status"] = std::string("active");
    r.frames = {{verb::find, object_kind::service, "kitchen"}};
    r.vector = std::vector{1.0F, static_cast<float>(number)};
    r.hashtags = hashtags;
    return r;
  }
  static ingest_request topic(std::uint32_t number) {
    ingest_request r;
    r.placement = ingest_placement::new_topic;
    r.topic_id = numbered(number);
    r.title = "topic";
    r.actor = "ana";
    r.vector = std::vector{1.0F, static_cast<float>(number)};
    return r;
  }
  /// From the first topic to another one.
  static add_edge_request link(std::uint32_t number) {
    add_edge_request r;
    r.src = numbered(many);
    r.dst = numbered(many + number);
    r.type = static_cast<std::uint8_t>(edge_type::references);
    return r;
  }
  void add(mutation m) {
    items_.push_back(std::move(m));
    if (items_.size() == 1000) flush();
  }
  void flush() {
    if (items_.empty()) return;
    auto done = driver_.run(std::exchange(items_, {}), true);
    if (!done) FAIL(done.error().at << ": " << done.error().message);
  }

  site site_;
  std::unique_ptr<world> world_ = site_.open();
  driven driver_{*world_};
  std::vector<mutation> items_;
  std::shared_ptr<profile_registry> profiles_ = std::make_shared<profile_registry>();
};

crowded_world& shared_world() {
  static crowded_world w;
  return w;
}

} // namespace

TEST_CASE("a find looks at its deadline for every record and while it orders rows") {
  find_request r;
  r.types = {memory_type::goal};
  r.limit = 100;
  shared_world().check<find_run>(r, 100);
  r.actor = "bo"; // sees none: all is in going through the rows
  shared_world().check<find_run>(r, 2 * many / 1024);
}

TEST_CASE("a find looks at its deadline for every record that it need not read again") {
  find_request r;
  r.types = {memory_type::goal};
  r.limit = 100;
  const read_views warm = shared_world().warm_views();
  REQUIRE(shared_world().looks<find_run>(r, 1'000'000, warm));
  shared_world().check<find_run>(r, 100, warm);
}

TEST_CASE("a find looks at its deadline while it compares vectors and walks") {
  find_request near;
  near.types = {memory_type::goal};
  near.near_vector = std::vector{1.0F, 2.0F};
  near.exact = true;
  near.limit = 1;
  shared_world().check<find_run>(near, many / 1024);
  find_request walk;
  walk.from = numbered(many);
  walk.limit = 1;
  shared_world().check<find_run>(walk, many / 1024);
}

TEST_CASE("single reads look at their deadline before each record") {
  auto& w = shared_world();
  const memory_id goal = numbered(1);
  const memory_id topic = numbered(many);
  w.check_read([&](const auto& v, const auto& time) { return read_current(v, goal, {}, time); }, 3);
  const memory_uri uri{.type = memory_type::goal, .id = goal, .version = 1};
  w.check_read([&](const auto& v, const auto& time) { return read_version_of(v, uri, {}, time); },
               3);
  const get_read whole{
      .id = topic, .options = {}, .parts = {.raw = true, .history = true, .events = true}};
  w.check_read([&](const auto& v, const auto& time) { return read_whole(v, whole, time); }, 6);
  const edge_key key{.src = topic, .type = edge_type::references, .dst = numbered(many + 1)};
  w.check_read([&](const auto& v, const auto& time) { return read_one_edge(v, key, {}, time); }, 2);
  const edges_read all{.id = topic, .filter = {}, .options = {}};
  w.check_read([&](const auto& v, const auto& time) { return list_edges(v, all, time); }, many);
}

TEST_CASE(
    "a list by type looks at its deadline for every record, and among rows that are not seen") {
  auto& w = shared_world();
  const auto list = [](std::size_t limit, std::optional<std::string> actor) {
    return [limit, actor = std::move(actor)](const read_views& v, const deadline& time) {
      return read_by_type(v, memory_type::topic, limit, {.actor = actor, .at_seq = {}}, false,
                          time);
    };
  };
  w.check_read(list(100, {}), 100);
  w.check_read(list(100, "bo"), many / 1024);
}

TEST_CASE("a compact record is looked for until the deadline") {
  std::int64_t count = 0;
  const deadline time([&] { return ns_per_ms * count++; }, 1);
  const load_compact_request r{.intent_id = "trip", .step_id = "1", .actor = {}, .at_seq = {}};
  CHECK(read_compact_record(shared_world().views(), r, time).error().code
        == errc::deadline_exceeded);
  CHECK(read_compact_record(shared_world().views(), r).error().code == errc::not_found);
}

TEST_CASE("a search looks at its deadline for every hit") {
  search_request r;
  r.query = "tea";
  r.similarity_floor = 0;
  r.limit = 100;
  shared_world().check<search_run>(r, 100);
}

TEST_CASE("a look-up of memories looks at its deadline for each") {
  search_request r;
  r.memory_ids.emplace();
  for (std::uint32_t i = 0; i < 200; ++i) r.memory_ids->push_back(numbered(i));
  shared_world().check<search_run>(r, 200);
}

TEST_CASE(
    "a context looks at its deadline while others rank for it, and for what it reads of that") {
  context_request r;
  r.tiers = {context_tier::found};
  r.budget_tokens = 400;
  r.query = "tea";
  shared_world().check<context_run>(r, 25);
  r.query.reset();
  r.tiers = {context_tier::notable};
  shared_world().check<context_run>(r, 50);
}

TEST_CASE("a context looks at its deadline while it picks rows and reads them") {
  context_request r;
  r.action = verb::find;
  r.objects = {{object_kind::service, "kitchen"}};
  r.actor = "ana";
  shared_world().check<context_run>(r, 2 * many);
  r.actor = "bo"; // what is picked is not seen
  shared_world().check<context_run>(r, 3);
}

TEST_CASE("a selection looks at its deadline over rows, while they are ranked and chosen from") {
  select_request r;
  // All have the words, and are excepted: more than may be selected would be refused.
  r.words = "forget everything about tea except five";
  shared_world().check<select_run>(r, 100);
}

TEST_CASE("a chroma looks at its deadline for every row") {
  chroma_request r;
  r.hashtags = hashtags;
  r.k = 100;
  shared_world().check<chroma_run>(r, 200);
}

TEST_CASE("a retrieve looks at its deadline for rows, edges, neighbours and fields") {
  retrieve_request r;
  r.q = "q";
  r.vector = std::vector{1.0F, static_cast<float>(many)};
  r.top_k = 3;
  r.stages = std::vector{retrieve_stage::semantic};
  shared_world().check<retrieve_run>(r, many / 1024);
  r.stages.reset();
  shared_world().check<retrieve_run>(r, many);
  // Named, there are no rows to go through but the edges of a hub.
  r.stages = std::vector{retrieve_stage::structural};
  r.topic_ids = std::vector{numbered(many)};
  shared_world().check<retrieve_run>(r, many);
}

TEST_CASE("names that no topic has cost a retrieve nothing, however many they are") {
  retrieve_request r;
  r.q = "q";
  r.vector = std::vector{1.0F, static_cast<float>(many)};
  r.stages = std::vector{retrieve_stage::temporal};
  r.top_k = 200;
  r.topic_ids.emplace();
  for (std::uint32_t i = 0; i < 200; ++i) r.topic_ids->push_back(numbered(many + i));
  r.field_names.emplace();
  for (int i = 0; i < 10'000; ++i) r.field_names->push_back("field" + std::to_string(i));
  const auto looks = shared_world().looks<retrieve_run>(r, 10'000'000, shared_world().views());
  REQUIRE(looks);
  CHECK(*looks < 10'000);
}

TEST_CASE("a deadline is over once so many milliseconds have passed") {
  std::int64_t now_ns = 5'000'000'000;
  const deadline time([&] { return now_ns; }, 3);
  CHECK(time.check());
  now_ns += 3 * ns_per_ms - 1;
  CHECK(time.check());
  now_ns += 1;
  const auto refused = time.check();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::deadline_exceeded);
  CHECK(refused.error().at == "deadline_ms");
}

TEST_CASE("without a deadline or a stopwatch nothing is ever late") {
  CHECK(deadline([] { return std::int64_t{0}; }, {}).check());
  CHECK(deadline({}, 3).check());
}

TEST_CASE("a read of a tick refuses a deadline below 1") {
  const read_views views = shared_world().views();
  query_context context{.at = views.published, .now = {}, .stopwatch = {}};
  edges_read edges;
  edges.id = numbered(1);
  get_read get;
  get.id = numbered(1);
  for (const std::int64_t ms : {0, -1}) {
    edges.deadline_ms = ms;
    get.deadline_ms = ms;
    for (const tick_read& read : {tick_read(edges), tick_read(get)}) {
      const auto refused = run_tick_read(read, views, context);
      REQUIRE_FALSE(refused.answer);
      CHECK(refused.answer.error().code == errc::out_of_range);
      CHECK(refused.answer.error().at == "deadline_ms");
    }
  }
}

namespace {

/// A tick of two reads that have 5 ms and 1 s; its texts were embedded, and a reader became free,
/// 10 ms after it was taken.
std::vector<tick_read_outcome> late_tick(std::optional<std::int64_t> deadline_ms) {
  const read_views views = shared_world().views();
  const auto request = std::make_shared<tick_request>();
  request->deadline_ms = deadline_ms;
  for (const std::int64_t ms : {5, 1'000}) {
    edges_read edges;
    edges.id = numbered(1);
    edges.deadline_ms = ms;
    request->reads.emplace_back(edges);
  }
  const auto room = std::make_shared<tick_room>();
  room->most = std::numeric_limits<std::uint64_t>::max();
  tick_share share{
      .request = request,
      .room = room,
      .context = {.at = views.published, .now = {}, .stopwatch = [] { return 10 * ns_per_ms; }},
      .taken_ns = 0,
      .outcomes = {}};
  share.run(views);
  REQUIRE(share.outcomes.size() == 2);
  return std::move(share.outcomes);
}

} // namespace

TEST_CASE("the deadlines of a tick's reads count from where the tick was taken") {
  const auto outcomes = late_tick({});
  REQUIRE_FALSE(outcomes[0].answer);
  CHECK(outcomes[0].answer.error().code == errc::deadline_exceeded);
  CHECK(outcomes[1].answer);
}

TEST_CASE("no read of a tick has longer than the tick") {
  for (const auto& outcome : late_tick(8)) {
    REQUIRE_FALSE(outcome.answer);
    CHECK(outcome.answer.error().code == errc::deadline_exceeded);
  }
  CHECK(late_tick(20)[1].answer);
}
