#pragma once
/// What an answer of `absent` can be held to without the world: its ids and fields, each by its
/// proof. What a question found has none.

#include <string>
#include <vector>

#include "mneme/proof.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

/// The proofs of an answer of `absent`; of any other answer it is read as one of `prove`.
/// proof_mismatch where ids, fields, `absent`, the seq or the root are others than the proofs say;
/// missing_key where it has none. The proofs themselves are verify_proofs()'s.
result<proof_bundle> read_proven(const json& answer);

/// What each proof is of, in its order: "01HZ… is absent", "field \"city\" of 01HZ… is present".
std::vector<std::string> proven_items(const proof_bundle& bundle);

} // namespace mneme::protocol
