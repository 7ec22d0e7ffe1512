// What was just written is read soon: records go to the readers' cache as they are committed.

#include "messages/ensure.hpp"
#include "state/apply/apply.hpp"
#include "views/record_cache.hpp"

namespace mneme {

namespace {

/// The record before a change of the head alone; nullopt where nobody keeps it.
std::optional<packed_record> record_before(record_cache& records, const attributes& rows,
                                           const index_delta& d) {
  const row_no row = rows.row_of(d.node, {d.seq.value - 1});
  if (row.value == no_number) return {};
  return records.find({rows.rows().line(row).begin});
}

} // namespace

void keep_records(record_cache& records, const attributes& rows, const commit_batch& batch) {
  auto write = batch.writes.begin();
  for (const index_delta& d : batch.deltas) {
    if (d.head == nullptr) continue;
    while (write->table != kv_table::heads) ++write; // each new head is a row of the store
    const std::string& head_bytes = *write++->value;
    if (d.version == nullptr) {
      if (const auto before = record_before(records, rows, d))
        records.put(d.seq, before->with_head(*d.head, head_bytes));
      continue;
    }
    ensure(write->table == kv_table::versions, "the row of a version follows that of its head");
    records.put(d.seq, packed_record(*d.head, head_bytes, *d.version, *write++->value));
  }
}

} // namespace mneme
