// Indexes that are compacted beside writers and readers answer as those that never were.
// Of: state/compaction/index_compaction.cpp, views/index_generation.hpp
// Of: index/rows/record_places.cpp
#include <catch2/catch.hpp>

#include "state/compaction/index_compaction.hpp"
#include "state/recovery/dump.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::uint64_t window = 20;
constexpr std::uint8_t memories = 6;

std::uint64_t below(random_source& random, std::uint64_t n) {
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  std::uint64_t v = 0;
  for (const auto b : bytes) v = (v << 8) | b;
  return v % n;
}

write_request first_state(std::uint8_t id) {
  write_request r = note("memory number" + std::to_string(id), id % 2 == 0 ? "ana" : "bo");
  r.id = id_of(id);
  r.tags = {"t" + std::to_string(id % 3)};
  r.vector = std::vector<float>{1, static_cast<float>(id), 2};
  return r;
}

/// A new state of a memory: its content with a vector or without, what stands beside it, or the
/// end of the last memory.
mutation random_change(random_source& random) {
  const memory_uri uri{.type = memory_type::note,
                       .id = id_of(static_cast<std::uint8_t>(1 + below(random, memories))),
                       .version = 1};
  switch (below(random, 4)) {
  case 0: {
    update_head_request u;
    u.uri = uri;
    u.tags = {"t" + std::to_string(below(random, 3)), "u" + std::to_string(below(random, 50))};
    return u;
  }
  case 1: {
    if (uri.id != id_of(memories)) break; // the others go on to change
    tombstone_request t;
    t.uri = uri;
    t.reason = "over";
    return t;
  }
  default:
    break;
  }
  update_request u;
  u.uri = uri;
  u.data["statement"] =
      "word" + std::to_string(below(random, 5)) + " again" + std::to_string(below(random, 90));
  if (below(random, 2) == 0)
    u.vector = std::vector<float>{static_cast<float>(1 + below(random, 9)), 1, 2};
  return u;
}

/// What the journal has of the row's record, and that the store has the same.
std::string record_of(const read_views& views, kv_reader& store, const memory_id& id, row_no row,
                      seq_no at) {
  const record_place* place = views.places->find(row);
  REQUIRE(place != nullptr);
  const auto taken = views.journaled->read(*place);
  REQUIRE(taken.has_value());
  const auto h = read_head(store, id, at);
  REQUIRE((h && *h));
  CHECK(*taken->head == **h);
  const auto v = read_version(store, id, (*h)->current_version);
  REQUIRE((v && *v));
  CHECK(*taken->version == **v);
  return std::get<std::string>(taken->version->data.at("statement"));
}

/// Everything that the indexes and the journal's records say of the memories as of a seq.
std::string state_at(world& w, seq_no at) {
  const read_views views = w.views();
  const attributes& rows = *views.attributes;
  const auto reader = w.store->reader();
  REQUIRE(reader);
  std::string text;
  for (std::uint8_t id = 1; id <= memories; ++id) {
    const node_no node = w.nodes.find(id_of(id));
    const row_no row = rows.row_of(node, at);
    if (row.value == no_number) {
      text += "none\n";
      continue;
    }
    const row_columns c = rows.columns(row);
    const activation a = rows.activation_of(node, at);
    text += std::to_string(c.begin) + " " + std::to_string(c.version) + " "
            + std::to_string(c.slot.value) + (c.tombstoned ? " gone " : " there ")
            + rows.actor_text(c.actor) + " " + std::to_string(a.last_used.ns);
    for (const term_no tag : rows.tags(row)) text += " #" + rows.tag_text(tag);
    text += " " + record_of(views, **reader, id_of(id), row, at);
    for (const float v : views.vectors->get(c.slot)) text += " " + std::to_string(v);
    text += " " + std::to_string(views.lexical->length(c.slot)) + "\n";
  }
  for (const char* tag : {"t0", "t1", "t2"}) {
    std::vector<std::uint64_t> begins;
    rows.with_tag(rows.tag_term(tag), at)->for_each([&](row_no row) {
      if (rows.alive(row, at)) begins.push_back(rows.columns(row).begin);
      return true;
    });
    for (const std::uint64_t begin : begins) text += std::to_string(begin) + ",";
    text += "\n";
  }
  const corpus_size size = views.lexical->size(corpus::memories, at);
  text += std::to_string(size.documents) + " of " + std::to_string(size.length);
  for (const char* word : {"word0", "word3", "number", "again"})
    text += " "
            + std::to_string(
                views.lexical->document_frequency(corpus::memories, views.lexical->term(word), at));
  return text;
}

struct compacting_site {
  site place;
  std::unique_ptr<world> w;
  std::unique_ptr<driven> d;

