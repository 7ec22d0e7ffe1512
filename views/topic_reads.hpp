#pragma once
/// What belongs to a topic, as of a seq: fields, their revisions, the audit log. Revisions are
/// immutable and numbered, so a field's state as of a seq says which of them there were.

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "messages/text/topic_text.hpp"
#include "mneme/topics.hpp"
#include "storage/kv_store.hpp"
#include "views/asker.hpp"

namespace mneme {

// A field that was erased is none; `erased` gets what is left of it, also as of before.

result<std::optional<topic_field>> read_field(kv_reader& reader, const memory_id& topic,
                                              std::string_view name, seq_no at);
/// Those of `names` (ascending) that there are, in their order. Takes about as many reads as the
/// shorter of both lists is long: the names asked for, the fields that there are.
result<std::vector<topic_field>> read_fields_named(kv_reader& reader, const memory_id& topic,
                                                   std::span<const std::string_view> names,
                                                   seq_no at,
                                                   std::vector<topic_field>* erased = nullptr);
/// By name.
result<std::vector<topic_field>> read_fields(kv_reader& reader, const memory_id& topic, seq_no at,
                                             std::vector<topic_field>* erased = nullptr);
/// One that its field says it has; missing is corrupt.
result<field_revision> read_revision(kv_reader& reader, const field_head& field,
                                     std::uint32_t number);
/// What the fields of a topic held, by name.
result<std::vector<topic_value>> read_field_values(kv_reader& reader, const memory_id& topic,
                                                   seq_no at);
/// All of a field, by number.
result<std::vector<field_revision>> read_revisions(kv_reader& reader, const field_head& field);
/// In journal order. `admits` is asked for each: what it refuses with is the answer.
result<std::vector<topic_event>>
read_events(kv_reader& reader, const memory_id& topic, seq_no at,
            const std::function<result<void>(const topic_event&)>& admits = {});

/// The order of a history: a field's own revisions, newest first, then those that merges filed
/// behind it, latest valid_from first.
void order_history(std::vector<field_revision>& revisions);

/// The field as it is shown. Reads one revision where the current one is all that is asked, and
/// holds little more than the history that is, however long the whole one is.
result<topic_field_view> read_field_view(kv_reader& reader, topic_field field,
                                         const field_options& options);

/// Takes the ids of topics that `who` may not see out of what is shown of one that it may see: what
/// a field refers to, and which topics were merged into this one.
result<void> cut_hidden_topics(topic_field_view& view, kv_reader& reader, const asker& who,
                               seq_no at);
result<void> cut_hidden_topics(topic_event& event, kv_reader& reader, const asker& who, seq_no at);

} // namespace mneme
