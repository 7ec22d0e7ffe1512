// Readers find a record where the journal has it.

#include "journal/journal.hpp"
#include "messages/ensure.hpp"
#include "messages/held_bytes.hpp"
#include "state/apply/apply.hpp"
#include "views/journaled_records.hpp"

namespace mneme {

namespace {

/// What the entry brings. `write` is the row of its head, or one before; and then that behind it.
entry_record record_in(const entry& e, const index_delta& d,
                       std::span<const kv_write>::iterator& write) {
  while (write->table != kv_table::heads) ++write; // each new head is a row of the store
  entry_record record;
  record.payload = e.payload_bytes;
  record.head_bytes = *write++->value;
  record.head_held = static_cast<std::uint32_t>(held_bytes(*d.head));
  record.is_coloured = d.head->colour.has_value();
  if (d.version == nullptr) return record;
  ensure(write->table == kv_table::versions, "the row of a version follows that of its head");
  record.version_bytes = *write++->value;
  record.version_held = static_cast<std::uint32_t>(held_bytes(*d.version));
  return record;
}

} // namespace

void note_records(journaled_records& records, payload_place first, std::span<const entry> entries,
                  std::span<const index_delta> deltas, std::span<const kv_write> writes,
                  const attributes& rows, record_places& places) {
  ensure(deltas.size() <= entries.size(), "deltas are of entries");
  const std::size_t known = entries.size() - deltas.size();
  auto write = writes.begin();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i >= known && deltas[i - known].head != nullptr) {
      const index_delta& d = deltas[i - known];
      const row_no row{places.size()};
      ensure(row.value < rows.row_count() && rows.rows().line(row).begin == d.seq.value,
             "each head made a row, and rows have their places in order");
      entry_record record = record_in(entries[i], d, write);
      record.before = places.find({rows.rows().rest(row).before_of_node});
      places.append(records.place_of(first, record));
    }
    first.offset += payload_step(entries[i].payload_bytes.size());
  }
}

} // namespace mneme
