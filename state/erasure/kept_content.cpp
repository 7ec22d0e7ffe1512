#include "state/erasure/kept_content.hpp"

#include <algorithm>
#include <utility>

#include "journal/entry_reader.hpp"
#include "journal/journal.hpp"
#include "messages/text/forms.hpp"
#include "state/apply/entry_parts.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/recovery/entry_check.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

namespace {

/// The entry's payload; nullopt where it is erased or trimmed.
result<std::optional<entry>> read_kept_entry(const world& w, seq_no seq) {
  auto reader = entry_reader::open(*w.files, journal_directory(w.directory), w.info.id);
  if (!reader) return propagate(reader);
  std::optional<raw_entry> raw;
  auto ok = reader->read(seq, 1, [&](const raw_entry& found) { raw = found; });
  if (!ok) return propagate(ok);
  if (!raw)
    return fail(errc::corrupt, "the journal has no entry " + std::to_string(seq.value)
                                   + ", whose head the store has");
  if (raw->erased || raw->trimmed) return std::optional<entry>{};
  auto opened = open_entry(std::move(raw->header), std::move(raw->payload), false);
  if (!opened) return propagate(opened);
  return std::optional<entry>(std::move(*opened));
}

/// Put together from the newest entry to the one that brought the version.
class gathered_content {
public:
  /// Vectors of before `vectors_since` are of another space than the world's.
  explicit gathered_content(seq_no vectors_since) : vectors_since_(vectors_since) {}

  /// False: nothing before this one says any more of it.
  bool take(const entry& e) {
    const spaced_vector* vector = e.header.seq < vectors_since_ ? nullptr : vector_of(e.payload);
    if (const version* v = version_of(e.payload)) {
      set(searched_text(v->type, v->data));
      set(vector);
      return false;
    }
    const auto* embedded = std::get_if<embed_payload>(&e.payload);
    if (embedded == nullptr) return true;
    if (!embedded->text.empty()) set(embedded->text);
    set(vector);
    return !has_text_;
  }
  kept_content end() { return std::move(content_); }

private:
  void set(std::string text) {
    if (!std::exchange(has_text_, true)) content_.text = std::move(text);
  }
  void set(const spaced_vector* vector) {
    if (!std::exchange(has_vector_, true) && vector != nullptr) content_.vector = vector->values;
  }

  seq_no vectors_since_;
  kept_content content_;
  bool has_text_ = false;
  bool has_vector_ = false; ///< or is known to have none
};

} // namespace

result<kept_content> content_without(world& w, kv_reader& reader, const memory_id& id, seq_no at,
                                     std::span<const seq_no> erased) {
  std::vector<seq_no> seqs; // the newest first
  const std::string prefix(id.raw());
  auto ok = reader.scan(kv_table::heads, keys::head(id, at), keys::prefix_end(prefix),
                        [&](std::string_view key, std::string_view) {
                          const seq_no seq = keys::seq_at_end(key);
                          if (!std::ranges::binary_search(erased, seq)) seqs.push_back(seq);
                          return true;
                        });
  if (!ok) return propagate(ok);
  gathered_content content(w.info.vectors_since());
  for (const seq_no seq : seqs) {
    auto e = read_kept_entry(w, seq);
    if (!e) return propagate(e);
    if (*e && !content.take(**e)) break;
  }
  return content.end();
}

namespace {

/// What a row has of a content.
enum class row_content : std::uint8_t {
  brought, ///< by the entry of the row, whose payload is there
  erased,  ///< the entry of the row had brought it
  carried, ///< an entry before it had brought it
};

/// Of a row that has another content than the one before, or none before it.
result<row_content> content_of(const world& w, kv_reader& reader, const memory_id& id, seq_no seq,
                               std::span<const seq_no> erased) {
  if (std::ranges::binary_search(erased, seq)) return row_content::erased;
  auto row = reader.get(kv_table::heads, keys::head(id, seq));
  if (!row) return propagate(row);
  if (!row->has_value()) return row_content::erased; // before
  auto e = read_kept_entry(w, seq);
  if (!e) return propagate(e);
  const bool brings = *e
                      && (version_of((*e)->payload) != nullptr
                          || std::holds_alternative<embed_payload>((*e)->payload));
  return brings ? row_content::brought : row_content::carried;
}

} // namespace

result<replaced_contents> contents_to_replace(world& w, std::span<const memory_id> topics,
                                              std::span<const seq_no> erased) {
  replaced_contents found;
  const row_store& rows = w.attributes().rows();
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  for (const memory_id& id : topics) {
    row_no row = rows.last_of(w.nodes.find(id));
    while (row.value != no_number) {
      const row_line& line = rows.line(row);
      row = {rows.rest(row).before_of_node};
      if (row.value != no_number && rows.line(row).slot == line.slot) continue;
      const seq_no begin{line.begin};
      auto its = content_of(w, **reader, id, begin, erased);
      if (!its) return propagate(its);
      if (*its == row_content::brought) continue;
      auto content = content_without(w, **reader, id, begin, erased);
      if (!content) return propagate(content);
      const seq_no since = *its == row_content::erased ? begin : seq_no{};
      found.by_slot.insert_or_assign(line.slot,
                                     replaced_contents::content{since, std::move(*content)});
    }
  }
  return found;
}

result<seq_no> first_vector(const world& w) {
  seq_no found;
  auto walked = read_journal(*w.files, journal_directory(w.directory), w.info.id, seq_no{1}, true,
                             [&](const journal_frame& frame) -> result<bool> {
                               auto entries = open_entries(frame);
                               if (!entries) return propagate(entries);
                               for (const entry& e : *entries) {
                                 if (e.header.seq < w.info.vectors_since()) continue;
                                 if (vector_of(e.payload) == nullptr) continue;
                                 found = e.header.seq;
                                 return false;
                               }
                               return true;
                             });
  if (!walked) return propagate(walked);
  return found;
}

} // namespace mneme
