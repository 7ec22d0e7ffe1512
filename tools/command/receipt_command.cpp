// replay-receipt, and --receipt of the commands that read.
#include "tools/command/receipt_command.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mneme/recovery.hpp"
#include "tools/command/progress_bar.hpp"
#include "tools/command/scratch_directory.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/import/source_file.hpp"

namespace mneme::command {

namespace {

result<void> write_receipt(const std::string& path, const json& receipt) {
  const std::string text = protocol::print(receipt) + "\n";
  if (path == "-") {
    put(text);
    return {};
  }
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return fail(errc::io, fmt::format("cannot write {}", path), "receipt");
  return {};
}

struct receipt_options {
  common_options common;
  std::string file;
};

/// The receipt in a file: itself, or an answer that has one.
result<json> read_receipt(const std::string& path) {
  auto text = importing::read_source(path == "-" ? "/dev/stdin" : path);
  if (!text) return propagate(text);
  auto document = protocol::parse_json(*text);
  if (!document) return document;
  if (!document->is_object() || !document->contains("receipt")) return document;
  json receipt = (*document)["receipt"];
  return receipt;
}

result<json> ask(const common_options& options, const json& request) {
  auto target = open_world_for(options);
  if (!target) return propagate(target);
  tell_of_opening(*target);
  protocol::session session(*target);
  auto answer = session.run("replay_receipt", request);
  auto closed = target->close();
  if (answer && !closed) return propagate(closed);
  return answer;
}

/// The state that the receipt is of, made anew from the journal.
result<json> ask_replayed(const common_options& options, const json& request,
                          const std::string& scratch) {
  if (scratch.empty())
    return fail(errc::io, "no temporary directory could be made to replay the journal in",
                "receipt.seq");
  common_options then = options;
  then.directory = (std::filesystem::path(scratch) / "world").string();
  then.read_only = false;
  progress_bar bar("replay");
  const seq_no at{request["receipt"]["seq"].get<std::uint64_t>()};
  auto roots = replay_world(
      options.directory, then.directory, at,
      [&](std::uint64_t done, std::uint64_t total) { bar.show(done, total, done, "entries"); });
  if (!roots) return propagate(roots);
  return ask(then, request);
}

status run_replay_receipt(const receipt_options& o) {
  auto receipt = read_receipt(o.file);
  if (!receipt) return report(o.common, receipt.error());
  const json request{{"receipt", *receipt}};
  const scratch_directory scratch("");
  common_options common = o.common;
  auto answer = ask(common, request);
  if (!answer && answer.error().code == errc::busy && !common.read_only) {
    common.read_only = true; // beside a writer, from the journal
    answer = ask(common, request);
  }
  if (!answer && answer.error().code == errc::seq_unavailable)
    answer = ask_replayed(common, request, scratch.path());
  if (!answer) return report(o.common, answer.error());
  print_answer(o.common, "replay_receipt", *answer);
  return (*answer)["equal"] == true ? status::done : status::no;
}

} // namespace

void add_receipt_option(CLI::App& command, std::optional<std::string>& file) {
  command.add_option("--receipt", file, "write a receipt of the answer to this file, or -");
}

status run_read(const common_options& options, std::string_view op, json request,
                const std::optional<std::string>& file) {
  if (!file) return run_request(options, op, std::move(request));
  request["receipt"] = true;
  json receipt;
  const status asked = with_world(options, [&](engine& target) -> result<status> {
    protocol::session session(target);
    auto answer = session.run(op, std::move(request));
    if (!answer) return propagate(answer);
    receipt = (*answer)["receipt"];
    answer->erase("receipt");
    print_answer(options, op, *answer);
    return status::done;
  });
  if (asked != status::done) return asked;
  if (auto ok = write_receipt(*file, receipt); !ok) return report_unwritten(options, ok.error());
  return asked;
}

void add_receipt_command(CLI::App& app, command_result& outcome) {
  add_command<receipt_options>(
      app, "replay-receipt", "Ask again what a receipt says was asked: is the answer the same?",
      true, outcome,
      [](CLI::App& c, receipt_options& o) {
        c.add_option("FILE", o.file, "a receipt, or an answer with one, or -")
            ->required()
            ->check(not_empty());
      },
      run_replay_receipt);
}

} // namespace mneme::command
