#pragma once
/// What runs the ops that read, and those of the world as a whole. Precondition of all: the shape
/// was checked.

#include <span>

#include "mneme/tick.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

std::span<const key_shape> get_keys() noexcept;
std::span<const key_shape> resolve_keys() noexcept;
std::span<const key_shape> get_edge_keys() noexcept;
std::span<const key_shape> edges_keys() noexcept;
std::span<const key_shape> stale_of_keys() noexcept;
std::span<const key_shape> find_many_keys() noexcept;
std::span<const key_shape> clock_keys() noexcept;
std::span<const key_shape> root_keys() noexcept;
std::span<const key_shape> snapshot_keys() noexcept;
std::span<const key_shape> journal_keys() noexcept;
std::span<const key_shape> checkpoint_keys() noexcept;
std::span<const key_shape> stats_keys() noexcept;
std::span<const key_shape> verify_keys() noexcept;

/// Who asks, and as of when.
read_options read_asker(value_reader& in, const json_path& at);
/// The memory that is asked for: `id`, or `namespace` and `key`.
struct named_memory {
  memory_id id{};
  std::optional<memory_key> key{};
};
named_memory read_named(value_reader& in);

result<get_read> read_get(const json& request, const json_path& at);
result<resolve_read> read_resolve(const json& request, const json_path& at);
result<edges_read> read_edges(const json& request, const json_path& at);

/// What get and resolve answer.
json reading_json(const memory_reading& whole);

result<json> run_get(session& s, const json& request);
result<json> run_resolve(session& s, const json& request);
result<json> run_get_edge(session& s, const json& request);
result<json> run_edges(session& s, const json& request);
result<json> run_stale_of(session& s, const json& request);
result<json> run_find(session& s, const json& request);
result<json> run_find_many(session& s, const json& request);
result<json> run_clock(session& s, const json& request);
result<json> run_root(session& s, const json& request);
result<json> run_snapshot(session& s, const json& request);
result<json> run_prove(session& s, const json& request);
result<json> run_journal(session& s, const json& request);
result<json> run_checkpoint(session& s, const json& request);
result<json> run_stats(session& s, const json& request);
result<json> run_verify(session& s, const json& request);

} // namespace mneme::protocol
