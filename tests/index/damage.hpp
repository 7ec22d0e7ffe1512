#pragma once
/// Damage to checkpoint images: every owner must refuse all of it and stay empty.

#include <catch2/catch.hpp>
#include <string>

#include "mneme/error.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

/// Truncations, flipped bits, garbage and foreign images; `load(image)` loads into a fresh object
/// and returns its result. `load` must fail with corrupt each time.
template <class Load>
void check_damage_is_refused(const std::string& image, Load load) {
  const auto refuses = [&](const std::string& damaged) {
    const result<void> loaded = load(damaged);
    return !loaded.has_value() && loaded.error().code == errc::corrupt;
  };
  dice d(image.size());
  for (std::size_t length = 0; length < image.size(); length += 1 + image.size() / 200)
    REQUIRE(refuses(image.substr(0, length)));
  REQUIRE(refuses(image.substr(0, image.size() - 1)));
  REQUIRE(refuses(image + '\0'));
  REQUIRE(refuses(image.substr(1)));
  for (int i = 0; i < 300; ++i) {
    std::string flipped = image;
    char& c = flipped[d.below(flipped.size())];
    c = static_cast<char>(c ^ (1 << d.below(8)));
    REQUIRE(refuses(flipped));
  }
  for (int i = 0; i < 100; ++i) {
    std::string garbage(d.below(500), '\0');
    for (char& c : garbage) c = static_cast<char>(d.below(256));
    REQUIRE(refuses(garbage));
  }
}

/// Recomputes the check sums of an image that was changed on purpose, so that what is behind them
/// is tested: nothing may crash, whatever is loaded.
std::string with_checksum(std::string image);

} // namespace mneme
