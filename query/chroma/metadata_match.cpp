#include "query/chroma/metadata_match.hpp"

#include <algorithm>
#include <compare>

namespace mneme {

namespace {

/// The value as a scalar; nullopt for a list.
std::optional<scalar> scalar_of(const meta_value& value) {
  return std::visit(
      [](const auto& v) -> std::optional<scalar> {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::vector<scalar>>)
          return std::nullopt;
        else
          return scalar(v);
      },
      value);
}

/// Numbers with numbers, text with text, truth with truth; unordered otherwise.
std::partial_ordering compare(const scalar& x, const scalar& y) {
  return std::visit(
      [](const auto& a, const auto& b) -> std::partial_ordering {
        using left = std::decay_t<decltype(a)>;
        using right = std::decay_t<decltype(b)>;
        constexpr bool are_numbers = std::is_arithmetic_v<left> && std::is_arithmetic_v<right>
                                     && !std::is_same_v<left, bool> && !std::is_same_v<right, bool>;
        if constexpr (std::is_same_v<left, right>)
          return a <=> b;
        else if constexpr (are_numbers)
          return static_cast<double>(a) <=> static_cast<double>(b);
        else
          return std::partial_ordering::unordered;
      },
      x, y);
}

bool equals(const scalar& x, const scalar& y) {
  return compare(x, y) == 0;
}

/// Ranges are for numbers and text.
bool is_ordered(const scalar& v) {
  return !std::holds_alternative<bool>(v);
}

bool contains(const meta_value& value, const scalar& wanted) {
  if (const auto* list = std::get_if<std::vector<scalar>>(&value))
    return std::ranges::any_of(*list, [&](const scalar& item) { return equals(item, wanted); });
  const auto* text = std::get_if<std::string>(&value);
  const auto* part = std::get_if<std::string>(&wanted);
  return text != nullptr && part != nullptr && text->find(*part) != std::string::npos;
}

bool passes(const metadata_filter& f, const meta_value& value) {
  const auto v = scalar_of(value);
  const auto is_one_of = [&] {
    return std::ranges::any_of(f.any_of, [&](const scalar& x) { return equals(*v, x); });
  };
  if (!f.any_of.empty() && !(v && is_one_of())) return false;
  const bool has_range = f.gte || f.gt || f.lte || f.lt;
  if (has_range && !(v && is_ordered(*v))) return false;
  if (f.gte && !(compare(*v, *f.gte) >= 0)) return false;
  if (f.gt && !(compare(*v, *f.gt) > 0)) return false;
  if (f.lte && !(compare(*v, *f.lte) <= 0)) return false;
  if (f.lt && !(compare(*v, *f.lt) < 0)) return false;
  return !f.contains || contains(value, *f.contains);
}

} // namespace

bool matches(const metadata_filters& filters, const metadata_map& metadata) {
  return std::ranges::all_of(filters, [&](const auto& filter) {
    const auto found = metadata.find(filter.first);
    return found != metadata.end() && passes(filter.second, found->second);
  });
}

} // namespace mneme
