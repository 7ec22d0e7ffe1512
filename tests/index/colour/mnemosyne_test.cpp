// Spec 6.3: memory signals, what a touch and a decay cycle make of them, ascension and rot.
#include <cmath>

#include <catch2/catch.hpp>

#include "index/colour/mnemosyne.hpp"
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

} // namespace

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
