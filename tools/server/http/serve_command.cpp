// serve: HTTP over one world.

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <malloc.h>

#include "tools/command/console.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/server/access/served_world.hpp"
#include "tools/server/access/shared_request.hpp"
#include "tools/server/clients/mem0/mem0_wire.hpp"
#include "tools/server/clients/zep/zep_wire.hpp"
#include "tools/server/http/http_server.hpp"
#include "tools/server/http/routes.hpp"
#include "tools/server/http/stop_signal.hpp"
#include "tools/server/mcp/mcp_http.hpp"
#include "tools/server/server_commands.hpp"
#include "tools/sharing/world_socket.hpp"

namespace mneme::server {

namespace {

struct serve_options {
  served_options served;
  std::string listen = "127.0.0.1:8765";
  std::optional<std::string> keys;
  std::vector<std::string> hosts;
  std::size_t max_body = http_limits{}.body_bytes;
  std::size_t max_answers = http_limits{}.answer_bytes;
  std::size_t max_header = http_limits{}.header_bytes;
  std::size_t max_connections = http_limits{}.connections;
  std::int64_t request_ms = http_limits{}.request_ms;
  std::int64_t idle_ms = http_limits{}.idle_ms;
  std::int64_t deadline_ms = 30'000;
};

/// What is checked before the world is opened.
struct front {
  listen_address address;
  std::optional<key_ring> keys;
};

result<front> check_front(const serve_options& o) {
  auto address = parse_listen(o.listen);
  if (!address) return propagate(address);
  front f{.address = std::move(*address), .keys = std::nullopt};
  if (o.keys) {
    auto keys = key_ring::open(*o.keys);
    if (!keys) return propagate(keys);
    f.keys.emplace(std::move(*keys));
  } else if (!is_loopback(f.address.host)) {
    return fail(errc::bad_value,
                fmt::format("without --keys only this machine can be served, and {} is not "
                            "loopback; make a key with: mneme key add FILE --actor NAME",
                            f.address.host),
                "listen");
  }
  return f;
}

http_limits limits_of(const serve_options& o) {
  return {.body_bytes = o.max_body,
          .answer_bytes = o.max_answers,
          .header_bytes = o.max_header,
          .request_ms = o.request_ms,
          .idle_ms = o.idle_ms,
          .connections = o.max_connections};
}

void announce(const serve_options& o, const front& f, int port) {
  const bool is_v6 = f.address.host.find(':') != std::string::npos;
  command::put_line(fmt::format("listening on http://{}:{}",
                                is_v6 ? "[" + f.address.host + "]" : f.address.host, port));
  command::flush_output();
  if (!o.keys)
    command::tell("mneme: no --keys: everybody on this machine is served, as the host; nobody else "
                  "is\n");
}

/// A query needs memory by the size of the world, for as long as it runs. Left to itself, glibc
/// learns from such blocks to keep as much in every arena, of which there are eight to a processor;
/// a threshold that is set is not learnt, and what is free goes back.
void give_memory_back() {
#ifdef M_MMAP_THRESHOLD
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20); // NOLINT(concurrency-mt-unsafe): there are no threads yet
#endif
}

/// What an answer was rendered from is freed in small pieces, of which glibc returns none by
/// itself; its text may then wait for long.
void give_free_memory_back() {
#ifdef M_MMAP_THRESHOLD
  ::malloc_trim(0);
#endif
}

std::vector<std::string> hosts_of(const std::vector<std::string>& given) {
  std::vector<std::string> hosts;
  hosts.reserve(given.size());
  for (const auto& text : given) hosts.push_back(host_of_option(text));
  return hosts;
}

std::vector<std::unique_ptr<client_wire>> wires_of(const served_options& o, door& to) {
  std::vector<std::unique_ptr<client_wire>> wires;
  if (o.has_compat("mem0")) wires.push_back(std::make_unique<mem0::mem0_wire>(to));
  if (o.has_compat("zep")) wires.push_back(std::make_unique<zep::zep_wire>(to, o.common.directory));
  return wires;
}

result<void> serve(const serve_options& o, front& f, engine& target, stop_signal& stop) {
  gateway to(target, o.served.common.directory, o.deadline_ms);
  std::optional<kept_fresh> fresh;
  if (o.served.reads_beside()) {
    fresh.emplace(target, o.served.common.directory, [&] { return open_served(o.served); });
    to.keep_fresh(*fresh);
  }
  mcp_server mcp(to,
                 {.directory = o.served.common.directory,
                  .reference_memory = o.served.has_compat("reference-memory"),
                  .memory_files = o.served.has_compat("memory-tool"),
                  .tools = {.erases = o.served.offers_erase, .only_basic = !o.served.all_tools}});
  stream_places streams(std::max<std::size_t>(o.max_connections / 2, 1));
  mcp_http mcp_route(mcp, to, streams);
  routes all(to, f.keys ? &*f.keys : nullptr,
             host_rule{.is_on_loopback = is_loopback(f.address.host), .allowed = hosts_of(o.hosts)},
             mcp_route, streams, wires_of(o.served, to));
  http_server server(
      limits_of(o),
      {.check = [&](http_request& head) { return all.check(head); },
       .handle = [&](const http_request& request) { return all.handle(request); },
       .refuse = refuse,
       .on_refused_connection = [&](std::string_view why) { to.counts().refused_connection(why); },
       .on_large_answer = give_free_memory_back,
       .on_connection_opened = [&] { ++to.counts().open_connections; },
       .on_connection_closed = [&] { --to.counts().open_connections; }});
  to.bound_answers([&](std::uint64_t bytes, bool must) { return server.hold_answer(bytes, must); });
  auto port = server.bind(f.address.host, f.address.port);
  if (!port) return propagate(port);
  // For mneme's other programs of the same user. Where a file system has no sockets they find the
  // world busy. Who has no lock answers for nobody.
  result<std::unique_ptr<sharing::world_listener>> listener(nullptr);
  if (!fresh)
    listener =
        sharing::world_listener::listen(o.served.common.directory, [&](std::string_view bytes) {
          return answer_shared(to, bytes);
        });
  stop.on_stop([&] {
    streams.stop();
    target.stop_waiting();
    server.stop();
  });
  announce(o, f, *port);
  server.run();
  stop.forget();
  return {};
}

command::status run_serve(const serve_options& o) {
  auto f = check_front(o);
  if (!f) return command::report(o.served.common, f.error());
  give_memory_back();
  stop_signal stop;
  auto target = open_served(o.served);
  if (!target) return command::report(o.served.common, target.error());
  auto served = serve(o, *f, *target, stop);
  const auto closed = close_served(o.served, *target);
  return served ? closed : command::report(o.served.common, served.error());
}

} // namespace

