#pragma once
/// Files as memories, the same for Markdown folders and git trees: one Note per file, its pieces as
/// Chunks that are part_of it.

#include <string>
#include <string_view>

#include "tools/import/import_sink.hpp"

namespace mneme::importing {

inline constexpr std::uintmax_t max_file_bytes = 1U << 20;

struct file_source {
  std::string format; ///< of the importer
  std::string source; ///< what tells this tree from others
  std::string actor;
  std::string source_type = "local";
  timestamp created_at; ///< of what is new
};

struct file_piece {
  std::size_t position = 0;
  std::string_view text;
  std::string heading; ///< may be empty
};

struct file_content {
  std::string path; ///< relative, with slashes
  std::string title;
  metadata_map metadata; ///< of the Note
  std::vector<file_piece> pieces;
  std::optional<colour_source> colour{}; ///< of the Note
};

/// Writes or updates the Note, whose id is answered, and the Chunks; Chunks of a longer earlier
/// content are tombstoned. What an import took away comes back as a new memory: tombstones stay.
result<memory_id> put_file(import_sink& sink, const file_source& source, const file_content& file);
/// Tombstones the Note of a file that its source has no more, and the Chunks that are part of it.
result<void> remove_file(import_sink& sink, const memory_id& note, const std::string& path);

/// Lower-case hex of SHA-256.
std::string content_hash(std::string_view text);

} // namespace mneme::importing
