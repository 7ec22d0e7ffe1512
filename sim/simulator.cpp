#include "sim/simulator.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>
#include <re2/re2.h>

#include "sim/cluster.hpp"
#include "sim/reduce.hpp"
#include "sim/simulation.hpp"

namespace mneme {

namespace {

using sim::run_options;
using sim::run_report;

/// Within so many seeds a planted bug must be found.
constexpr std::uint64_t canary_seeds = 50;

/// What the handler of a broken invariant prints; made before, since a handler may not.
std::string last_words;

void end_of_process(int) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, last_words.data(), last_words.size());
  _exit(sim_assertion);
}

std::string replay_command(const run_options& run, std::uint64_t step, const sim_options& asked) {
  std::string command = fmt::format("mneme sim --seed {} --steps {}", run.seed, step);
  if (!asked.plan.empty()) command += " --plan " + asked.plan;
  return command;
}

std::string failure_line(const run_options& run, const run_report& report,
                         const sim_options& asked) {
  const std::uint64_t step = std::min(report.failed_at_step, run.steps);
  return fmt::format("seed {} steps {}: step {}, oracle {}: {}; again with: {}\n", run.seed,
                     run.steps, step, report.failure->oracle, report.failure->text,
                     replay_command(run, step, asked));
}

std::string clean_line(const run_options& run, const run_report& r) {
  return fmt::format("seed {} steps {}: clean; {} operations, {} answers ({} errors), {} crashes, "
                     "{} entries lost as they may be, seq {}, log {:016x}, root {}\n",
                     run.seed, run.steps, r.operations, r.answers, r.errors, r.crashes,
                     r.lost_entries, r.last.value, r.log_digest, to_hex(r.root));
}

int exit_code_of(const run_report& report) {
  if (!report.failure) return sim_clean;
  return report.failure->oracle == "progress" ? sim_no_progress : sim_wrong_answer;
}

/// What stands before the colon of a plan's line: "12" of an operation, "arm2-12" of one in a
/// branch, "fault3" of a fault, "erase3" of an erasure, "trim3" of a trim; empty where the line is
/// no plan's.
std::string name_of_line(const std::string& line) {
  std::string name;
  const bool is_one =
      re2::RE2::FullMatch(line, "((?:fault|erase|trim|arm[0-9]+-)?[0-9]+):.*", &name);
  return is_one ? name : std::string();
}

bool read_plan(const std::string& path, run_options& run) {
  std::ifstream in(path);
  if (!in) return false;
  run.only.emplace();
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    std::string name = name_of_line(line);
    if (name.empty()) return false;
    run.only->insert(std::move(name));
  }
  return !in.bad();
}

bool write_plan(const std::string& path, const std::vector<std::string>& lines) {
  std::ofstream out(path, std::ios::trunc);
  for (const auto& line : lines) out << line << '\n';
  return static_cast<bool>(out.flush());
}

run_report run_once(const run_options& run, const sim_options& asked) {
  last_words = fmt::format("seed {}: broken invariant; again with: {}\n", run.seed,
                           replay_command(run, run.steps, asked));
  auto report = sim::simulate(run);
  for (const auto& line : report.log) fmt::print("{}\n", line);
  return report;
}

bool plant(const std::string& name, planted_bugs& bugs) {
  if (name == "reply_before_publish") return bugs.reply_before_publish = true;
  if (name == "lose_reverse_edge") return bugs.lose_reverse_edge = true;
  if (name == "skip_fsync") return bugs.skip_fsync = true;
  return false;
}

int look_for_canary(run_options run, const sim_options& asked) {
  for (std::uint64_t i = 0; i < canary_seeds; ++i, ++run.seed) {
    const auto report = run_once(run, asked);
    if (!report.failure) continue;
    fmt::print("{} is found: {}", asked.canary, failure_line(run, report, asked));
    return sim_clean;
  }
  fmt::print("{} is not found within {} seeds of {} steps\n", asked.canary, canary_seeds,
             run.steps);
  return sim_wrong_answer;
}

int compare_runs(const run_options& run, const run_report& first, const sim_options& asked) {
  const auto second = run_once(run, asked);
  const char* what = first.log_digest != second.log_digest           ? "step log"
                     : first.journal_digest != second.journal_digest ? "journal"
                     : first.root != second.root                     ? "root"
                                                                     : nullptr;
  if (what == nullptr) return sim_clean;
  fmt::print("seed {} steps {}: oracle twice: the second run has another {}; again with: {} "
             "--twice\n",
             run.seed, run.steps, what, replay_command(run, run.steps, asked));
  return sim_wrong_answer;
}

