#pragma once
/// How a workload is measured: the engine, its floor and its peer in turns, a block of queries
/// each, so that all see the same minute of the machine and none pays for the caches of another.
/// Answers are judged behind each block, outside the time.

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workloads/report.hpp"
#include "bench/workloads/truth.hpp"
#include "mneme/error.hpp"

namespace mneme::workloads {

using instant = std::chrono::steady_clock;
double microseconds_since(instant::time_point start);

struct samples {
  std::vector<double> us{};
  double right = 0;
};
side_report report_of(std::string name, const samples& taken, double things_each = 1);

/// Asks the queries [first, first + count) and judges what they answered.
using turn = std::function<result<void>(std::size_t first, std::size_t count, samples& into)>;

/// `ask(i)` is what is timed; it returns result<Answer>. `judge(i, answer)` returns result<double>:
/// the share of the answer that is right.
template <class Ask, class Judge>
turn timed_turn(Ask ask, Judge judge) {
  return [ask, judge](std::size_t first, std::size_t count, samples& into) -> result<void> {
    using answer = typename std::invoke_result_t<const Ask&, std::size_t>::value_type;
    std::vector<answer> answers;
    answers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto start = instant::now();
      auto answered = ask(first + i);
      into.us.push_back(microseconds_since(start));
      if (!answered) return std::unexpected(answered.error());
      answers.push_back(std::move(*answered));
    }
    for (std::size_t i = 0; i < count; ++i) {
      auto share = judge(first + i, answers[i]);
      if (!share) return std::unexpected(share.error());
      into.right += *share;
    }
    return {};
  };
}

/// A floor in plain C++, which is the truth itself: `ask(i)` returns rows.
template <class Ask>
turn floor_turn(Ask ask) {
  return timed_turn([ask](std::size_t i) -> result<decltype(ask(i))> { return ask(i); },
                    [](std::size_t, const auto&) -> result<double> { return 1.0; });
}

/// What must not be asked in blocks, since each asking changes the world: `prepare(i)` makes what
/// `ask(i, prepared)` is given, outside the time.
template <class Prepare, class Ask, class Judge>
turn single_turn(Prepare prepare, Ask ask, Judge judge) {
  return [=](std::size_t first, std::size_t count, samples& into) -> result<void> {
    for (std::size_t i = first; i < first + count; ++i) {
      auto prepared = prepare(i);
      const auto start = instant::now();
      auto answered = ask(i, std::move(prepared));
      into.us.push_back(microseconds_since(start));
      if (!answered) return std::unexpected(answered.error());
      auto share = judge(i, *answered);
      if (!share) return std::unexpected(share.error());
      into.right += *share;
    }
    return {};
  };
}

struct contest {
  measured about; ///< name, what, and the names of floor and peer
  turn engine{};
  turn floor{}; ///< null: none
  turn peer{};  ///< null: none
  std::size_t warm = 8;
  /// At most. 1: each side's turn goes on from the one before it, and none is left out.
  std::size_t block = 32;
  std::size_t most = query_count;
  double things_each = 1; ///< that one repetition does, for the throughput
};

/// Of the engine's answers together, where they are approximate; less is a wrong answer.
inline constexpr double least_recall = 0.95;

/// Fills what the sides have taken into `c.about`. About so long, but for what a peer that is much
/// slower takes beyond its half of that.
result<measured> measure(const contest& c, double seconds);

// Verdicts.

/// The share of `truth` that is in `answer`.
double recall_of(const rows& truth, const rows& answer);

using score_function = std::function<double(std::uint32_t)>;
/// The same where several rows score the same: what is as good as the truth's last is a hit.
double recall_of(const rows& truth, const rows& answer, const score_function& score);

/// Where an answer may differ from the truth: in the order of what scores the same.
bool is_same_order(const rows& truth, const rows& answer, const score_function& score);

/// Ends the run. `who` gave `answer` to query `i` of a workload.
error wrong(std::string_view workload, std::size_t i, std::string_view who, const rows& truth,
            const rows& answer);

} // namespace mneme::workloads
