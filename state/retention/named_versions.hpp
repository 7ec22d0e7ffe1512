#pragma once
/// Which versions of other memories an entry names, so that whoever reads it may ask for them.

#include <compare>
#include <cstdint>
#include <vector>

#include "messages/codec/entry.hpp"

namespace mneme {

struct named_version {
  memory_id id;
  std::uint32_t number = 0;

  friend auto operator<=>(const named_version&, const named_version&) = default;
};

/// By the uris that it has: of what a content and a field's revision rest on and speak of, of an
/// edge's data, of what a compact record kept, whose text is read from its version.
std::vector<named_version> named_versions(const entry_payload& payload);

} // namespace mneme
