#include "tools/command/world_access.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mneme/http_embedder.hpp"
#include "mneme/postgres_log.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "storage/file.hpp"
#include "tools/command/console.hpp"
#include "tools/command/render.hpp"
#include "tools/import/ingest_source.hpp"
#include "tools/import/source_file.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/server/access/shared_request.hpp"
#include "tools/server/access/told_branch.hpp"
#include "tools/server/access/vacant_directory.hpp"

namespace mneme::command {

namespace fs = std::filesystem;

bool is_copy_of_log(const std::string& directory) {
  std::error_code problem;
  return fs::exists(fs::path(directory) / "LOG", problem);
}

std::optional<error> broken_off_in(const std::string& directory) {
  std::error_code problem;
  if (fs::exists(world_path(directory), problem)) return std::nullopt;
  if (!fs::exists(unfinished_path(directory), problem)) return std::nullopt;
  return no_world(*make_posix_file_system(), directory);
}

namespace {

/// Asked before the engine is, which locks a directory before it knows whose it is: one that is no
/// world is left as it was.
result<void> check_world(const std::string& directory) {
  std::error_code problem;
  if (fs::exists(world_path(directory), problem)) return {};
  return std::unexpected(no_world(*make_posix_file_system(), directory));
}

} // namespace

result<std::string> embedder_key() {
  // Nothing here changes the environment.
  // NOLINTBEGIN(concurrency-mt-unsafe)
  const char* const key = std::getenv("MNEME_EMBEDDER_KEY");
  const char* const path = std::getenv("MNEME_EMBEDDER_KEY_FILE");
  // NOLINTEND(concurrency-mt-unsafe)
  if (key != nullptr) return std::string(key);
  if (path == nullptr) return std::string();
  auto text = importing::read_source(path);
  if (!text) return text;
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  return text;
}

namespace {

/// Opens a world that may have its embedder behind an endpoint.
result<engine> open_with_endpoint(engine_options options) {
  auto key = embedder_key();
  if (!key) return propagate(key);
  options.remote_embedders = make_http_embedder;
  options.logs = make_postgres_log;
  options.erase_elsewhere = server::erase_where_open;
  options.embedder_key = std::move(*key);
  return engine::open(std::move(options));
}

constexpr std::int64_t embedding_wait_ms = 600'000;

/// Lets a remote embedder finish what this command has written, and says what it did not do.
void finish_embeddings(engine& target) {
  const auto pending = target.wait_for_embeddings(embedding_wait_ms);
  if (!pending || *pending == 0) return;
  const auto stats = target.stats();
  const std::string why = stats && !stats->embedder_problem.empty()
                              ? " (" + printable(stats->embedder_problem) + ")"
                              : "";
  tell("mneme: {} memories have no vector yet{}; the next command that opens the world "
       "tries again\n",
       *pending, why);
}

} // namespace

result<engine> open_world_for(const common_options& options) {
  engine_options opening;
  opening.directory = options.directory;
  opening.read_only = options.read_only;
  return open_existing(std::move(opening));
}

result<engine> open_existing(engine_options options) {
  if (auto ok = check_world(options.directory); !ok) return propagate(ok);
  options.create = false;
  return open_with_endpoint(std::move(options));
}

result<engine> open_or_create(engine_options options) {
  options.create = options.directory.empty() || server::is_vacant(options.directory);
  if (!options.create) return open_existing(std::move(options));
  return open_with_endpoint(std::move(options));
}

result<std::shared_ptr<key_resolver>> read_agent_keys(const std::string& path) {
  const auto disk = make_posix_file_system();
  auto text = read_file(*disk, path);
  if (!text) return propagate(text);
  auto document = protocol::parse_json(*text);
  if (!document) return fail(document.error().code, document.error().message, "keys");
  return protocol::read_keys(*document);
}

void tell_of_opening(const engine& opened) {
  const open_report found = opened.opened();
  if (!found.vectors_problem.empty()) tell("mneme: {}\n", printable(found.vectors_problem));
  if (found.torn_bytes == 0) return;
  tell("mneme: the last write had not been finished: {} bytes were cut from {}\n", found.torn_bytes,
       found.torn_segment);
}

status report(const common_options& options, const error& e) {
  if (options.json) put_line(protocol::print(protocol::error_json(e)));
  print_error(e, options.directory, options.only_reads && !options.read_only);
  return status_of(e.code);
}

status report_unwritten(common_options options, const error& e) {
  options.only_reads = false;
  return report(options, e);
}

void print_answer(const common_options& options, std::string_view op, const json& answer) {
  if (options.json)
    put_line(protocol::print(protocol::ok_json(answer)));
  else
    put(render(op, answer, {.width = terminal_width(), .colour = has_colour(stdout)}));
  if (!options.json) tell("{}", remarks(op, answer));
}

namespace {

status with_opened(const common_options& options, result<engine> target,
                   const std::function<result<status>(engine&)>& run) {
  if (!target) return report(options, target.error());
  tell_of_opening(*target);
  auto outcome = run(*target);
  if (outcome && !options.read_only) finish_embeddings(*target);
  const auto closed = target->close();
  if (!outcome) return report(options, outcome.error());
  if (!closed) return report(options, closed.error());
  return *outcome;
}

} // namespace

status with_world(const common_options& options,
                  const std::function<result<status>(engine& target)>& run) {
  return with_opened(options, open_world_for(options), run);
}

result<json> ask_world(const common_options& options, std::string_view op, json request) {
  if (auto there = server::ask_who_has(options.directory, op, request)) return std::move(*there);
  auto opened = open_world_for(options);
  if (!opened) return propagate(opened);
  auto answer = protocol::session(*opened).run(op, std::move(request));
  if (auto closed = opened->close(); !closed) return propagate(closed);
  return answer;
}

std::optional<status> run_where_open(const common_options& options, std::string_view op,
                                     const json& request, status (*judged)(const json& answer)) {
  auto answer = server::ask_who_has(options.directory, op, request);
  if (!answer) return std::nullopt;
  if (!*answer) return report(options, answer->error());
  print_answer(options, op, **answer);
  return judged == nullptr ? status::done : judged(**answer);
}

status run_request(const common_options& options, std::string_view op, json request) {
  return run_request(options, op, std::move(request), nullptr);
}

status run_request(const common_options& options, std::string_view op, json request,
                   status (*judged)(const json& answer)) {
  // Another command is soon done with it, and who takes it over opens it first.
  constexpr int most_tries = 100;
  constexpr std::chrono::milliseconds between_tries{20};
  auto opened = open_world_for(options);
  for (int i = 0; !opened && opened.error().code == errc::busy && i < most_tries; ++i) {
    if (const auto done = run_where_open(options, op, request, judged)) return *done;
    std::this_thread::sleep_for(between_tries);
    opened = open_world_for(options);
  }
  return with_opened(options, std::move(opened), [&](engine& world) -> result<status> {
    protocol::session session(world, nullptr, importing::ingest_source);
    auto answer = session.run(op, std::move(request));
    if (!answer) return propagate(answer);
    print_answer(options, op, *answer);
    return judged == nullptr ? status::done : judged(*answer);
  });
}

status run_request(const common_options& options, std::string_view op, json request,
                   const completion& complete) {
  if (options.json) return run_request(options, op, std::move(request));
  const world_question elsewhere = [&](std::string_view asked, json its) -> result<json> {
    if (auto answer = server::ask_who_has(options.directory, asked, its)) return *answer;
    return fail(errc::busy, "nobody has the world open any more");
  };
  if (auto answer = elsewhere(op, request)) {
    complete(*answer, elsewhere);
    print_answer(options, op, *answer);
    return status::done;
  }
  auto opened = open_world_for(options);
  // Who has it open answers as it does every command.
  if (!opened) return run_request(options, op, std::move(request));
  return with_opened(options, std::move(opened), [&](engine& world) -> result<status> {
    protocol::session session(world, nullptr, importing::ingest_source);
    auto answer = session.run(op, std::move(request));
    if (!answer) return propagate(answer);
    complete(*answer,
             [&](std::string_view asked, json its) { return session.run(asked, std::move(its)); });
    print_answer(options, op, *answer);
    return status::done;
  });
}

bool is_request_argument(std::string_view argument) {
  const auto first = argument.find_first_not_of(" \t\r\n");
  return argument == "-" || (first != std::string_view::npos && argument[first] == '{');
}

result<json> read_request_argument(const std::string& argument) {
  std::string text = argument;
  if (argument == "-") {
    text.clear();
    char buffer[1U << 14];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, stdin)) {
      text.append(buffer, got);
      if (text.size() > protocol::max_line_bytes) break; // parse_json says so
    }
  }
  auto request = protocol::parse_json(text);
  if (request && !request->is_object()) return fail(errc::wrong_type, "a request is a JSON object");
  return request;
}

} // namespace mneme::command
