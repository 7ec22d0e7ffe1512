/// Two threads that ask the same as one: how much more is answered.

#include <atomic>
#include <thread>

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

using client = std::function<result<void>(std::size_t)>;

struct client_times {
  samples taken{};
  result<void> outcome{};
};

/// Each client in a thread of its own, for so long; what all have taken, and answers a second.
result<std::pair<samples, double>> ask_at_once(const std::vector<client>& clients, double seconds) {
  std::vector<client_times> times(clients.size());
  const auto begin = instant::now();
  const auto ask = [&](std::size_t n) {
    for (std::size_t q = n * query_count / 2; microseconds_since(begin) < seconds * 1e6; ++q) {
      const auto start = instant::now();
      times[n].outcome = clients[n](q % query_count);
      times[n].taken.us.push_back(microseconds_since(start));
      if (!times[n].outcome) return;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t n = 1; n < clients.size(); ++n) threads.emplace_back(ask, n);
    ask(0);
  }
  const double passed = microseconds_since(begin);
  samples all;
  for (auto& t : times) {
    if (!t.outcome) return std::unexpected(t.outcome.error());
    all.us.insert(all.us.end(), t.taken.us.begin(), t.taken.us.end());
  }
  const double rate = 1e6 * static_cast<double>(all.us.size()) / passed;
  all.right = static_cast<double>(all.us.size());
  return std::pair(std::move(all), rate);
}

/// A report of two clients; `ratio` is what they answer beside what one does.
result<side_report> with_two(std::string name, const std::vector<client>& two, double seconds,
                             double& ratio) {
  // In two rounds, so that a minute that is slow is slow for both.
  double one_rate = 0;
  double two_rate = 0;
  samples all;
  for (int round = 0; round < 2; ++round) {
    auto one = ask_at_once({two[0]}, seconds / 8);
    if (!one) return propagate(one);
    auto both = ask_at_once(two, seconds / 8);
    if (!both) return propagate(both);
    one_rate += one->second;
    two_rate += both->second;
    all.us.insert(all.us.end(), both->first.us.begin(), both->first.us.end());
    all.right += both->first.right;
  }
  auto report = report_of(std::move(name), all);
  report.per_second = two_rate / 2;
  ratio = one_rate > 0 ? two_rate / one_rate : 0;
  return report;
}

/// A client of the engine that asks what `request` makes.
client asking(bench_run& run, std::function<find_request(std::size_t)> request) {
  return [&run, request = std::move(request)](std::size_t q) -> result<void> {
    auto found = run.world->find(request(q));
    if (!found) return std::unexpected(found.error());
    return {};
  };
}

struct shared_question {
  const char* name;
  const char* what;
  std::function<find_request(std::size_t)> request;
  std::function<result<rows>(sqlite_peer&, std::size_t)> peer; ///< null: none
};

result<void> measure_two(bench_run& run, const shared_question& asked) {
  measured m{.name = asked.name, .what = asked.what};
  m.size = run.options.size;
  double ratio = 0;
  const client one = asking(run, asked.request);
  auto engine = with_two({}, {one, one}, run.options.seconds_each, ratio);
  if (!engine) return propagate(engine);
  m.engine = *engine;
  m.facts.emplace_back("of_one_client", ratio);
  if (asked.peer) {
    auto other = sqlite_peer::open(run.sqlite_file());
    if (!other) return propagate(other);
    const auto peer_client = [&](sqlite_peer& connection) -> client {
      return [&connection, &asked](std::size_t q) -> result<void> {
        auto found = asked.peer(connection, q);
        if (!found) return std::unexpected(found.error());
        return {};
      };
    };
    auto peer =
        with_two("SQLite, two connections", {peer_client(*run.sqlite), peer_client(**other)},
                 run.options.seconds_each, ratio);
    if (!peer) return propagate(peer);
    m.peer = *peer;
    m.facts.emplace_back("sqlite_of_one_client", ratio);
  }
  run.done.push_back(std::move(m));
  return {};
}

} // namespace

result<void> two_clients(bench_run& run) {
  const auto& d = run.data;
  const shared_question questions[] = {
      {.name = "2 × W3",
       .what = "near, by two threads",
       .request = [&d](std::size_t q) { return near_request(d, q); },
       .peer = {}},
      {.name = "2 × W5",
       .what = "W5, by two threads",
       .request = [&d](std::size_t q) { return salient_request(d.queries[q]); },
       .peer = [&d](sqlite_peer& s, std::size_t q) { return s.salient(d.queries[q]); }},
  };
  for (const auto& asked : questions)
    if (auto ran = measure_two(run, asked); !ran) return ran;
  return {};
}

} // namespace mneme::workloads
