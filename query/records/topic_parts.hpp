#pragma once
/// Reads of a topic's fields and events. type_data_mismatch for any other memory. `erased` gets
/// what is left of fields that were erased.

#include "mneme/engine.hpp"
#include "query/deadline.hpp"
#include "views/read_views.hpp"

namespace mneme {

result<std::vector<topic_field_view>>
read_topic_fields(const read_views& views, const memory_id& topic, const field_options& fields,
                  const read_options& options, const deadline& time = {},
                  std::vector<topic_field>* erased = nullptr);
result<std::vector<topic_event>> read_topic_events(const read_views& views, const memory_id& topic,
                                                   const read_options& options,
                                                   const deadline& time = {});

} // namespace mneme
