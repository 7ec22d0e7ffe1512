#pragma once
/// Requests about topics, from JSON to the structs of topics.hpp, and their answers.

#include <span>

#include "mneme/engine.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> ingest_keys() noexcept;
std::span<const key_shape> retrieve_keys() noexcept;
/// revise, forget
std::span<const key_shape> acting_keys() noexcept;
std::span<const key_shape> unarchive_keys() noexcept;

/// Precondition of all: the shape was checked. `at` is where the request stands in its document.
result<mutation> read_ingest(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_revise(const json& request, const json_path& at);
result<mutation> read_forget(const json& request, const json_path& at);
result<mutation> read_unarchive(const json& request, const json_path& at);
result<retrieve_request> read_retrieve(const json& request, const json_path& at);

/// Members of objects come in byte order.
json_value read_json_value(const json& value);
json json_of(const json_value& v);

json ingest_result_json(const mutation_result& r);
json revise_result_json(const mutation_result& r);
json forget_result_json(const mutation_result& r);
result<json> retrieve_json(const retrieve_result& found, const request_deadline& time);
json fields_json(const std::vector<topic_field_view>& fields);
/// Who erased them, when and why.
json erased_fields_json(const std::vector<topic_field>& fields);
json events_json(const std::vector<topic_event>& events);

} // namespace mneme::protocol
