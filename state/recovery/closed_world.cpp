// Checks and copies of a world that no engine of this process has open, as a host calls them.

#include "messages/seams/unasked_embedder.hpp"
#include "mneme/recovery.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/open_world.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"

namespace mneme {

result<verify_report> verify_world(const std::string& directory, const progress& on_progress) {
  const auto disk = make_posix_file_system();
  return verify_journal(*disk, directory, on_progress);
}

result<root_set> replay_world(const std::string& directory, const std::string& into,
                              std::optional<seq_no> up_to, const progress& on_progress) {
  const auto disk = make_posix_file_system();
  auto info = read_world_file(*disk, directory);
  if (!info) return propagate(info);
  auto taken = disk->exists(world_path(into));
  if (!taken) return propagate(taken);
  if (*taken) return fail(errc::already_exists, into + " already holds a world", "into");
  auto opened = open_world(
      {.directory = into,
       .files = disk,
       .store = {.open = [into] { return open_wiredtiger_store(store_directory(into), {}); }},
       .create = true,
       .fresh = up_to ? as_of(*info, *up_to) : *info,
       .embedder = nullptr,
       .remote_embedders = make_unasked_embedder,
       .tokens = make_default_token_counter(),
       .journal = {},
       .vectors = {},
       .audience = {},
       .retained_seqs = 100'000});
  if (!opened) return propagate(opened);
  if (auto ok = replay_journal(*disk, directory, **opened, up_to, on_progress); !ok)
    return propagate(ok);
  const root_set roots = (*opened)->published_roots();
  if (auto ok = close_world(**opened); !ok) return propagate(ok);
  return roots;
}

} // namespace mneme
