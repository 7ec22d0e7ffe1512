// Graphs in the image of the vectors: what is loaded goes on where the saved index was, images
// without graphs are read, and no damage makes an answer wrong.
// Of: index/vectors/segment_links.cpp, index/vectors/segment_points.cpp
// Of: index/vectors/vectors_image.cpp
#include "index/vectors/segment_links.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "index/vectors/segment_builder.hpp"
#include "tests/index/damage.hpp"
#include "tests/index/vectors/vector_cloud.hpp"

namespace mneme {

namespace {

constexpr vector_index_options small_graphs{
    .background_segments = true, .m = 6, .ef_construction = 30, .ef_search = 40};
/// Graphs of an image, or none.
constexpr vector_index_options only_read{.background_segments = true,
                                         .m = 6,
                                         .ef_construction = 30,
                                         .ef_search = 40,
                                         .testing_builds_fail = true};

bool any_slot(slot_no) {
  return true;
}

void fill(vectors& index, const vector_cloud& cloud, std::size_t count) {
  index.set_space({"test", 8});
  cloud.append_to(index, 0, count);
  index.wait_for_segments();
}

/// Answers of graphs alone, or nothing where there are none.
std::vector<near_hit> by_graph(const vectors& index, std::uint64_t seed, const vector_cloud& cloud,
                               const std::function<bool(slot_no)>& accept = any_slot) {
  dice d(seed);
  bool used_hnsw = false;
  auto hits = index.nearest(cloud.query(d), 10, cloud.size(), accept, tie_of, used_hnsw);
  if (!used_hnsw) hits.clear();
  return hits;
}

bool answer_alike(const vectors& a, const vectors& b, const vector_cloud& cloud,
                  const std::function<bool(slot_no)>& accept = any_slot) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto hits = by_graph(a, seed, cloud, accept);
    if (hits.empty() || !std::ranges::equal(hits, by_graph(b, seed, cloud, accept))) return false;
  }
  return true;
}

} // namespace

