#pragma once
/// Absence as an answer: "no memory says X", with what was searched, as of which state, and where
/// ids or fields are named with proofs that they are not in it.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> absent_keys() noexcept;
/// {absent, searched?, best_match?, nearest?, ids?, fields?, proof?, seq, root}. missing_key where
/// neither query, ids nor fields are given; unsupported for ids or fields with at_seq.
result<json> run_absent(session& s, const json& request);

} // namespace mneme::protocol
