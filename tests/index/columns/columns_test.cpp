// The building blocks: paged columns, hash slots, dictionaries, image bytes.
// Of: index/image.cpp, index/lexical/term_dictionary.cpp
#include "index/columns/column_image.hpp"
#include "index/columns/paged_column.hpp"
#include "index/graph/visited_nodes.hpp"
#include "index/image.hpp"
#include "index/lexical/hash_slots.hpp"
#include "index/lexical/term_dictionary.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "tests/index/dice.hpp"

namespace mneme {

TEST_CASE("every index has a place of its own and pages are filled without gaps") {
  page_place expected{0, 0};
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const page_place at = place_of(i);
    REQUIRE(at.page == expected.page);
    REQUIRE(at.offset == expected.offset);
    if (++expected.offset == page_length(expected.page)) expected = {expected.page + 1, 0};
  }
  const page_place last = place_of(std::numeric_limits<std::uint32_t>::max());
  CHECK(last.page == 131'076);
  CHECK(last.offset == 1023);
}

TEST_CASE("entries begin as zeros, never move and are aligned") {
  struct alignas(64) line {
    std::uint64_t value;
  };
  paged_column<line> column;
  std::vector<line*> addresses;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    line& l = column.grow(i);
    REQUIRE(l.value == 0);
    REQUIRE(reinterpret_cast<std::uintptr_t>(&l) % 64 == 0);
    l.value = i;
    addresses.push_back(&l);
  }
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    REQUIRE(&column[i] == addresses[i]);
    REQUIRE(column[i].value == i);
  }
}

