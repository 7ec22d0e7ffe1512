// An engine that lives as long as the program ends with it, in one piece.
#include <cstdio>
#include <cstdlib>

#include "mneme/engine.hpp"

namespace {

mneme::engine& memory_of_the_program() {
  static auto opened = mneme::open_in_memory({.seed = 1});
  if (!opened) std::abort();
  return *opened;
}

} // namespace

int main() {
  mneme::write_request r;
  r.type = mneme::memory_type::note;
  r.data["statement"] = std::string("kept until the end");
  if (!memory_of_the_program().apply(std::move(r))) return 1;
  std::puts("written");
}
