// bench: what this machine takes for the engine's workloads, beside what plain C++ takes.

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "bench/workloads/run.hpp"
#include "tools/command/commands.hpp"
#include "tools/command/text_table.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace mneme::command {

namespace {

using json = nlohmann::ordered_json;

struct bench_options {
  std::vector<std::uint64_t> sizes{10'000};
  std::vector<std::string> workloads;
  std::uint64_t seed = 1;
  std::string directory;
  bool as_json = false;
};

/// A directory that goes with what is in it.
class scratch {
public:
  explicit scratch(const std::string& in) {
    std::error_code failed;
    const std::filesystem::path parent =
        in.empty() ? std::filesystem::temp_directory_path(failed) : std::filesystem::path(in);
    std::string name = (parent / "mneme-bench-XXXXXX").string();
    if (!failed && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

std::string time_text(double us) {
  if (us <= 0) return {};
  if (us < 1000) return fmt::format("{:.1f} µs", us);
  return us < 1e6 ? fmt::format("{:.2f} ms", us / 1000) : fmt::format("{:.2f} s", us / 1e6);
}

std::string table_of(const std::vector<workloads::measured>& all) {
  text_table table({"", "memories", "p50", "p99", "a second", "floor", "× floor", "right", "what"});
  for (const auto& m : all)
    table.add({m.name, std::to_string(m.size), time_text(m.p50_us), time_text(m.p99_us),
               fmt::format("{:.0f}", m.per_second), time_text(m.floor_p50_us),
               m.floor_p50_us > 0 ? fmt::format("{:.1f}", m.p50_us / m.floor_p50_us) : "",
               fmt::format("{:.3f}", m.right),
               m.floor.empty() ? m.what : m.what + " (floor: " + m.floor + ")"});
  return table.text(terminal_width(), has_colour(stdout));
}

std::string json_of(const std::vector<workloads::measured>& all, std::uint64_t seed) {
  json rows = json::array();
  for (const auto& m : all) {
    json row = {{"workload", m.name},           {"what", m.what},     {"n", m.size},
                {"repetitions", m.repetitions}, {"p50_us", m.p50_us}, {"p99_us", m.p99_us},
                {"per_second", m.per_second},   {"right", m.right}};
    if (!m.floor.empty()) {
      row["floor"] = m.floor;
      row["floor_p50_us"] = m.floor_p50_us;
      row["floor_p99_us"] = m.floor_p99_us;
    }
    rows.push_back(std::move(row));
  }
  return json{{"seed", seed}, {"rows", std::move(rows)}}.dump();
}

status run_bench(const bench_options& o) {
  std::vector<workloads::measured> all;
  for (const auto size : o.sizes) {
    const scratch place(o.directory);
    if (place.path().empty()) {
      tell("mneme: no directory can be made in {}\n       see: mneme bench --dir\n",
           o.directory.empty() ? "the directory for temporary files" : printable(o.directory));
      return status::store;
    }
    workloads::run_options run{
        .size = size, .seed = o.seed, .directory = place.path(), .names = o.workloads};
    auto measured = workloads::run(
        run, [&](const std::string& step) { tell("{} memories: {}\n", size, step); });
    if (!measured) {
      print_error(measured.error());
      return status_of(measured.error().code);
    }
    all.insert(all.end(), measured->begin(), measured->end());
  }
  put(o.as_json ? json_of(all, o.seed) + "\n" : table_of(all));
  return status::done;
}

} // namespace

void add_bench_command(CLI::App& app, command_result& outcome) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure the engine on this machine, beside plain C++");
  auto o = std::make_shared<bench_options>();
  command->add_option("--n", o->sizes, "memories; several sizes with commas (10000)")
      ->delimiter(',')
      ->check(CLI::Range(100, 10'000'000));
  command->add_option("--workloads", o->workloads, "only these, such as W3,W5")
      ->delimiter(',')
      ->check(CLI::IsMember(workloads::workload_names()));
  command->add_option("--seed", o->seed, "of the data (1)");
  command->add_option("--dir", o->directory,
                      "measure on this directory's disk; what is made there is removed again");
  command->add_flag("--json", o->as_json, "for programs");
  command->callback([o, &outcome] { outcome.exit = run_bench(*o); });
}

} // namespace mneme::command
