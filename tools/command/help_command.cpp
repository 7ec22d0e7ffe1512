// help, and help TOPIC.

#include <fmt/format.h>

#include "tools/command/commands.hpp"
#include "tools/command/console.hpp"
#include "tools/command/help_topics.hpp"
#include "tools/command/text_table.hpp"
#include "tools/protocol/near_name.hpp"
#include "tools/protocol/op_table.hpp"

namespace mneme::command {

namespace {

std::string overview() {
  text_table table({"topic", "about"});
  for (const auto& topic : help_topics())
    table.add({std::string(topic.name), std::string(topic.summary)});
  table.add({"ops", "the requests of the line protocol"});
  return "mneme help TOPIC, mneme help OP, mneme COMMAND --help\n\n"
         + table.text(terminal_width(), has_colour(stdout));
}

status print_help(CLI::App& app, const std::string& topic) {
  if (topic.empty()) {
    put(app.help());
    put("\n" + overview());
    return status::done;
  }
  if (const auto text = help_text(topic)) {
    put(*text);
    return status::done;
  }
  const auto named = [&](const CLI::App* command) { return command->get_name() == topic; };
  for (const CLI::App* command : app.get_subcommands(named)) {
    put(command->help());
    return status::done;
  }
  std::vector<std::string_view> names{"ops"};
  for (const auto& t : help_topics()) names.push_back(t.name);
  for (const auto& op : protocol::ops()) names.push_back(op.name);
  tell("mneme: there is no help for \"{}\"{}\n       see: mneme help\n", topic,
       protocol::suggestion(topic, names));
  return status::bad_input;
}

} // namespace

void add_help_command(CLI::App& app, command_result& outcome) {
  CLI::App* c = app.add_subcommand("help", "Help on a topic, with examples that run");
  auto topic = std::make_shared<std::string>();
  c->add_option("TOPIC", *topic, "see: mneme help");
  c->callback([topic, &app, &outcome] { outcome.exit = print_help(app, *topic); });
}

} // namespace mneme::command
