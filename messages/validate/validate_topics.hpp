#pragma once
/// The rules for requests about topics that need no state.

#include "messages/validate/fault_list.hpp"
#include "mneme/topics.hpp"

namespace mneme {

inline constexpr std::size_t max_field_name_bytes = 128;
inline constexpr std::size_t max_fields_per_request = 1024;
inline constexpr std::size_t max_links_per_request = 1024;
/// Above it saliences would not fit their fixed point.
inline constexpr double max_topic_salience = 1e9;

/// All that is wrong, place by place; `validate` tells it as one error.
fault_list faults_of(const ingest_request& r);
result<void> validate(const ingest_request& r);
result<void> validate(const revise_request& r);
result<void> validate(const forget_request& r);
result<void> validate(const unarchive_request& r);
/// Nothing is restored that could not have been written.
result<void> validate(const put_field_record_request& r);

/// What a new field without a declared type is.
topic_field_type type_of(const json_value& v) noexcept;

} // namespace mneme
