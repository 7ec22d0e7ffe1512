// prove, verify, replay.

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tools/command/console.hpp"
#include "tools/command/data_arguments.hpp"
#include "tools/command/progress_bar.hpp"
#include "tools/command/render.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/import/source_file.hpp"
#include "tools/protocol/absence_proof.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/proof_json.hpp"
#include "tools/server/access/vacant_directory.hpp"

namespace mneme::command {

namespace {

struct prove_options {
  common_options common;
  std::vector<std::string> ids; ///< or one request
  std::vector<std::string> edges;
  std::vector<std::string> fields;
  std::vector<std::int64_t> seqs;
  std::optional<std::string> root;
  std::optional<std::string> actor;
};

result<json> prove_request_of(const prove_options& o) {
  json request = json::object();
  if (o.ids.size() == 1 && is_request_argument(o.ids.front())) {
    auto read = read_request_argument(o.ids.front());
    if (!read) return read;
    request = std::move(*read);
  } else {
    for (const auto& id : o.ids) {
      const auto uri = parse_memory_uri(id);
      request["ids"].push_back(uri ? to_string(uri->id) : id);
    }
  }
  for (const auto& edge : o.edges) {
    const auto first = edge.find(':');
    const auto second = first == std::string::npos ? first : edge.find(':', first + 1);
    if (second == std::string::npos)
      return fail(errc::bad_value, fmt::format("expected SRC:TYPE:DST, not \"{}\"", edge), "edges");
    request["edges"].push_back({{"src", edge.substr(0, first)},
                                {"type", edge.substr(first + 1, second - first - 1)},
                                {"dst", edge.substr(second + 1)}});
  }
  for (const auto& field : o.fields) {
    auto named = topic_field_argument(field);
    if (!named) return named;
    request["fields"].push_back(std::move(*named));
  }
  for (const auto seq : o.seqs) request["seqs"].push_back(seq);
  set_if(request, "root", o.root);
  set_if(request, "actor", o.actor);
  return request;
}

status run_prove(const prove_options& o) {
  auto request = prove_request_of(o);
  if (!request) return report(o.common, request.error());
  common_options common = o.common;
  if (!common.read_only) {
    // A proof only reads: beside a writer it is made from the journal.
    auto probe = open_world_for(common);
    common.read_only = !probe && probe.error().code == errc::busy;
    if (probe) {
      tell_of_opening(*probe);
      protocol::session session(*probe);
      auto answer = session.run("prove", *request);
      const auto closed = probe->close();
      if (!answer) return report(common, answer.error());
      if (!closed) return report(common, closed.error());
      print_answer(common, "prove", *answer);
      return status::done;
    }
  }
  return run_request(common, "prove", std::move(*request));
}

struct verify_options {
  common_options common;
  std::optional<std::string> proof;
  std::optional<std::string> root;
};

/// Checks an answer of prove or absent; needs no world.
status verify_proof(const verify_options& o) {
  auto text = importing::read_source(*o.proof == "-" ? "/dev/stdin" : *o.proof);
  if (!text) return report(o.common, text.error());
  auto answer = protocol::parse_json(*text);
  if (!answer) return report(o.common, answer.error());
  auto bundle = protocol::read_proven(*answer);
  if (!bundle) {
    const status said = report(o.common, bundle.error());
    return bundle.error().code == errc::proof_mismatch ? status::no : said;
  }
  auto verified = protocol::verify_proofs(*bundle);
  if (verified && o.root && to_hex(bundle->roots.overall) != *o.root)
    verified =
        fail(errc::proof_mismatch, "the proof is against another root than " + *o.root, "root");
  if (!verified) {
    report(o.common, verified.error());
    return status::no;
  }
  const auto proven = protocol::proven_items(*bundle);
  json said{{"root", to_hex(bundle->roots.overall)},
            {"seq", bundle->roots.seq.value},
            {"proofs", proven.size()},
            {"proven", proven}};
  if (!o.common.json) said["proven"] = printable(fmt::format("{}", fmt::join(proven, ", ")));
  print_answer(o.common, "verify", said);
  return status::done;
}

result<verify_report> verify_with_bar(const std::string& directory) {
  progress_bar bar("verify");
  return verify_world(directory, [&](std::uint64_t done, std::uint64_t total) {
    bar.show(done, total, done, "entries");
  });
}

status run_verify(const verify_options& o) {
  if (o.proof) return verify_proof(o);
  if (o.common.directory.empty())
    return report(o.common,
                  error{errc::missing_key, "give the directory of a world, or --proof", {}});
  auto checked = verify_with_bar(o.common.directory);
  if (!checked) {
    const status said = report(o.common, checked.error());
    return checked.error().code == errc::corrupt ? status::no : said;
  }
  if (!checked->ok) {
    const error damage{errc::corrupt, checked->problem, {}};
    json line = protocol::error_json(damage);
    line["entries"] = checked->entries; // what was good before it
    if (o.common.json) put_line(protocol::print(line));
    tell("mneme: damage after {} good entries: {} ({})\n", checked->entries,
         printable(checked->problem), to_string(damage.code));
    if (checked->entries > 0)
      tell("       what is before it goes on with: mneme replay {} --into DIR2 --up-to {}\n",
           o.common.directory, checked->entries);
    return status::no;
  }
  print_answer(o.common, "verify", protocol::verify_json(*checked));
  return status::done;
}

struct replay_options {
  common_options common;
  std::string into;
  std::optional<std::uint64_t> up_to;
};

result<root_set> replay_with_bar(const replay_options& o) {
  progress_bar bar("replay");
  const auto up_to = o.up_to ? std::optional(seq_no{*o.up_to}) : std::nullopt;
  return replay_world(
      o.common.directory, o.into, up_to,
      [&](std::uint64_t done, std::uint64_t total) { bar.show(done, total, done, "entries"); });
}

/// A world that ends in the middle must not be taken for a whole one. The directory was vacant, so
/// that all in it is the replay's.
void remove_broken_off(const std::string& directory, bool was_there) {
  namespace fs = std::filesystem;
  std::error_code problem; // whatever stays is seen by the next attempt
  if (!was_there) {
    fs::remove_all(directory, problem);
    return;
  }
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(directory, problem)) left.push_back(entry.path());
  for (const auto& path : left) fs::remove_all(path, problem);
}

status run_replay(const replay_options& o) {
  if (!server::is_vacant(o.into))
    return report(o.common,
                  error{errc::already_exists,
                        o.into + " is not empty; a replay needs a directory of its own", "into"});
  std::error_code problem;
  const bool was_there = std::filesystem::exists(o.into, problem);
  auto roots = replay_with_bar(o);
  if (!roots) {
    // A busy directory is somebody else's.
    if (roots.error().code != errc::busy) remove_broken_off(o.into, was_there);
    return report_unwritten(o.common, roots.error());
  }
  print_answer(o.common, "replay", protocol::roots_json(*roots));
  return status::done;
}

} // namespace

