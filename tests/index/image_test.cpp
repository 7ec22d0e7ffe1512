// An image that is written piece by piece is the one that would be made in memory.
// Of: index/image.cpp
#include "index/image.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

using namespace mneme;

namespace {

class kept_pieces final : public image_sink {
public:
  result<void> take(std::string_view bytes) override {
    longest = std::max(longest, bytes.size());
    ++taken;
    if (taken == fails_at) return fail(errc::disk_full, "full");
    all += bytes;
    return {};
  }

  std::string all;
  std::size_t longest = 0;
  std::size_t taken = 0;
  std::size_t fails_at = 0; ///< 0: never
};

/// So many bytes, some one by one and some at once.
void put(image_writer& out, std::size_t bytes) {
  out.begin("mnTEST01");
  std::string part;
  for (std::size_t i = 0; i < bytes / 2; ++i) {
    if (i < 100)
      out.put(static_cast<std::uint8_t>(i));
    else
      part.push_back(static_cast<char>(i * 7));
  }
  out.align();
  out.put_raw(part);
  out.put_text("between");
  out.put_array<std::uint64_t>(std::vector<std::uint64_t>(bytes / 16, bytes));
}

} // namespace

TEST_CASE("an image goes to a sink as it would lie in memory") {
  constexpr std::size_t mib = 1 << 20;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1000}, mib / 16, mib - 100, mib, 2 * mib + 1, 7 * mib}) {
    image_writer in_memory;
    put(in_memory, bytes);
    const std::size_t length = in_memory.size();
    const std::string image = in_memory.finish();
    kept_pieces pieces;
    image_writer out(pieces);
    put(out, bytes);
    CHECK(out.size() == length);
    const auto sum = out.finish_into_sink();
    REQUIRE(sum);
    CHECK(*sum == image_sum(image));
    CHECK(out.size() == image.size());
    CHECK(pieces.all == image);
    CHECK(pieces.longest <= mib);
    CHECK(image_reader::open(pieces.all, "mnTEST01"));
  }
}

TEST_CASE("a sink that fails is given nothing more") {
  for (std::size_t fails_at = 1; fails_at <= 5; ++fails_at) {
    kept_pieces pieces;
    pieces.fails_at = fails_at;
    image_writer out(pieces);
    put(out, 3 << 20);
    const auto sum = out.finish_into_sink();
    REQUIRE(!sum);
    CHECK(sum.error().code == errc::disk_full);
    CHECK(pieces.taken == fails_at);
  }
}
