#include "actors/change_pages.hpp"

#include <algorithm>

#include "query/changes/changes.hpp"

namespace mneme {

result<changes_result> read_change_page(world& w, const changes_request& request,
                                        const deadline& time) {
  const seq_no published = w.published_seq();
  const bool tells_all = request.include_unsynced;
  const change_source source{.files = *w.files,
                             .journal = journal_directory(w.directory),
                             .world = w.info.id,
                             .places = w.frame_starts,
                             .last = tells_all ? published : std::min(published, w.feed.durable())};
  return read_changes(w.views(), source, request, time);
}

} // namespace mneme
