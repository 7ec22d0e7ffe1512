#pragma once
/// A memory's head and version as their canonical bytes, decoded when somebody looks in.

#include <cstdint>
#include <memory>

#include "mneme/types.hpp"

namespace mneme {

/// A record as a reader takes it. Head and version may be decoded when somebody first looks in.
struct taken_record {
  shared<mneme::head> head;
  shared<mneme::version> version;
  std::uint64_t held = 0; ///< bytes that both hold decoded, about
  bool is_coloured = false;
};

/// Both in one piece, and what the bytes do not say without a look at all of them.
struct packed_record {
  std::shared_ptr<const char[]> bytes; // NOLINT(modernize-avoid-c-arrays): one allocation
  std::uint32_t head_size = 0;         ///< the head is at the begin
  std::uint32_t version_at = 0;
  std::uint32_t version_size = 0;
  std::uint64_t held = 0; ///< bytes that both hold decoded, about
  bool is_coloured = false;
};

/// Precondition: the bytes are those of encode().
taken_record unpack(packed_record packed);

} // namespace mneme
