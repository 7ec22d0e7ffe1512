#pragma once
/// The requests that change a world: their keys, and from JSON to the structs of requests.hpp.

#include <span>

#include "mneme/requests.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> write_keys() noexcept;
/// With `created_at`, which only importers may give.
std::span<const key_shape> write_import_keys() noexcept;
std::span<const key_shape> put_keys() noexcept;
std::span<const key_shape> delete_by_keys() noexcept;
std::span<const key_shape> sweep_keys() noexcept;
std::span<const key_shape> update_keys() noexcept;
std::span<const key_shape> update_head_keys() noexcept;
std::span<const key_shape> tombstone_keys() noexcept;
std::span<const key_shape> restore_keys() noexcept;
std::span<const key_shape> add_edge_keys() noexcept;
std::span<const key_shape> add_edge_import_keys() noexcept;
std::span<const key_shape> remove_edge_keys() noexcept;

/// Precondition of all: the shape was checked. `at` is where the request stands in its document.
result<mutation> read_write(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_put(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_delete_by(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_sweep(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_update(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_update_head(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_tombstone(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_restore(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_add_edge(const json& request, const json_path& at, fault_list faults = {});
result<mutation> read_remove_edge(const json& request, const json_path& at, fault_list faults = {});

} // namespace mneme::protocol
