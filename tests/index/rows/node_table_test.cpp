// node_table: numbers are dense and stable, images round-trip, damage is refused.
#include "index/rows/node_table.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>

#include "tests/index/damage.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

TEST_CASE("nodes are numbered in order of first sight") {
  node_table nodes;
  std::map<memory_id, std::uint32_t> model;
  dice d(1);
  for (int i = 0; i < 20'000; ++i) {
    const memory_id id = scattered_id(d.below(6000));
    const auto expected = model.try_emplace(id, static_cast<std::uint32_t>(model.size())).first;
    REQUIRE(nodes.intern(id).value == expected->second);
  }
  CHECK(nodes.size() == model.size());
  for (const auto& [id, n] : model) {
    REQUIRE(nodes.find(id).value == n);
    REQUIRE(nodes.id({n}) == id);
  }
  CHECK(nodes.find(scattered_id(6000)).value == no_number);
  CHECK(nodes.find(memory_id{}).value == no_number);
}

TEST_CASE("an image holds the first nodes and loading goes on from there") {
  node_table nodes;
  for (std::uint32_t i = 0; i < 3000; ++i) nodes.intern(scattered_id(i));
  for (const std::uint32_t size : {0U, 1U, 1024U, 3000U}) {
    node_table loaded;
    REQUIRE(loaded.load(nodes.save(size)));
    CHECK(loaded.size() == size);
    for (std::uint32_t i = 0; i < 3000; ++i)
      REQUIRE(loaded.find(scattered_id(i)).value == (i < size ? i : no_number));
    CHECK(loaded.intern(scattered_id(99'999)).value == size);
  }
}

TEST_CASE("a damaged image of nodes is refused") {
  node_table nodes;
  for (std::uint32_t i = 0; i < 100; ++i) nodes.intern(scattered_id(i));
  const std::string image = nodes.save(100);
  check_damage_is_refused(image, [](const std::string& damaged) {
    node_table fresh;
    auto loaded = fresh.load(damaged);
    REQUIRE(fresh.size() == 0);
    return loaded;
  });
  std::string twice = image;
  twice.replace(16 + 16, 16, image.substr(16, 16)); // behind name and count
  node_table fresh;
  CHECK(fresh.load(with_checksum(twice)).error().code == errc::corrupt);
  CHECK(fresh.size() == 0);
}

} // namespace mneme
