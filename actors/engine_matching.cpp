// The blocking facade: forgetting and superseding by words. Each selects, and changes what it
// selected in one command that names the versions it saw.

#include <algorithm>
#include <charconv>

#include "actors/engine_impl.hpp"
#include "messages/ensure.hpp"
#include "messages/text/forms.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

/// How often a selection is made again because somebody changed what it found.
constexpr int tries = 4;

/// Was something that was selected changed meanwhile? `at` is where the command was refused.
bool was_changed(const error& e) {
  return e.code == errc::version_conflict || e.code == errc::tombstoned || e.code == errc::not_found
         || e.code == errc::erased;
}

/// Is it about a memory that was selected, behind those that the write itself supersedes?
bool is_of_selection(const error& e, std::size_t named) {
  constexpr std::string_view list = "supersedes[";
  if (!e.at.starts_with(list)) return false;
  std::size_t place = 0;
  std::from_chars(e.at.data() + list.size(), e.at.data() + e.at.size(), place);
  return place >= named;
}

/// Refuses what the tombstones would be refused for, whatever is selected.
result<void> check_tombstones(const forget_matching_request& r) {
  return validate(tombstone_request{.uri = {memory_type::note, memory_id{{1}}, 1},
                                    .actor = r.select.actor.value_or(""),
                                    .reason = r.reason,
                                    .by = r.by,
                                    .cause = r.cause,
                                    .superseded_by = {},
                                    .expect_version = {}});
}

/// The request has no items: what is wrong with one is wrong with what the words select.
error of_forgetting(error e) {
  if (e.at.starts_with("items")) e.at = e.code == errc::limit_exceeded ? "limit" : "words";
  return e;
}

/// The write stands in the request as `write`.
error of_superseding(error e, std::size_t named) {
  if (is_of_selection(e, named))
    e.at = "words";
  else if (!e.at.empty() && !e.at.starts_with("scope"))
    e = placed_within(std::move(e), "write");
  return e;
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
  // What the caller names itself is named once, in the version that he knows; and a new memory by
  // the id of an old one is refused as what it is.
  const auto is_named = [&](const memory_id& id) {
    return id == r.write.id
           || std::ranges::find(r.write.supersedes, id, &memory_uri::id)
                  != r.write.supersedes.end();
  };
  for (const auto& m : found.selected)
    if (!is_named(m.uri.id)) write.supersedes.push_back(m.uri);
  ensure(write.supersedes.size() <= r.write.supersedes.size() + found.selected.size(),
         "what supersedes names at most what was named and selected");
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
  if (auto ok = check_tombstones(request); !ok) return propagate(ok);
  const deadline time(impl_->stopwatch(), request.select.deadline_ms);
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
    if (!done) return std::unexpected(of_forgetting(std::move(done.error())));
    for (const auto& item : done->results) answer.forgotten += item.changed ? 1 : 0;
    answer.seq = done->seq;
    return answer;
  }
}

result<supersede_matching_result>
engine::supersede_matching(supersede_matching_request request,
                           const std::optional<std::string>& in_sight_of) {
  if (auto ok = validate(request.write); !ok) {
    return std::unexpected(placed_within(std::move(ok.error()), "write"));
  }
  const select_request asked = selection_of(request);
  if (auto ok = check_newest(asked); !ok) return propagate(ok);
  const deadline time(impl_->stopwatch(), asked.deadline_ms);
  const std::size_t named = request.write.supersedes.size();
  for (int left = tries;; --left) {
    auto found = select(asked);
    if (!found) return propagate(found);
    if (std::ranges::any_of(found->selected,
                            [&](const selected_memory& m) { return m.uri.id == request.write.id; }))
      return fail(errc::already_exists, "the memory is there, and is what the words mean",
                  "write.id");
    supersede_matching_result answer{.superseded = found->selected,
                                     .note = found->note,
                                     .embedder_problem = found->embedder_problem,
                                     .uri = {},
                                     .seq = found->at_seq};
    if (request.dry_run) return answer;
    auto done = apply(superseding_of(request, *found), durability::durable, asked.scope,
                      time.left_ms(), in_sight_of);
    if (!done && left > 1 && was_changed(done.error()) && is_of_selection(done.error(), named))
      continue;
    if (!done) return std::unexpected(of_superseding(std::move(done.error()), named));
    answer.uri = done->uri;
    answer.seq = done->seq;
    return answer;
  }
}

} // namespace mneme
