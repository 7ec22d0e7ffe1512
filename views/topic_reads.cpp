#include "views/topic_reads.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "messages/codec/topic_records.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

namespace {

/// Decodes every row of a range into `out`.
template <class Record, class Decode>
result<void> decode_rows(kv_reader& reader, const std::string& lower, const std::string& upper,
                         std::vector<Record>& out, Decode decode,
                         const std::function<result<void>(const Record&)>& admits = {}) {
  result<void> decoded;
  auto scanned =
      reader.scan(kv_table::fields, lower, upper, [&](std::string_view, std::string_view value) {
        auto record = decode(value);
        if (!record) {
          decoded = propagate(record);
          return false;
        }
        if (admits) decoded = admits(*record);
        if (!decoded) return false;
        out.push_back(std::move(*record));
        return true;
      });
  if (!scanned) return scanned;
  return decoded;
}

/// Those from `first` to `last` that the field says it has, by number.
result<std::vector<field_revision>> revisions_between(kv_reader& reader, const field_head& field,
                                                      std::uint32_t first, std::uint32_t last) {
  std::vector<field_revision> revisions;
  const std::size_t count = std::size_t{last} + 1 - first;
  revisions.reserve(count);
  std::string upper = keys::field_revision(field.topic, field.name, last);
  upper.push_back('\0'); // behind the last one
  if (auto ok = decode_rows(reader, keys::field_revision(field.topic, field.name, first), upper,
                            revisions, decode_field_revision);
      !ok)
    return propagate(ok);
  if (revisions.size() != count)
    return fail(errc::corrupt, "field " + field.name + " of " + to_string(field.topic)
                                   + " lacks revisions in the store");
  return revisions;
}

bool is_valid_at(const field_revision& r, timestamp as_of) {
  return r.valid_from <= as_of && (!r.valid_until || as_of < *r.valid_until);
}

result<void> cut_hidden(std::optional<memory_id>& topic, kv_reader& reader, const asker& who,
                        seq_no at) {
  if (!topic) return {};
  auto is_seen = who.may_see(reader, *topic, at);
  if (!is_seen) return propagate(is_seen);
  if (!*is_seen) topic.reset();
  return {};
}

} // namespace

namespace {

/// Also what is left of one that was erased.
result<std::optional<topic_field>> read_field_row(kv_reader& reader, const memory_id& topic,
                                                  std::string_view name, seq_no at) {
  auto row = reader.newest(kv_table::fields, keys::field_prefix(topic, name), at);
  if (!row) return propagate(row);
  if (!row->has_value()) return std::optional<topic_field>{};
  auto field = decode_topic_field((*row)->second);
  if (!field) return propagate(field);
  return std::optional<topic_field>(std::move(*field));
}

/// Of a field that has no row as of `at`: what is left of it, if it was erased since.
result<std::optional<topic_field>> read_erased_since(kv_reader& reader, const memory_id& topic,
                                                     std::string_view name, seq_no at) {
  std::optional<topic_field> found;
  result<void> decoded;
  const std::string prefix = keys::field_prefix(topic, name);
  auto scanned = reader.scan(kv_table::fields, prefix, keys::field(topic, name, at),
                             [&](std::string_view, std::string_view value) {
                               auto field = decode_topic_field(value);
                               if (!field) decoded = propagate(field);
                               if (!field) return false;
                               if (field->erased && field->erased->since <= at)
                                 found = std::move(*field);
                               return true;
                             });
  if (!scanned) return propagate(scanned);
  if (!decoded) return propagate(decoded);
  return found;
}

/// A field is read, or is told of as erased.
void sort_out(topic_field field, std::vector<topic_field>& fields,
              std::vector<topic_field>* erased) {
  if (!field.erased)
    fields.push_back(std::move(field));
  else if (erased != nullptr)
    erased->push_back(std::move(field));
}

} // namespace

