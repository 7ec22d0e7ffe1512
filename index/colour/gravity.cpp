#include "index/colour/gravity.hpp"

#include <bit>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "index/colour/semantic_stack.hpp"
#include "messages/ensure.hpp"
#include "messages/hash.hpp"

namespace mneme {

namespace {

constexpr int gravity_rounds = 3;
constexpr double softening = 0.1;
constexpr std::size_t least_hashtags = 8;
constexpr std::size_t node_id_digits = 12;

lab_point plain_mean(std::span<const std::uint32_t> anchors) {
  const semantic_stack& stack = semantic_stack::instance();
  lab_point sum;
  for (const std::uint32_t id : anchors) {
    const anchor& x = stack.at(id);
    sum.L += x.L;
    sum.a += x.a;
    sum.b += x.b;
  }
  const auto n = static_cast<double>(anchors.size());
  return {sum.L / n, sum.a / n, sum.b / n};
}

lab_point pulled(std::span<const std::uint32_t> anchors, const lab_point& c) {
  const semantic_stack& stack = semantic_stack::instance();
  lab_point sum;
  double weights = 0;
  for (const std::uint32_t id : anchors) {
    const anchor& x = stack.at(id);
    const double dL = x.L - c.L;
    const double da = x.a - c.a;
    const double db = x.b - c.b;
    const double w = x.mass / (softening + (dL * dL + da * da + db * db));
    sum.L += w * x.L;
    sum.a += w * x.a;
    sum.b += w * x.b;
    weights += w;
  }
  return {sum.L / weights, sum.a / weights, sum.b / weights};
}

constexpr std::string_view count_words = "counts: core {}, mid {}, outer {}, total {}";

std::optional<std::size_t> count_after(std::string_view text, std::string_view word) {
  const auto at = text.rfind(word);
  if (at == std::string_view::npos) return std::nullopt;
  const char* first = text.data() + at + word.size();
  std::size_t number = 0;
  const auto read = std::from_chars(first, text.data() + text.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

} // namespace

lab_point gravity(std::span<const std::uint32_t> anchors) {
  return gravity(anchors, gravity_rounds);
}

lab_point gravity(std::span<const std::uint32_t> anchors, int rounds) {
  ensure(!anchors.empty(), "a place is drawn by anchors");
  lab_point c = plain_mean(anchors);
  for (int i = 0; i < rounds; ++i) c = pulled(anchors, c);
  return c;
}

double distance(const lab_point& x, const lab_point& y) {
  const double dL = x.L - y.L;
  const double da = x.a - y.a;
  const double db = x.b - y.b;
  return std::sqrt(dL * dL + da * da + db * db);
}

hashtag_counts count_zones(std::span<const std::uint32_t> anchors) {
  hashtag_counts counts;
  for (const std::uint32_t id : anchors) switch (zone_of(id)) {
    case colour_zone::core:
      ++counts.core;
      break;
    case colour_zone::mid:
      ++counts.mid;
      break;
    case colour_zone::outer:
      ++counts.outer;
      break;
    }
  return counts;
}

std::optional<hashtag_problem> check_mix(const hashtag_counts& counts) {
  if (counts.core == 0) return hashtag_problem::no_core;
  if (counts.outer == 0) return hashtag_problem::no_outer;
  if (counts.total() < least_hashtags) return hashtag_problem::too_few;
  // mid / total >= 0.65 without a fraction.
  if (counts.mid * 100 < counts.total() * 65) return hashtag_problem::mid_ratio;
  return std::nullopt;
}

error bad_hashtags(hashtag_problem reason, const hashtag_counts& counts, std::string_view detail) {
  return {
      errc::bad_hashtags,
      fmt::format("{} (reason {}; {})", detail, to_string(reason),
                  fmt::format(count_words, counts.core, counts.mid, counts.outer, counts.total())),
      "hashtags"};
}

std::string_view to_string(hashtag_problem v) noexcept {
  switch (v) {
  case hashtag_problem::unknown_tag:
    return "unknown_tag";
  case hashtag_problem::no_core:
    return "no_core";
  case hashtag_problem::no_outer:
    return "no_outer";
  case hashtag_problem::too_few:
    return "too_few";
  case hashtag_problem::mid_ratio:
    return "mid_ratio";
  }
  return {};
}

std::optional<hashtag_refusal> hashtag_refusal_of(const error& e) {
  if (e.code != errc::bad_hashtags) return std::nullopt;
  // The last one: a tag in the text before it may hold anything.
  const auto at = e.message.rfind("(reason ");
  if (at == std::string::npos) return std::nullopt;
  const std::string_view text = std::string_view(e.message).substr(at);
  hashtag_refusal refusal;
  for (int i = 1; i <= static_cast<int>(hashtag_problem::mid_ratio); ++i) {
    const auto reason = static_cast<hashtag_problem>(i);
    if (text.starts_with(fmt::format("(reason {};", to_string(reason)))) refusal.reason = reason;
  }
  const auto core = count_after(text, "core ");
  const auto mid = count_after(text, "mid ");
  const auto outer = count_after(text, "outer ");
  if (refusal.reason == hashtag_problem{} || !core || !mid || !outer) return std::nullopt;
  refusal.counts = {*core, *mid, *outer};
  return refusal;
}

std::string node_id_of(double L, double a, double b) {
  std::string bytes;
  for (const double x : {L, a, b}) {
    const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
    for (int shift = 56; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<char>((bits >> shift) & 0xFFU));
  }
  return "node_" + to_hex(sha256_of(bytes)).substr(0, node_id_digits);
}

} // namespace mneme
