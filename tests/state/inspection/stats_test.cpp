// The numbers of a world: kept with the writes, and what a look at everything would count.
// Of: state/world.cpp
#include "state/inspection/stats.hpp"

#include <array>

#include "index/vectors/segment_builder.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/recovery/replay.hpp"
#include "storage/key_layout.hpp"
#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// What each reader of the store is asked for is counted.
class counted_store final : public kv_store {
public:
  counted_store(std::unique_ptr<kv_store> inner, std::shared_ptr<int> readers)
      : inner_(std::move(inner)), readers_(std::move(readers)) {}
  result<std::unique_ptr<kv_reader>> reader() override {
    ++*readers_;
    return inner_->reader();
  }
  result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override {
    return inner_->apply(writes, commit);
  }
  result<void> set_stable(seq_no stable) override { return inner_->set_stable(stable); }
  result<void> checkpoint() override { return inner_->checkpoint(); }
  [[nodiscard]] seq_no recovered() const override { return inner_->recovered(); }
  result<void> verify() override { return inner_->verify(); }

private:
  std::unique_ptr<kv_store> inner_;
  std::shared_ptr<int> readers_;
};

std::uint64_t leaves_of_fields(world& w) {
  digest last;
  last.bytes.fill(0xFF);
  return w.leaves.read(state_namespace::fields, {}, last).size();
}

std::uint64_t edges_of_all(world& w, seq_no at) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i)
    w.graph.neighbours({i}, edge_direction::out, at, false, [&](const neighbour&) {
      ++count;
      return true;
    });
  return count;
}

/// A look at every memory, edge and field. Rows and vectors count themselves.
world_counts counted_naively(world& w) {
  world_counts found;
  found.seq = w.published_seq();
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) {
    const row_no row = w.attributes().row_of({i}, found.seq);
    if (row.value == no_number) continue;
    const row_columns c = w.attributes().columns(row);
    if (c.tombstoned || c.erased) continue;
    ++found.live.by_type[static_cast<std::size_t>(c.type)];
    if (!c.has_vector) ++found.live.unembedded;
  }
  found.rows = w.attributes().row_count();
  found.edges = edges_of_all(w, found.seq);
  found.vectors = w.vectors().size();
  found.fields = leaves_of_fields(w);
  return found;
}

void check_counts(world& w) {
  const world_counts expected = counted_naively(w);
  REQUIRE(w.published_counts() == expected);
  const world_stats s = read_stats(w);
  CHECK(s.seq == expected.seq);
  CHECK(s.rows == expected.rows);
  CHECK(s.edges == expected.edges);
  CHECK(s.vectors == expected.vectors);
  CHECK(s.fields == expected.fields);
  std::uint64_t memories = 0;
  for (const auto& [type, n] : s.memories_by_type) {
    CHECK(n == expected.live.by_type[static_cast<std::size_t>(type)]);
    memories += n;
  }
  CHECK(s.memories == memories);
}

class stepper {
public:
  explicit stepper(std::uint64_t seed) : random_(make_seeded_random(seed, 7)) {}

