#include <algorithm>

#include <fmt/format.h>

#include "sim/check_state.hpp"
#include "sim/machine.hpp"
#include "state/branch/backup.hpp"
#include "state/branch/diff.hpp"
#include "state/branch/fork.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/verify.hpp"

namespace mneme::sim {

namespace {

check_result check_made(const evidence& known, file_system& files, const std::string& branch,
                        const result<branch_report>& made, seq_no at) {
  if (!made) return wrong("branch", branch + ": " + made.error().message);
  const digest& root = known.roots.at(at).overall;
  if (made->at != at || made->root.value_or(root) != root)
    return wrong("branch", fmt::format("{} is not as of seq {}", branch, at.value));
  auto verified = verify_journal(files, branch, {});
  if (!verified) return wrong("branch", branch + ": " + verified.error().message);
  if (!verified->ok || verified->roots != known.roots.at(at))
    return wrong("branch", branch + " does not verify to its root: " + verified->problem);
  return {};
}

/// The same state, whether from its images or from its journal.
check_result check_opened(const evidence& known, const std::shared_ptr<memory_file_system>& files,
                          const std::string& branch, world& w) {
  disk place{.files = files};
  world_options options = world_options_of(known.setup, place);
  options.directory = branch;
  options.create = false;
  options.embedder = w.embedder;
  auto opened = open_world(options);
  if (!opened) return wrong("branch", branch + ": " + opened.error().message);
  auto dump = canonical_dump(**opened);
  auto live = canonical_dump(w);
  if (!dump) return wrong("branch", branch + ": " + dump.error().message);
  if (!live) return wrong("branch", live.error().message);
  if (*dump != *live) return wrong("branch", branch + " has another state");
  return {};
}

/// The newest cut that is not behind `from`: inside a frame there is none.
result<branch_report> fork_before(file_system& files, const std::string& world, seq_no& from) {
  for (;; --from.value) {
    auto made = fork_files(files, world, "past",
                           {.at_seq = from, .random = make_seeded_random(from.value, 2)},
                           {.own = "past", .parent = world, .is_locked = false});
    if (made || made.error().code != errc::bad_value || from.value == 0) return made;
  }
}

} // namespace

check_result check_branches(const evidence& known, world& w) {
  const auto* disk_now = dynamic_cast<const memory_file_system*>(w.files.get());
  if (disk_now == nullptr) return wrong("branch", "the world is on no simulated disk");
  const auto files = std::make_shared<memory_file_system>(disk_now->image());
  const seq_no last = known.truth.last();
  const auto whole = fork_files(*files, w.directory, "fork",
                                {.at_seq = {}, .random = make_seeded_random(known.setup.seed, 1)},
                                {.own = "fork", .parent = w.directory, .is_locked = false});
  if (auto ok = check_made(known, *files, "fork", whole, last); !ok) return ok;
  if (auto ok = check_opened(known, files, "fork", w); !ok) return ok;
  const auto copy = backup_files(*files, w.directory, "copy");
  if (auto ok = check_made(known, *files, "copy", copy, last); !ok) return ok;
  if (auto ok = check_opened(known, files, "copy", w); !ok) return ok;
  // A branch that ends before a trim would not say what payloads were dropped for.
  const seq_no trimmed = known.trims.empty() ? seq_no{} : known.trims.rbegin()->first;
  seq_no past = std::max(seq_no{last.value / 2}, trimmed);
  const auto earlier = fork_before(*files, w.directory, past);
  if (auto ok = check_made(known, *files, "past", earlier, past); !ok) return ok;
  auto apart = diff_files(*files, {.directory = "past"}, {.directory = "fork"}, {},
                          [](const difference&) { return true; });
  if (!apart) return wrong("branch", apart.error().message);
  if (apart->common != past || !apart->leaves_agree || apart->only_a != 0)
    return wrong("branch", "the diff with the past is not what came since");
  return {};
}

} // namespace mneme::sim