void add_proof_commands(CLI::App& app, command_result& outcome) {
  add_command<prove_options>(
      app, "prove", "Prove that memories, edges or entries are (or are not) under a root", true,
      outcome,
      [](CLI::App& c, prove_options& o) {
        c.add_option("ID", o.ids, "ids or uris, or a request as JSON, or -");
        declare_repeated(c, "--field", o.fields, "TOPIC:NAME; may be repeated");
        declare_repeated(c, "--edge", o.edges, "SRC:TYPE:DST; may be repeated");
        declare_repeated(c, "--seq", o.seqs, "journal entries; may be repeated");
        c.add_option("--root", o.root, "of a snapshot (default: the present one)");
        c.add_option("--actor", o.actor, "who is asking");
      },
      run_prove);
  CLI::App* verify = add_command<verify_options>(
      app, "verify", "Check a world's whole journal, or a proof", true, outcome,
      [](CLI::App& c, verify_options& o) {
        c.add_option("--proof", o.proof, "a file with an answer of prove or absent, or -");
        c.add_option("--root", o.root, "the root that the proof must be against");
      },
      run_verify);
  verify->get_option("DIR")->required(false);
  add_command<replay_options>(
      app, "replay", "Build a new world from a journal", true, outcome,
      [](CLI::App& c, replay_options& o) {
        c.add_option("--into", o.into, "directory of the new world")
            ->required()
            ->check(not_empty());
        c.add_option("--up-to", o.up_to, "last entry to take");
      },
      run_replay);
}

} // namespace mneme::command
