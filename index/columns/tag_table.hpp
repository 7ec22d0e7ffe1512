#pragma once
/// Hashtags and the anchors they are bound to, for good. One writer, many readers; a reader at seq
/// S sees the assignments up to S.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "index/image.hpp"
#include "index/lexical/term_dictionary.hpp"
#include "messages/codec/entry.hpp"
#include "mneme/requests.hpp"

namespace mneme {

class tag_table {
public:
  /// Writer: a normalised tag that is not assigned, and an anchor that is free.
  void assign(std::string_view tag, std::uint32_t anchor, seq_no seq);

  // Readers.
  /// The assignment of a normalised tag, in the spelling it was assigned in.
  [[nodiscard]] std::optional<tag_assignment> find(std::string_view tag, seq_no at) const;
  [[nodiscard]] bool taken(std::uint32_t anchor, seq_no at) const;
  /// Every assignment, in the order in which they were made.
  [[nodiscard]] std::vector<tag_assignment> all(seq_no at) const;

  void save(image_writer& out, seq_no at) const;
  /// Into an empty table; false if it cannot be right.
  bool load(image_reader& in, seq_no at);

private:
  struct binding {
    std::uint64_t seq;
    std::uint32_t anchor;
    std::uint32_t has_hash; ///< assigned with a leading `#`
  };

  [[nodiscard]] tag_assignment assignment(std::uint32_t term) const;
  /// Assignments are in seq order: how many there were at `at`.
  [[nodiscard]] std::uint32_t count_at(seq_no at) const;

  term_dictionary keys_;                                     ///< hashtag_key of each
  paged_column<binding> bindings_;                           ///< by term
  std::array<std::uint32_t, anchor_count> term_of_anchor_{}; ///< term + 1, atomic; 0 = free
};

} // namespace mneme
