#pragma once
/// What runs the ops about topics. Precondition of all: the shape was checked.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> retrieve_many_keys() noexcept;

result<json> run_retrieve(session& s, const json& request);
result<json> run_retrieve_many(session& s, const json& request);
result<json> run_revise(session& s, const json& request);
result<json> run_forget(session& s, const json& request);
result<json> run_unarchive(session& s, const json& request);

} // namespace mneme::protocol
