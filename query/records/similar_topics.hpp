#pragma once
/// What is like the topic of an ingest, or a memory whose write asks for it. It concerns the answer
/// alone, so it is looked for when the write is published, by whoever waits for it, and not in the
/// committer's turn.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mneme/requests.hpp"
#include "mneme/scope.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// One among the items of a command: its place, and who gets to see what is similar.
struct asked_similar {
  std::size_t item = 0;
  bool is_topic = false;
  bool has_title = false;
  std::string actor;
  std::shared_ptr<const scope> within{};
};
/// `in_sight_of`: for whom the host writes, who then sees no more than that.
std::vector<asked_similar> similar_asked_by(std::span<const mutation> items,
                                            const std::shared_ptr<const scope>& within,
                                            const std::optional<std::string>& in_sight_of);

/// Fills in what a write that is published answers. Of an ingest the nearest eight topics that are
/// neither tombstoned nor archived and that the asker sees, without its own, as of `before`, or of
/// now where that is not retained any more. What has the same title, and what a memory is like, as
/// of the write itself, or of now.
void add_similar(mutation_result& answer, const asked_similar& asked, seq_no before,
                 const read_views& views);

} // namespace mneme
