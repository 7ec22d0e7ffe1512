// erase

#include <nlohmann/json.hpp>

#include "tools/command/commands.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

struct erase_options {
  common_options common;
  std::vector<std::string> ids;
  std::optional<std::string> owned_by;
  std::optional<std::string> source;
  std::optional<std::string> field;
  bool with_derived = false;
  std::string reason;
  std::string by;
  bool dry_run = false;
  bool with_branches = false;
};

status run_erase(const erase_options& o) {
  json request = json::object();
  if (!o.ids.empty()) request["ids"] = o.ids;
  set_if(request, "owned_by", o.owned_by);
  set_if(request, "source", o.source);
  set_if(request, "field", o.field);
  if (o.with_derived) request["with_derived"] = true;
  if (o.with_branches) request["with_branches"] = true;
  if (o.dry_run) request["dry_run"] = true;
  request["reason"] = o.reason;
  request["by"] = o.by;
  return run_request(o.common, "erase", std::move(request));
}

} // namespace

void add_erase_command(CLI::App& app, command_result& outcome) {
  add_command<erase_options>(
      app, "erase", "Overwrite what memories said, everywhere and for good; roots stay", false,
      outcome,
      [](CLI::App& c, erase_options& o) {
        c.add_option("ids", o.ids, "ids or uris of memories");
        c.add_option("--owned-by", o.owned_by, "every memory of this actor");
        c.add_option("--source", o.source, "every chunk of the source of this path");
        c.add_option("--field", o.field, "of the one topic that is named only this field");
        c.add_flag("--with-derived", o.with_derived, "also whatever rests on one of them");
        c.add_flag("--with-branches", o.with_branches,
                   "the same in every fork that notes lead to, and in what this is a fork of");
        c.add_option("--reason", o.reason, "why; it stays in the journal")->required();
        c.add_option("--by", o.by, "who wants it; it stays in the journal")->required();
        c.add_flag("--dry-run", o.dry_run, "only show what would go");
      },
      run_erase);
}

} // namespace mneme::command
