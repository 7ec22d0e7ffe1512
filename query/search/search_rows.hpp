#pragma once
/// Rows of a leg by their slots: those that it lists, and those that are chosen to be scored.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "index/numbers.hpp"
#include "messages/ensure.hpp"

namespace mneme {

/// Rows without repetition, in slot order.
class row_choice {
public:
  struct chosen {
    slot_no slot;
    row_no row;
  };
  void add(slot_no slot, row_no row) {
    rows_.push_back({slot, row});
    settled_ = false;
  }
  void settle() {
    settled_ = true;
    std::ranges::sort(rows_, {}, &chosen::slot);
    const auto again = std::ranges::unique(rows_, {}, &chosen::slot);
    rows_.erase(again.begin(), again.end());
  }
  [[nodiscard]] std::span<const chosen> rows() const { return rows_; }
  /// Where the slot is, or no_number; once it is settled.
  [[nodiscard]] std::uint32_t place_of(slot_no slot) const {
    ensure(settled_, "rows are in order before one is looked for");
    const auto at = std::ranges::lower_bound(rows_, slot, {}, &chosen::slot);
    if (at == rows_.end() || at->slot != slot) return no_number;
    return static_cast<std::uint32_t>(at - rows_.begin());
  }

private:
  std::vector<chosen> rows_;
  bool settled_ = true;
};

/// The rows that a leg lists. Of many, the row of a slot is read from a table; a table for few
/// would cost more than they do.
class listed_rows {
public:
  void add(slot_no slot, row_no row) {
    ensure(slot.value != no_number, "what a leg searches has a content");
    choice_.add(slot, row);
    slot_limit_ = std::max(slot_limit_, slot.value + 1);
  }
  /// After the last one.
  void settle() {
    if (choice_.rows().size() < slot_limit_ / few_share) return choice_.settle();
    table_.resize(slot_limit_);
    for (const auto& r : choice_.rows()) table_[r.slot.value] = r.row;
  }
  /// In any order.
  [[nodiscard]] const row_choice& choice() const { return choice_; }
  /// The row of `slot`, or no_number; once it is settled.
  [[nodiscard]] row_no find(slot_no slot) const {
    if (!table_.empty()) return slot.value < table_.size() ? table_[slot.value] : row_no{};
    const std::uint32_t at = choice_.place_of(slot);
    return at == no_number ? row_no{} : choice_.rows()[at].row;
  }

private:
  static constexpr std::uint32_t few_share = 64;

  row_choice choice_;
  std::uint32_t slot_limit_ = 0;
  std::vector<row_no> table_; ///< by slot; empty = few
};

} // namespace mneme