  /// One random request; some are refused, which changes nothing.
  void step(driven& d) {
    d.time->set({d.time->now().ns + static_cast<std::int64_t>(below(1'000'000'000))});
    switch (known_.size() < 3 ? below(2) : below(12)) {
    case 0:
      return write(d);
    case 1:
      return write_topic(d);
    case 2:
      return update(d);
    case 3:
      return update_head(d);
    case 4:
      return tombstone(d);
    case 5:
      return add_edge(d);
    case 6:
      return remove_edge(d);
    case 7:
      return embed(d);
    case 8:
      return extend_topic(d);
    case 9:
      (void)d.decay();
      return;
    case 10:
      return tidy(d);
    default:
      (void)d.snapshot("now");
      return;
    }
  }
  std::uint64_t below(std::uint64_t n) {
    std::array<std::uint8_t, 8> bytes{};
    random_->fill(bytes);
    std::uint64_t v = 0;
    for (const auto b : bytes) v = (v << 8) | b;
    return v % n;
  }

private:
  const memory_uri& any() { return known_[below(known_.size())]; }
  void keep(const result<mutation_result>& done) {
    if (done && done->uri) known_.push_back(*done->uri);
  }
  void write(driven& d) {
    write_request r = note("n" + std::to_string(below(1000)));
    if (below(2) == 0) {
      r.type = memory_type::chunk;
      r.data.clear();
      r.data["content"] = "c";
      r.data["path"] = "a.md";
    }
    if (below(2) == 0) r.vector = std::vector<float>{1, static_cast<float>(below(9))};
    keep(d.apply(r));
  }
  static field_input field_of(std::string name, std::string value) {
    field_input f;
    f.name = std::move(name);
    f.value = json_value(std::move(value));
    return f;
  }
  void write_topic(driven& d) {
    ingest_request r;
    r.placement = ingest_placement::new_topic;
    r.title = "t" + std::to_string(below(5));
    r.summary = "s";
    r.salience = below(3) == 0 ? 0.01 : 1.0;
    for (std::uint64_t i = below(3); i > 0; --i)
      r.fields.push_back(field_of("f" + std::to_string(i), "v"));
    r.actor = "ana";
    auto done = d.apply(std::move(r));
    if (done && done->uri) topics_.push_back(done->uri->id);
    keep(done);
  }
  void extend_topic(driven& d) {
    if (topics_.empty()) return;
    ingest_request r;
    r.placement = ingest_placement::extend_topic;
    r.topic_id = topics_[below(topics_.size())];
    r.fields.push_back(field_of("f" + std::to_string(below(9)), std::to_string(below(9))));
    r.actor = "ana";
    (void)d.apply(std::move(r));
  }
  /// Merges the topics of one title, or archives the faint ones.
  void tidy(driven& d) {
    if (below(2) == 0)
      (void)d.apply(revise_request{.actor = "ana"});
    else
      (void)d.apply(forget_request{.actor = "ana"});
  }
  void update(driven& d) {
    update_request u;
    u.uri = any();
    u.data["statement"] = "u" + std::to_string(below(1000));
    if (below(3) == 0) u.vector = std::vector<float>{2, static_cast<float>(below(9))};
    (void)d.apply(u);
  }
  void update_head(driven& d) {
    update_head_request u;
    u.uri = any();
    u.importance = static_cast<std::int64_t>(below(12));
    (void)d.apply(u);
  }
  void tombstone(driven& d) {
    if (below(3) != 0) return;
    tombstone_request t;
    t.uri = any();
    t.reason = "r";
    (void)d.apply(t);
  }
  void add_edge(driven& d) {
    add_edge_request a;
    a.src = any().id;
    a.dst = any().id;
    a.type = static_cast<std::uint8_t>(1 + below(3));
    (void)d.apply(a);
  }
  void remove_edge(driven& d) {
    remove_edge_request a;
    a.src = any().id;
    a.dst = any().id;
    a.type = static_cast<std::uint8_t>(1 + below(3));
    (void)d.apply(a);
  }
  void embed(driven& d) {
    late_vector late;
    late.id = any().id;
    late.version = 1;
    late.values = {3, static_cast<float>(below(9))};
    d.core.enqueue(embed_command{{std::move(late)}, [](const result<seq_no>&) {}});
    d.pump();
  }

  std::shared_ptr<random_source> random_;
  std::vector<memory_uri> known_;
  std::vector<memory_id> topics_;
};

} // namespace

TEST_CASE("the counters of a world are what a look at everything counts") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    site place;
    place.embedder = "http:http://127.0.0.1:1/#model=m,dim=2";
    stepper steps(seed);
    for (int life = 0; life < 4; ++life) {
      auto w = place.open();
      check_counts(*w); // recovered: from images, from the journal, or from both
      driven d(*w, seed);
      for (std::uint64_t i = 0, n = steps.below(80); i < n; ++i) {
        steps.step(d);
        check_counts(*w);
        if (steps.below(25) == 0) REQUIRE(d.checkpoint());
      }
      if (steps.below(2) == 0) REQUIRE(close_world(*w));
    }
    site other;
    other.embedder = place.embedder;
    auto copy = other.open();
    REQUIRE(replay_journal(*place.files, "world", *copy, {}, {}));
    check_counts(*copy);
    auto again = place.open();
    const world_counts counts = again->published_counts();
    CHECK(copy->published_counts().live == counts.live);
    CHECK(copy->published_counts().fields == counts.fields);
    CHECK(copy->published_counts().edges == counts.edges);
  }
}

TEST_CASE("the numbers of a world cost no look at it, and are those of its published seq") {
  site place;
  place.embedder = "http:http://127.0.0.1:1/#model=m,dim=2";
  auto readers = std::make_shared<int>(0);
  auto options = place.options();
  options.store.open = [inner = options.store.open,
                        readers]() -> result<std::unique_ptr<kv_store>> {
    auto store = inner();
    if (!store) return propagate(store);
    return std::make_unique<counted_store>(std::move(*store), readers);
  };
  auto opened = open_world(options);
  REQUIRE(opened);
  world& w = **opened;
  driven d(w);
  for (int i = 0; i < 20; ++i) REQUIRE(d.apply(note("n" + std::to_string(i))));
  *readers = 0;
  CHECK(read_stats(w).memories == 20);
  CHECK(*readers == 0);
  // Rows that nobody may see yet: whoever looked at them would count them.
  d.core.enqueue(mutate_command{.items = {note("on its way")},
                                .is_batch = false,
                                .durability = durability::durable,
                                .reply = [](const result<batch_result>&) {}});
  const auto round = d.core.next_round();
  REQUIRE(round.batch != nullptr);
  apply_to(w.attributes(), round.batch->deltas);
  CHECK(read_stats(w).memories == 20);
  CHECK(read_stats(w).rows == 20);
  CHECK(read_stats(w).embeddings_pending == 20);
  CHECK(read_stats(w).seq == seq_no{20});
}

TEST_CASE("graphs over vectors that could not be built are counted in the stats") {
  site place;
  auto options = place.options();
  options.vectors.background_segments = true;
  options.vectors.testing_builds_fail = true;
  auto opened = open_world(options);
  REQUIRE(opened);
  world& w = **opened;
  w.vectors().set_space({"test", 2});
  const auto fill_a_range = [&] {
    for (std::uint32_t i = 0; i < segment_step; ++i) {
      const auto slot = static_cast<std::uint32_t>(w.vectors().size());
      w.vectors().append({slot}, std::array{1.0F, static_cast<float>(slot % 97)});
    }
    w.vectors().wait_for_segments();
  };
  CHECK(read_stats(w).vector_builds_failed == 0);
  fill_a_range();
  CHECK(read_stats(w).vector_builds_failed == 1);
  fill_a_range();
  CHECK(read_stats(w).vector_builds_failed == 2);
  // A compaction goes on counting.
  CHECK(w.vectors().copy({})->failed_builds() == 2);
}
