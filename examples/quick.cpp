#include <cstdio>

#include "mneme/engine.hpp"

int main() {
  auto engine = mneme::open_in_memory();
  if (!engine) return 1;
  mneme::write_request sky, sea;
  sky.type = sea.type = mneme::memory_type::note;
  sky.data["statement"] = "the sky is blue today";
  sea.data["statement"] = "the sea is calm";
  auto first = engine->apply(sky), second = engine->apply(sea);
  if (!first || !second) return 1;
  auto type = static_cast<std::uint8_t>(mneme::edge_type::references);
  if (!engine->apply(mneme::add_edge_request{first->uri->id, type, second->uri->id})) return 1;

  auto found = engine->find({.types = {mneme::memory_type::note}, .limit = 1, .near = "blue sky"});
  if (!found) return std::puts(found.error().message.c_str()), 1;
  std::printf("%s\n", found->memories[0].version->forms.short_form.c_str());
  std::printf("root %s\n", mneme::to_hex(engine->root()->overall).c_str());
}
