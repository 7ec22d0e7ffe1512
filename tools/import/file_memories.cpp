#include "tools/import/file_memories.hpp"

#include <fmt/format.h>

#include "messages/hash.hpp"
#include "messages/validate/validate.hpp"
#include "tools/import/derived_id.hpp"

namespace mneme::importing {

namespace {

constexpr std::string_view removal = "no longer in the ";

/// The id of what `name` stands for now. After an import has tombstoned it, that is a new one; what
/// somebody else tombstoned stays away.
result<memory_id> current_id(import_sink& sink, const file_source& source, std::string name) {
  const std::string first = name;
  for (std::uint32_t generation = 2;; ++generation) {
    const memory_id id = derived_id(source.format, source.source, name);
    auto removed = sink.was_removed(id, removal);
    if (!removed) return propagate(removed);
    if (!*removed) return id;
    name = fmt::format("{}\n#{}", first, generation);
  }
}

result<memory_id> chunk_id(import_sink& sink, const file_source& source, std::string_view path,
                           std::size_t index) {
  return current_id(sink, source, fmt::format("chunk\n{}\n{}", path, index));
}

write_request file_note(const file_source& source, const file_content& file, const memory_id& id) {
  write_request r;
  r.type = memory_type::note;
  r.data = {{"statement", file.title}, {"label", std::string("file")}};
  r.actor = source.actor;
  r.id = id;
  r.metadata = file.metadata;
  r.metadata["path"] = file.path;
  r.provenance.source = provenance_source::imported;
  r.created_at = source.created_at;
  return r;
}

write_request chunk_of(const file_source& source, const file_content& file, std::size_t index,
                       const memory_id& id) {
  const file_piece& piece = file.pieces[index];
  write_request r;
  r.type = memory_type::chunk;
  r.data = {{"content", std::string(piece.text)},
            {"path", file.path},
            {"source_type", source.source_type},
            {"chunk_index", static_cast<std::int64_t>(index)}};
  r.actor = source.actor;
  r.id = id;
  r.metadata["position"] = static_cast<std::int64_t>(piece.position);
  r.metadata["content_hash"] = content_hash(piece.text);
  if (!piece.heading.empty()) r.metadata["heading"] = piece.heading;
  r.provenance.source = provenance_source::imported;
  r.created_at = source.created_at;
  return r;
}

} // namespace

std::string content_hash(std::string_view text) {
  return to_hex(sha256_of(text));
}

result<memory_id> put_file(import_sink& sink, const file_source& source, const file_content& file) {
  auto note = current_id(sink, source, "file\n" + file.path);
  if (!note) return note;
  if (auto ok = sink.put(file_note(source, file, *note), {}, file.path, file.colour); !ok)
    return propagate(ok);
  for (std::size_t i = 0; i < file.pieces.size(); ++i) {
    auto chunk = chunk_id(sink, source, file.path, i);
    if (!chunk) return chunk;
    if (auto ok = sink.put(chunk_of(source, file, i, *chunk), {}, file.path); !ok)
      return propagate(ok);
    add_edge_request edge{.src = *chunk,
                          .type = static_cast<std::uint8_t>(edge_type::part_of),
                          .dst = *note,
                          .actor = source.actor,
                          .weight = 1.0F,
                          .kind = {},
                          .data = {},
                          .by = {},
                          .created_at = source.created_at};
    if (auto ok = sink.put(std::move(edge), file.path); !ok) return propagate(ok);
  }
  for (std::size_t i = file.pieces.size();; ++i) {
    auto chunk = chunk_id(sink, source, file.path, i);
    if (!chunk) return chunk;
    auto is_known = sink.knows(*chunk);
    if (!is_known) return propagate(is_known);
    if (!*is_known) return sink.id_here(*note);
    auto removed = sink.remove(*chunk, fmt::format("{}file", removal), file.path);
    if (!removed) return propagate(removed);
  }
}

result<void> remove_file(import_sink& sink, const memory_id& note, const std::string& path) {
  const std::string reason = fmt::format("{}repository", removal);
  auto chunks = sink.sources_of(note, edge_type::part_of);
  if (!chunks) return propagate(chunks);
  for (const auto& chunk : *chunks)
    if (chunk.head->type == memory_type::chunk)
      if (auto removed = sink.remove(chunk.head->id, reason, path); !removed)
        return propagate(removed);
  if (auto removed = sink.remove(note, reason, path); !removed) return propagate(removed);
  return {};
}

} // namespace mneme::importing
