// A trim of a world that no engine of this process has open, as a host calls it.

#include "messages/seams/unasked_embedder.hpp"
#include "state/retention/trim.hpp"

namespace mneme {

result<trim_report> trim_world(const std::string& directory, const trim_options& options) {
  world_options w;
  w.directory = directory;
  w.files = make_posix_file_system();
  w.create = false;
  w.embedder = options.embedder;
  w.remote_embedders = make_unasked_embedder;
  w.tokens = make_default_token_counter();
  w.store = store_in(directory, {});
  return trim_files(w, options);
}

} // namespace mneme
