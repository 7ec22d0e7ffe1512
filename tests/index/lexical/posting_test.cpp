// posting: views are exact snapshots at every size, through growing tails and sealed parts.
#include "index/lexical/posting.hpp"

#include <catch2/catch.hpp>

#include "tests/index/dice.hpp"

namespace mneme {

namespace {

const row_lives all_live{.is_gone = [](std::uint32_t) { return false; },
                         .end = [](std::uint32_t) { return forever; }};

void check_view(const posting_view& view, const std::vector<std::uint32_t>& expected) {
  REQUIRE(view.cardinality() >= expected.size());
  std::vector<std::uint32_t> rows{7}; // append_to keeps what is there
  view.append_to(rows);
  REQUIRE(rows.front() == 7);
  rows.erase(rows.begin());
  REQUIRE(rows == expected);
  std::vector<std::uint32_t> visited;
  view.for_each([&](row_no row) {
    visited.push_back(row.value);
    return true;
  });
  REQUIRE(visited == expected);
}

} // namespace

TEST_CASE("a view holds the rows added before it, and only those") {
  dice d(2);
  posting p;
  std::vector<std::uint32_t> added;
  std::vector<std::pair<std::shared_ptr<const posting_view>, std::size_t>> kept;
  std::uint32_t row = 0;
  for (std::size_t i = 0; i < 30'000; ++i) {
    if (i < 20 || i % 1777 == 0 || (i > 4090 && i < 4100)) kept.emplace_back(p.view(), i);
    row += 1 + (d.one_in(100) ? 70'000 : d.below(3));
    p.add(row, all_live);
    added.push_back(row);
  }
  kept.emplace_back(p.view(), added.size());
  for (const auto& [view, size] : kept) {
    CHECK(view->cardinality() == size);
    check_view(*view, {added.begin(), added.begin() + static_cast<std::ptrdiff_t>(size)});
  }
  const auto& all = *kept.back().first;
  std::size_t contained = 0;
  for (std::uint32_t r = 0; r <= row + 1; r += 1 + d.below(5))
    if (all.contains({r})) ++contained;
  CHECK(contained > 0);
  for (const std::uint32_t r : added) REQUIRE(all.contains({r}));
  CHECK_FALSE(all.contains({row + 1}));
}

TEST_CASE("a visit stops when it is told to") {
  posting p;
  for (std::uint32_t r = 0; r < 9000; ++r) p.add(r, all_live);
  for (const std::uint32_t last : {0U, 100U, 8999U}) {
    std::uint32_t seen = 0;
    p.view()->for_each([&](row_no row) {
      ++seen;
      return row.value != last;
    });
    CHECK(seen == last + 1);
  }
}

TEST_CASE("rows that are gone leave with the next sealing") {
  posting p;
  const auto is_gone = [](std::uint32_t row) { return row % 10 != 0; };
  const row_lives lives{.is_gone = is_gone, .end = all_live.end};
  for (std::uint32_t r = 0; r < 100'000; ++r) p.add(r, lives);
  std::vector<std::uint32_t> rows;
  p.view()->append_to(rows);
  CHECK(rows.size() < 20'000);
  std::erase_if(rows, is_gone);
  CHECK(rows.size() == 10'000);
}

TEST_CASE("a view for a read has every row that is alive there, and few that had ended before") {
  dice d(3);
  posting p;
  std::vector<std::uint64_t> ends; // by row; a row is begun at the seq of its number
  constexpr std::uint32_t count = 20'000;
  const row_lives lives{.is_gone = [](std::uint32_t) { return false; },
                        .end = [&](std::uint32_t row) { return ends[row]; }};
  for (std::uint32_t r = 0; r < count; ++r) {
    if (r > 0 && !d.one_in(50)) ends[r - 1] = r; // most are overwritten by the next
    ends.push_back(forever);
    p.add(r, lives);
  }
  const auto check = [&](const posting& of) {
    for (const std::uint64_t at : {0U, 1U, 5'000U, 18'000U, count - 1, count}) {
      const auto view = of.view({at});
      std::vector<std::uint32_t> rows;
      view->append_to(rows);
      CHECK(std::ranges::is_sorted(rows));
      CHECK(rows.size() == view->cardinality());
      std::size_t alive = 0;
      for (std::uint32_t r = 0; r < count; ++r) {
        if (r > at || ends[r] <= at) continue;
        ++alive;
        REQUIRE(view->contains({r}));
        REQUIRE(std::ranges::binary_search(rows, r));
      }
      std::vector<std::uint32_t> visited;
      view->for_each([&](row_no row) {
        visited.push_back(row.value);
        return true;
      });
      CHECK(visited == rows);
      if (at >= count - 1) CHECK(rows.size() < alive + 2'000);
      if (at == 0) CHECK(rows.size() == count);
    }
  };
  check(p);
  image_writer out("postings");
  p.save(out);
  const std::string image = out.finish();
  auto in = image_reader::open(image, "postings");
  REQUIRE(in);
  posting loaded;
  REQUIRE(loaded.load(*in));
  check(loaded);
}

TEST_CASE("a set of postings knows terms that no row carries") {
  posting_set set;
  set.grow(3).add(5, all_live);
  check_view(*set.view(3, {}), {5});
  check_view(*set.view(2, {}), {});
  check_view(*set.view(1'000'000, {}), {});
  check_view(*set.view(no_number, {}), {});
  CHECK_FALSE(set.view(2, {})->contains({5}));
}

} // namespace mneme
