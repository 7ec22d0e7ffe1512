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
  std::puts("facade: ok");
}
