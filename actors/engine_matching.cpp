// The blocking facade: forgetting and superseding by words. Each selects, and changes what it
// selected in one command that names the versions it saw.

#include "actors/engine_impl.hpp"
#include "messages/text/forms.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

/// How often a selection is made again because somebody changed what it found.
constexpr int tries = 4;

bool was_changed(const error& e) {
  return e.code == errc::version_conflict || e.code == errc::tombstoned
         || e.code == errc::not_found;
}

result<void> check_newest(const select_request& r) {
  if (!r.at_seq) return {};
  return fail(errc::unsupported, "what is forgotten is selected from what there is now", "at_seq");
}

} // namespace

std::vector<mutation> forgetting_of(const forget_matching_request& r, const select_result& found) {
  std::vector<mutation> items;
  items.reserve(found.selected.size());
  for (const auto& m : found.selected)
    items.emplace_back(tombstone_request{.uri = m.uri,
                                         .actor = r.select.actor.value_or(""),
                                         .reason = r.reason,
                                         .by = r.by,
                                         .cause = r.cause,
                                         .superseded_by = {},
                                         .expect_version = m.uri.version});
  return items;
}

write_request superseding_of(const supersede_matching_request& r, const select_result& found) {
  write_request write = r.write;
  for (const auto& m : found.selected) write.supersedes.push_back(m.uri);
  return write;
}

select_request selection_of(const supersede_matching_request& r) {
  select_request select = r.select;
  if (!select.actor && !r.write.actor.empty()) select.actor = r.write.actor;
  if (!select.words.empty()) return select;
  select.words = searched_text(r.write.type, r.write.data);
  select.states_new = true;
  return select;
}

result<forget_matching_result>
engine::forget_matching(forget_matching_request request,
                        const std::optional<std::string>& in_sight_of) {
  if (auto ok = check_newest(request.select); !ok) return propagate(ok);
  const deadline time(impl_->running->options.queries.stopwatch, request.select.deadline_ms);
  for (int left = tries;; --left) {
    auto found = select(request.select);
    if (!found) return propagate(found);
    forget_matching_result answer{.selected = std::move(found->selected),
                                  .note = std::move(found->note),
                                  .embedder_problem = std::move(found->embedder_problem),
                                  .seq = found->at_seq};
    if (request.dry_run || answer.selected.empty()) return answer;
    found->selected = answer.selected;
    auto done = write_batch(forgetting_of(request, *found), durability::durable,
                            request.select.scope, time.left_ms(), in_sight_of);
    if (!done && left > 1 && was_changed(done.error())) continue;
    if (!done) return propagate(done);
    for (const auto& item : done->results) answer.forgotten += item.changed ? 1 : 0;
    answer.seq = done->seq;
    return answer;
  }
}

result<supersede_matching_result>
engine::supersede_matching(supersede_matching_request request,
                           const std::optional<std::string>& in_sight_of) {
  if (auto ok = validate(request.write); !ok) {
    ok.error().at = "write." + ok.error().at;
    return propagate(ok);
  }
  const select_request asked = selection_of(request);
  if (auto ok = check_newest(asked); !ok) return propagate(ok);
  const deadline time(impl_->running->options.queries.stopwatch, asked.deadline_ms);
  for (int left = tries;; --left) {
    auto found = select(asked);
    if (!found) return propagate(found);
    supersede_matching_result answer{.superseded = found->selected,
                                     .note = found->note,
                                     .embedder_problem = found->embedder_problem,
                                     .uri = {},
                                     .seq = found->at_seq};
    if (request.dry_run) return answer;
    auto done = apply(superseding_of(request, *found), durability::durable, asked.scope,
                      time.left_ms(), in_sight_of);
    if (!done && left > 1 && was_changed(done.error())) continue;
    if (!done) return propagate(done);
    answer.uri = done->uri;
    answer.seq = done->seq;
    return answer;
  }
}

} // namespace mneme
