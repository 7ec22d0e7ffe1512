#pragma once
/// The typed data of a memory as JSON: its shape by the schema of its type, and both directions.
/// `cost` is an object of asset and amount there.

#include "mneme/types.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

/// The type is `owner`'s key `type`, or that of its `uri`; without a good one only the JSON type
/// of `value` is checked (the bad type itself is reported later).
void check_data(const json& value, const json& owner, const json_path& at, fault_list& faults);
/// A metadata value: a scalar or a list of scalars.
result<void> check_meta_value(const json& value, const json& owner, const json_path& at);

namespace shapes {
inline constexpr shape data{.kind = shape_kind::custom,
                            .name = "data of the type",
                            .check_all = check_data,
                            .json_schema = R"({"type":"object"})"};
inline constexpr shape meta_value{.kind = shape_kind::custom,
                                  .check = check_meta_value,
                                  .json_schema =
                                      R"({"type":["string","number","boolean","array"],)"
                                      R"("items":{"type":["string","number","boolean"]}})"};
inline constexpr shape metadata{
    .kind = shape_kind::map, .name = "{name: scalar or list}", .item = &meta_value};
} // namespace shapes

/// Precondition: the shape was checked for `type`.
memory_data read_data(memory_type type, value_reader& data);
json data_json(memory_type type, const memory_data& data);

metadata_map read_metadata(const json& object);
json metadata_json(const metadata_map& metadata);

} // namespace mneme::protocol
