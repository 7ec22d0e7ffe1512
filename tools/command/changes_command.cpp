// changes: what was committed, and what comes.

#include <nlohmann/json.hpp>

#include "tools/command/console.hpp"
#include "tools/command/render.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/server/access/shared_door.hpp"
#include "tools/server/access/shared_request.hpp"
#include "tools/server/http/stop_signal.hpp"

namespace mneme::command {

namespace {

struct changes_options {
  common_options common;
  std::optional<std::int64_t> since;
  std::optional<std::int64_t> limit;
  std::vector<std::string> kinds;
  std::vector<std::string> made_by;
  std::vector<std::string> types;
  std::vector<std::string> owners;
  std::vector<std::string> namespaces;
  std::vector<std::string> tags;
  std::vector<std::string> ids;
  std::optional<std::string> actor;
  bool include_uses = false;
  bool with_record = false;
  bool follow = false;
};

void put_list(json& request, const char* key, const std::vector<std::string>& values) {
  if (!values.empty()) request[key] = values;
}

json request_of(const changes_options& o) {
  json request = json::object();
  set_if(request, "since", o.since);
  set_if(request, "limit", o.limit);
  put_list(request, "kinds", o.kinds);
  put_list(request, "made_by", o.made_by);
  put_list(request, "types", o.types);
  put_list(request, "owners", o.owners);
  put_list(request, "namespaces", o.namespaces);
  put_list(request, "tags", o.tags);
  put_list(request, "ids", o.ids);
  set_if(request, "actor", o.actor);
  if (o.include_uses) request["include_uses"] = true;
  if (o.with_record) request["with_record"] = true;
  return request;
}

/// Each change as a line; false where nobody reads them.
bool put_changes(const changes_options& o, const json& changes) {
  for (const json& c : changes)
    if (!put_line(o.common.json ? protocol::print(c) : change_text(c))) return false;
  return flush_output();
}

/// Until it is stopped, or nobody reads it. The world is another program's if one has it open, and
/// this one's until then: others of the same user are answered.
status follow(const changes_options& o) {
  if (o.common.read_only)
    return report(o.common, {errc::bad_value,
                             "--follow goes along with who writes; without --read-only it does so "
                             "where another program has the world open, too",
                             "read-only"});
  server::stop_signal stop;
  auto world = server::shared_door::make([&o](bool) { return open_world_for(o.common); },
                                         {.directory = o.common.directory});
  if (!world) return report(o.common, world.error());
  std::atomic<bool> is_over{false};
  stop.on_stop([&] {
    is_over = true;
    (*world)->stop_waiting();
  });
  json request = request_of(o);
  std::optional<error> problem;
  constexpr int wait_ms = 10'000;
  while (!is_over) {
    auto page = server::outcome_of((*world)->run({}, "changes", request));
    if (!page) {
      problem = std::move(page.error());
      break;
    }
    if (!put_changes(o, (*page)["changes"])) break;
    request["since"] = (*page)["next"];
    request["wait_ms"] = wait_ms;
  }
  stop.forget();
  const auto closed = (*world)->close();
  if (problem && !is_over) return report(o.common, *problem);
  return closed ? status::done : report(o.common, closed.error());
}

status run_changes(const changes_options& o) {
  if (o.follow) return follow(o);
  json request = request_of(o);
  if (!o.since) request["since"] = 0;
  return run_request(o.common, "changes", std::move(request));
}

} // namespace

void add_changes_command(CLI::App& app, command_result& outcome) {
  add_command<changes_options>(
      app, "changes", "What was committed, change by change", true, outcome,
      [](CLI::App& c, changes_options& o) {
        c.add_option(
            "--since", o.since,
            "what comes behind this seq; from the first entry on, with --follow from now on");
        c.add_option("--limit", o.limit, "at most so many (100), with --follow at once");
        c.add_flag("--follow", o.follow, "go on as changes come, until it is interrupted");
        declare_repeated(c, "--kind", o.kinds, "written, updated, tombstoned, …; may be repeated");
        declare_repeated(c, "--by", o.made_by, "only what this actor did; may be repeated");
        declare_repeated(c, "--type", o.types, "only of this type; may be repeated");
        declare_repeated(c, "--owner", o.owners, "only of this actor's; may be repeated");
        declare_repeated(c, "--namespace", o.namespaces, "only of what was put into it");
        declare_repeated(c, "--tag", o.tags, "only with this tag; may be repeated");
        declare_repeated(c, "--id", o.ids, "only of this memory; may be repeated");
        c.add_option("--actor", o.actor, "who is asking");
        c.add_flag("--uses", o.include_uses, "also finds, reinforcements, decay and the like");
        c.add_flag("--with-record", o.with_record, "with --json: also the memory as it was then");
      },
      run_changes);
}

} // namespace mneme::command
