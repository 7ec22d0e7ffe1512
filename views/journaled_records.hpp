#pragma once
/// Records as the journal has them: one read of a file at a place that is known, and nothing is
/// searched for. The store has them too, under their keys; whoever finds no record here asks there.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "index/rows/record_places.hpp"
#include "journal/journal.hpp"
#include "storage/file.hpp"
#include "views/packed_record.hpp"

namespace mneme {

/// A head in an entry's payload, and the version there, if the entry brings one.
struct entry_record {
  std::string_view payload;
  std::string_view head_bytes;
  std::string_view version_bytes;           ///< empty: the content stays
  std::uint32_t content_before = no_number; ///< number of the place that has it, then
  std::uint32_t head_held = 0;              ///< bytes that it holds decoded, about
  std::uint32_t version_held = 0;
  bool is_coloured = false;
};

/// One writer, any number of readers.
class journaled_records {
public:
  journaled_records(std::shared_ptr<file_system> files, std::string journal_directory);
  ~journaled_records();
  journaled_records(const journaled_records&) = delete;
  journaled_records& operator=(const journaled_records&) = delete;

  // Writer.
  /// The entry with this seq, whose payload the journal has at `at`. Nothing is noted of a head
  /// whose content has no place.
  void note(seq_no seq, const payload_place& at, const entry_record& record);
  result<void> load(std::string_view image);

  // Readers.
  /// The record of the row that the entry with this seq made; nullopt where it has no place, or
  /// where these bytes are there no more.
  [[nodiscard]] std::optional<taken_record> read(seq_no made) const;
  /// Hints that this is read next.
  void expect(seq_no made) const;
  /// Number of the place that has the content of that row, or no_number.
  [[nodiscard]] std::uint32_t content_of(seq_no made) const;
  [[nodiscard]] const record_places& places() const { return places_; }

private:
  /// Opened when something of the segment is first read; nullptr if it cannot be.
  [[nodiscard]] file* segment(std::uint32_t number) const;
  /// True if the file has these bytes, by their check.
  [[nodiscard]] bool read_checked(const record_place& place, std::size_t size, char* to) const;

  std::shared_ptr<file_system> files_;
  std::string directory_;
  record_places places_;
  mutable std::mutex open_mutex_;
  mutable paged_column<file*> opened_; ///< by the segment's number
};

} // namespace mneme
