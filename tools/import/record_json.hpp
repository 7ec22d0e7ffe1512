#pragma once
/// Whole records as JSON, for exports: unlike answers they have nonces and hashes, and they read
/// back to the same canonical bytes.

#include "mneme/engine.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::importing {

using protocol::json;

json head_record_json(const head& h);
json version_record_json(const version& v);
json edge_record_json(const edge_record& e);
/// {field, revisions}
json field_record_json(const field_record& f);

/// Shape and values are checked.
result<head> read_head_record(const json& value, const protocol::json_path& at);
result<version> read_version_record(const json& value, const protocol::json_path& at);
result<edge_record> read_edge_record(const json& value, const protocol::json_path& at);
result<put_field_record_request> read_field_record(const json& value,
                                                   const protocol::json_path& at);

} // namespace mneme::importing
