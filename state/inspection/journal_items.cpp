#include "state/inspection/journal_items.hpp"

#include "journal/journal.hpp"
#include "views/answer_room.hpp"

namespace mneme {

namespace {

std::uint64_t bytes_of(const journal_item& i) {
  return sizeof(i) + i.kind.size() + i.created_by.size() + i.leaves.size() * sizeof(i.leaves[0])
         + i.header.size();
}

} // namespace

result<std::vector<journal_item>> read_journal_items(const world& w, seq_no from, std::size_t limit,
                                                     const keep_going& in_time) {
  answer_room room(w.max_answer_bytes, "ask page by page, by from and limit", "limit");
  std::vector<journal_item> items;
  const seq_no last = w.published_seq();
  const seq_no first{std::max<std::uint64_t>(from.value, 1)};
  if (first > last || limit == 0) return items;
  auto walked = read_journal(*w.files, journal_directory(w.directory), w.info.id, first, true,
                             [&](const journal_frame& frame) -> result<bool> {
                               if (in_time)
                                 if (auto ok = in_time(); !ok) return propagate(ok);
                               for (const auto& raw : frame.entries) {
                                 auto h = decode_entry_header(raw.header);
                                 if (!h) return propagate(h);
                                 if (h->seq < first) continue;
                                 if (h->seq > last || items.size() == limit) return false;
                                 journal_item item{.seq = h->seq,
                                                   .kind = std::string(to_string(h->kind)),
                                                   .created_at = h->created_at,
                                                   .created_by = h->created_by,
                                                   .leaves = {},
                                                   .payload_hash = h->payload_hash,
                                                   .header = raw.header};
                                 for (const auto& leaf : h->leaves)
                                   item.leaves.push_back({leaf.ns, leaf.path, leaf.value_hash});
                                 if (auto ok = room.take(bytes_of(item)); !ok) return propagate(ok);
                                 items.push_back(std::move(item));
                               }
                               return items.size() < limit;
                             });
  if (!walked) return propagate(walked);
  return items;
}

} // namespace mneme
