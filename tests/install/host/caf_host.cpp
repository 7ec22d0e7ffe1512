#include <cstdio>

#include <caf/all.hpp>

#include <mneme/caf.hpp>

int main() {
  caf::actor_system_config config;
  mneme::configure(config);
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, {});
  if (!memory) return 1;
  int done = 0;
  const auto failed = [](const caf::error& e) { std::puts(mneme::to_error(e).message.c_str()); };
  caf::scoped_actor self(system);
  mneme::write_request note;
  note.type = mneme::memory_type::note;
  note.data["statement"] = "hello";
  self->request(*memory, caf::infinite, mneme::apply_message{note})
      .receive([&](const mneme::mutation_result&) { ++done; }, failed);
  mneme::find_request find{.types = {mneme::memory_type::note}, .limit = 1};
  self->request(*memory, caf::infinite, mneme::find_message{find})
      .receive([&](const mneme::find_reply& r) { done += r->memories.size() == 1; }, failed);
  self->request(*memory, caf::infinite, mneme::close_message{})
      .receive([&](const mneme::closed_reply&) { ++done; }, failed);
  if (done != 3) return 1;
  std::puts("caf_host: ok");
}
