#include "views/read_views.hpp"

#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"
#include "messages/held_bytes.hpp"
#include "messages/seams/checked_seams.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

result<timestamp> read_views::now() const {
  if (time == nullptr) return last_entry_at;
  return now_of(*time);
}

namespace {

/// The newest row at or before `at` among the rows of one key.
template <class Record, class Decode>
result<std::optional<Record>> newest(kv_reader& reader, kv_table table, std::string_view key_prefix,
                                     seq_no at, Decode decode) {
  auto row = reader.newest(table, key_prefix, at);
  if (!row) return propagate(row);
  if (!row->has_value()) return std::optional<Record>{};
  auto record = decode((*row)->second);
  if (!record) return propagate(record);
  return std::optional<Record>(std::move(*record));
}

} // namespace

result<std::optional<head>> read_head(kv_reader& reader, const memory_id& id, seq_no at) {
  return newest<head>(reader, kv_table::heads, id.raw(), at, decode_head);
}

result<std::optional<version>> read_version(kv_reader& reader, const memory_id& id,
                                            std::uint32_t number) {
  auto row = reader.get(kv_table::versions, keys::version(id, number));
  if (!row) return propagate(row);
  if (!row->has_value()) return std::optional<version>{};
  auto record = decode_version(**row);
  if (!record) return propagate(record);
  return std::optional<version>(std::move(*record));
}

result<std::optional<seq_no>> read_trimmed(kv_reader& reader, const memory_id& id,
                                           std::uint32_t number) {
  auto row = reader.get(kv_table::versions, keys::trimmed_versions(id));
  if (!row) return propagate(row);
  if (!row->has_value()) return std::optional<seq_no>{};
  auto trimmed = decode_trimmed_versions(**row);
  if (!trimmed) return propagate(trimmed);
  return trimmed->has(number) ? std::optional(trimmed->by) : std::nullopt;
}

result<std::optional<edge_record>> read_edge(kv_reader& reader, const edge_key& key, seq_no at) {
  return newest<edge_record>(reader, kv_table::edges, key_bytes(key), at, decode_edge);
}

result<std::optional<head>> read_head_or_stub(kv_reader& reader, const memory_id& id, seq_no at) {
  auto h = read_head(reader, id, at);
  if (!h || *h) return h;
  auto newest = read_head(reader, id, seq_no{~0ULL});
  if (newest && *newest && !(*newest)->erased) newest->reset();
  return newest;
}

namespace {

taken_record record_of_stub(head h) {
  version nothing;
  nothing.id = h.id;
  nothing.number = h.current_version;
  nothing.type = h.type;
  const std::uint64_t held = held_bytes(h) + held_bytes(nothing);
  return {std::move(h), std::move(nothing), held, false};
}

/// Head and current version as of `at`, from the store; nullopt if the memory did not exist then.
result<std::optional<taken_record>> read_record(kv_reader& reader, const memory_id& id, seq_no at) {
  auto h = read_head_or_stub(reader, id, at);
  if (!h) return propagate(h);
  if (!*h) return std::optional<taken_record>{};
  if ((*h)->erased) return record_of_stub(std::move(**h));
  auto v = read_version(reader, id, (*h)->current_version);
  if (!v) return propagate(v);
  if (!*v)
    return fail(errc::corrupt, "version " + std::to_string((*h)->current_version) + " of "
                                   + to_string(id) + " is missing in the store");
  const std::uint64_t held = held_bytes(**h) + held_bytes(**v);
  const bool is_coloured = (*h)->colour.has_value();
  return taken_record{std::move(**h), std::move(**v), held, is_coloured};
}

/// The entry that made the row.
seq_no made_by(const read_views& views, row_no row) {
  return {views.attributes->rows().line(row).begin};
}

/// Where the journal has the row's record; nullptr if it is not asked for it.
const record_place* journaled_place(const read_views& views, row_no row) {
  return views.journaled == nullptr ? nullptr : views.places->find(row);
}

/// The same, of the memory with that row: from where it costs least.
result<std::optional<taken_record>> record_of_row(const read_views& views, row_no row,
                                                  kv_reader& reader, const memory_id& id,
                                                  seq_no at) {
  const seq_no made = made_by(views, row);
  auto [record, is_asked_again] = views.records->take(made);
  const bool is_kept = record.has_value();
  if (!record)
    if (const record_place* place = journaled_place(views, row))
      record = views.journaled->read(*place);
  if (record) {
    if (auto ok = reader.may_go_on(); !ok) return propagate(ok);
  } else {
    auto stored = read_record(reader, id, at);
    if (!stored || !*stored) return stored;
    record = std::move(*stored);
  }
  if (is_asked_again && !is_kept) views.records->keep(made, *record);
  return record;
}

void expect_place(const read_views& views, node_no node, row_no row) {
  views.attributes->prefetch_activation(node);
  views.lineage->expect_lists(node);
  if (views.records != nullptr) views.records->expect(made_by(views, row));
  if (views.journaled != nullptr) views.places->prefetch(row);
}

void expect_record(const read_views& views, row_no row) {
  if (views.records != nullptr && views.records->expect_kept(made_by(views, row))) return;
  if (const record_place* place = journaled_place(views, row)) views.journaled->expect(*place);
}

} // namespace

void expect_rows(const read_views& views, std::span<const row_no> rows) {
  const attributes& columns = *views.attributes;
  for (const row_no row : rows) expect_place(views, columns.node(row), row);
  for (const row_no row : rows) expect_record(views, row);
  for (const row_no row : rows) views.lineage->expect_edges_out(columns.node(row));
  if (views.records == nullptr) return;
  for (const row_no row : rows) views.records->expect_look(made_by(views, row));
}

slots_left_out slots_over(const read_views& views, seq_no at) {
  return [&views, at](slot_no first, slot_no end) {
    return views.attributes->rows().slots_are_over(first, end, at);
  };
}

result<std::optional<memory>> read_memory(const read_views& views, kv_reader& reader,
                                          const memory_id& id, seq_no at) {
  const node_no node = views.nodes->find(id);
  if (node.value != no_number) {
    auto found = read_memory(views, reader, node, views.attributes->row_of(node, at), at);
    if (!found) return propagate(found);
    if (!*found) return std::optional<memory>{};
    return std::optional<memory>(std::move((*found)->what));
  }
  auto record = read_record(reader, id, at);
  if (!record) return propagate(record);
  if (!*record) return std::optional<memory>{};
  return std::optional<memory>(memory{.head = std::move((*record)->head),
                                      .version = std::move((*record)->version),
                                      .activation = {}});
}

result<std::optional<sized_memory>> read_memory(const read_views& views, kv_reader& reader,
                                                node_no node, row_no row, seq_no at) {
  const memory_id& id = views.nodes->id(node);
  auto record = views.records == nullptr || row.value == no_number
                    ? read_record(reader, id, at)
                    : record_of_row(views, row, reader, id, at);
  if (!record) return propagate(record);
  std::optional<sized_memory> found;
  if (!*record) return found;
  found.emplace(memory{.head = std::move((*record)->head),
                       .version = std::move((*record)->version),
                       .activation = views.attributes->activation_of(node, at)},
                (*record)->held);
  if ((*record)->is_coloured)
    found->what.signals = views.attributes->colours().signals_of(node, at);
  return found;
}

} // namespace mneme
