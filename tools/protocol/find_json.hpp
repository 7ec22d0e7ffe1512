#pragma once
/// Find as JSON: the keys of the request, the predicate tree, and the request's struct.

#include <span>
#include <vector>

#include "mneme/query.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

std::span<const key_shape> find_keys() noexcept;
/// Precondition: the shape was checked.
result<find_request> read_find(const json& request, const json_path& at);

/// Of the key `types`.
std::vector<memory_type> read_types(value_reader& in);

/// short, medium, full: in the order of form_kind.
std::span<const std::string_view> form_names() noexcept;
/// Text of a form as requests and answers have it: short, medium, full.
std::string_view to_text(form_kind form) noexcept;

} // namespace mneme::protocol
