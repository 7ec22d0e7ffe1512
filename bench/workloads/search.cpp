/// Three common words, the best 10.

#include "bench/workloads/bench_run.hpp"
#include "bench/workloads/inverted_file.hpp"

namespace mneme::workloads {

result<void> word_search(bench_run& run) {
  const auto& d = run.data;
  const inverted_file file(d);
  const auto truth = [&](std::size_t q) { return file.best(d.queries[q].words, 10); };
  std::vector<search_request> requests;
  requests.reserve(d.queries.size());
  for (const auto& q : d.queries) requests.push_back(words_request(q));
  contest c{.about = {.name = "search",
                      .what = "3 common words, 10",
                      .floor = {.name = "BM25 of all postings"},
                      .peer = {.name = "SQLite FTS5"}}};
  c.engine = timed_turn([&](std::size_t q) { return run.world->search(requests[q]); },
                        [&](std::size_t q, const search_result& found) -> result<double> {
                          rows answer;
                          for (const auto& hit : found.results)
                            answer.push_back(static_cast<std::uint32_t>(row_of(hit.uri.id)));
                          const auto scores = file.scores(d.queries[q].words);
                          const auto score = [&](std::uint32_t i) { return scores[i]; };
                          const rows right = truth(q);
                          if (!is_same_order(right, answer, score))
                            return std::unexpected(wrong("search", q, "the engine", right, answer));
                          return 1.0;
                        });
  c.floor = floor_turn(truth);
  // Its BM25 gives nothing for words that half of the texts have, so that its order is another.
  c.peer = timed_turn([&](std::size_t q) { return run.sqlite->search(d.queries[q]); },
                      [&](std::size_t q, const rows& answer) -> result<double> {
                        if (answer.size() != truth(q).size())
                          return std::unexpected(wrong("search", q, "SQLite", truth(q), answer));
                        return 1.0;
                      });
  return hold(run, c);
}

} // namespace mneme::workloads
