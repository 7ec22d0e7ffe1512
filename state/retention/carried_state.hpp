#pragma once
/// What a trim carries of the entries that it drops.

#include "index/columns/attributes.hpp"
#include "index/rows/node_table.hpp"
#include "messages/codec/entry.hpp"

namespace mneme {

/// Sets activation and signals of the memories that the trim names to what they were before its
/// point. Precondition: `owner` stands right before that.
void carry_into(attributes& owner, node_table& nodes, const trim_payload& trim);

} // namespace mneme
