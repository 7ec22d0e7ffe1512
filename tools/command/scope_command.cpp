// scope sign, scope show, scope public: help for whoever grants a scope. No world is opened, and a
// private key is read from its file and not kept.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/hash.hpp"
#include "storage/file.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/protocol/scope_json.hpp"

namespace mneme::command {

namespace {

struct scope_options {
  common_options common;
  std::string document;
  std::string key_file;
};

/// The first line of the file, as a key.
result<ed25519_key> read_key_file(const std::string& path) {
  const auto disk = make_posix_file_system();
  auto text = read_file(*disk, path);
  if (!text) return propagate(text);
  text->resize(std::min(text->size(), text->find_first_of("\r\n")));
  auto key = protocol::read_key(*text, path);
  std::fill(text->begin(), text->end(), '\0');
  return key;
}

result<scope> scope_argument(const std::string& argument) {
  auto document = read_request_argument(argument);
  if (!document) return propagate(document);
  return protocol::read_scope_document(*document);
}

status run_sign(const scope_options& o) {
  auto s = scope_argument(o.document);
  if (!s) return report(o.common, s.error());
  auto key = read_key_file(o.key_file);
  if (!key) return report(o.common, key.error());
  auto signed_one = sign_scope(*s, *key);
  key->fill(0);
  if (!signed_one) return report(o.common, signed_one.error());
  put_line(protocol::print(protocol::scope_json(*s)));
  return status::done;
}

status run_show(const scope_options& o) {
  auto s = scope_argument(o.document);
  if (!s) return report(o.common, s.error());
  json answer = protocol::scope_json(*s);
  answer["signed_bytes_sha256"] = to_hex(sha256_of(scope_bytes(*s)));
  print_answer(o.common, "scope", answer);
  return status::done;
}

status run_public(const scope_options& o) {
  auto key = read_key_file(o.key_file);
  if (!key) return report(o.common, key.error());
  auto found = public_key_of(*key);
  key->fill(0);
  if (!found) return report(o.common, found.error());
  put_line(protocol::key_text(*found));
  return status::done;
}

template <class Declare>
void add_part(CLI::App& group, const char* name, const char* text, command_result& outcome,
              Declare declare, status (*run)(const scope_options&)) {
  CLI::App* c = group.add_subcommand(name, text);
  auto o = std::make_shared<scope_options>();
  c->add_flag("--json", o->common.json, "print JSON");
  declare(*c, *o);
  c->callback([o, run, &outcome] { outcome.exit = run(*o); });
}

} // namespace

void add_scope_command(CLI::App& app, command_result& outcome) {
  CLI::App* group = app.add_subcommand("scope", "Make and read scopes (mneme help scope)");
  group->require_subcommand(1);
  const auto document = [](CLI::App& c, scope_options& o) {
    c.add_option("SCOPE", o.document, "a scope as JSON, or -")->required();
  };
  const auto key = [](CLI::App& c, scope_options& o) {
    c.add_option("--key", o.key_file, "file with base64 of the 32-byte Ed25519 private key")
        ->required();
  };
  add_part(
      *group, "sign", "Sign a scope with the granter's private key", outcome,
      [=](CLI::App& c, scope_options& o) {
        document(c, o);
        key(c, o);
      },
      run_sign);
  add_part(*group, "show", "Show a scope and the hash of what is signed", outcome, document,
           run_show);
  add_part(*group, "public", "The public key of a private one, for a file of keys", outcome, key,
           run_public);
}

} // namespace mneme::command
