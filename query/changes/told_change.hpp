#pragma once
/// What an entry is told as, to who asks: in terms of memories, and nothing of what the asker could
/// not read as of it.

#include "journal/frame.hpp"
#include "query/changes/change_match.hpp"
#include "query/deadline.hpp"
#include "storage/kv_store.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"

namespace mneme {

class change_teller {
public:
  /// Borrows all of them.
  change_teller(const read_views& views, kv_reader& reader, const asker& who,
                const change_match& match, bool with_record)
      : views_(views), reader_(reader), who_(who), match_(match), with_record_(with_record) {}

  /// nullopt: it is not wanted, or not to be told.
  result<std::optional<change>> tell(const raw_entry& raw);

private:
  /// Whether the change is of what is wanted and may be seen; fills it in.
  result<bool> tell_payload(const entry_payload& payload, change& c);
  result<bool> tell_erased_payload(change& c) const;
  result<bool> tell_head(const head& h, change& c);
  result<bool> tell_edge(const edge_record& e, change& c);
  /// Of a memory that the entry has no head of.
  result<bool> tell_named(const memory_id& id, change& c);
  result<bool> tell_uses(std::vector<memory_id> ids, change& c);
  [[nodiscard]] bool tells_host_alone() const;
  /// The asker may see the memory as of `at`, and it is what is wanted.
  result<bool> is_wanted(const memory_id& id, seq_no at);
  result<void> cut_hidden(std::optional<memory_id>& other, seq_no at);
  result<void> name_what_changed(const head& now, const version* content, change& c);
  result<void> add_record(change& c);

  const read_views& views_;
  kv_reader& reader_;
  const asker& who_;
  const change_match& match_;
  bool with_record_;
};

} // namespace mneme
