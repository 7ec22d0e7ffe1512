#include "state/embedding/unembedded.hpp"

namespace mneme {

void each_unembedded(const read_views& views, seq_no at,
                     const std::function<bool(const memory_id&)>& visit) {
  const auto nodes = static_cast<std::uint32_t>(views.nodes->size());
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const row_no row = views.attributes->row_of({i}, at);
    if (row.value == no_number) continue;
    const row_columns c = views.attributes->columns(row);
    if (c.has_vector || c.tombstoned || c.erased) continue;
    if (!visit(views.nodes->id({i}))) return;
  }
}

} // namespace mneme
