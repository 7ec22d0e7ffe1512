// bench: what this machine takes for the engine's workloads, beside what plain C++ takes.

#include <cstdlib>
#include <fstream>
#include <memory>

#include "bench/workloads/cost_plot.hpp"
#include "bench/workloads/run.hpp"
#include "tools/command/bench_report.hpp"
#include "tools/command/commands.hpp"
#include "tools/command/scratch_directory.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace mneme::command {

namespace {

struct bench_options {
  std::vector<std::uint64_t> sizes{10'000};
  std::vector<std::string> workloads;
  std::uint64_t seed = 1;
  std::string directory;
  std::string plot;
  bool as_json = false;
};

/// Processes that wanted a core in the last minute; 0 where nobody knows.
double load_of_machine() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

status run_bench(const bench_options& o) {
  const double load = load_of_machine();
  if (load > 0.5)
    tell("this machine is busy (load {:.1f}): compare ratios, and those with care\n", load);
  const scratch_directory place(o.directory);
  if (place.path().empty()) {
    tell("mneme: no directory can be made in {}: name one with --dir that is there and may be "
         "written to\n",
         o.directory.empty() ? "the directory for temporary files" : printable(o.directory));
    return status::store;
  }
  std::vector<workloads::run_options> runs;
  runs.reserve(o.sizes.size());
  for (const auto size : o.sizes)
    runs.push_back({.size = size,
                    .seed = o.seed,
                    .directory = fmt::format("{}/{}", place.path(), runs.size()),
                    .names = o.workloads});
  const auto measured = workloads::run(runs, [](const std::string& step) { tell("{}\n", step); });
  if (!measured) {
    const auto& e = measured.error();
    if (e.at == workloads::wrong_answer) {
      tell("mneme: a wrong answer: {}\n", e.message);
      return status::no;
    }
    print_error(e);
    return status_of(e.code);
  }
  const auto& all = *measured;
  put(o.as_json ? bench_json(all, o.seed, load) + "\n" : bench_table(all));
  if (o.plot.empty()) return status::done;
  std::ofstream file(o.plot);
  file << workloads::cost_plot(all);
  if (file.flush()) return status::done;
  tell("mneme: cannot write {}\n", printable(o.plot));
  return status::store;
}

} // namespace

void add_bench_command(CLI::App& app, command_result& outcome) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measure the engine on this machine, beside plain C++ and SQLite");
  auto o = std::make_shared<bench_options>();
  command->add_option("--n", o->sizes, "memories; several sizes with commas (10000)")
      ->delimiter(',')
      ->check(CLI::Range(100, 10'000'000));
  command->add_option("--workloads", o->workloads, "only these, such as W3,W5")
      ->delimiter(',')
      ->check(CLI::IsMember(workloads::workload_names()));
  command->add_option("--seed", o->seed, "of the data (1)");
  command->add_option(
      "--dir", o->directory,
      "measure on the disk of this directory, which must be there; what is made in it is "
      "removed again");
  command->add_option("--plot", o->plot, "also draw cost against N, as SVG, into this file");
  command->add_flag("--json", o->as_json, "for programs");
  command->callback([o, &outcome] { outcome.exit = run_bench(*o); });
}

} // namespace mneme::command
