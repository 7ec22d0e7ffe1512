// A trim of a world that no engine of this process has open, as a host calls it.

#include "messages/seams/unasked_embedder.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/retention/trim.hpp"
#include "storage/wiredtiger_directories.hpp"

namespace mneme {

result<trim_report> trim_world(const std::string& directory, const trim_options& options) {
  world_options w;
  w.directory = directory;
  w.files = make_posix_file_system();
  w.create = false;
  w.embedder = options.embedder;
  w.remote_embedders = make_unasked_embedder;
  w.tokens = make_default_token_counter();
  std::vector<std::string> names = store_names();
  for (std::string& name : names) name.insert(0, directory + "/");
  const auto where =
      std::make_shared<wiredtiger_directories>(std::move(names), wiredtiger_options{});
  w.store.open = [where] { return where->open(); };
  w.store.remove = [where] { return where->remove(); };
  w.store.is_there = [where] { return where->is_there(); };
  w.store.retire = [where] { return where->retire(); };
  return trim_files(w, options);
}

} // namespace mneme
