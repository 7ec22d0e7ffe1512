#pragma once
/// When each entry of the journal was made, as far back as it can be read. Entries of one batch
/// have one time, which is kept once. One writer, many readers. Part of the attributes owner.

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "index/image.hpp"
#include "mneme/types.hpp"

namespace mneme {

class entry_times {
public:
  // Writer.
  /// Seqs ascend.
  void put(seq_no seq, timestamp at);
  /// Nobody reads before `seq` from now on.
  void retain_from(seq_no seq);

  /// Of an entry that was put; nullopt if it is before what is retained.
  [[nodiscard]] std::optional<timestamp> find(seq_no at) const;

  /// The last entry up to `at` that was made at or before `time`; nullopt if none of those that are
  /// retained was. A clock may go back between two entries.
  [[nodiscard]] std::optional<seq_no> last_until(timestamp time, seq_no at) const;

  /// Up to `at`; may run beside the writer.
  void save(image_writer& out, seq_no at) const;
  /// Into an empty object; false if it cannot be right.
  bool load(image_reader& in, seq_no at);

private:
  /// The time of this entry and those behind it, up to the next change.
  struct change {
    std::uint64_t seq = 0;
    std::int64_t ns = 0;
  };

  mutable std::mutex guard_;
  std::deque<change> changes_; ///< ascending by seq
};

} // namespace mneme
