#include "query/records/similar_topics.hpp"

#include <optional>

#include "query/records/resemblance.hpp"
#include "views/asker.hpp"

namespace mneme {

namespace {

constexpr std::size_t similar_topics_most = 8;

/// Empty if the topic has none.
std::span<const float> vector_of(const memory_id& topic, seq_no at, const read_views& views) {
  const attributes& rows = *views.attributes;
  const row_no row = rows.row_of(views.nodes->find(topic), at);
  if (row.value == no_number || (rows.rows().line(row).flags & row_has_vector) == 0) return {};
  return views.vectors->get(rows.slot(row));
}

std::vector<slot_no> topics_seen(const asker& who, const memory_id& but, seq_no at,
                                 const read_views& views) {
  const attributes& rows = *views.attributes;
  const visible_rows visible(who, rows, *views.nodes);
  std::vector<slot_no> slots;
  rows.with_type(memory_type::topic, at)->for_each([&](row_no row) {
    const row_line& line = rows.rows().line(row);
    const bool usable = (line.flags & row_has_vector) != 0 && (line.flags & row_unfindable) == 0;
    if (usable && visible(row) && rows.alive(row, at) && views.nodes->id({line.node}) != but)
      slots.push_back({line.slot});
    return true;
  });
  return slots;
}

/// As of `at`; nothing where that is not retained, or is not any more.
std::optional<std::vector<memory_id>> similar_as_of(seq_no at, const memory_id& topic,
                                                    std::span<const float> query, const asker& who,
                                                    const read_views& views) {
  if (!views.readable(at)) return std::nullopt;
  const attributes& rows = *views.attributes;
  const auto id_of = [&](slot_no slot) {
    return views.nodes->id(rows.node(rows.row_of_slot(slot, at)));
  };
  const auto slots = topics_seen(who, topic, at, views);
  std::vector<memory_id> ids;
  for (const auto& hit : views.vectors->nearest_of(query, slots, similar_topics_most, id_of))
    ids.push_back(id_of(hit.slot));
  if (!views.readable(at)) return std::nullopt;
  return ids;
}

} // namespace

std::vector<asked_similar> similar_asked_by(std::span<const mutation> items,
                                            const std::shared_ptr<const scope>& within,
                                            const std::optional<std::string>& in_sight_of) {
  const bool is_for_somebody = in_sight_of && !in_sight_of->empty();
  std::vector<asked_similar> asked;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (const auto* r = std::get_if<ingest_request>(&items[i]))
      asked.push_back({.item = i,
                       .is_topic = true,
                       .has_title = r->title.has_value(),
                       .actor = is_for_somebody ? *in_sight_of : r->actor,
                       .within = within});
    else if (const auto* w = std::get_if<write_request>(&items[i]); w != nullptr && w->similar)
      asked.push_back(
          {.item = i, .actor = is_for_somebody ? *in_sight_of : w->actor, .within = within});
  return asked;
}

namespace {

/// As of the write, or of now where that is not retained, or is not any more.
template <class Find>
auto found_since(seq_no written, const read_views& views, Find find) {
  if (views.readable(written)) {
    auto found = find(written);
    if (views.readable(written)) return found;
  }
  return find(views.published);
}

void add_similar_topics(mutation_result& answer, const asker& who, seq_no before,
                        const read_views& views) {
  const memory_id& topic = answer.uri->id;
  const seq_no written = views.readable(answer.seq) ? answer.seq : views.published;
  const auto query = vector_of(topic, written, views);
  if (query.empty()) return;
  auto found = similar_as_of(before, topic, query, who, views);
  if (!found) found = similar_as_of(views.published, topic, query, who, views);
  if (found) answer.topics->similar_topic_ids = std::move(*found);
}

} // namespace

void add_similar(mutation_result& answer, const asked_similar& asked, seq_no before,
                 const read_views& views) {
  if (!answer.uri) return;
  const asker who(asked.actor, asked.within);
  const memory_id& id = answer.uri->id;
  if (!asked.is_topic) {
    answer.similar = found_since(answer.seq, views,
                                 [&](seq_no at) { return resemblance_of(id, at, who, views); });
    return;
  }
  if (!answer.topics) return;
  add_similar_topics(answer, who, before, views);
  if (asked.has_title)
    answer.topics->same_title_ids =
        found_since(answer.seq, views, [&](seq_no at) { return same_titles(id, at, who, views); });
}

} // namespace mneme
