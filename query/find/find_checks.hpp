#pragma once
/// Static checks of a find request: everything that needs no state but the types asked.

#include <cstdint>
#include <string>
#include <vector>

#include "mneme/query.hpp"
#include "query/predicate/field_reference.hpp"

namespace mneme {

inline constexpr std::int64_t max_follow_hops = 6;
/// Where the budget says how many nearest rows there are: at least so many are looked at, and at
/// most.
inline constexpr std::uint64_t least_near_k = 16;
inline constexpr std::uint64_t most_near_k = 1024;

/// Bounds, enum values, texts, exclusive keys and the vector, in that order.
result<void> check_bounds(const find_request& r);
/// follow without from, then its values.
result<void> check_follow(const find_request& r);
/// order_by and rank against what the query has.
result<void> check_order(const find_request& r);

/// Precondition of these: check_bounds passed.
[[nodiscard]] bool has_near(const find_request& r) noexcept;
/// The types asked, all of them when none is named.
[[nodiscard]] type_set types_asked(const find_request& r) noexcept;
/// offset + limit, saturating; max when there is no limit.
[[nodiscard]] std::uint64_t page_end(const find_request& r) noexcept;
/// Is it the budget that says how many nearest rows there are?
[[nodiscard]] bool fills_budget(const find_request& r) noexcept;
/// How many nearest rows are kept.
[[nodiscard]] std::uint64_t near_count(const find_request& r) noexcept;
/// Tags that every row must have: has_tag at the top or below nested `and`s only.
[[nodiscard]] std::vector<std::string> required_tags(const find_request& r);
/// These, and the tags of namespaces that are demanded likewise.
[[nodiscard]] std::vector<std::string> driving_tags(const find_request& r);
/// order_by without repeated fields, or the default of the request; never empty.
[[nodiscard]] std::vector<order_by> order_asked(const find_request& r);

} // namespace mneme
