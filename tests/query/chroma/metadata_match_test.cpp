// Values that a filter lists are found as by comparing with each.

#include "query/chroma/metadata_match.hpp"

#include <cstdint>
#include <limits>
#include <optional>

#include <catch2/catch.hpp>

using namespace mneme;

namespace {

/// As the filters are described: numbers equal numbers, else like equals like.
bool equals(const scalar& x, const scalar& y) {
  const auto number = [](const scalar& s) -> std::optional<double> {
    if (const auto* i = std::get_if<std::int64_t>(&s)) return static_cast<double>(*i);
    if (const auto* d = std::get_if<double>(&s)) return *d;
    return std::nullopt;
  };
  if (x.index() == y.index()) return x == y;
  return number(x) && number(y) && *number(x) == *number(y);
}

constexpr std::int64_t large = (std::int64_t{1} << 53) + 1; // no double is this number

const std::vector<scalar> values = {std::string(""),
                                    std::string("tea"),
                                    std::string("1"),
                                    true,
                                    false,
                                    std::int64_t{0},
                                    std::int64_t{1},
                                    std::int64_t{-7},
                                    large,
                                    large - 1,
                                    INT64_MAX,
                                    INT64_MIN,
                                    0.0,
                                    -0.0,
                                    1.0,
                                    0.5,
                                    -7.0,
                                    static_cast<double>(large),
                                    9223372036854775808.0,
                                    std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN()};

} // namespace

TEST_CASE("a value is one of a list where it equals one of its values") {
  for (std::size_t first = 0; first < values.size(); ++first)
    for (std::size_t second = first; second < values.size(); ++second) {
      const std::vector<scalar> list = {values[second], values[first]};
      const scalar_set set(list);
      for (std::size_t i = 0; i < values.size(); ++i) {
        INFO(first << " " << second << " " << i);
        CHECK(set.contains(values[i])
              == (equals(values[i], list[0]) || equals(values[i], list[1])));
      }
    }
  CHECK(scalar_set({}).empty());
  CHECK_FALSE(scalar_set({std::numeric_limits<double>::quiet_NaN()}).empty());
}

TEST_CASE("a memory passes when every condition holds") {
  metadata_filters filters;
  filters["kind"].any_of = {std::string("tea"), std::int64_t{5}};
  filters["size"].gte = 2.5;
  const metadata_match passes(filters);
  const auto with = [](meta_value kind, meta_value size) {
    return metadata_map{{"kind", std::move(kind)}, {"size", std::move(size)}};
  };
  CHECK(passes(with(std::string("tea"), std::int64_t{3})));
  CHECK(passes(with(5.0, 2.5)));
  CHECK_FALSE(passes(with(std::string("cup"), std::int64_t{3})));
  CHECK_FALSE(passes(with(std::vector<scalar>{std::string("tea")}, std::int64_t{3})));
  CHECK_FALSE(passes(with(std::string("tea"), std::string("3"))));
  CHECK_FALSE(passes({{"kind", std::string("tea")}}));
  CHECK(metadata_match({})({}));
}
