#pragma once
/// A predicate tree as JSON: an object with exactly one key, the operator.

#include "mneme/query.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

/// The shape; none or several keys are bad_value.
result<void> check_predicate(const json& value, const json& owner, const json_path& at);

namespace shapes {
inline constexpr shape predicate{.kind = shape_kind::custom,
                                 .name = "predicate",
                                 .check = check_predicate,
                                 .json_schema =
                                     R"({"type":"object","minProperties":1,"maxProperties":1})"};
} // namespace shapes

/// Precondition: the shape was checked.
mneme::predicate read_predicate(const json& value);

} // namespace mneme::protocol
