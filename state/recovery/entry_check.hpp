#pragma once
/// Whether a journaled entry is one that an engine could have written there: apply() and the
/// indexes rely on it, and a forged or damaged journal whose hashes fit must not get to them.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "journal/journal.hpp"
#include "messages/codec/entry.hpp"

namespace mneme {

/// What the entries before say about a memory.
struct known_memory {
  memory_type type{};
  std::uint32_t version = 0;
  digest version_hash;
  bool coloured = false;

  static known_memory of(const head& h) {
    return {h.type, h.current_version, h.version_hash, h.colour.has_value()};
  }
};

/// The state before an entry.
struct entry_past {
  std::function<result<std::optional<known_memory>>(const memory_id&)> memory;
  root_set roots;     ///< after the entry before; zero overall if it is not known
  vector_space space; ///< of the vectors so far; dim 0 = there are none
  /// Something before was erased: what is named and not known may have been in it.
  bool has_erased = false;
  /// Contents before were dropped by a trim: the version before may have been one of them.
  bool has_trimmed = false;
};

/// corrupt, saying what is wrong, for an entry that does not follow from `past`. Kinds without
/// rules here pass.
result<void> check_entry(const entry& e, const entry_past& past);

/// The entries of a frame up to `last`, decoded, with payload hashes and seqs checked; corrupt with
/// segment, offset and seq.
result<std::vector<entry>> open_entries(const journal_frame& frame, seq_no last = {~0ULL});

/// Follows the frames of a journal and checks each entry against those before it.
class entry_checker {
public:
  using look_up = std::function<result<std::optional<known_memory>>(const memory_id&)>;

  /// `known` answers for what keep() has not been told.
  /// From each entry of `changes` (ascending) on vectors are of another space than before it.
  entry_checker(look_up known, vector_space space, std::vector<seq_no> changes = {})
      : known_(std::move(known)), changes_of_space_(std::move(changes)) {
    past_.memory = [this](const memory_id& id) -> result<std::optional<known_memory>> {
      if (const auto it = fresh_.find(id); it != fresh_.end()) return it->second;
      return known_(id);
    };
    past_.space = std::move(space);
  }
  entry_checker(const entry_checker&) = delete;
  entry_checker& operator=(const entry_checker&) = delete;

  /// Whether there was something erased before, and whether there has been since.
  void excuse_erased(bool has_erased) { past_.has_erased = has_erased; }
  /// The same of contents that a trim has dropped.
  void excuse_trimmed(bool has_trimmed) { past_.has_trimmed = has_trimmed; }
  [[nodiscard]] bool has_trimmed() const { return past_.has_trimmed; }
  [[nodiscard]] bool has_erased() const { return past_.has_erased; }
  /// Checks the entries of one frame; `before` are the roots after the frame before, or none known.
  /// corrupt with segment, offset and seq.
  result<void> check(const journal_frame& frame, std::span<const entry> entries,
                     const root_set& before);

private:
  look_up known_;
  std::vector<seq_no> changes_of_space_;
  std::map<memory_id, known_memory> fresh_; ///< by the entries that were checked
  entry_past past_;
};

} // namespace mneme
