#pragma once
/// Opening a world for one command, and running one request on it.

#include <functional>
#include <optional>
#include <string>

#include "mneme/engine.hpp"
#include "tools/command/console.hpp"
#include "tools/protocol/session.hpp"

namespace mneme::command {

using protocol::json;

/// Options that every command has.
struct common_options {
  bool json = false;
  bool read_only = false;  ///< beside a writer, from the journal
  bool only_reads = false; ///< the command has --read-only
  std::string directory;
};

/// Opens an existing world.
result<engine> open_world_for(const common_options& options);
/// The key for an http embedder: of the environment, or of the file that it names. It is read
/// whether the world needs it or not, since only the world knows.
result<std::string> embedder_key();
/// The same as the options say.
result<engine> open_existing(engine_options options);
/// Opens a world, or makes one in a missing or empty directory.
result<engine> open_or_create(engine_options options);
/// The public keys of agents in a file, which scopes are checked with.
result<std::shared_ptr<key_resolver>> read_agent_keys(const std::string& path);
/// True if the directory says where its log is: a world on it was joined there, or was begun to be.
bool is_copy_of_log(const std::string& directory);
/// What a world made of another one left there that was broken off says to who opens it; whoever
/// makes one there again begins anew.
std::optional<error> broken_off_in(const std::string& directory);

/// Says on standard error what opening found: vectors of other rules, a write that a crash tore.
void tell_of_opening(const engine& opened);

/// Opens, runs, closes. The exit status is that of the first error, which is printed.
status with_world(const common_options& options,
                  const std::function<result<status>(engine& target)>& run);

/// Runs one request and prints its answer: a JSON line, or for people.
status run_request(const common_options& options, std::string_view op, json request);
/// The same; what the answer comes to is the exit status.
status run_request(const common_options& options, std::string_view op, json request,
                   status (*judged)(const json& answer));
/// The same, where an answer for people shows more than the op answers: `complete` asks for it.
using world_question = std::function<result<json>(std::string_view op, json request)>;
using completion = std::function<void(json& answer, const world_question& ask)>;
status run_request(const common_options& options, std::string_view op, json request,
                   const completion& complete);
/// The answer of one request, by the program that has the world open, or by opening it.
result<json> ask_world(const common_options& options, std::string_view op, json request);
/// Whether a program was asked that has the world open; its answer is printed then.
std::optional<status> run_where_open(const common_options& options, std::string_view op,
                                     const json& request,
                                     status (*judged)(const json& answer) = nullptr);
/// Prints an answer that has no `ok` yet.
void print_answer(const common_options& options, std::string_view op, const json& answer);
/// Prints the error, with --json also as an answer on standard output.
status report(const common_options& options, const error& e);
/// The same of what was to be written elsewhere, where --read-only would be no help.
status report_unwritten(common_options options, const error& e);

/// The JSON object of a command's argument: its text, or standard input for "-".
result<json> read_request_argument(const std::string& argument);
/// True for "-" and for what starts like an object.
bool is_request_argument(std::string_view argument);

} // namespace mneme::command
