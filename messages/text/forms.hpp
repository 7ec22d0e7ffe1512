#pragma once
/// Short, medium and full text of a memory: pure functions of type and data (UTC, no clock, no
/// locale).

#include "mneme/seams.hpp"
#include "mneme/types.hpp"

namespace mneme {

inline constexpr std::int64_t max_short_tokens = 50;
inline constexpr std::int64_t max_medium_tokens = 200;

/// Uncut short text.
std::string short_text(memory_type type, const memory_data& data);
/// Uncut medium text, which is also the `full` form.
std::string full_text(memory_type type, const memory_data& data);

/// Both forms: automatic ones are cut at a code-point boundary and end in `…`; a caller's own form
/// that is too long is form_too_long.
result<forms> render_forms(memory_type type, const memory_data& data, const forms_override& own,
                           const token_counter& counter);

/// The words that a search looks among, and shows: Chunk content, Event summary where there is one
/// (what kind of event it was is asked by its fields), else the full text.
std::string searched_text(memory_type type, const memory_data& data);

/// What an embedder is given: Topic title and summary (and what its fields hold: topic_text.hpp),
/// else the same.
std::string embedding_text(memory_type type, const memory_data& data);

} // namespace mneme
