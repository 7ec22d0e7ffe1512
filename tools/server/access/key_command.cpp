// key: the keys of a server.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"
#include "tools/command/console.hpp"
#include "tools/command/text_table.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/server/access/api_keys.hpp"
#include "tools/server/server_commands.hpp"

namespace mneme::server {

namespace {

struct key_options {
  command::common_options common;
  std::string file;
  std::optional<std::string> actor;
  bool is_host = false;
  bool read_only = false;
  std::optional<std::string> scope;
  std::string id;
};

json key_json(const api_key& key) {
  json object{{"id", key.allows.key_id},
              {"actor", key.allows.actor},
              {"host", key.allows.is_host()},
              {"read_only", key.allows.read_only},
              {"created_at", key.created_at}};
  if (!key.allows.scope.empty()) object["scope"] = json::parse(key.allows.scope);
  return object;
}

result<client> client_of(const key_options& o) {
  if (o.actor.has_value() == o.is_host)
    return fail(errc::missing_key, "give --actor NAME, or --host for a key that may do all",
                "actor");
  client who{.actor = o.actor.value_or(""), .read_only = o.read_only};
  if (o.actor && (o.actor->empty() || o.actor->size() > max_actor_bytes))
    return fail(errc::bad_value, fmt::format("an actor has 1 to {} bytes", max_actor_bytes),
                "actor");
  if (o.actor)
    if (auto ok = validate_acting(*o.actor); !ok) return propagate(ok);
  if (!o.scope) return who;
  if (o.is_host) return fail(errc::bad_value, "a scope is for an actor's key", "scope");
  auto document = command::read_request_argument(*o.scope);
  if (!document) return propagate(document);
  auto scope = protocol::read_scope_document(*document);
  if (!scope) return propagate(scope);
  if (scope->granted_to != *o.actor)
    return fail(errc::actor_mismatch,
                fmt::format("the scope was granted to \"{}\"", scope->granted_to), "actor");
  who.scope = protocol::print(*document);
  return who;
}

command::status add_key(const key_options& o) {
  auto who = client_of(o);
  if (!who) return command::report(o.common, who.error());
  const new_key made = make_key(*who);
  const auto added = change_key_file(o.file, [&](std::vector<api_key>& keys) -> result<void> {
    keys.push_back(made.key);
    return {};
  });
  if (!added) return command::report(o.common, added.error());
  if (o.common.json) {
    json answer = key_json(made.key);
    answer["key"] = made.secret;
    command::put_line(protocol::print(protocol::ok_json(std::move(answer))));
  } else {
    command::put_line(made.secret);
    command::tell("mneme: key {} is shown this once; the file holds its hash\n",
                  made.key.allows.key_id);
  }
  return command::status::done;
}

command::status show_keys(const key_options& o) {
  auto keys = existing_keys(o.file);
  if (!keys) return command::report(o.common, keys.error());
  if (o.common.json) {
    json list = json::array();
    for (const auto& key : *keys) list.push_back(key_json(key));
    command::put_line(protocol::print(protocol::ok_json({{"keys", std::move(list)}})));
    return command::status::done;
  }
  command::text_table table({"key", "actor", "may", "made"});
  for (const auto& key : *keys)
    table.add({key.allows.key_id, key.allows.is_host() ? "(host)" : key.allows.actor,
               std::string(key.allows.read_only ? "read" : "read, write")
                   + (key.allows.scope.empty() ? "" : ", scoped"),
               key.created_at});
  command::put(table.text(command::terminal_width(), false));
  return command::status::done;
}

command::status revoke_key(const key_options& o) {
  const auto revoked = change_key_file(o.file, [&](std::vector<api_key>& keys) -> result<void> {
    if (std::erase_if(keys, [&](const api_key& k) { return k.allows.key_id == o.id; }) == 0)
      return fail(errc::not_found, fmt::format("there is no key {}", o.id), "id");
    return {};
  });
  if (!revoked) return command::report(o.common, revoked.error());
  if (o.common.json)
    command::put_line(protocol::print(protocol::ok_json({{"id", o.id}, {"revoked", true}})));
  return command::status::done;
}

CLI::App* add_one(CLI::App& to, const char* name, const char* what,
                  const std::shared_ptr<key_options>& o, command::command_result& outcome,
                  command::status (*run)(const key_options&)) {
  CLI::App* c = to.add_subcommand(name, what);
  c->add_option("FILE", o->file, "of the keys")->required()->check(command::not_empty());
  c->add_flag("--json", o->common.json, "one JSON document");
  c->callback([o, run, &outcome] { outcome.exit = run(*o); });
  return c;
}

} // namespace

void add_key_command(CLI::App& app, command::command_result& outcome) {
  CLI::App* c = app.add_subcommand("key", "Keys of mneme serve: add, list, revoke");
  c->require_subcommand(1);
  auto o = std::make_shared<key_options>();
  CLI::App* add = add_one(*c, "add", "Make a key and print it, this once", o, outcome, add_key);
  add->add_option("--actor", o->actor, "whose key it is");
  add->add_flag("--host", o->is_host, "a key of the host: it may do all");
  add->add_flag("--read-only", o->read_only, "it may read, and changes nothing");
  add->add_option("--scope", o->scope, "a signed scope that narrows it (JSON, or - for stdin)");
  add_one(*c, "list", "The keys, without their secrets", o, outcome, show_keys);
  CLI::App* revoke = add_one(*c, "revoke", "Take a key away, at once", o, outcome, revoke_key);
  revoke->add_option("ID", o->id, "of the key (mneme key list)")->required();
}

} // namespace mneme::server
