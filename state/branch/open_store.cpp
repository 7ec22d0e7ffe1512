#include "state/branch/open_store.hpp"

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "state/branch/branch_files.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme {

namespace {

result<void> copy_table(file_system& files, const std::string& from, const std::string& to) {
  auto in = files.open(from, open_mode::read);
  if (!in) return propagate(in);
  auto size = (*in)->size();
  if (!size) return propagate(size);
  return copy_to(files, {.name = {}, .from = from, .bytes = *size, .source = std::move(*in)}, to);
}

} // namespace

result<void> place_open_store(world& w, const std::string& to, seq_no checkpoint) {
  ensure(checkpoint.value > 0, "a checkpoint is of an entry");
  const auto is_of_it = [&] { return w.checkpoint_seq == checkpoint.value; };
  if (!is_of_it()) return {};
  // Under another name until all are there.
  const std::string store = store_directory(to);
  const std::string fresh = store + ".new";
  auto copied = w.store->visit_checkpoint(
      [&](const std::string& from, const std::vector<std::string>& names) -> result<void> {
        if (!is_of_it()) return fail(errc::not_found, "another checkpoint was made meanwhile");
        if (auto ok = w.files->create_directories(fresh); !ok) return ok;
        for (const std::string& name : names)
          if (auto ok = copy_table(*w.files, fmt::format("{}/{}", from, name),
                                   fmt::format("{}/{}", fresh, name));
              !ok)
            return ok;
        if (auto ok = w.files->sync_directory(fresh); !ok) return ok;
        return w.files->rename(fresh, store);
      });
  const bool is_none =
      !copied
      && (copied.error().code == errc::unsupported || copied.error().code == errc::not_found);
  if (!copied && !is_none) return copied;
  return copied ? w.files->sync_directory(to) : result<void>();
}

} // namespace mneme
