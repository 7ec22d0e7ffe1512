// Spec 6.1 to 6.3: the semantic stack, chromatic gravity, memory signals.
#include <cmath>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "index/colour/gravity.hpp"
#include "index/colour/mnemosyne.hpp"
#include "index/colour/semantic_stack.hpp"
#include "messages/math.hpp"

using namespace mneme;

namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;
constexpr timestamp start{1'700'000'000'000'000'000};

timestamp days_later(double days) {
  return {start.ns + static_cast<std::int64_t>(days * static_cast<double>(day_ns))};
}

colour_signals with_strength(double s) {
  colour_signals signals = fresh_signals(start);
  signals.strength_e9 = std::llround(s * 1e9);
  return signals;
}

std::optional<hashtag_problem> mix(std::size_t core, std::size_t mid, std::size_t outer) {
  return check_mix({core, mid, outer});
}

} // namespace

TEST_CASE("6.1 check values of the radii") {
  const auto& stack = semantic_stack::instance();
  CHECK(stack.radius(1) == Approx(5.764).margin(0.0005));
  CHECK(stack.radius(1000) == Approx(53.892).margin(0.0005));
  CHECK(stack.radius(1001) == Approx(53.951).margin(0.0005));
  CHECK(stack.radius(7500) == Approx(127.872).margin(0.0005));
  CHECK(stack.radius(7501) == Approx(127.874).margin(0.0005));
  CHECK(stack.radius(10'000) == Approx(184.079).margin(0.0005));
}

TEST_CASE("6.1 zones, masses and rounding come from the rank") {
  const auto& stack = semantic_stack::instance();
  const std::array<std::pair<double, double>, 3> masses = {{{0.2, 0.5}, {1.5, 2.5}, {0.6, 1.0}}};
  for (std::uint32_t id = 1; id <= anchor_count; ++id) {
    const anchor& x = stack.at(id);
    const auto zone = id <= 1000   ? colour_zone::core
                      : id <= 7500 ? colour_zone::mid
                                   : colour_zone::outer;
    const auto [least, greatest] = masses.at(static_cast<std::size_t>(zone) - 1);
    const bool is_right = x.zone == zone && zone_of(id) == zone && x.L == std::floor(x.L)
                          && x.a == std::floor(x.a) && x.b == std::floor(x.b) && x.L >= 0
                          && x.L <= 100 && x.a >= -128 && x.a <= 127 && x.b >= -128 && x.b <= 127
                          && x.mass >= least && x.mass <= greatest
                          && std::abs(x.mass * 100 - std::round(x.mass * 100)) < 1e-9
                          && (id == 1 || stack.radius(id) >= stack.radius(id - 1));
    if (!is_right) FAIL("anchor " << id);
  }
  CHECK(stack.at(1).mass == 0.2);
  CHECK(stack.at(1000).mass == 0.5);
  CHECK(stack.at(1001).mass == 1.5);
  CHECK(stack.at(7500).mass == 2.5);
  CHECK(stack.at(7501).mass == 0.6);
  CHECK(stack.at(10'000).mass == 1.0);
}

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

TEST_CASE("6.3 signals and score of a row") {
  const auto s = with_strength(5);
  const auto out = score_signals(s, memory_mode::adaptive, 20, days_later(3),
                                 physics_of(memory_mode::adaptive).weights);
  CHECK(out.relevance == Approx(std::exp(-1.0)));
  CHECK(out.recency == Approx(std::exp(-1.0)));
  CHECK(out.strength_norm == 0.5);
  CHECK(out.health == Approx(std::exp(-3.0 / 90)));
  CHECK(out.score == Approx(0.5 * std::exp(-1.0) + 0.3 * std::exp(-1.0) + 0.2 * 0.5));
  const auto early = score_signals(s, memory_mode::adaptive, 0, {start.ns - day_ns}, {1, 0, 0});
  CHECK(early.recency == 1.0); // the clock went back: no negative age
  CHECK(early.score == 1.0);
}

TEST_CASE("6.3 the table of modes") {
  const auto is = [](memory_mode mode, double rec, double decay, double hit, double beta,
                     double threshold, double ascension, double lambda, score_weights w) {
    const auto& p = physics_of(mode);
    CHECK(p.tau_rec_days == rec);
    CHECK(p.tau_decay_days == decay);
    CHECK(p.strength_hit == hit);
    CHECK(p.strength_decay_per_day == beta);
    CHECK(p.recency_bonus_threshold == threshold);
    CHECK(p.recency_bonus_gain == 1.0);
    CHECK(p.ascension_norm == ascension);
    CHECK(p.relevance_decay_protect == lambda);
    CHECK(p.weights == w);
  };
  using enum memory_mode;
  is(sparse, 1.5, 60, .06, .15, .70, .85, .30, {.60, .30, .10});
  is(adaptive, 3, 90, .10, .05, .70, .80, .20, {.50, .30, .20});
  is(spacey, 2, 60, .10, .08, .70, .85, .20, {.50, .20, .30});
  is(eidetic, 7, 120, .12, .02, .60, .90, .10, {.40, .20, .40});
  CHECK(physics_of(sparse).rot->recency == 0.05);
  CHECK(physics_of(sparse).rot->strength_norm == 0.20);
  CHECK(physics_of(adaptive).rot->recency == 0.03);
  CHECK(physics_of(adaptive).rot->strength_norm == 0.15);
  CHECK(physics_of(spacey).rot->recency == 0.05);
  CHECK(physics_of(spacey).rot->strength_norm == 0.25);
  CHECK_FALSE(physics_of(eidetic).rot.has_value());
}

TEST_CASE("6.3 a touch adds the hit, with the bonus of a recent row") {
  const auto s = with_strength(1);
  CHECK(touched_strength(s, memory_mode::adaptive, start) == 1'200'000'000); // recency 1
  // Recency exp(-1) is below the threshold.
  CHECK(touched_strength(s, memory_mode::adaptive, days_later(3)) == 1'100'000'000);
  const double recency = stable_exp(-1.0 / 3);
  CHECK(touched_strength(s, memory_mode::adaptive, days_later(1))
        == 1'000'000'000 + std::llround(0.1 * (1 + recency) * 1e9));
  auto rotten = s;
  rotten.rotten = true;
  const auto after = touched_signals(rotten, memory_mode::adaptive, 1'100'000'000, days_later(3));
  CHECK_FALSE(after.rotten);
  CHECK(after.last_accessed == days_later(3));
  CHECK(after.strength_e9 == 1'100'000'000);
}

TEST_CASE("6.3 ascension keeps the strength for good") {
  auto s = with_strength(19.95);
  const auto to = touched_strength(s, memory_mode::adaptive, start);
  s = touched_signals(s, memory_mode::adaptive, to, start);
  CHECK(s.ascended); // 20.15 / 25.15 >= 0.80
  CHECK(touched_strength(s, memory_mode::adaptive, days_later(1)) == to);
  CHECK_FALSE(
      touched_signals(with_strength(19), memory_mode::adaptive, 19'100'000'000, start).ascended);
}

TEST_CASE("6.3 rot needs both limits, and never strikes Eidetic") {
  using enum memory_mode;
  const auto late = days_later(11); // recency exp(-11/3) = 0.0256
  CHECK(decayed_signals(with_strength(0), adaptive, late).rotten);
  CHECK_FALSE(decayed_signals(with_strength(3), adaptive, late).rotten);
  CHECK_FALSE(decayed_signals(with_strength(0), adaptive, days_later(10)).rotten);
  CHECK_FALSE(decayed_signals(with_strength(0), eidetic, days_later(1000)).rotten);
}

TEST_CASE("6.3 decay follows the formula, and a span decays once however often it runs") {
  const auto s = with_strength(10);
  const auto once = decayed_signals(s, memory_mode::adaptive, days_later(30));
  CHECK(static_cast<double>(once.strength_e9) / 1e9
        == Approx(10 * std::exp(-0.05 * 30 * (1 - 0.2 * 0.5))).epsilon(1e-9));
  CHECK(once.last_decay_at == days_later(30));
  auto often = s;
  for (int i = 1; i <= 100; ++i)
    often = decayed_signals(often, memory_mode::adaptive, days_later(0.3 * i));
  CHECK(std::abs(often.strength_e9 - once.strength_e9) <= 100); // of rounding to 1e-9
  // A clock that goes back decays no day twice.
  const auto back = decayed_signals(once, memory_mode::adaptive, days_later(10));
  CHECK(back.strength_e9 == once.strength_e9);
  CHECK(back.last_decay_at == days_later(30));
  const auto again = decayed_signals(back, memory_mode::adaptive, days_later(30));
  CHECK(again.strength_e9 == once.strength_e9);
}

TEST_CASE("6.3 decay counts from the last access when that is later") {
  auto s = with_strength(10);
  s = decayed_signals(s, memory_mode::adaptive, days_later(1));
  const auto kept = s.strength_e9;
  s = touched_signals(s, memory_mode::adaptive, kept, days_later(5));
  s = decayed_signals(s, memory_mode::adaptive, days_later(5));
  CHECK(s.strength_e9 == kept);
}
