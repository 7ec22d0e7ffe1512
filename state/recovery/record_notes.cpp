#include "state/recovery/record_notes.hpp"

#include <vector>

#include "messages/codec/records.hpp"
#include "messages/held_bytes.hpp"
#include "state/apply/entry_parts.hpp"
#include "state/recovery/entry_check.hpp"

namespace mneme {

namespace {

class record_notes {
public:
  explicit record_notes(world& w) : world_(w), content_of_node_(w.nodes.size(), no_number) {}

  void note(const entry& e, const payload_place& at) {
    const head* h = head_of(e.payload);
    const node_no node = h == nullptr ? node_no{no_number} : world_.nodes.find(h->id);
    if (node.value >= content_of_node_.size()) return;
    const std::string head_bytes = encode(*h);
    const version* v = version_of(e.payload);
    const std::string version_bytes = v == nullptr ? std::string() : encode(*v);
    std::uint32_t& content = content_of_node_[node.value];
    world_.journaled->note(
        e.header.seq, at,
        {.payload = e.payload_bytes,
         .head_bytes = head_bytes,
         .version_bytes = version_bytes,
         .content_before = content,
         .head_held = static_cast<std::uint32_t>(held_bytes(*h)),
         .version_held = v == nullptr ? 0 : static_cast<std::uint32_t>(held_bytes(*v)),
         .is_coloured = h->colour.has_value()});
    content = world_.journaled->content_of(e.header.seq);
  }

private:
  world& world_;
  std::vector<std::uint32_t> content_of_node_; ///< the place of its newest content
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
}

} // namespace mneme