TEST_CASE("of a column that was adopted no more than one page is copied when it grows") {
  std::vector<std::uint32_t> saved(300'000);
  for (std::uint32_t i = 0; i < saved.size(); ++i) saved[i] = i;
  paged_column<std::uint32_t> column;
  column.adopt(saved);
  const auto size = static_cast<std::uint32_t>(saved.size());
  column.grow(size) = size;
  std::uint32_t moved = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    REQUIRE(column[i] == i);
    if (&column[i] != &saved[i]) ++moved;
  }
  CHECK(moved > 0);
  CHECK(moved < 32'768);
  CHECK(column[size] == size);
}

TEST_CASE("a sparse column holds any numbers, and nothing else") {
  struct alignas(64) line {
    std::uint32_t value;
  };
  sparse_column<line> column;
  CHECK(column.find(0) == nullptr);
  CHECK(column.find(no_number) == nullptr);
  std::map<std::uint32_t, const line*> model;
  dice d(8);
  for (int i = 0; i < 300; ++i) {
    const auto n = static_cast<std::uint32_t>(d.next() >> d.below(64));
    line& l = column.grow(n);
    REQUIRE(reinterpret_cast<std::uintptr_t>(&l) % 64 == 0);
    REQUIRE(l.value == (model.contains(n) ? n : 0));
    l.value = n;
    model[n] = &l;
  }
  column.grow(no_number).value = no_number;
  for (const auto& [n, address] : model) {
    REQUIRE(column.find(n) == address);
    REQUIRE(address->value == n);
  }
}

TEST_CASE("hash slots tell numbers of one hash apart") {
  hash_slots slots;
  for (std::uint32_t n = 0; n < 3000; ++n) slots.insert(n % 7, n);
  for (std::uint32_t n = 0; n < 3000; ++n)
    REQUIRE(slots.find(n % 7, [n](std::uint32_t found) { return found == n; }) == n);
  CHECK(slots.find(3, [](std::uint32_t) { return false; }) == no_number);
  CHECK(slots.find(8, [](std::uint32_t) { return true; }) == no_number);
}

TEST_CASE("a dictionary numbers texts in order of first sight") {
  term_dictionary terms;
  CHECK(terms.find("") == no_number);
  CHECK(terms.intern("b") == 0);
  CHECK(terms.intern("") == 1);
  CHECK(terms.intern("b") == 0);
  const std::string zero_inside("b\0c", 3);
  CHECK(terms.intern(zero_inside) == 2);
  const std::string long_text(100'000, 'x');
  CHECK(terms.intern(long_text) == 3);
  for (std::uint32_t i = 0; i < 5000; ++i) REQUIRE(terms.intern("t" + std::to_string(i)) == 4 + i);
  CHECK(terms.size() == 5004);
  CHECK(terms.text(0) == "b");
  CHECK(terms.text(1).empty());
  CHECK(terms.text(2) == zero_inside);
  CHECK(terms.text(3) == long_text);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const std::string text = "t" + std::to_string(i);
    REQUIRE(terms.find(text) == 4 + i);
    REQUIRE(terms.text(4 + i) == text);
  }
  CHECK(terms.find("t5000") == no_number);
}

TEST_CASE("visited nodes are a set, over and over") {
  visited_nodes met;
  for (int walk = 0; walk < 50; ++walk) {
    met.clear();
    std::set<std::uint32_t> model;
    dice d(static_cast<std::uint64_t>(walk));
    for (int i = 0; i < 2000; ++i) {
      const std::uint32_t node = d.one_in(10) ? no_number : d.below(1500);
      REQUIRE(met.insert(node) == model.insert(node).second);
    }
  }
}

TEST_CASE("an array that lies askew is none") {
  image_writer out("mnTEST01");
  out.put_array<std::uint64_t>(std::vector<std::uint64_t>{1, 2});
  const std::string askew = "." + out.finish();
  auto in = image_reader::open(std::string_view(askew).substr(1), "mnTEST01");
  REQUIRE(in);
  CHECK(in->get_array<std::uint64_t>(2).empty());
  CHECK_FALSE(in->ok());
}

TEST_CASE("an image gives back what was written") {
  image_writer out("mnTEST01");
  out.put(std::uint32_t{7});
  out.put(std::uint64_t{2});
  out.put_text("text");
  out.put(-1.5);
  const std::string image = out.finish();

  auto in = image_reader::open(image, "mnTEST01");
  REQUIRE(in);
  CHECK(in->get<std::uint32_t>() == 7);
  CHECK(in->get_count(6) == 2);
  CHECK(in->get_text() == "text");
  CHECK_FALSE(in->at_end());
  CHECK(in->get<double>() == -1.5);
  CHECK(in->at_end());
  CHECK(in->get<std::uint64_t>() == 0);
  CHECK_FALSE(in->ok());
  CHECK(image_reader::open(image, "mnTEST02").error().code == errc::corrupt);
  CHECK(image_reader::open("", "mnTEST01").error().code == errc::corrupt);
}

TEST_CASE("a count that cannot be true is refused before anything is reserved for it") {
  image_writer out("mnTEST01");
  out.put(std::numeric_limits<std::uint64_t>::max());
  out.put(std::numeric_limits<std::uint32_t>::max());
  const std::string image = out.finish();
  auto in = image_reader::open(image, "mnTEST01");
  REQUIRE(in);
  CHECK(in->get_count(1) == 0);
  CHECK_FALSE(in->ok());
  auto again = image_reader::open(image, "mnTEST01");
  CHECK(again->get<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
  CHECK(again->get_text().empty());
  CHECK_FALSE(again->ok());
}

TEST_CASE("columns go on from where they lie in an image, which is not written to") {
  for (const std::uint32_t count :
       {0U, 1U, 1023U, 1024U, 5000U, 7168U, 31'743U, 31'744U, 31'745U, 64'512U, 64'513U}) {
    paged_column<std::uint64_t> column;
    sparse_column<std::uint32_t> by_number;
    for (std::uint32_t i = 0; i < count; ++i) {
      column.grow(i) = i;
      by_number.grow(3 * i + 20'000) = i + 1;
    }
    const std::uint32_t limit = 3 * count + 20'000;
    image_writer out("mnTESTS1");
    put_column(out, column, count);
    put_column(out, by_number, limit);
    const std::string image = out.finish();

    const image_bytes here = kept(image);
    auto in = image_reader::open(here.bytes, "mnTESTS1");
    REQUIRE(in);
    paged_column<std::uint64_t> loaded;
    sparse_column<std::uint32_t> loaded_by_number;
    REQUIRE(adopt_column(*in, loaded, count));
    REQUIRE(adopt_column(*in, loaded_by_number));
    CHECK(in->at_end());
    const auto is_there = [&](std::uint32_t i) {
      return loaded[i] == i && *loaded_by_number.find(3 * i + 20'000) == i + 1;
    };
    for (std::uint32_t i = 0; i < count; ++i) REQUIRE(is_there(i));
    CHECK(loaded_by_number.find(0) == nullptr);
    CHECK(loaded_by_number.find(limit + 10'000) == nullptr);
    if (count != 0) {
      const auto run = loaded.run_of(count - 1);
      CHECK((run.has(count - 1) && !run.has(count)));
    }
    for (std::uint32_t i = count; i < 3 * count + 10; ++i) {
      REQUIRE(loaded.grow(i) == 0);
      loaded.grow(i) = i;
      loaded_by_number.grow(3 * i + 20'000) = i + 1;
    }
    for (std::uint32_t i = 0; i < 3 * count + 10; ++i) REQUIRE(is_there(i));
    CHECK(loaded.run_of(count).has(count));
    loaded.grow(0) = 17;
    auto again = image_reader::open(image, "mnTESTS1");
    CHECK(again);
  }
}

TEST_CASE("a changed bit in any page of an image is noticed") {
  image_writer out("mnTESTS1");
  for (std::uint32_t i = 0; i < 80'000; ++i) out.put(i);
  const std::string image = out.finish();
  dice d(5);
  for (std::size_t page = 0; page < image.size(); page += 64 << 10) {
    std::string changed = image;
    char& c = changed[page + d.below(std::min<std::size_t>(64 << 10, image.size() - page))];
    c = static_cast<char>(c ^ (1 << d.below(8)));
    CHECK(image_reader::open(changed, "mnTESTS1").error().code == errc::corrupt);
  }
}

TEST_CASE("an image is checked by what is read of it, where it says how that is done") {
  image_writer out("mnTESTS1");
  for (std::uint32_t i = 0; i < 40'000; ++i) out.put(i);
  const std::string image = out.finish();
  std::string on_disk = image;
  image_bytes mapped(image);
  mapped.read = [&](std::size_t from, std::span<char> to) {
    if (from + to.size() > on_disk.size()) return false;
    std::copy_n(on_disk.begin() + static_cast<std::ptrdiff_t>(from), to.size(), to.begin());
    return true;
  };
  CHECK(image_reader::open_kept(mapped, "mnTESTS1"));
  on_disk[100'000] = static_cast<char>(on_disk[100'000] ^ 1);
  CHECK(image_reader::open_kept(mapped, "mnTESTS1").error().code == errc::corrupt);
  on_disk = image.substr(0, 100'000);
  CHECK(image_reader::open_kept(mapped, "mnTESTS1").error().code == errc::corrupt);
}

} // namespace mneme
