#pragma once
/// Proofs as JSON, both ways: what `prove` answers is what `verify --proof` reads.

#include <span>

#include "mneme/engine.hpp"
#include "mneme/proof.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> prove_keys() noexcept;
/// Precondition: the shape was checked. missing_key when nothing is asked for.
result<prove_request> read_prove(const json& request, const json_path& at);

json proof_json(const proof_bundle& bundle);
/// Reads an answer of `prove` (with or without `ok`), checking its shape.
result<proof_bundle> read_proof(const json& answer);
/// verify(), and there is a proof: roots alone say nothing of any memory.
result<void> verify_proofs(const proof_bundle& bundle);

} // namespace mneme::protocol
