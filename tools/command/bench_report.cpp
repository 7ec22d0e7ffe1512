#include "tools/command/bench_report.hpp"

#include <algorithm>
#include <thread>

#include <nlohmann/json.hpp>

#include "bench/workloads/cost_plot.hpp"
#include "bench/workloads/measure.hpp"
#include "tools/command/console.hpp"
#include "tools/command/text_table.hpp"

namespace mneme::command {

namespace {

using protocol::json;
using workloads::cost_of;
using workloads::measured;
using workloads::side_report;

std::string ratio_text(const side_report& side, const side_report& beside) {
  return cost_of(beside) > 0 ? fmt::format("{:.1f}", cost_of(side) / cost_of(beside)) : "";
}

std::string notes_of(const measured& m) {
  std::string notes = m.what;
  if (!m.floor.name.empty()) notes += "; floor: " + m.floor.name;
  for (const auto& [name, value] : m.facts) notes += "; " + workloads::fact_text(name, value);
  return notes;
}

json side_json(const side_report& side) {
  json object = json::object();
  if (!side.name.empty()) object["what"] = side.name;
  if (side.bytes > 0) object["bytes"] = side.bytes;
  if (side.repetitions == 0) return object;
  object.update({{"repetitions", side.repetitions},
                 {"p50_us", side.p50_us},
                 {"p99_us", side.p99_us},
                 {"per_second", side.per_second},
                 {"right", side.right}});
  return object;
}

} // namespace

std::string bench_table(const std::vector<measured>& all) {
  text_table table({"", "memories", "p50", "p99", "a second", "floor", "× floor", "SQLite",
                    "× SQLite", "grows as", "what"});
  const auto costs = workloads::costs_by_workload(all);
  for (const auto& m : all) {
    const auto& line = std::ranges::find(costs, m.name, &workloads::workload_costs::name)->engine;
    const bool is_last = line.size() > 1 && line.back().first == static_cast<double>(m.size);
    table.add(
        {m.name, std::to_string(m.size), cost_text(m.engine), workloads::time_text(m.engine.p99_us),
         m.engine.per_second > 0 ? fmt::format("{:.0f}", m.engine.per_second) : "",
         cost_text(m.floor), ratio_text(m.engine, m.floor), cost_text(m.peer),
         ratio_text(m.engine, m.peer),
         is_last ? fmt::format("N^{:.2f}", workloads::cost_exponent(line)) : "", notes_of(m)});
  }
  return table.text(terminal_width(), has_colour(stdout));
}

std::string bench_json(const std::vector<measured>& all, std::uint64_t seed, double load) {
  json rows = json::array();
  for (const auto& m : all) {
    json row = {
        {"workload", m.name}, {"what", m.what}, {"n", m.size}, {"engine", side_json(m.engine)}};
    if (cost_of(m.floor) > 0) row["floor"] = side_json(m.floor);
    if (cost_of(m.peer) > 0) row["sqlite"] = side_json(m.peer);
    json facts = json::object();
    for (const auto& [name, value] : m.facts) facts[name] = value;
    if (!facts.empty()) row["facts"] = std::move(facts);
    rows.push_back(std::move(row));
  }
  return json{{"seed", seed},
              {"cores", std::thread::hardware_concurrency()},
              {"load", load},
              {"rows", std::move(rows)}}
      .dump();
}

} // namespace mneme::command
