#pragma once
/// Sealing: the bytes of an entry's payload, with where its records stand in them.

#include "messages/codec/entry.hpp"

namespace mneme {

/// Fills `payload_bytes` and the spans of records of `into`. What `ready` has is taken as it is.
void encode_payload(const entry_payload& payload, const ready_records& ready, entry& into);

} // namespace mneme
