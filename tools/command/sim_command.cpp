// sim: the seeded simulator of the engine's own actors. Its exit codes are its own: 127 a broken
// invariant, 128 no progress, 129 a wrong answer.

#include <memory>

#include "sim/simulator.hpp"
#include "tools/command/commands.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace mneme::command {

void add_sim_command(CLI::App& app, command_result& outcome) {
  CLI::App* command =
      app.add_subcommand("sim", "Simulate the engine with crashes, and compare every answer");
  auto options = std::make_shared<sim_options>();
  command->add_option("--seed", options->seed, "the run's seed (1)");
  command->add_option("--steps", options->steps, "messages and faults to run (5000)");
  command->add_option("--engines", options->engines,
                      "2 to 7: so many on one log, which they lead in turn (1)");
  command->add_flag("--twice", options->twice, "run it twice and compare log, journal and root");
  command->add_option("--canary", options->canary,
                      "plant a bug and look for a seed that finds it: reply_before_publish, "
                      "lose_reverse_edge or skip_fsync");
  command->add_option("--plan", options->plan, "only the operations and faults of this file");
  command->add_option("--save-plan", options->save_plan,
                      "write the run's operations and faults; few of them if it failed");
  command->add_flag("--trace", options->trace, "print every step");
  command->callback(
      [options, &outcome] { outcome.exit = static_cast<status>(run_simulator(*options)); });
}

} // namespace mneme::command
