#pragma once
/// A filter of changes, made ready once for all entries that are looked at.

#include <string_view>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/changes.hpp"

namespace mneme {

/// What an entry of this kind is told as; nullopt: nothing.
std::optional<change_kind> kind_of(entry_kind kind) noexcept;

class change_match {
public:
  /// Borrows it.
  explicit change_match(const change_filter& filter);

  [[nodiscard]] bool wants(change_kind kind) const {
    return (kinds_ >> static_cast<unsigned>(kind) & 1U) != 0;
  }
  [[nodiscard]] bool wants_made_by(std::string_view actor) const;
  /// Whether it asks anything of a memory: what is of none is left out then.
  [[nodiscard]] bool asks_of_memories() const { return asks_of_memories_; }
  [[nodiscard]] bool admits(const head& h) const;

private:
  const change_filter& filter_;
  std::uint32_t kinds_ = 0; ///< a bit each
  bool asks_of_memories_ = false;
};

} // namespace mneme
