// Another embedder for a world on the machine's disk, as a host asks for it.

#include "state/embedding/reembed.hpp"

namespace mneme {

result<reembed_report> reembed_world(const std::string& directory, std::string_view spec,
                                     const reembed_options& options) {
  world_options w;
  w.directory = directory;
  w.files = make_posix_file_system();
  w.tokens = make_default_token_counter();
  w.store = store_in(directory, {});
  return reembed_files(w, spec, options);
}

} // namespace mneme
