#include "query/chroma/metadata_match.hpp"

#include <algorithm>
#include <cmath>
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

bool has(const auto& sorted, const auto& value) {
  return std::ranges::binary_search(sorted, value);
}

} // namespace

scalar_set::scalar_set(const std::vector<scalar>& values) : is_empty_(values.empty()) {
  for (const auto& value : values) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      texts_.push_back(*text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      integers_.push_back(*integer);
      rounded_.push_back(static_cast<double>(*integer));
    } else if (const auto* number = std::get_if<double>(&value)) {
      if (!std::isnan(*number)) numbers_.push_back(*number); // it equals nothing, and has no order
    } else {
      truths_[std::get<bool>(value) ? 1 : 0] = true;
    }
  }
  std::ranges::sort(texts_);
  std::ranges::sort(integers_);
  std::ranges::sort(rounded_);
  std::ranges::sort(numbers_);
}

bool scalar_set::contains(const scalar& value) const {
  if (const auto* text = std::get_if<std::string>(&value)) return has(texts_, *text);
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return has(integers_, *integer) || has(numbers_, static_cast<double>(*integer));
  if (const auto* number = std::get_if<double>(&value))
    return !std::isnan(*number) && (has(numbers_, *number) || has(rounded_, *number));
  return truths_[std::get<bool>(value) ? 1 : 0];
}

metadata_match::metadata_match(const metadata_filters& filters) {
  conditions_.reserve(filters.size());
  for (const auto& [key, filter] : filters)
    conditions_.push_back({key, filter, scalar_set(filter.any_of)});
}

bool metadata_match::passes(const condition& c, const meta_value& value) {
  const metadata_filter& f = c.filter;
  const auto v = scalar_of(value);
  if (!c.any_of.empty() && !(v && c.any_of.contains(*v))) return false;
  const bool has_range = f.gte || f.gt || f.lte || f.lt;
  if (has_range && !(v && is_ordered(*v))) return false;
  if (f.gte && !(compare(*v, *f.gte) >= 0)) return false;
  if (f.gt && !(compare(*v, *f.gt) > 0)) return false;
  if (f.lte && !(compare(*v, *f.lte) <= 0)) return false;
  if (f.lt && !(compare(*v, *f.lt) < 0)) return false;
  return !f.contains || contains(value, *f.contains);
}

bool metadata_match::operator()(const metadata_map& metadata) const {
  return std::ranges::all_of(conditions_, [&](const condition& c) {
    const auto found = metadata.find(c.key);
    return found != metadata.end() && passes(c, found->second);
  });
}

} // namespace mneme
