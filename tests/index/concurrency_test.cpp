// One writer and three readers on every structure of index/: at any published seq readers see
// exactly that seq's state. Clean under ThreadSanitizer.
// Of: index/columns/attributes.cpp, index/graph/graph.cpp, index/rows/node_table.cpp
// Of: index/rows/record_places.cpp, index/vectors/vectors.cpp
#include "tests/index/writer_and_readers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include "index/columns/attributes.hpp"
#include "index/graph/graph.hpp"
#include "index/rows/node_table.hpp"
#include "index/rows/record_places.hpp"
#include "tests/index/vectors/vector_cloud.hpp"

namespace mneme {

namespace {

/// The last seq <= `at` that is `remainder` modulo `modulus`; 0 if there is none.
std::uint64_t last_of(std::uint64_t at, std::uint64_t remainder, std::uint64_t modulus) {
  if (at < remainder) return 0;
  return at - (at - remainder) % modulus;
}

// What the writer does at a seq is a function of the seq, so that readers know every past state.
constexpr std::uint64_t row_nodes = 16;
constexpr std::uint64_t retained_seqs = 2000;

bool is_odd_round(std::uint64_t seq) {
  return seq / row_nodes % 2 == 1;
}

void write_row(attributes& subject, std::uint64_t seq) {
  const node_no node{static_cast<std::uint32_t>(seq % row_nodes)};
  const std::vector<std::string> tags{is_odd_round(seq) ? "odd" : "even",
                                      "tag" + std::to_string(seq % 100)};
  row_values values{.node = node,
                    .slot = {static_cast<std::uint32_t>(seq / 2)},
                    .type = memory_type::note,
                    .visibility = visibility::scoped,
                    .version = static_cast<std::uint32_t>(seq)};
  values.actor_scope = "agent";
  values.tags = tags;
  subject.put(values, {seq});
  const auto count = static_cast<std::int64_t>(seq);
  subject.set_activation(node, {seq},
                         {.last_used = {count}, .access_count = count, .citations = count});
  if (seq > retained_seqs && seq % 10 == 0) subject.retain_from({seq - retained_seqs});
}

bool rows_are_right(const attributes& subject, std::uint64_t at) {
  bool right = true;
  std::set<std::uint32_t> odd;
  for (std::uint32_t n = 0; n < row_nodes; ++n) {
    const std::uint64_t seq = last_of(at, n == 0 ? row_nodes : n, row_nodes);
    const row_no row = subject.row_of({n}, {at});
    const activation values = subject.activation_of({n}, {at});
    if (seq == 0) {
      right = right && row.value == no_number && values == activation{};
      continue;
    }
    if (row.value == no_number) return false;
    const auto count = static_cast<std::int64_t>(seq);
    right = right && subject.columns(row).version == seq
            && subject.has_tag(row, subject.tag_term(is_odd_round(seq) ? "odd" : "even"))
            && values.access_count == count && values.citations == count
            && values.last_used.ns == count;
    if (is_odd_round(seq)) odd.insert(n);
  }
  std::set<std::uint32_t> found;
  std::vector<std::uint32_t> rows;
  subject.with_tag(subject.tag_term("odd"), {at})->append_to(rows);
  for (const std::uint32_t row : rows)
    if (subject.alive({row}, {at})) found.insert(subject.node({row}).value);
  return right && found == odd;
}

} // namespace

TEST_CASE("entries of a column beside a writer whose table of pages grows", "[concurrent]") {
  paged_column<std::uint64_t> column;
  constexpr std::uint64_t entries_each = 1'000;
  writer_and_readers().run(
      1'000,
      [&](std::uint64_t seq) {
        const std::uint64_t first = (seq - 1) * entries_each;
        for (std::uint64_t i = first; i < first + entries_each; ++i)
          column.grow(static_cast<std::uint32_t>(i)) = i;
      },
      [&](std::uint64_t published, dice& d) {
        if (published == 0) return true;
        const auto last = static_cast<std::uint32_t>(published * entries_each - 1);
        const auto any = static_cast<std::uint32_t>(d.below(last + 1));
        const auto run = column.run_of(any);
        return column[last] == last && column[any] == any && run.has(any) && run[any] == any
               && run[run.first] == run.first;
      });
}

TEST_CASE("rows, postings and activation beside a writer", "[concurrent]") {
  attributes subject;
  writer_and_readers().run(
      20'000, [&](std::uint64_t seq) { write_row(subject, seq); },
      [&](std::uint64_t published, dice& d) {
        const std::uint64_t from = published > 500 ? published - 500 : 0;
        const std::uint64_t at = from + d.below(published - from + 1);
        // The reader was asleep if the window went past it: then nothing is promised.
        return rows_are_right(subject, at) || subject.retained().value > at;
      });
}

TEST_CASE("images of rows written beside a writer", "[concurrent]") {
  attributes subject;
  writer_and_readers().run(
      5000, [&](std::uint64_t seq) { write_row(subject, seq); },
      [&](std::uint64_t published, dice&) {
        attributes loaded;
        const std::string image = subject.save({published});
        if (subject.retained().value > published) return true;
        return loaded.load(image).has_value() && rows_are_right(loaded, published);
      });
}

TEST_CASE("places of records and their images beside a writer", "[concurrent]") {
  // The row of a seq has the number before it.
  row_store rows;
  record_places subject;
  const auto place_at = [](std::uint64_t seq) {
    record_place place{};
    place.is_known = 1;
    place.head_size = static_cast<std::uint32_t>(seq);
    place.version_held = static_cast<std::uint32_t>(seq * 3);
    return place;
  };
  const auto write = [&](std::uint64_t seq) {
    row_line line{};
    line.begin = seq;
    line.end = forever;
    line.node = static_cast<std::uint32_t>(seq % 9);
    line.slot = no_number;
    rows.append(line, {});
    subject.append(place_at(seq));
  };
  const auto right = [&](const record_places& places, std::uint64_t seq) {
    const row_no row{static_cast<std::uint32_t>(seq - 1)};
    places.prefetch(row);
    const record_place* found = places.find(row);
    return found != nullptr && *found == place_at(seq);
  };
  writer_and_readers().run(10'000, write, [&](std::uint64_t at, dice& d) {
    if (at == 0) return true;
    for (int i = 0; i < 50; ++i)
      if (!right(subject, 1 + d.below(at))) return false;
    const std::uint64_t first = at - std::min<std::uint64_t>(at, 500);
    std::vector<row_no> kept;
    for (std::uint64_t n = first; n < at; ++n) kept.push_back({static_cast<std::uint32_t>(n)});
    const std::string image = subject.save(std::array{std::uint64_t{1}}, rows, kept);
    const auto saved = saved_places::open(image);
    return saved && saved->places.size() == kept.size() && saved->made.back() == at
           && saved->places.front() == place_at(first + 1);
  });
}

