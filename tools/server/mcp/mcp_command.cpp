// mcp: the Model Context Protocol on standard input and output.

#include <unistd.h>

#include "messages/validate/validate.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/protocol/line_reader.hpp"
#include "tools/server/access/served_world.hpp"
#include "tools/server/access/shared_door.hpp"
#include "tools/server/http/stop_signal.hpp"
#include "tools/server/mcp/mcp_stdio.hpp"
#include "tools/server/server_commands.hpp"

namespace mneme::server {

namespace {

struct mcp_command_options {
  served_options served;
  std::string actor;
  std::int64_t deadline_ms = 30'000;
  std::size_t text_tokens = mcp_options{}.text_tokens;
};

command::status run_mcp(const mcp_command_options& o) {
  if (auto ok = validate_acting(o.actor); !ok) return command::report(o.served.common, ok.error());
  if (auto ok = check_made_with(o.served); !ok) return command::report(o.served.common, ok.error());
  stop_signal stop;
  auto world = shared_door::make([&o](bool may_make) { return open_served(o.served, may_make); },
                                 {.directory = o.served.common.directory,
                                  .most_ms = o.deadline_ms,
                                  .beside_writer = o.served.reads_beside()});
  if (!world) return command::report(o.served.common, world.error());
  if ((*world)->here() == nullptr)
    command::tell("mneme: {} is open in another process, which is asked\n",
                  o.served.common.directory);
  {
    mcp_server server(
        **world, {.directory = o.served.common.directory,
                  .reference_memory = o.served.has_compat("reference-memory"),
                  .memory_files = o.served.has_compat("memory-tool"),
                  .tools = {.erases = o.served.offers_erase, .only_basic = !o.served.all_tools},
                  .text_tokens = o.text_tokens});
    const client who{.actor = o.actor, .read_only = o.served.only_reads};
    line_input input(STDIN_FILENO, protocol::max_line_bytes);
    stop.on_stop([&] { input.stop(); });
    serve_stdio(
        server, **world, who, input,
        [](const std::string& line) { return command::put_line(line) && command::flush_output(); },
        [&] { (*world)->stop_waiting(); });
    stop.forget();
  }
  if (auto closed = (*world)->close(); !closed)
    return command::report(o.served.common, closed.error());
  return command::status::done;
}

} // namespace

void add_mcp_command(CLI::App& app, command::command_result& outcome) {
  CLI::App* c = app.add_subcommand(
      "mcp", "Serve a world to one MCP client on standard input and output (docs/SERVERS.md)");
  auto o = std::make_shared<mcp_command_options>();
  add_served_options(*c, o->served, {"reference-memory", "memory-tool"});
  // An empty name, say of a variable that is not set, would be the host's rights.
  c->add_option("--actor", o->actor, "who the client is: it then sees only what this actor may")
      ->check(command::not_empty());
  c->add_flag("--read-only", o->served.only_reads, "the client may read, and leaves no trace");
  c->add_option("--deadline-ms", o->deadline_ms,
                "that a request may run: what names no deadline_ms, or a longer one, has this")
      ->check(CLI::Range(1, 3'600'000));
  c->add_option("--text-tokens", o->text_tokens, "of the text form of an answer; 2000 by default")
      ->check(CLI::Range(50, 1'000'000));
  c->callback([o, &outcome] { outcome.exit = run_mcp(*o); });
}

} // namespace mneme::server
