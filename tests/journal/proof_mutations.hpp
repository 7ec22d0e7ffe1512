#pragma once
/// Everything that can be wrong with a proof bundle by one step.

#include <functional>
#include <string>

#include "mneme/proof.hpp"

namespace mneme::samples {

/// Calls `wrong` with copies of `bundle` of which each differs in one place, and with what was
/// changed: every bit of every field flipped; siblings dropped, doubled, added, zeroed or swapped;
/// kinds of proofs exchanged; namespaces and seqs moved. None of them is true of the bundle's root.
void each_mutation(const proof_bundle& bundle,
                   const std::function<void(const proof_bundle&, const std::string&)>& wrong);

} // namespace mneme::samples