sim::cluster_report run_cluster_once(const sim_options& asked, std::uint64_t seed) {
  last_words =
      fmt::format("seed {}: broken invariant; again with: mneme sim --engines {} --seed {} "
                  "--steps {}\n",
                  seed, asked.engines, seed, asked.steps);
  auto report = sim::simulate_cluster({.seed = seed,
                                       .steps = asked.steps,
                                       .engines = asked.engines,
                                       .reply_before_publish = !asked.canary.empty(),
                                       .keep_log = asked.trace});
  for (const auto& line : report.log) fmt::print("{}\n", line);
  return report;
}

std::string verdict_of(const sim::cluster_report& r, const sim_options& asked, std::uint64_t seed) {
  if (r.failure)
    return fmt::format(
        "seed {} engines {}: step {}, oracle {}: {}; again with: mneme sim --engines "
        "{} --seed {} --steps {}\n",
        seed, asked.engines, r.failed_at_step, r.failure->oracle, r.failure->text, asked.engines,
        seed, asked.steps);
  return fmt::format(
      "seed {} engines {} steps {}: clean; {} operations, {} acknowledged, {} refused, "
      "{} unknown, {} trims, {} epochs, {} crashes, {} halted, seq {}, log {:016x}, root {}\n",
      seed, asked.engines, asked.steps, r.operations, r.acknowledged, r.refused, r.unknown, r.trims,
      r.epochs, r.crashes, r.halted, r.last, r.log_digest, r.root);
}

/// Several engines on one log.
int run_cluster(const sim_options& asked) {
  if (asked.engines > 7 || !asked.plan.empty() || !asked.save_plan.empty()
      || (!asked.canary.empty() && asked.canary != "reply_before_publish")) {
    fmt::print(stderr, "2 to 7 engines, without a plan, and of the planted bugs "
                       "reply_before_publish\n");
    return sim_bad_usage;
  }
  std::uint64_t seed = asked.seed;
  auto report = run_cluster_once(asked, seed);
  for (std::uint64_t i = 1; !asked.canary.empty() && !report.failure && i < canary_seeds; ++i)
    report = run_cluster_once(asked, ++seed);
  fmt::print("{}{}", asked.canary.empty() ? "" : asked.canary + ": ",
             verdict_of(report, asked, seed));
  if (!asked.canary.empty()) return report.failure ? sim_clean : sim_wrong_answer;
  if (report.failure)
    return report.failure->oracle == "progress" ? sim_no_progress : sim_wrong_answer;
  if (!asked.twice || run_cluster_once(asked, seed).log_digest == report.log_digest)
    return sim_clean;
  fmt::print("seed {} engines {}: oracle twice: the second run has another step log\n", seed,
             asked.engines);
  return sim_wrong_answer;
}

} // namespace

int run_simulator(const sim_options& asked) {
  if (asked.engines > 1) {
    std::signal(SIGABRT, end_of_process);
    return run_cluster(asked);
  }
  run_options run{
      .seed = asked.seed, .steps = asked.steps, .bugs = {}, .only = {}, .keep_log = asked.trace};
  if (!asked.canary.empty() && !plant(asked.canary, run.bugs)) {
    fmt::print(stderr,
               "there is no planted bug {}: reply_before_publish, lose_reverse_edge, "
               "skip_fsync\n",
               asked.canary);
    return sim_bad_usage;
  }
  if (!asked.plan.empty() && !read_plan(asked.plan, run)) {
    fmt::print(stderr, "{} cannot be read as a plan\n", asked.plan);
    return sim_bad_usage;
  }
  std::signal(SIGABRT, end_of_process);
  if (!asked.canary.empty()) return look_for_canary(run, asked);
  auto report = run_once(run, asked);
  fmt::print("{}", report.failure ? failure_line(run, report, asked) : clean_line(run, report));
  const int code = exit_code_of(report);
  if (!asked.save_plan.empty()) {
    const auto lines = report.failure ? sim::reduce(run, report) : report.plan;
    if (!write_plan(asked.save_plan, lines)) {
      fmt::print(stderr, "the plan cannot be written to {}\n", asked.save_plan);
      return sim_bad_usage;
    }
  }
  if (code == sim_clean && asked.twice) return compare_runs(run, report, asked);
  return code;
}

} // namespace mneme
