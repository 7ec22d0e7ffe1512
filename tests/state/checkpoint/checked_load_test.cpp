// Images whose pages are checked by several threads before their owners take them.
#include <catch2/catch.hpp>

#include <atomic>

#include "state/checkpoint/checked_load.hpp"

using namespace mneme;

namespace {

constexpr std::size_t megabyte = 1 << 20;

std::string image_of(std::size_t bytes, std::string_view name = "mnTEST01") {
  image_writer out(name);
  std::string page(4096, '\0');
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    page.replace(0, 8, std::to_string(10'000'000 + i));
    out.put_raw(page);
  }
  return out.finish();
}

/// One whose owner notes how it got it.
struct loaded_image {
  std::string bytes;
  bool was_checked = false;
  int times = 0;

  image_load load(std::string name) {
    return {std::move(name), image_bytes(bytes), [this](const image_bytes& b) -> result<void> {
              was_checked = b.is_checked;
              ++times;
              auto in = image_reader::open_kept(b, "mnTEST01");
              return in ? result<void>() : propagate(in);
            }};
  }
};

} // namespace

TEST_CASE("large images are checked in parts and then loaded as checked, small ones as ever") {
  loaded_image large{image_of(20 * megabyte)};
  loaded_image small{image_of(megabyte)};
  std::atomic<int> besides{0};
  const std::vector<image_load> images = {large.load("large"), small.load("small")};
  const auto failed = load_checked(images, {[&]() -> result<void> {
                                     ++besides;
                                     return {};
                                   }});
  CHECK_FALSE(failed);
  CHECK(besides == 1);
  CHECK((large.times == 1 && small.times == 1));
  CHECK(large.was_checked);
  CHECK_FALSE(small.was_checked);
}

TEST_CASE("damage in any part of an image is found before it is loaded, and the image is named") {
  const std::string whole = image_of(20 * megabyte);
  const std::size_t at = GENERATE(8UL, 9UL * megabyte, 20UL * megabyte - 10);
  loaded_image damaged{whole};
  damaged.bytes[at] = static_cast<char>(damaged.bytes[at] ^ 1);
  loaded_image other{image_of(megabyte)};
  const std::vector<image_load> images = {other.load("other"), damaged.load("damaged")};
  const auto failed = load_checked(images, {});
  REQUIRE(failed);
  CHECK(failed->name == "damaged");
  CHECK(failed->why.code == errc::corrupt);
  CHECK(damaged.times == 0);
}

TEST_CASE("damaged sums, a small image and a failed work besides are told of") {
  loaded_image sums{image_of(20 * megabyte)};
  sums.bytes[sums.bytes.size() - 30] ^= 1;
  const auto of_sums = load_checked(std::vector{sums.load("sums")}, {});
  REQUIRE(of_sums);
  CHECK(of_sums->name == "sums");

  loaded_image small{image_of(megabyte)};
  small.bytes[megabyte / 2] ^= 1;
  const auto of_small = load_checked(std::vector{small.load("small")}, {});
  REQUIRE(of_small);
  CHECK(of_small->name == "small");

  loaded_image good{image_of(megabyte)};
  const auto besides =
      load_checked(std::vector{good.load("good")},
                   {[]() -> result<void> { return std::unexpected(error{errc::io, "gone", {}}); }});
  REQUIRE(besides);
  CHECK(besides->name.empty());
  CHECK(besides->why.code == errc::io);
}

TEST_CASE("an image is read where it can be, and a read that fails is damage") {
  loaded_image read{image_of(20 * megabyte)};
  image_load load = read.load("read");
  std::atomic<std::size_t> bytes{0};
  load.bytes.read = [&](std::size_t from, std::span<char> to) {
    bytes += to.size();
    std::ranges::copy(std::string_view(read.bytes).substr(from, to.size()), to.begin());
    return true;
  };
  CHECK_FALSE(load_checked(std::vector{load}, {}));
  CHECK(bytes > 20 * megabyte - 4096);
  load.bytes.read = [](std::size_t, std::span<char>) { return false; };
  CHECK(load_checked(std::vector{load}, {})->name == "read");
}
