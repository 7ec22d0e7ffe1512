#pragma once
/// Requests and answers of the door by colour.

#include <span>

#include "mneme/chroma.hpp"
#include "mneme/requests.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> assign_tag_keys() noexcept;
std::span<const key_shape> chroma_keys() noexcept;
std::span<const key_shape> chroma_many_keys() noexcept;
std::span<const key_shape> decay_keys() noexcept;
std::span<const key_shape> point_keys() noexcept;
std::span<const key_shape> suggest_hashtags_keys() noexcept;
std::span<const key_shape> tags_keys() noexcept;

result<mutation> read_assign_tag(const json& request, const json_path& at, fault_list faults = {});
json assign_tag_result_json(const mutation_result& r);
result<chroma_request> read_chroma(const json& request, const json_path& at);
result<json> chroma_json(const chroma_result& found, const request_deadline& time);

result<json> run_chroma(session& s, const json& request);
result<json> run_chroma_many(session& s, const json& request);
result<json> run_decay(session& s, const json& request);
result<json> run_point(session& s, const json& request);
result<json> run_suggest_hashtags(session& s, const json& request);
result<json> run_tags(session& s, const json& request);

} // namespace mneme::protocol
