// weights

#include <nlohmann/json.hpp>

#include "tools/command/commands.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

struct weights_options {
  common_options common;
  std::optional<std::string> set;
  bool reset = false;
  std::optional<std::string> actor;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
};

/// Setting some writes; showing them does not.
status run_weights(const weights_options& o) {
  json request = json::object();
  if (!o.set && !o.reset) {
    set_if(request, "at_seq", o.at_seq);
    set_if(request, "at", o.at);
    return run_request(o.common, "weights", std::move(request));
  }
  set_if(request, "weights", o.set);
  if (o.reset) request["reset"] = true;
  set_if(request, "actor", o.actor);
  return run_request(o.common, "set_weights", std::move(request));
}

} // namespace

void add_weights_command(CLI::App& app, command_result& outcome) {
  add_command<weights_options>(
      app, "weights", "What searches of the world weigh by; --set and --reset change it", false,
      outcome,
      [](CLI::App& c, weights_options& o) {
        auto* set = c.add_option("--set", o.set, "some of them, as dates=0,neighbours=0.2");
        auto* reset =
            c.add_flag("--reset", o.reset, "back to those that the world was made with, first");
        c.add_option("--actor", o.actor, "who acts");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry")
            ->excludes(set)
            ->excludes(reset);
        c.add_option("--at", o.at, "as of the last entry at or before this time")
            ->excludes(set)
            ->excludes(reset);
      },
      run_weights);
}

} // namespace mneme::command
