#pragma once
/// Edges of type related_to that say what follows what: turns of a talk, sections of a text.

#include <string_view>

#include "mneme/types.hpp"

namespace mneme {

/// Their `kind`. What follows a question and answers it is led to by an "answer", which says "next"
/// too.
inline constexpr std::string_view next_edge_kind = "next";
inline constexpr std::string_view answer_edge_kind = "answer";

/// The type that an "answer" has in read_views::order, where a "next" is related_to.
inline constexpr edge_type answer_in_order = edge_type::references;

} // namespace mneme
