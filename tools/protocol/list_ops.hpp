#pragma once
/// The ops that say what there is: list, history, namespaces, actors. Precondition of all: the
/// shape was checked.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> list_keys() noexcept;
std::span<const key_shape> history_keys() noexcept;
/// Of namespaces and actors.
std::span<const key_shape> count_keys() noexcept;

result<json> run_list(session& s, const json& request);
result<json> run_history(session& s, const json& request);
result<json> run_namespaces(session& s, const json& request);
result<json> run_actors(session& s, const json& request);

} // namespace mneme::protocol