void add_serve_command(CLI::App& app, command::command_result& outcome) {
  CLI::App* c = app.add_subcommand("serve", "Serve a world over HTTP (docs/SERVERS.md)");
  auto o = std::make_shared<serve_options>();
  add_served_options(*c, o->served, {"reference-memory", "memory-tool", "mem0", "zep"});
  c->add_option("--listen", o->listen,
                "HOST:PORT; 127.0.0.1:8765 by default, port 0: any free one");
  c->add_flag(
      "--read-only", o->served.only_reads,
      "nobody may write: beside whoever does, without the world's lock and without a trace");
  c->add_option("--keys", o->keys, "file of keys (mneme key add); needed beyond this machine");
  c->add_option("--allow-host", o->hosts, "a Host or Origin to answer beside loopback names")
      ->check([](const std::string& text) {
        return host_of_option(text).empty() ? "this is not the name of a host" : std::string();
      });
  c->add_option("--max-body", o->max_body, "bytes of a request's body");
  c->add_option("--max-answers", o->max_answers, "bytes of all answers that are under way");
  c->add_option("--max-header", o->max_header, "bytes of a request's line and headers");
  c->add_option("--max-connections", o->max_connections, "connections at once")
      ->check(CLI::Range(1, 10'000));
  c->add_option("--request-ms", o->request_ms, "to send a request, and to take its answer")
      ->check(CLI::Range(1, 3'600'000));
  c->add_option("--deadline-ms", o->deadline_ms,
                "that a request may run: what names no deadline_ms, or a longer one, has this")
      ->check(CLI::Range(1, 3'600'000));
  c->add_option("--idle-ms", o->idle_ms, "between two requests of a connection")
      ->check(CLI::Range(1, 3'600'000));
  c->callback([o, &outcome] { outcome.exit = run_serve(*o); });
}

} // namespace mneme::server
