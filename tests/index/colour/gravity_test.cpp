// Spec 6.2: chromatic gravity, which hashtags make a colour, and the name of a point.
#include <catch2/catch.hpp>

#include "index/colour/gravity.hpp"

using namespace mneme;

namespace {

std::optional<hashtag_problem> mix(std::size_t core, std::size_t mid, std::size_t outer) {
  return check_mix({core, mid, outer});
}

} // namespace

TEST_CASE("6.2 check vector of the gravity") {
  const std::vector<std::uint32_t> anchors = {1, 1001, 2001, 3001, 4001, 5001, 6001, 7501};
  const auto is_at = [](const lab_point& p, double L, double a, double b) {
    CHECK(p.L == Approx(L).margin(5e-7));
    CHECK(p.a == Approx(a).margin(5e-7));
    CHECK(p.b == Approx(b).margin(5e-7));
  };
  is_at(gravity(anchors, 0), 43, -4, -26.75);
  is_at(gravity(anchors, 1), 36.440361, -17.142878, -39.576332);
  is_at(gravity(anchors, 2), 32.903855, -23.263643, -50.907727);
  is_at(gravity(anchors), 31.433651, -26.364278, -58.673248);
  const std::vector<std::uint32_t> other = {1, 1001, 2001, 3001, 4001, 5001, 6001, 9001};
  is_at(gravity(other), 29.651558, -41.805885, -59.433684);
}

TEST_CASE("6.2 validation stops at the first broken rule, in order") {
  using enum hashtag_problem;
  CHECK(mix(0, 0, 0) == no_core);
  CHECK(mix(0, 9, 1) == no_core);
  CHECK(mix(1, 9, 0) == no_outer);
  CHECK(mix(1, 1, 1) == too_few);
  CHECK(mix(1, 5, 1) == too_few);
  CHECK(mix(2, 5, 1) == mid_ratio);
  CHECK(mix(1, 6, 1) == std::nullopt);
  CHECK(mix(3, 13, 4) == std::nullopt); // 65 % exactly
  CHECK(mix(4, 13, 4) == mid_ratio);
}

TEST_CASE("6.2 a refusal carries reason and counts") {
  for (int i = 1; i <= 5; ++i) {
    const auto reason = static_cast<hashtag_problem>(i);
    const error e = bad_hashtags(reason, {2, 30, 4}, "not assigned: core 9 (reason x");
    const auto refusal = hashtag_refusal_of(e);
    REQUIRE(refusal.has_value());
    CHECK(refusal->reason == reason);
    CHECK(refusal->counts == hashtag_counts{2, 30, 4});
  }
  CHECK_FALSE(hashtag_refusal_of({errc::not_found, "(reason no_core; core 1)", {}}).has_value());
}

TEST_CASE("6.2 node_id hashes the three big-endian numbers, -0 as +0") {
  CHECK(node_id_of(0, 0, 0) == node_id_of(-0.0, 0, -0.0));
  // SHA-256 of 24 zero bytes.
  CHECK(node_id_of(0, 0, 0) == "node_9d908ecfb6b2");
  CHECK(node_id_of(1, 0, 0) != node_id_of(0, 1, 0));
}
