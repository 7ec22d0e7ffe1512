// Searches beside raw BM25 over the same texts: an inverted file in plain vectors, without rows,
// filters, vectors, visibility, or a past.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include <benchmark/benchmark.h>

#include "bench/dataset.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/forms.hpp"
#include "query/search/bm25.hpp"

namespace mneme::bench {

namespace {

/// A word of the texts with two that are rarer, by the number of the query.
std::string question(std::size_t q) {
  return "memory " + std::to_string(q * 37 % 997) + " about tag" + std::to_string(q * 13 % 211);
}

void search(benchmark::State& state, bool with_vector) {
  engine& e = loaded_engine(static_cast<std::size_t>(state.range(0)));
  const dataset& d = dataset_of(static_cast<std::size_t>(state.range(0)));
  search_request r;
  r.source = search_source::memory;
  r.sort = search_sort::relevance;
  std::size_t q = 0;
  std::int64_t candidates = 0;
  for (auto _ : state) {
    if (with_vector) r.vector = d.query(q);
    r.query = question(q++);
    auto found = e.search(r);
    if (!found) return state.SkipWithError(found.error().message.c_str());
    candidates = found->coverage.memory.candidates;
  }
  state.counters["candidates"] = static_cast<double>(candidates);
}

struct inverted_file {
  struct posting {
    std::uint32_t document;
    std::uint32_t count;
  };
  std::unordered_map<std::string, std::vector<posting>> postings;
  std::vector<std::uint32_t> lengths;
  double mean = 0;

  explicit inverted_file(const dataset& d) {
    for (std::uint32_t i = 0; i < d.rows.size(); ++i) {
      const write_request r = request_of(d, i);
      const auto terms = text_terms(full_text(r.type, r.data));
      std::map<std::string, std::uint32_t> counts;
      for (const auto& t : terms) ++counts[t];
      for (const auto& [term, count] : counts) postings[term].push_back({i, count});
      lengths.push_back(static_cast<std::uint32_t>(terms.size()));
      mean += static_cast<double>(terms.size());
    }
    mean /= static_cast<double>(d.rows.size());
  }
};

void floor_bm25(benchmark::State& state) {
  static std::map<std::int64_t, std::unique_ptr<inverted_file>> files;
  auto& file = files[state.range(0)];
  if (file == nullptr)
    file = std::make_unique<inverted_file>(dataset_of(static_cast<std::size_t>(state.range(0))));
  std::size_t q = 0;
  for (auto _ : state) {
    std::vector<double> scores(file->lengths.size(), 0.0);
    for (const auto& term : text_terms(question(q++))) {
      const auto found = file->postings.find(term);
      if (found == file->postings.end()) continue;
      const bm25_term by(1.2, 0.75,
                         inverse_document_frequency(file->lengths.size(), found->second.size()),
                         file->mean);
      for (const auto& p : found->second)
        scores[p.document] += by.score(p.count, file->lengths[p.document]);
    }
    std::vector<std::uint32_t> best(scores.size());
    for (std::uint32_t i = 0; i < best.size(); ++i) best[i] = i;
    std::ranges::partial_sort(best, best.begin() + 10,
                              [&](auto a, auto b) { return scores[a] > scores[b]; });
    benchmark::DoNotOptimize(best.data());
  }
}

BENCHMARK_CAPTURE(search, words, false)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(search, words_and_vector, true)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(floor_bm25)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

} // namespace

} // namespace mneme::bench