TEST_CASE("nodes beside a writer", "[concurrent]") {
  node_table nodes;
  writer_and_readers().run(
      20'000,
      [&](std::uint64_t seq) { nodes.intern(scattered_id(static_cast<std::uint32_t>(seq))); },
      [&](std::uint64_t published, dice& d) {
        if (nodes.size() < published) return false;
        for (int i = 0; i < 20 && published > 0; ++i) {
          const std::uint32_t n = d.below(published);
          const memory_id id = scattered_id(n + 1);
          if (nodes.find(id).value != n || nodes.id({n}) != id) return false;
        }
        node_table loaded;
        const auto size = static_cast<std::uint32_t>(published);
        if (d.one_in(50) && (!loaded.load(nodes.save(size)) || loaded.size() != size)) return false;
        const node_no future = nodes.find(scattered_id(static_cast<std::uint32_t>(published + 1)));
        return future.value == no_number || future.value == published;
      });
}

namespace {

constexpr std::uint64_t edge_sources = 4;
constexpr std::uint64_t edge_targets = 300;
constexpr std::uint64_t edge_round = edge_sources * edge_targets;

void write_edge(graph& subject, std::uint64_t seq) {
  const node_no src{static_cast<std::uint32_t>(seq % edge_sources)};
  const node_no dst{static_cast<std::uint32_t>(edge_sources + seq / edge_sources % edge_targets)};
  subject.put(src, edge_type::references, dst, seq / edge_round % 2 == 1, {seq});
  if (seq > retained_seqs && seq % 10 == 0) subject.retain_from({seq - retained_seqs});
}

/// The targets whose edge from `src` is alive at `at`.
std::set<std::uint32_t> live_targets(std::uint32_t src, std::uint64_t at) {
  std::set<std::uint32_t> targets;
  for (std::uint32_t t = 0; t < edge_targets; ++t) {
    std::uint64_t first = t * edge_sources + src;
    if (first == 0) first = edge_round;
    const std::uint64_t seq = last_of(at, first, edge_round);
    if (seq != 0 && seq / edge_round % 2 == 0)
      targets.insert(static_cast<std::uint32_t>(edge_sources) + t);
  }
  return targets;
}

bool edges_are_right(const graph& subject, const node_table& nodes, std::uint32_t src,
                     std::uint64_t at) {
  const auto expected = live_targets(src, at);
  std::vector<std::uint32_t> found;
  subject.neighbours({src}, edge_direction::out, {at}, false, [&](const neighbour& n) {
    found.push_back(n.node.value);
    return true;
  });
  const bool sorted =
      std::ranges::is_sorted(found, {}, [&](std::uint32_t n) { return nodes.id({n}); });
  walk_request request{.from = {src}};
  request.at = {at};
  const auto steps = subject.walk(request).steps;
  return sorted && std::set(found.begin(), found.end()) == expected
         && found.size() == expected.size() && steps.size() == expected.size();
}

} // namespace