  explicit compacting_site(std::uint64_t compaction_states) {
    world_options o = place.options();
    o.retained_seqs = window;
    o.compaction_states = compaction_states;
    auto opened = open_world(o);
    REQUIRE(opened);
    w = std::move(*opened);
    d = std::make_unique<driven>(*w);
  }
};

/// Drives compactions as the actors do: built now, given the batches later, adopted later still.
class driven_compaction {
public:
  driven_compaction(world& w, random_source& random) : w_(w), random_(random) {}

  void after(std::shared_ptr<const commit_batch> batch) {
    if (copies_ == nullptr) {
      const compaction_need need = needed_compaction(w_, w_.published_seq());
      if (!need.any()) return;
      copies_ = std::make_unique<index_compaction>(w_, need, w_.published_seq());
      copies_->build();
      return;
    }
    missed_.push_back(std::move(batch));
    if (below(random_, 3) == 0) copies_->catch_up(std::exchange(missed_, {}));
    if (below(random_, 4) != 0) return;
    copies_->catch_up(std::exchange(missed_, {}));
    copies_->adopt(w_);
    copies_ = nullptr;
    ++adopted;
  }

  int adopted = 0;

private:
  world& w_;
  random_source& random_;
  std::unique_ptr<index_compaction> copies_;
  std::vector<std::shared_ptr<const commit_batch>> missed_;
};

} // namespace

TEST_CASE("compacted indexes answer every read of the window as others do, and stay small") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    compacting_site plain(1'000'000);
    compacting_site compacting(4);
    const auto changes = make_seeded_random(seed, 1);
    const auto moments = make_seeded_random(seed, 2);
    driven_compaction compaction(*compacting.w, *moments);
    compacting.d->after_batch = [&](std::shared_ptr<const commit_batch> b) {
      compaction.after(std::move(b));
    };
    for (std::uint8_t id = 1; id <= memories; ++id) {
      REQUIRE(plain.d->apply(first_state(id)));
      REQUIRE(compacting.d->apply(first_state(id)));
    }
    for (std::uint64_t step = 0; step < 300; ++step) {
      const mutation m = random_change(*changes);
      const auto one = plain.d->apply(m);
      const auto other = compacting.d->apply(m);
      REQUIRE(one.has_value() == other.has_value());
      const std::uint64_t last = plain.w->published_seq().value;
      REQUIRE(compacting.w->published_seq().value == last);
      for (std::uint64_t at = last - std::min(last, window); at <= last; at += 1 + step % 7)
        REQUIRE(state_at(*compacting.w, {at}) == state_at(*plain.w, {at}));
    }
    REQUIRE(compaction.adopted > 5);
    CHECK(*canonical_dump(*compacting.w) == *canonical_dump(*plain.w));
    CHECK(compacting.w->published_roots() == plain.w->published_roots());
    // Half as much again as is needed, and what came while the copies were under way.
    CHECK(compacting.w->attributes().row_count() < 2 * (memories + window));
    CHECK(compacting.w->places().size() == compacting.w->attributes().row_count());
    CHECK(compacting.w->vectors().size() < 2 * (memories + window));
    CHECK(compacting.w->lexical().held() < 2 * (memories + window));
    CHECK(plain.w->attributes().row_count() > 100);
  }
}

TEST_CASE("recovery compacts on its way, and a world that was compacted is the same when opened") {
  compacting_site s(4);
  const auto changes = make_seeded_random(7, 1);
  for (std::uint8_t id = 1; id <= memories; ++id) REQUIRE(s.d->apply(first_state(id)));
  for (int step = 0; step < 200; ++step) (void)s.d->apply(random_change(*changes));
  CHECK(s.w->attributes().row_count() > 100);
  compact_if_needed(*s.w, s.w->published_seq());
  CHECK(s.w->attributes().row_count() < 2 * (memories + window));
  const std::string before = *canonical_dump(*s.w);
  const seq_no last = s.w->published_seq();
  std::vector<std::string> states;
  for (std::uint64_t at = last.value - window; at <= last.value; ++at)
    states.push_back(state_at(*s.w, {at}));
  const bool checkpoints = GENERATE(true, false);
  if (checkpoints) REQUIRE(s.d->checkpoint());
  s.d = nullptr;
  s.w = nullptr;
  world_options o = s.place.options();
  o.retained_seqs = window;
  o.compaction_states = 4;
  auto opened = open_world(o);
  REQUIRE(opened);
  world& again = **opened;
  CHECK(*canonical_dump(again) == before);
  CHECK(again.attributes().row_count() < 2 * (memories + window));
  for (std::uint64_t at = last.value - window; at <= last.value; ++at)
    CHECK(state_at(again, {at}) == states[at - (last.value - window)]);
}

