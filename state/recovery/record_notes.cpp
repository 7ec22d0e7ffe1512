#include "state/recovery/record_notes.hpp"

#include <algorithm>
#include <vector>

#include "messages/codec/records.hpp"
#include "messages/held_bytes.hpp"
#include "state/apply/entry_parts.hpp"
#include "state/recovery/entry_check.hpp"

namespace mneme {

namespace {

/// Rows that are kept get their places; of those between, which are not, the next one may have the
/// content.
class record_notes {
public:
  explicit record_notes(world& w) : world_(w), place_of_node_(w.nodes.size()) {}

  void note(const entry& e, const payload_place& at) {
    const head* h = head_of(e.payload);
    const node_no node = h == nullptr ? node_no{no_number} : world_.nodes.find(h->id);
    if (node.value >= place_of_node_.size()) return;
    const std::string head_bytes = encode(*h);
    const version* v = version_of(e.payload);
    const std::string version_bytes = v == nullptr ? std::string() : encode(*v);
    record_place& place = place_of_node_[node.value];
    place = world_.journaled().place_of(
        at, {.payload = e.payload_bytes,
             .head_bytes = head_bytes,
             .version_bytes = version_bytes,
             .before = place.is_known != 0 ? &place : nullptr,
             .head_held = static_cast<std::uint32_t>(held_bytes(*h)),
             .version_held = v == nullptr ? 0 : static_cast<std::uint32_t>(held_bytes(*v)),
             .is_coloured = h->colour.has_value()});
    const row_no next{world_.places().size()};
    const row_store& rows = world_.attributes().rows();
    if (next.value < rows.size() && rows.line(next).begin == e.header.seq.value)
      world_.places().append(place);
  }

private:
  world& world_;
  std::vector<record_place> place_of_node_; ///< of its newest state
};

} // namespace

void note_records_again(world& w, seq_no through) {
  record_notes notes(w);
  static_cast<void>(read_journal(*w.files, journal_directory(w.directory), w.info.id, seq_no{1},
                                 true, [&](const journal_frame& frame) -> result<bool> {
                                   auto entries = open_entries(frame);
                                   if (!entries) return propagate(entries);
                                   payload_place at = first_payload(frame);
                                   for (const entry& e : *entries) {
                                     if (e.header.seq > through) return false;
                                     notes.note(e, at);
                                     at.offset += payload_step(e.payload_bytes.size());
                                   }
                                   return true;
                                 }));
  while (w.places().size() < w.attributes().row_count()) w.places().append({});
}

} // namespace mneme
