#pragma once
/// What a copy of a world as it was before an erasure lacks though no entry of its own says so: the
/// entry that does comes behind where the copy parted from the world that has it.

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "mneme/ids.hpp"
#include "mneme/topics.hpp"

namespace mneme {

struct erased_elsewhere {
  /// With the last entry that the copy has in common with whoever erased them: what stood then has
  /// lost them. 0: of a note that does not say so.
  std::map<memory_id, seq_no> memories;
  /// What is left of fields (messages/codec/topic_records.hpp), by their topic and name. One that
  /// the copy sets anew is a field again, and stays here.
  std::map<memory_id, std::map<std::string, topic_field>> fields;

  friend bool operator==(const erased_elsewhere&, const erased_elsewhere&) = default;
};

/// Adds to `erased`, which is by name, what is left of those fields that were there as of `at`, are
/// none of `live`, and are told of by no row.
void add_erased_elsewhere(const erased_elsewhere& known, const memory_id& topic, seq_no at,
                          std::span<const topic_field> live, std::vector<topic_field>& erased);

} // namespace mneme
