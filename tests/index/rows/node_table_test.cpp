// node_table: numbers are dense and stable, images round-trip, damage is refused.
#include "index/rows/node_table.hpp"

#include "index/columns/column_image.hpp"
#include "index/lexical/hash_slots.hpp"
#include "messages/sip_hash.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
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

TEST_CASE("nodes are found in an image of another process, which hashed ids by another key") {
  const sip_key other{.low = id_hash_key().low + 1, .high = 7};
  std::vector<memory_id> ids;
  hash_slots numbers;
  for (std::uint32_t i = 0; i < 300; ++i) {
    ids.push_back(scattered_id(i));
    const std::uint64_t hash = sip_hash(other, ids.back().bytes);
    numbers.insert(static_cast<std::uint32_t>(hash ^ (hash >> 32)), i);
  }
  image_writer out("mnNODES2");
  out.put_array<sip_key>(std::span(&other, 1));
  put_list<memory_id>(out, ids);
  put_list<std::uint64_t>(out, numbers.saved());
  node_table loaded;
  REQUIRE(loaded.load(out.finish()));
  CHECK(loaded.intern(scattered_id(300)).value == 300);
  node_table again;
  REQUIRE(again.load(loaded.save(301)));
  for (std::uint32_t i = 0; i < 301; ++i) {
    REQUIRE(loaded.find(scattered_id(i)).value == i);
    REQUIRE(again.find(scattered_id(i)).value == i);
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
  std::string more = image;
  constexpr std::size_t count_at = 64 + 16; // behind the name, aligned, and the key
  more[count_at] = static_cast<char>(more[count_at] + 1);
  node_table fresh;
  CHECK(fresh.load(with_checksum(more)).error().code == errc::corrupt);
  CHECK(fresh.size() == 0);
}

TEST_CASE("a table of an image that names nodes which are not there finds none") {
  node_table nodes;
  memory_id id;
  nodes.intern(id);
  std::string image = nodes.save(1);
  constexpr std::size_t sums = 4 + 8 + 4 + 8;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t at = image.size() - sums - (i + 1) * 8;
    const std::uint32_t number = 0xFFFFFFF0;
    if (image.substr(at, 4) == std::string("\1\0\0\0", 4))
      std::memcpy(&image[at], &number, sizeof number);
  }
  node_table loaded;
  REQUIRE(loaded.load(with_checksum(image)));
  CHECK(loaded.find(id).value == no_number);
}

TEST_CASE("a table of an image that has no free slot is no endless way") {
  const auto id_of = [](std::uint8_t n) {
    memory_id id;
    id.bytes[3] = n;
    return id;
  };
  node_table nodes;
  for (std::uint8_t n = 0; n < 40; ++n) nodes.intern(id_of(n));
  std::string image = nodes.save(40);
  constexpr std::size_t sums = 4 + 8 + 4 + 8;
  constexpr std::size_t slots = 128;
  for (std::size_t i = 0; i < slots; ++i) {
    char* const slot = image.data() + image.size() - sums - (i + 1) * 8;
    const std::uint64_t taken = std::uint64_t{0xDEADBEEF} << 32 | 1;
    if (std::all_of(slot, slot + 8, [](char c) { return c == 0; }))
      std::memcpy(slot, &taken, sizeof taken);
  }
  node_table loaded;
  REQUIRE(loaded.load(with_checksum(image)));
  CHECK(loaded.find(id_of(100)).value == no_number);
  CHECK(loaded.intern(id_of(100)) == node_no{40});
  CHECK(loaded.find(id_of(100)) == node_no{40});
  CHECK(loaded.find(id_of(7)) == node_no{7});
}

} // namespace mneme
