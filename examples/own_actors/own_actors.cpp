// Agents that are actors of the host's own CAF system, and a memory that is one more actor in it.
// In its turn an agent asks what it has done so far, and remembers what it does next. All take
// their turns at once, and none holds a thread while it waits.

#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "mneme/caf.hpp"

namespace {

using take_turn = caf::atom_constant<caf::atom("turn")>;

mneme::find_message what_i_did(const std::string& name) {
  mneme::find_request find;
  find.actor = name; // sees what is its own
  find.types = {mneme::memory_type::note};
  find.limit = 100;
  return {std::move(find)};
}

mneme::apply_message i_did(const std::string& name, const std::string& what) {
  mneme::write_request note;
  note.type = mneme::memory_type::note;
  note.actor = name;
  note.data["statement"] = what;
  return {.request = std::move(note)};
}

/// Answers a turn with what it did, when that is on the disk.
caf::behavior agent(caf::event_based_actor* self, const mneme::engine_actor& memory,
                    const std::string& name) {
  return {
      [=](take_turn) {
        auto turn = self->make_response_promise<std::string>();
        const auto failed = [turn](const caf::error& e) mutable { turn.deliver(e); };
        const auto remember = [=](const mneme::find_reply& past) mutable {
          std::string what =
              name + " brews tea, for the " + std::to_string(past->memories.size() + 1) + ". time";
          self->request(memory, caf::infinite, i_did(name, what))
              .then([=](const mneme::mutation_result&) mutable { turn.deliver(what); }, failed);
        };
        self->request(memory, caf::infinite, what_i_did(name)).then(remember, failed);
        return turn;
      },
  };
}

/// False: something was refused, and said so.
bool live(caf::actor_system& system, const mneme::engine_actor& memory) {
  bool is_well = true;
  const auto failed = [&](const caf::error& e) {
    std::puts(mneme::to_error(e).message.c_str());
    is_well = false;
  };
  caf::scoped_actor self(system);
  std::vector<caf::actor> agents;
  for (const char* name : {"ana", "ben", "cy"})
    agents.push_back(system.spawn(agent, memory, std::string(name)));
  for (int round = 0; round < 2; ++round) {
    // All are asked before the first answer is waited for.
    for (const auto& each : agents) self->send(each, take_turn::value);
    std::set<std::string> done; // in whatever order they come
    for (std::size_t answers = 0; answers < agents.size(); ++answers)
      self->receive([&](const std::string& what) { done.insert(what); }, failed);
    for (const auto& what : done) std::puts(what.c_str());
  }
  for (const auto& each : agents) self->send_exit(each, caf::exit_reason::user_shutdown);
  self->request(memory, caf::infinite, mneme::root_message{})
      .receive(
          [](const mneme::root_set& root) {
            std::printf("%llu entries\n", static_cast<unsigned long long>(root.seq.value));
          },
          failed);
  self->request(memory, caf::infinite, mneme::close_message{})
      .receive([](const mneme::closed_reply&) {}, failed);
  return is_well;
}

} // namespace

/// The directory of the world; without one it is in memory.
int main(int argc, char** argv) {
  caf::actor_system_config config;
  mneme::configure(config);
  caf::actor_system system(config);
  mneme::engine_options options;
  if (argc > 1) options.directory = argv[1];
  auto memory = mneme::spawn(system, std::move(options));
  if (!memory) return std::puts(memory.error().message.c_str()), 1;
  return live(system, *memory) ? 0 : 1;
}