TEST_CASE("edges and their images beside a writer", "[concurrent]") {
  node_table nodes;
  for (std::uint32_t n = 0; n < edge_sources + edge_targets; ++n) nodes.intern(scattered_id(n));
  graph subject(nodes);
  std::atomic<std::uint64_t> retained{0};
  writer_and_readers().run(
      30'000,
      [&](std::uint64_t seq) {
        if (seq > retained_seqs) retained.store(seq - retained_seqs);
        write_edge(subject, seq);
      },
      [&](std::uint64_t published, dice& d) {
        const std::uint64_t from = published > 500 ? published - 500 : 0;
        const std::uint64_t at = from + d.below(published - from + 1);
        const std::uint32_t src = d.below(edge_sources);
        bool right = edges_are_right(subject, nodes, src, at);
        if (d.one_in(40)) {
          graph loaded(nodes);
          right =
              right && loaded.load(subject.save({at})) && edges_are_right(loaded, nodes, src, at);
        }
        return right || retained.load() > at;
      });
}

TEST_CASE("vectors, their segments and images beside a writer", "[concurrent]") {
  constexpr std::size_t count = 34'000;
  const vector_cloud cloud(17, 8, count, 40, true);
  vectors subject({.background_segments = true, .m = 6, .ef_construction = 20, .ef_search = 32});
  subject.set_space({"test", 8});
  std::atomic<std::uint64_t> through_segments{0};
  const auto read = [&](std::uint64_t published, dice& d) {
    if (published == 0) return true;
    const std::size_t i = d.below(published);
    if (!std::ranges::equal(subject.get(cloud.slot(i)), cloud.values(i))) return false;
    const auto below = [&](slot_no slot) { return slot <= cloud.slot(published - 1); };
    if (d.one_in(20)) {
      const auto query = cloud.query(d);
      if (!std::ranges::equal(subject.nearest_exact(query, 5, below, tie_of),
                              cloud.nearest(query, 5, below, published)))
        return false;
    }
    const auto query = cloud.query(d);
    bool used_hnsw = false;
    const auto hits = subject.nearest(query, 10, count, below, tie_of, used_hnsw);
    if (used_hnsw) through_segments.fetch_add(1);
    for (const auto& hit : hits)
      if (!below(hit.slot) || hit.distance != cosine_distance(query, subject.get(hit.slot)))
        return false;
    if (d.one_in(200)) {
      vectors loaded({.background_segments = false});
      const auto slots = std::span(cloud.slots()).first(published);
      if (!loaded.load(subject.save(slots, {})) || loaded.size() != published) return false;
      if (published < 2000 && subject.copy(slots)->size() != published) return false;
    }
    return hits.size() == std::min<std::size_t>(10, published);
  };
  writer_and_readers().run(
      count, [&](std::uint64_t seq) { cloud.append_to(subject, seq - 1, seq); }, read);
  subject.wait_for_segments();
  dice d(1);
  CHECK(read(count, d));
  CHECK(through_segments.load() > 0);
}

} // namespace mneme
