#pragma once
/// Search as JSON: the keys of the request, its struct, and the answer.

#include <span>

#include "mneme/search.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> search_keys() noexcept;
std::span<const key_shape> search_many_keys() noexcept;
/// Precondition: the shape was checked.
result<search_request> read_search(const json& request, const json_path& at);
result<json> search_json(const search_result& found, const request_deadline& time);

result<json> run_search(session& s, const json& request);
result<json> run_search_many(session& s, const json& request);

} // namespace mneme::protocol
