#pragma once
/// Records as the journal has them: one read of a file at a place that is known, and nothing is
/// searched for. The store has them too, under their keys; whoever finds no record here asks there.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/rows/record_places.hpp"
#include "journal/journal.hpp"
#include "storage/file.hpp"
#include "views/packed_record.hpp"

namespace mneme {

/// A head in an entry's payload, and the version there, if the entry brings one.
struct entry_record {
  std::string_view payload;
  std::string_view head_bytes;
  std::string_view version_bytes;       ///< empty: the content stays
  const record_place* before = nullptr; ///< of the state before, then; nullptr: none is known
  std::uint32_t head_held = 0;          ///< bytes that it holds decoded, about
  std::uint32_t version_held = 0;
  bool is_coloured = false;
};

/// The journal's files by number, which places mean in every generation of indexes. One writer, any
/// number of readers.
class journaled_records {
public:
  journaled_records(std::shared_ptr<file_system> files, std::string journal_directory);
  ~journaled_records();
  journaled_records(const journaled_records&) = delete;
  journaled_records& operator=(const journaled_records&) = delete;

  // Writer.
  /// The place of the record in an entry whose payload the journal has at `at`, and which is behind
  /// all that were asked for. None is known of a head whose content has none.
  [[nodiscard]] record_place place_of(const payload_place& at, const entry_record& record);
  /// The first seq of each segment that an image's places name, before any other is there.
  void know_segments(std::span<const std::uint64_t> firsts);

  // Readers.
  /// The record at this place, which is known; nullopt where these bytes are there no more.
  [[nodiscard]] std::optional<taken_record> read(const record_place& place) const;
  /// Hints that this is read next.
  void expect(const record_place& place) const;
  /// The first seq of each segment that begins up to `at`, by number; may run beside the writer.
  [[nodiscard]] std::vector<std::uint64_t> segments(seq_no at) const;

private:
  /// The number of the segment with this first seq: the newest, or one that begins now.
  std::uint32_t enter_segment(std::uint64_t first);
  /// Opened when something of the segment is first read. One that cannot be has nothing from then
  /// on.
  [[nodiscard]] file& segment(std::uint64_t number) const;
  /// True if all these bytes are there.
  [[nodiscard]] bool read_bytes(std::uint64_t number, std::uint64_t offset,
                                std::span<char> to) const;

  std::shared_ptr<file_system> files_;
  std::string directory_;
  paged_column<std::uint64_t> segments_;
  std::atomic<std::uint32_t> segment_count_{0};
  mutable std::mutex open_mutex_;
  mutable paged_column<file*> opened_; ///< by the segment's number
};

} // namespace mneme
