#pragma once
/// What an erasure takes: which memories it means, and which entries of the journal say something
/// of them. Found by the store's rows and the indexes, so that it costs what there is of them.

#include <functional>
#include <vector>

#include "mneme/erasure.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// One memory that goes.
struct planned_erasure {
  mneme::head head; ///< as it is
  bool named = true;
  std::vector<seq_no> seqs;             ///< of the entries about it, ascending
  std::vector<std::string> field_names; ///< of a topic
};
/// An edge at one of them that says something, now or before.
struct planned_edge_erasure {
  edge_record edge; ///< as it is
  std::vector<seq_no> seqs;
};

struct erase_plan {
  std::vector<planned_erasure> memories;   ///< in id order
  std::vector<planned_edge_erasure> edges; ///< in key order
  std::vector<memory_id> not_found;
  std::vector<memory_id> erased_before;
  std::uint64_t left = 0; ///< memories that are selected, too, and do not go with these

  /// Of all of them, ascending and each once.
  [[nodiscard]] std::vector<seq_no> seqs() const;
};

/// As of `at`, which is published, with the indexes of then: all that is selected of who only asks,
/// else one portion, of which what rests on others is the first. What `in_time` refuses with.
result<erase_plan> plan_erasure(const erase_request& r, const read_views& views, kv_reader& reader,
                                seq_no at, const std::function<result<void>()>& in_time = {});

} // namespace mneme
