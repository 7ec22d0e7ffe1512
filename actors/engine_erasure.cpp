// Erasing in more than one step: in portions, and in every branch of the world, whoever has it
// open.

#include <algorithm>
#include <utility>

#include "actors/engine_impl.hpp"
#include "actors/open_worlds.hpp"
#include "state/branch/branch_note.hpp"
#include "state/erasure/erase_portions.hpp"

namespace mneme {

namespace {

/// To open a branch as its own world was opened.
engine_options options_for_branch(const engine_options& own, const std::string& path) {
  engine_options o = own;
  o.directory = path;
  o.create = false;
  o.seed.reset();
  o.random = nullptr; // it is one world's, which may be writing
  o.embedder_spec.reset();
  o.search_spec.reset();
  o.language.reset();
  // Forks are on no log; one that is would lead its own.
  o.log.reset();
  o.follow = o.may_lead = false;
  o.advertised.clear();
  o.retention = {};
  o.readers = 1;
  return o;
}

/// By whoever has it open, and if nobody has by an engine of its own.
result<erase_result> erase_in(const engine_options& own, const std::string& path,
                              const erase_request& r) {
  if (auto here = erase_if_open_here(path, r)) return std::move(*here);
  auto opened = engine::open(options_for_branch(own, path));
  if (!opened && opened.error().code == errc::busy && own.erase_elsewhere) {
    auto told = own.erase_elsewhere(path, r);
    return told || told.error().code != errc::busy ? std::move(told) : propagate(opened);
  }
  if (!opened) return propagate(opened);
  auto erased = opened->erase(r);
  auto closed = opened->close();
  if (erased && !closed) return propagate(closed);
  return erased;
}

branch_erasure erase_branch(const engine_options& own, const reached_branch& branch,
                            const erase_request& r, erase_result& done) {
  branch_erasure out{
      .path = branch.path, .outcome = branch_outcome::failed, .memories = 0, .seq = {}, .note = {}};
  const auto ended = [&](branch_outcome outcome, std::string note) {
    out.outcome = outcome;
    out.note = std::move(note);
    return out;
  };
  if (!branch.is_there)
    return ended(branch_outcome::missing,
                 "a note of the branch leads here, and it is not here: if it was moved, erase in "
                 "it where it is");
  const auto failed = [&](const error& why) {
    return why.code == errc::busy
               ? ended(branch_outcome::busy,
                       why.message + ": once it is closed there, the same request erases in it")
               : ended(branch_outcome::failed, why.message);
  };
  auto erased = erase_in(own, branch.path, r);
  if (!erased && erased.error().code == errc::not_found) return ended(branch_outcome::nothing, {});
  if (!erased) return failed(erased.error());
  out.memories = erased->erased.size() + erased->fields.size();
  out.seq = erased->seq;
  done = std::move(*erased);
  return ended(out.memories > 0 ? branch_outcome::erased : branch_outcome::nothing, {});
}

/// What went in one world goes in the next, also where it is selected no more, or was not.
void add_ids(erase_request& r, const erase_result& done) {
  for (const erased_memory& m : done.erased) r.ids.push_back(m.id);
  std::ranges::sort(r.ids);
  r.ids.erase(std::ranges::unique(r.ids).begin(), r.ids.end());
}

} // namespace

result<erase_result> engine::impl::erase(const erase_request& request,
                                         std::optional<std::int64_t> deadline_ms) {
  return erase_in_portions([&]() {
    return write<erase_result>([&](auto reply) { return erase_command{request, std::move(reply)}; },
                               deadline_ms);
  });
}

result<erase_result> engine::erase(erase_request request, std::optional<std::int64_t> deadline_ms) {
  if (impl_->arm != nullptr)
    return fail(errc::unsupported, "an arm has its past in common with others: what must go is "
                                   "erased in the world that they were made of");
  const bool with_branches = std::exchange(request.with_branches, false);
  auto done = impl_->erase(request, deadline_ms);
  if (!with_branches || (!done && done.error().code != errc::not_found)) return done;
  auto branches =
      impl_->inside([&](world& w) { return reachable_branches(*w.files, w.directory, w.info); });
  if (!branches) return propagate(branches);
  erase_result here = done ? std::move(*done) : erase_result{};
  if (!done) {
    here.not_found = request.ids;
    here.seq = impl_->now()->state->published_seq();
  }
  here.branches.clear();
  add_ids(request, here);
  bool is_anywhere = done.has_value();
  for (const auto& branch : *branches) {
    erase_result there;
    here.in_branches.push_back(erase_branch(impl_->opened_with, branch, request, there));
    const branch_outcome outcome = here.in_branches.back().outcome;
    is_anywhere = is_anywhere || outcome != branch_outcome::nothing;
    if (outcome == branch_outcome::busy || outcome == branch_outcome::failed)
      here.branches.push_back(branch.path);
    add_ids(request, there);
  }
  if (!is_anywhere) return done; // not_found, here as there
  return here;
}

} // namespace mneme
