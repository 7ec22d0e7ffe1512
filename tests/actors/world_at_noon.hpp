#pragma once
/// A world in memory at a time that stands still, and short ways to write into it.

#include "mneme/seams.hpp"
#include "tests/actors/engine_site.hpp"

namespace mneme::testing {

inline std::shared_ptr<manual_clock> noon() {
  return std::make_shared<manual_clock>(timestamp{946'684'800'000'000'000});
}

inline engine_options at_noon(std::shared_ptr<manual_clock> clock = noon()) {
  engine_options o;
  o.seed = 1;
  o.clock = std::move(clock);
  o.commit = commit_mode::per_request;
  o.exact_near = true;
  o.embedder_spec = "none";
  return o;
}

inline engine world_of(engine_options o = at_noon()) {
  auto e = open_in_memory(std::move(o));
  if (!e) FAIL(e.error().message);
  return std::move(*e);
}

inline write_request of_type(memory_type type, std::uint8_t n, memory_data data,
                             std::string actor = "ana") {
  write_request r;
  r.type = type;
  r.id = id_of(n);
  r.data = std::move(data);
  r.actor = std::move(actor);
  return r;
}
inline write_request note_by(std::uint8_t n, std::string text = "text", std::string actor = "ana") {
  return of_type(memory_type::note, n, {{"statement", std::move(text)}}, std::move(actor));
}
inline memory_uri put(engine& e, write_request r) {
  auto done = e.apply(std::move(r));
  if (!done) FAIL(done.error().message);
  return *done->uri;
}

inline find_request notes(std::string actor = "ana") {
  find_request r;
  r.types = {memory_type::note};
  r.limit = 100;
  r.actor = std::move(actor);
  return r;
}

} // namespace mneme::testing
