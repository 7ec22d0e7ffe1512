#include "state/embedding/world_embedder.hpp"

#include <utility>

#include "messages/seams/unasked_embedder.hpp"

namespace mneme {

namespace {

/// The host's own embedder, if it is what the world was made with.
result<std::shared_ptr<embedder>> fitting_embedder(const world_file& info,
                                                   std::shared_ptr<embedder> given) {
  const std::string own = "host:" + given->space().model;
  bool fits = info.embedder == own;
  if (!info.embedder.starts_with("host:")) {
    auto named = make_embedder(info.embedder, make_unasked_embedder);
    if (!named) return named;
    fits = *named != nullptr && (*named)->space() == given->space();
  }
  if (!fits)
    return fail(errc::bad_value, "this world's embedder is " + info.embedder + ", not " + own,
                "embedder");
  return given;
}

} // namespace

result<std::shared_ptr<embedder>> embedder_of(const world_file& info,
                                              std::shared_ptr<embedder> given,
                                              const remote_embedder_factory& remote,
                                              std::string_view key) {
  if (given != nullptr) return fitting_embedder(info, std::move(given));
  if (info.embedder.starts_with("host:"))
    return fail(errc::no_embedder,
                "this world was made with the host's embedder " + info.embedder.substr(5)
                    + "; open it with that one",
                "embedder");
  return make_embedder(info.embedder, remote, key);
}

} // namespace mneme
