#pragma once
/// What the keys of requests mean, for people and for models that read a schema: one sentence, and
/// the names that a key admits. The keys themselves and their types are those of the op table.

#include <string>
#include <string_view>
#include <vector>

namespace mneme::server {

struct key_note {
  std::string text{};
  /// The names that the key (or each item of its list) admits; empty: any.
  std::vector<std::string_view> names{};
};

/// Of a key of `op`, else of every key of that name, else an empty note.
key_note note_of(std::string_view op, std::string_view key);

} // namespace mneme::server
