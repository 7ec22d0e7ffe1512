#include <cstdio>
#include <mneme/engine.hpp>
#include <mneme/http_embedder.hpp>

int main() {
  mneme::engine_options options;
  options.embedder_spec = "http:http://127.0.0.1:1/v1#model=m,dim=2";
  options.remote_embedders = mneme::make_http_embedder;
  auto engine = mneme::open_in_memory(std::move(options));
  if (!engine || engine->stats()->space.model != "http:m") return 1;
  // Nobody is there.
  const auto found =
      engine->find({.types = {mneme::memory_type::note}, .limit = 1, .near = std::string("hello")});
  if (found || found.error().code != mneme::errc::io || !engine->close()) return 1;
  std::puts("remote: ok");
}