result<std::optional<topic_field>> read_field(kv_reader& reader, const memory_id& topic,
                                              std::string_view name, seq_no at) {
  auto field = read_field_row(reader, topic, name, at);
  if (field && *field && (*field)->erased) field->reset();
  return field;
}

result<std::vector<topic_field>> read_fields_named(kv_reader& reader, const memory_id& topic,
                                                   std::span<const std::string_view> names,
                                                   seq_no at, std::vector<topic_field>* erased) {
  std::vector<topic_field> fields;
  const std::string end = keys::prefix_end(keys::topic_rows(topic, keys::topic_row::field));
  for (auto name = names.begin(); name != names.end();) {
    auto row = reader.first(kv_table::fields, keys::field(topic, *name, at), end);
    if (!row) return propagate(row);
    if (!row->has_value()) break;
    auto found = decode_topic_field((*row)->second);
    if (!found) return propagate(found);
    const bool is_named = found->head.name == *name;
    // The field that comes next says which names there are none of.
    const auto next = std::lower_bound(name + 1, names.end(), std::string_view(found->head.name));
    name = is_named ? name + 1 : next;
    if (is_named) sort_out(std::move(*found), fields, erased);
  }
  return fields;
}

result<std::vector<topic_field>> read_fields(kv_reader& reader, const memory_id& topic, seq_no at,
                                             std::vector<topic_field>* erased) {
  std::vector<topic_field> fields;
  const std::string end = keys::prefix_end(keys::topic_rows(topic, keys::topic_row::field));
  std::string cursor = keys::topic_rows(topic, keys::topic_row::field);
  for (;;) {
    auto row = reader.first(kv_table::fields, cursor, end);
    if (!row) return propagate(row);
    if (!row->has_value()) return fields;
    auto newest = decode_topic_field((*row)->second);
    if (!newest) return propagate(newest);
    const std::string name = newest->head.name;
    cursor = keys::prefix_end(keys::field_prefix(topic, name));
    if ((*row)->first >= keys::field(topic, name, at)) {
      sort_out(std::move(*newest), fields, erased);
      continue;
    }
    auto then = read_field_row(reader, topic, name, at);
    if (then && !*then && erased != nullptr) then = read_erased_since(reader, topic, name, at);
    if (!then) return propagate(then);
    if (then->has_value()) sort_out(std::move(**then), fields, erased);
  }
}

result<field_revision> read_revision(kv_reader& reader, const field_head& field,
                                     std::uint32_t number) {
  auto row = reader.get(kv_table::fields, keys::field_revision(field.topic, field.name, number));
  if (!row) return propagate(row);
  if (!row->has_value())
    return fail(errc::corrupt, "revision " + std::to_string(number) + " of field " + field.name
                                   + " of " + to_string(field.topic) + " is missing in the store");
  return decode_field_revision(**row);
}

result<std::vector<topic_value>> read_field_values(kv_reader& reader, const memory_id& topic,
                                                   seq_no at) {
  auto fields = read_fields(reader, topic, at);
  if (!fields) return propagate(fields);
  std::vector<topic_value> values;
  values.reserve(fields->size());
  for (auto& f : *fields) {
    auto current = read_revision(reader, f.head, f.current);
    if (!current) return propagate(current);
    values.push_back({.name = std::move(f.head.name),
                      .value = std::move(current->value),
                      .valid_from = current->valid_from,
                      .valid_until = current->valid_until});
  }
  return values;
}

result<std::vector<field_revision>> read_revisions(kv_reader& reader, const field_head& field) {
  return revisions_between(reader, field, 1, field.revisions);
}

result<std::vector<topic_event>>
read_events(kv_reader& reader, const memory_id& topic, seq_no at,
            const std::function<result<void>(const topic_event&)>& admits) {
  std::vector<topic_event> events;
  if (auto ok =
          decode_rows(reader, keys::topic_event(topic, seq_no{0}, 0),
                      keys::topic_event(topic, at.next(), 0), events, decode_topic_event, admits);
      !ok)
    return propagate(ok);
  return events;
}

