#include <cstdio>
#include <mneme/engine.hpp>

int main() {
  auto engine = mneme::open_in_memory();
  mneme::write_request note;
  note.type = mneme::memory_type::note;
  note.data["statement"] = "hello";
  if (!engine || !engine->apply(note)) return 1;
  const auto found = engine->find({.types = {mneme::memory_type::note}, .limit = 1});
  if (!found || found->memories.size() != 1 || !engine->close()) return 1;
  // A world whose embedder is behind an endpoint needs a library that this program does not have.
  mneme::engine_options remote;
  remote.embedder_spec = "http:http://127.0.0.1:1/v1";
  const auto refused = mneme::open_in_memory(std::move(remote));
  if (refused || refused.error().code != mneme::errc::no_embedder) return 1;
  std::puts("facade: ok");
}
