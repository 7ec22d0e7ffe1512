#pragma once
/// The ops about sources: ingest_source and promote. Reading files is not the protocol's business:
/// whoever runs a session gives it a reader.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> ingest_source_keys() noexcept;
std::span<const key_shape> promote_keys() noexcept;

result<json> run_ingest_source(session& s, const json& request);
result<json> run_promote(session& s, const json& request);

} // namespace mneme::protocol