TEST_CASE("states that no read asks for leave no places, however many there were") {
  compacting_site s(512);
  for (std::uint8_t id = 1; id <= memories; ++id) REQUIRE(s.d->apply(first_state(id)));
  // The content of the first one stays, however many heads follow it.
  const auto changes = make_seeded_random(11, 1);
  std::uint32_t most = 0;
  for (int batch = 0; batch < 100; ++batch) {
    std::vector<mutation> items;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      update_head_request retagged;
      retagged.uri = {memory_type::note, id_of(1), 1};
      retagged.importance = static_cast<std::uint8_t>(1 + i % 9);
      update_request rewritten;
      rewritten.uri = {memory_type::note, id_of(static_cast<std::uint8_t>(2 + i % 5)), 1};
      rewritten.data["statement"] = "word" + std::to_string(below(*changes, 5));
      if (i % 3 == 0)
        items.emplace_back(std::move(retagged));
      else
        items.emplace_back(std::move(rewritten));
    }
    REQUIRE(s.d->run(std::move(items), true));
    compact_if_needed(*s.w, s.w->published_seq());
    most = std::max(most, s.w->places().size());
  }
  const seq_no last = s.w->published_seq();
  REQUIRE(last.value > 100'000);
  constexpr std::uint32_t few = memories + window + 512 + 1000; // what is left alone, and a batch
  CHECK(most <= few);
  std::vector<std::string> states;
  for (std::uint64_t at = last.value - window; at <= last.value; ++at)
    states.push_back(state_at(*s.w, {at}));
  const bool checkpoints = GENERATE(true, false);
  if (checkpoints) {
    REQUIRE(s.d->checkpoint());
    const auto names = s.place.files->list(image_directory("world"));
    REQUIRE(names);
    for (const std::string& name : *names)
      CHECK(s.place.files->testing_bytes(image_directory("world") + "/" + name)->size() < 400'000);
  }
  s.d = nullptr;
  s.w = nullptr;
  world_options o = s.place.options();
  o.retained_seqs = window;
  auto opened = open_world(o);
  REQUIRE(opened);
  CHECK((*opened)->report.checkpoint.value == (checkpoints ? last.value : 0));
  CHECK((*opened)->places().size() <= few);
  for (std::uint64_t at = last.value - window; at <= last.value; ++at)
    CHECK(state_at(**opened, {at}) == states[at - (last.value - window)]);
}

TEST_CASE("a reader keeps the indexes that it began with") {
  compacting_site s(4);
  for (std::uint8_t id = 1; id <= memories; ++id) REQUIRE(s.d->apply(first_state(id)));
  const auto changes = make_seeded_random(3, 1);
  for (int step = 0; step < 100; ++step) (void)s.d->apply(random_change(*changes));
  const read_views views = s.w->views();
  const seq_no at = views.published;
  const node_no node = s.w->nodes.find(id_of(2));
  const row_no row = views.attributes->row_of(node, at);
  const row_columns before = views.attributes->columns(row);
  const compaction_need need = needed_compaction(*s.w, at);
  REQUIRE(need.attributes);
  {
    index_compaction copies(*s.w, need, at);
    copies.build();
    copies.adopt(*s.w);
  }
  REQUIRE(s.w->views().attributes != views.attributes);
  for (int step = 0; step < 100; ++step) (void)s.d->apply(random_change(*changes));
  CHECK(views.attributes->row_of(node, at) == row);
  CHECK(views.attributes->columns(row).begin == before.begin);
  CHECK(views.readable({}) == at);
  CHECK(views.readable(s.w->published_seq()).error().code == errc::seq_unavailable);
}

TEST_CASE("copies of what is written faster than they catch up are taken over all the same") {
  compacting_site s(4);
  for (std::uint8_t id = 1; id <= memories; ++id) REQUIRE(s.d->apply(first_state(id)));
  const auto changes = make_seeded_random(5, 1);
  for (int step = 0; step < 100; ++step) (void)s.d->apply(random_change(*changes));
  std::vector<std::shared_ptr<const commit_batch>> missed;
  s.d->after_batch = [&](std::shared_ptr<const commit_batch> b) { missed.push_back(std::move(b)); };
  index_compaction copies(*s.w, needed_compaction(*s.w, s.w->published_seq()),
                          s.w->published_seq());
  copies.build();
  CHECK(copies.is_close(64));
  int rounds = 0;
  for (; !copies.is_close(1000); ++rounds) {
    REQUIRE(rounds < 20);
    (void)s.d->apply(random_change(*changes));
    copies.catch_up(std::exchange(missed, {}));
  }
  CHECK(rounds > 2);
  (void)s.d->apply(random_change(*changes));
  copies.catch_up(missed);
  copies.adopt(*s.w);
  CHECK(s.w->attributes().row_count() < 2 * (memories + window));
}
