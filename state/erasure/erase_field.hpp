#pragma once
/// One field of a topic goes, with its history and whatever was made of it; the topic stays. In the
/// journal these are three entries for each topic that has some of it, in one frame: what is left
/// of the field, what words find the topic by without it, and the erasure, which a frame ends with.

#include <string>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/erasure.hpp"
#include "state/execute/id_source.hpp"
#include "state/world.hpp"

namespace mneme {

/// What goes of one topic.
struct planned_field_erasure {
  mneme::head topic;        ///< as it is
  seq_no since;             ///< the first entry of the field
  std::vector<seq_no> seqs; ///< ascending, each once
};

struct field_erase_plan {
  std::vector<planned_field_erasure> topics; ///< in id order; none: there is no such field
  bool erased_before = false;                ///< the topic, or the field, which was not set anew
};

/// As of the published seq. The field of the topic that the request names, and of those that merges
/// filed it from.
result<field_erase_plan> plan_field_erasure(const erase_request& r, world& w, kv_reader& reader);

/// The entries behind `last`.
result<std::vector<entry>> execute_field_erasure(const erase_request& r,
                                                 const field_erase_plan& plan, world& w,
                                                 kv_reader& reader, id_source& draw, timestamp now,
                                                 seq_no last);

/// What the plan comes to.
erase_result result_of(const erase_request& r, const field_erase_plan& plan);

} // namespace mneme
