#include "tools/import/file_memories.hpp"

#include <fmt/format.h>

#include "messages/hash.hpp"
#include "messages/validate.hpp"
#include "tools/import/derived_id.hpp"

namespace mneme::importing {

namespace {

memory_id chunk_id(const file_source& source, std::string_view path, std::size_t index) {
  return derived_id(source.format, source.source, fmt::format("chunk\n{}\n{}", path, index));
}

write_request file_note(const file_source& source, const file_content& file) {
  write_request r;
  r.type = memory_type::note;
  r.data = {{"statement", file.title}, {"label", std::string("file")}};
  r.actor = source.actor;
  r.id = file_id(source, file.path);
  r.metadata = file.metadata;
  r.metadata["path"] = file.path;
  r.provenance.source = provenance_source::imported;
  r.created_at = source.created_at;
  return r;
}

write_request chunk_of(const file_source& source, const file_content& file, std::size_t index) {
  const file_piece& piece = file.pieces[index];
  write_request r;
  r.type = memory_type::chunk;
  r.data = {{"content", std::string(piece.text)},
            {"path", file.path},
            {"source_type", source.source_type},
            {"chunk_index", static_cast<std::int64_t>(index)}};
  r.actor = source.actor;
  r.id = chunk_id(source, file.path, index);
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

memory_id file_id(const file_source& source, std::string_view path) {
  return derived_id(source.format, source.source, fmt::format("file\n{}", path));
}

result<void> put_file(import_sink& sink, const file_source& source, const file_content& file) {
  const memory_id note = file_id(source, file.path);
  if (auto ok = sink.put(file_note(source, file), {}, file.path); !ok) return ok;
  for (std::size_t i = 0; i < file.pieces.size(); ++i) {
    if (auto ok = sink.put(chunk_of(source, file, i), {}, file.path); !ok) return ok;
    add_edge_request edge{.src = chunk_id(source, file.path, i),
                          .type = static_cast<std::uint8_t>(edge_type::part_of),
                          .dst = note,
                          .actor = source.actor,
                          .weight = 1.0F,
                          .kind = {},
                          .data = {},
                          .by = {},
                          .created_at = source.created_at};
    if (auto ok = sink.put(std::move(edge), file.path); !ok) return ok;
  }
  for (std::size_t i = file.pieces.size();; ++i) {
    auto removed = sink.remove(chunk_id(source, file.path, i), "no longer in the file", file.path);
    if (!removed) return propagate(removed);
    if (!*removed) return {};
  }
}

} // namespace mneme::importing