TEST_CASE("a loaded index has the segments of the one that was saved, and extends them alike") {
  const vector_cloud cloud(31, 8, 26'000, 30, true);
  vectors index(small_graphs);
  fill(index, cloud, 17'000);
  CHECK(index.has_unsaved_segments());
  const std::string image = index.save(std::span(cloud.slots()).first(17'000), {1});
  CHECK_FALSE(index.has_unsaved_segments());

  vectors only_loaded(only_read);
  REQUIRE(only_loaded.load(image));
  CHECK_FALSE(only_loaded.has_unsaved_segments());
  CHECK(answer_alike(only_loaded, index, cloud));

  vectors loaded(small_graphs);
  REQUIRE(loaded.load(image));
  CHECK(loaded.save(std::span(cloud.slots()).first(17'000), {1}) == image);
  vectors mapped(small_graphs);
  REQUIRE(mapped.load(in_place(image)));
  CHECK(mapped.save(std::span(cloud.slots()).first(17'000), {1}) == image);
  for (vectors* one : {&index, &loaded, &mapped}) {
    cloud.append_to(*one, 17'000, cloud.size());
    one->wait_for_segments();
  }
  CHECK(answer_alike(loaded, index, cloud));
  CHECK(answer_alike(mapped, index, cloud));
}

TEST_CASE("segments of an image are of use while few of their vectors are not kept") {
  const vector_cloud cloud(32, 8, 12'000, 30, true);
  vectors index(small_graphs);
  fill(index, cloud, cloud.size());
  const auto kept_of = [&](std::uint32_t per_cent) {
    std::vector<slot_no> kept;
    for (const slot_no slot : cloud.slots())
      if (dice(slot.value).below(100) < per_cent) kept.push_back(slot);
    return kept;
  };
  const auto nearly_all = kept_of(90);
  vectors most(only_read);
  REQUIRE(most.load(index.save(nearly_all, {1})));
  CHECK(answer_alike(most, index, cloud,
                     [&](slot_no slot) { return std::ranges::binary_search(nearly_all, slot); }));
  const auto some = kept_of(40);
  vectors less(only_read);
  REQUIRE(less.load(index.save(some, {1})));
  CHECK(less.size() == some.size());
  CHECK(by_graph(less, 1, cloud).empty());
}

TEST_CASE("segments that reach beyond the last kept vector are not in the image") {
  const vector_cloud cloud(33, 8, 16'500, 30, true);
  vectors index(small_graphs);
  fill(index, cloud, cloud.size());
  vectors loaded(only_read);
  REQUIRE(loaded.load(index.save(std::span(cloud.slots()).first(12'000), {1})));
  CHECK(loaded.size() == 12'000);
  CHECK(by_graph(loaded, 1, cloud).empty());
}

TEST_CASE("segments that were built otherwise are built anew") {
  const vector_cloud cloud(34, 8, 12'000, 30, true);
  vectors index(small_graphs);
  fill(index, cloud, cloud.size());
  const std::string image = index.save(cloud.slots(), {1});
  vectors exact({.background_segments = false});
  REQUIRE(exact.load(image));
  CHECK(by_graph(exact, 1, cloud).empty());
  auto options = only_read;
  options.m = 7;
  vectors other(options);
  REQUIRE(other.load(image));
  CHECK(by_graph(other, 1, cloud).empty());
}

TEST_CASE("segments whose links were looked for more widely or less serve as they are") {
  const vector_cloud cloud(34, 8, 12'000, 30, true);
  vectors index(small_graphs);
  fill(index, cloud, cloud.size());
  auto options = only_read;
  options.ef_construction = 2 * small_graphs.ef_construction;
  vectors other(options);
  REQUIRE(other.load(index.save(cloud.slots(), {1})));
  CHECK(answer_alike(index, other, cloud));
}

TEST_CASE("an image of before, which has no segments, is loaded, and they are built") {
  const vector_cloud cloud(10, 8, 17'000, 30, false);
  vectors index({.background_segments = false});
  index.set_space({"test", 8});
  cloud.append_to(index, 0, cloud.size());
  image_writer of_before("mnVECTS1");
  of_before.put_text("test");
  of_before.put(std::uint32_t{8});
  of_before.put(std::uint64_t{cloud.size()});
  for (const slot_no slot : cloud.slots()) {
    const auto values = index.get(slot);
    of_before.put(slot.value);
    of_before.put_raw({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  vectors loaded(small_graphs);
  REQUIRE(loaded.load(of_before.finish()));
  CHECK(loaded.size() == cloud.size());
  loaded.wait_for_segments();
  CHECK(by_graph(loaded, 11, cloud).size() == 10);
}

TEST_CASE("damaged segments are refused, or answer with what is there") {
  const vector_cloud cloud(35, 8, segment_step, 30, true);
  vectors index(small_graphs);
  fill(index, cloud, cloud.size());
  const std::string image = index.save(cloud.slots(), {1});
  dice d(36);
  const auto query = cloud.query(d);
  int refused = 0;
  const std::size_t from = image.size() - image.size() / 3; // about where the segments are
  for (int i = 0; i < 300; ++i) {
    std::string changed = image;
    for (std::uint32_t n = 1 + d.below(3); n > 0; --n)
      changed[from + d.below(image.size() - from - 4)] = static_cast<char>(d.below(256));
    vectors loaded(only_read);
    if (const auto ok = loaded.load(with_checksum(changed)); !ok) {
      REQUIRE(ok.error().code == errc::corrupt);
      REQUIRE(loaded.size() == 0);
      ++refused;
      continue;
    }
    bool used_hnsw = false;
    const auto hits = loaded.nearest(query, 10, 20'000, any_slot, tie_of, used_hnsw);
    REQUIRE(hits.size() == 10);
    for (const near_hit& hit : hits)
      REQUIRE(hit.distance == cosine_distance(query, loaded.get(hit.slot)));
  }
  CHECK(refused > 20);
}

TEST_CASE("links that builds of before wrote are read, and only within their bounds") {
  const auto read = [](const std::string& bytes, std::uint32_t size) {
    auto in = image_reader::open(bytes, "testLINK");
    REQUIRE(in);
    auto found = segment_links::read(*in, size, {.m = 2, .is_packed = true});
    if (found && !in->at_end()) found.reset();
    return found;
  };
  // Entry, levels, and by point and level how many links there are, and they.
  image_writer out("testLINK");
  out.put(std::uint32_t{1});
  for (const std::uint8_t level : std::vector<std::uint8_t>{0, 1, 0, 1}) out.put(level);
  const std::vector<std::vector<std::uint8_t>> rows{{1, 2, 3}, {}, {3}, {}, {0}, {1}};
  for (const auto& row : rows) {
    out.put(static_cast<std::uint16_t>(row.size()));
    for (const std::uint8_t link : row) out.put(link);
  }
  const std::string image = out.finish();
  const auto found = read(image, 4);
  REQUIRE(found);
  CHECK(found->entry() == 1);
  CHECK(std::ranges::equal(found->row(0, 0), std::vector<std::uint32_t>{1, 2, 3, no_number}));
  CHECK(std::ranges::equal(found->row(1, 1), std::vector<std::uint32_t>{3, no_number}));
  CHECK_FALSE(read(image, 3));
  CHECK_FALSE(read(image, 5));
  // Of the first point: one beyond the points, too many.
  const auto with = [&](std::size_t at, char byte) {
    std::string changed = image;
    changed[at] = byte;
    return read(with_checksum(changed), 4).has_value();
  };
  CHECK(with(18, 2));
  CHECK_FALSE(with(18, 4));
  CHECK_FALSE(with(16, 5));
}

TEST_CASE("links are read as they were written, and only within their bounds") {
  const std::vector<std::uint8_t> levels{0, 2, 0, 1};
  segment_links links(2, levels);
  links.set(0, 0, std::vector<std::uint32_t>{1, 2, 3});
  links.set(1, 1, std::vector<std::uint32_t>{3});
  links.set(3, 1, std::vector<std::uint32_t>{1});
  links.set_entry(1);
  const auto read = [](const std::string& bytes, std::uint32_t size) {
    auto in = image_reader::open(bytes, "testLINK");
    REQUIRE(in);
    auto found = segment_links::read(*in, size, {.m = 2});
    if (found && !in->at_end()) found.reset();
    return found;
  };
  image_writer out("testLINK");
  links.write(out);
  const std::string image = out.finish();
  const auto found = read(image, 4);
  REQUIRE(found);
  CHECK(found->entry() == 1);
  for (std::uint32_t point = 0; point < 4; ++point) {
    REQUIRE(found->level(point) == levels[point]);
    for (std::uint32_t level = 0; level <= levels[point]; ++level)
      CHECK(std::ranges::equal(found->row(point, level), links.row(point, level)));
  }
  CHECK_FALSE(read(image, 3));
  CHECK_FALSE(read(image, 5));
  // name, entry, four levels; from 64 on four links of each point; from 128 on two of each point
  // and level above
  const auto with = [&](std::size_t at, char byte) {
    std::string changed = image;
    changed[at] = byte;
    return read(with_checksum(changed), 4).has_value();
  };
  CHECK(with(64, 2));
  CHECK_FALSE(with(64, 4));
  CHECK_FALSE(with(64 + 3, 1));
  CHECK(with(128, 1));
  CHECK_FALSE(with(128, 2)); // is not on that level
  CHECK_FALSE(with(8, 4));
  CHECK_FALSE(with(8, 0)); // not of the highest level
  CHECK_FALSE(with(12, 16));
}

} // namespace mneme
