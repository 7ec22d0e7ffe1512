#pragma once
/// Chromatic gravity: a set of anchors as one point. c0 is their plain mean; then three times
/// w_i = mass_i / (0.1 + |anchor_i - c|²), c = Σ w_i·anchor_i / Σ w_i. Storage and query use this
/// one function; sums run in the order given, in f64, without contraction or clamping.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mneme/chroma.hpp"

namespace mneme {

struct lab_point {
  double L = 0;
  double a = 0;
  double b = 0;

  friend bool operator==(const lab_point&, const lab_point&) = default;
};

/// At least one id of the semantic stack.
lab_point gravity(std::span<const std::uint32_t> anchors);
/// The same after `rounds` rounds instead of three.
lab_point gravity(std::span<const std::uint32_t> anchors, int rounds);

double distance(const lab_point& x, const lab_point& y);

hashtag_counts count_zones(std::span<const std::uint32_t> anchors);
/// The first rule that the anchors break, in the order of the specification: at least 1 Core, at
/// least 1 Outer, at least 8 in all, at least 65 % of them Mid.
std::optional<hashtag_problem> check_mix(const hashtag_counts& counts);
/// bad_hashtags with reason and counts in its text; hashtag_refusal_of reads them back.
error bad_hashtags(hashtag_problem reason, const hashtag_counts& counts, std::string_view detail);

} // namespace mneme
