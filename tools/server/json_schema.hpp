#pragma once
/// JSON Schema (2020-12) of requests, made of the tables that validate them, and of answers.

#include <span>
#include <string_view>

#include "tools/protocol/op_table.hpp"

namespace mneme::server {

using protocol::json;

json schema_of(const protocol::shape& s);
/// One key of an op, with what it means.
json schema_of_key(std::string_view op, const protocol::key_shape& key);
/// A request of `op`, without the key op itself.
json request_schema(const protocol::op_spec& op);

/// An answer of `op` that is ok, without `ok`: exactly the members that the op table lists.
json answer_schema(const protocol::op_spec& op);
/// {"ok":false,"error":{…}}.
json error_schema();
/// What answer schemas refer to as #/$defs/NAME.
json answer_definitions();

} // namespace mneme::server
