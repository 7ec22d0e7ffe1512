#pragma once
/// What the built-in embedder depends on outside of this library.

#include <string>

namespace mneme {

/// One line: by which rules of text the words of a vector were told apart and folded. Its own
/// algorithm is in the name of its space; this names the tables of Unicode that it reads. Another
/// line: texts with characters of theirs may have other vectors.
const std::string& hash_embedder_rules();

} // namespace mneme
