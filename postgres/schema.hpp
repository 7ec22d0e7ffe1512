#pragma once
/// The relations of a log in PostgreSQL, as plain SQL: no sequence, no advisory lock, no trigger,
/// no extension.

#include <cstdint>
#include <string_view>
#include <vector>

namespace mneme {

/// Of what is in these relations. A log of another format is not touched.
inline constexpr unsigned postgres_log_format = 1;
/// Of one that was trimmed: frames may lack payloads, as their heads then say.
inline constexpr unsigned trimmed_postgres_log_format = 2;

/// Statements that make them where they are not; one transaction.
const std::vector<std::string_view>& postgres_schema();

/// How many relations of these names there are, and how many columns of them that are as the
/// schema has them, and how many that a crash of the server empties. Of the catalogue alone, so
/// that it needs no rights.
extern const std::string_view schema_query;
inline constexpr std::uint64_t columns_of_schema = 21;

} // namespace mneme