namespace {

/// The order of a history.
bool comes_first(const field_revision& a, const field_revision& b) {
  if (a.merged_from.has_value() != b.merged_from.has_value()) return b.merged_from.has_value();
  if (a.merged_from && a.valid_from != b.valid_from) return a.valid_from > b.valid_from;
  return a.number > b.number;
}

/// The first so many of a history, given its revisions by falling number. The field's own come in
/// their order then, those that merges filed behind them do not.
class first_of_history {
public:
  explicit first_of_history(std::size_t most) : most_(most) {}

  void add(field_revision r) {
    if (!r.merged_from) {
      if (own_.size() == most_) return;
      own_.push_back(std::move(r));
    } else {
      merged_.push_back(std::move(r));
      std::ranges::push_heap(merged_, comes_first);
    }
    while (!merged_.empty() && own_.size() + merged_.size() > most_) {
      std::ranges::pop_heap(merged_, comes_first); // the last of them
      merged_.pop_back();
    }
  }
  /// Nothing with a smaller number belongs to it.
  [[nodiscard]] bool is_full() const { return own_.size() == most_; }

  std::vector<field_revision> take() {
    std::ranges::sort(merged_, comes_first);
    std::ranges::move(merged_, std::back_inserter(own_));
    return std::move(own_);
  }

private:
  std::size_t most_;
  std::vector<field_revision> own_;
  std::vector<field_revision> merged_; ///< a heap, whose front comes last
};

/// So many are read at once, of a history that may be longer than what is asked for.
constexpr std::uint32_t revisions_at_once = 16;

} // namespace

void order_history(std::vector<field_revision>& revisions) {
  std::ranges::sort(revisions, comes_first);
}

result<topic_field_view> read_field_view(kv_reader& reader, topic_field field,
                                         const field_options& options) {
  topic_field_view view{.field = std::move(field), .current = {}, .history = {}};
  const field_head& head = view.field.head;
  if (!options.as_of) {
    auto current = read_revision(reader, head, view.field.current);
    if (!current) return propagate(current);
    const auto& until = (*current).valid_until;
    const bool has_ended = options.ended_by && until && *until <= *options.ended_by;
    if (!has_ended) view.current = std::move(*current);
  }
  // The first revision of the history that was valid then.
  first_of_history valid(options.as_of ? 1 : 0);
  first_of_history history(options.history ? static_cast<std::size_t>(options.history_limit) : 0);
  for (std::uint32_t last = head.revisions; last > 0 && !(valid.is_full() && history.is_full());) {
    const std::uint32_t first = last > revisions_at_once ? last - revisions_at_once + 1 : 1;
    auto some = revisions_between(reader, head, first, last);
    if (!some) return propagate(some);
    for (auto& r : *some | std::views::reverse) {
      if (options.as_of && is_valid_at(r, *options.as_of)) valid.add(r);
      history.add(std::move(r));
    }
    last = first - 1;
  }
  if (auto found = valid.take(); !found.empty()) view.current = std::move(found.front());
  view.history = history.take();
  if (!options.history && view.current) view.history.push_back(*view.current);
  return view;
}

result<void> cut_hidden_topics(topic_field_view& view, kv_reader& reader, const asker& who,
                               seq_no at) {
  if (auto ok = cut_hidden(view.field.head.ref_topic_id, reader, who, at); !ok) return ok;
  if (view.current)
    if (auto ok = cut_hidden(view.current->merged_from, reader, who, at); !ok) return ok;
  for (auto& revision : view.history)
    if (auto ok = cut_hidden(revision.merged_from, reader, who, at); !ok) return ok;
  return {};
}

result<void> cut_hidden_topics(topic_event& event, kv_reader& reader, const asker& who, seq_no at) {
  return cut_hidden(event.topic, reader, who, at);
}

} // namespace mneme
