#include "bench/workloads/contest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/workloads/measure.hpp"

namespace mneme::workloads {

namespace {

/// Floors sum in float; what differs by less is a tie.
constexpr double score_tolerance = 2e-6;

/// What was freed in small pieces glibc joins at the next request of some size, whoever makes it:
/// 100 ms behind a sort of a million rows. Asking for that between turns, no side pays for another.
void join_free_memory() {
  constexpr std::size_t large_bytes = 64 << 10; // and not so large that it has pages of its own
  void* volatile asked = std::malloc(large_bytes);
  std::free(asked);
}

/// One side while it is measured.
struct runner {
  const turn& ask;
  samples taken{};
  double total_us = 0;

  result<void> run(std::size_t first, std::size_t count) {
    join_free_memory();
    const auto start = instant::now();
    auto done = ask(first, count, taken);
    total_us += microseconds_since(start);
    return done;
  }
};

} // namespace

double microseconds_since(instant::time_point start) {
  return std::chrono::duration<double, std::micro>(instant::now() - start).count();
}

side_report report_of(std::string name, const samples& taken, double things_each) {
  side_report r{.name = std::move(name)};
  if (taken.us.empty()) return r;
  const double total = std::reduce(taken.us.begin(), taken.us.end());
  r.repetitions = taken.us.size();
  r.p50_us = percentile(taken.us, 0.5);
  r.p99_us = percentile(taken.us, 0.99);
  r.per_second = 1e6 * things_each * static_cast<double>(taken.us.size()) / std::max(total, 1e-3);
  r.right = taken.right / static_cast<double>(taken.us.size());
  return r;
}

result<measured> measure(const contest& c, double seconds) {
  std::vector<runner> sides;
  for (const turn* side : {&c.engine, &c.floor, &c.peer}) sides.push_back({.ask = *side});
  for (auto& side : sides)
    for (std::size_t i = 0; side.ask && i < c.warm; ++i) {
      samples ignored;
      const auto start = instant::now();
      if (auto warmed = side.ask(i, 1, ignored); !warmed) return std::unexpected(warmed.error());
      if (microseconds_since(start) > seconds * 1e6 / 50) break;
    }
  // One that is much slower than the others answers fewer of the queries, and what it takes beyond
  // its half of the time is not theirs; not where turns go hand in hand.
  const double most_each_us =
      c.block > 1 ? seconds * 1e6 / 2 : std::numeric_limits<double>::infinity();
  const auto spent_us = [&] {
    double spent = 0;
    for (const auto& side : sides) spent += std::min(side.total_us, most_each_us);
    return spent;
  };
  const auto begin = instant::now();
  std::size_t done = 0;
  std::size_t block = 1;
  do {
    const auto round = instant::now();
    const std::size_t count = std::min(block, c.most - done);
    for (auto& side : sides) {
      if (!side.ask || (done > 0 && side.total_us > most_each_us)) continue;
      if (auto ran = side.run(done, count); !ran) return std::unexpected(ran.error());
    }
    done += count;
    if (microseconds_since(round) < seconds * 1e6 / 20) block = std::min(2 * block, c.block);
  } while (done < c.most
           && (spent_us() < seconds * 1e6
               || (done < 3 && microseconds_since(begin) < 3 * seconds * 1e6)));
  measured m = c.about;
  m.engine = report_of({}, sides[0].taken, c.things_each);
  if (m.engine.right < least_recall)
    return fail(errc::corrupt,
                fmt::format("{}: a recall of {:.3f}, where {} is asked for", m.name, m.engine.right,
                            least_recall),
                wrong_answer);
  m.floor = report_of(m.floor.name, sides[1].taken, c.things_each);
  m.peer = report_of(m.peer.name, sides[2].taken, c.things_each);
  return m;
}

double recall_of(const rows& truth, const rows& answer) {
  if (truth.empty()) return answer.empty() ? 1 : 0;
  const auto hits = std::ranges::count_if(
      truth, [&](std::uint32_t i) { return std::ranges::count(answer, i) > 0; });
  return static_cast<double>(hits) / static_cast<double>(truth.size());
}

double recall_of(const rows& truth, const rows& answer, const score_function& score) {
  if (truth.empty()) return answer.empty() ? 1 : 0;
  const double least = score(truth.back()) - score_tolerance;
  const std::set<std::uint32_t> distinct(answer.begin(), answer.end());
  const auto hits =
      std::ranges::count_if(distinct, [&](std::uint32_t i) { return score(i) >= least; });
  return static_cast<double>(hits) / static_cast<double>(std::max(truth.size(), answer.size()));
}

bool is_same_order(const rows& truth, const rows& answer, const score_function& score) {
  if (answer.size() != truth.size()) return false;
  if (std::set(answer.begin(), answer.end()).size() != answer.size()) return false;
  for (std::size_t k = 0; k < truth.size(); ++k)
    if (truth[k] != answer[k] && std::abs(score(truth[k]) - score(answer[k])) > score_tolerance)
      return false;
  return true;
}

error wrong(std::string_view workload, std::size_t i, std::string_view who, const rows& truth,
            const rows& answer) {
  return {.code = errc::corrupt,
          .message = fmt::format("{}, query {}: {} answered the rows [{}], but [{}] are right",
                                 workload, i, who, fmt::join(answer, " "), fmt::join(truth, " ")),
          .at = std::string(wrong_answer)};
}

} // namespace mneme::workloads
