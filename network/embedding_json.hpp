#pragma once
/// The bodies of an OpenAI-compatible embeddings endpoint. An answer comes from a stranger: all of
/// it is checked.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/error.hpp"

namespace mneme {

/// {"encoding_format":"float","input":[…],"model":…}; `model` is left out if empty.
std::string embedding_request_json(std::string_view model, std::span<const std::string> texts);

/// The vectors of {"data":[{"embedding":[…],"index":i}…]}, `count` of them, in the order of the
/// texts, each of `dim` numbers (0 = any, but the same). io: not such an answer; dim_mismatch;
/// bad_vector: a number that no float holds, or a zero vector.
result<std::vector<std::vector<float>>> read_embedding_answer(std::string_view body,
                                                              std::size_t count, std::uint32_t dim);

/// What an error answer says ({"error":{"message":…}} or {"error":…}), else its first bytes;
/// printable and short.
std::string embedding_error_text(std::string_view body);

} // namespace mneme
