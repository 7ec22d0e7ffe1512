// What `mneme bench` holds answers against, beside the plainest way to find the same.
// Of: bench/workloads/truth.cpp, bench/workloads/dot.cpp, bench/workloads/inverted_file.cpp
#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "bench/workloads/dot.hpp"
#include "bench/workloads/inverted_file.hpp"
#include "bench/workloads/truth.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/forms.hpp"
#include "query/search/bm25.hpp"
#include "views/salience.hpp"

using namespace mneme::workloads;

namespace {

const dataset& tiny() {
  static const dataset d = [] {
    auto made = make_dataset(400, 3);
    for (std::size_t i = 0; i < made.rows.size(); i += 7) touch(made.rows[i]);
    return made;
  }();
  return d;
}

/// All rows that pass, best score first.
template <class Passes, class Score>
rows best_of_all(std::size_t k, const Passes& passes, const Score& score) {
  rows found;
  for (std::uint32_t i = 0; i < tiny().rows.size(); ++i)
    if (passes(i)) found.push_back(i);
  std::ranges::stable_sort(found, [&](auto a, auto b) { return score(a) > score(b); });
  found.resize(std::min(k, found.size()));
  return found;
}

bool has_tag(std::uint32_t i, std::uint32_t tag) {
  return std::ranges::count(tiny().rows[i].tags, tag) > 0;
}

} // namespace

TEST_CASE("the fastest product of two vectors is their product") {
  const auto& d = tiny();
  for (std::size_t i = 0; i < 50; ++i)
    CHECK(fastest_dot()(d.query_vector(i), d.vector_of(i))
          == Approx(exact_dot(d.query_vector(i), d.vector_of(i))).margin(1e-6));
}

TEST_CASE("the benchmark's nearest are those that a plain sort finds") {
  const auto& d = tiny();
  for (std::size_t q = 0; q < 50; ++q) {
    const auto near = [&](std::uint32_t i) { return exact_dot(d.query_vector(q), d.vector_of(i)); };
    const auto all = best_of_all(10, [](auto) { return true; }, near);
    CHECK(nearest_of_all(d, d.query_vector(q), 10) == all);
    const auto tag = d.queries[q].tag_1_percent;
    CHECK(nearest_of(d, d.query_vector(q), d.postings[tag], 10)
          == best_of_all(10, [&](auto i) { return has_tag(i, tag); }, near));
  }
}

TEST_CASE("the benchmark's salience is the engine's") {
  for (const auto& r : tiny().rows) {
    const mneme::activation used{.last_used = r.last_used,
                                 .access_count = r.access_count,
                                 .citations = 0,
                                 .importance = r.importance};
    const mneme::salience_scorer without(query_time, false);
    const mneme::salience_scorer with(query_time, true);
    CHECK(salience_of(r) == Approx(without(used, 0)).epsilon(1e-12));
    CHECK(salience_of(r, 0.25) == Approx(with(used, 0.75)).epsilon(1e-12));
    CHECK(salience_of(r, -0.5) == Approx(with(used, 1.5)).epsilon(1e-12));
  }
}

TEST_CASE("the benchmark's most salient are those that a plain sort finds") {
  const auto& d = tiny();
  const auto salience = [&](std::uint32_t i) { return salience_of(d.rows[i]); };
  std::size_t found = 0;
  for (std::size_t k = 0; k < 200; ++k) {
    const auto& q = d.queries[k];
    const auto passes = [&](std::uint32_t i) {
      const auto& r = d.rows[i];
      return has_tag(i, q.tag_of_find) && r.type == q.type && r.created_at.ns >= q.from.ns
             && r.created_at.ns < q.until.ns;
    };
    const auto all = most_salient(d, in_tag_type_time(d, q), 20);
    CHECK(all == best_of_all(20, passes, salience));
    found += all.size();
    const auto own = [&](std::uint32_t i) { return passes(i) && d.rows[i].actor == q.large_actor; };
    CHECK(most_salient(d, own_in_tag_type_time(d, q.large_actor, q), 20)
          == best_of_all(20, own, salience));
  }
  CHECK(found > 100);
}

TEST_CASE("the benchmark's walk reaches what rounds over all edges reach") {
  const auto& d = tiny();
  for (std::size_t k = 0; k < 100; ++k) {
    const auto& q = d.queries[k];
    std::vector<std::uint32_t> hops(d.rows.size(), 9);
    hops[q.start] = 0;
    for (std::uint32_t round = 0; round < 3; ++round)
      for (const auto& e : d.edges) {
        if (e.type != q.edge_types[0] && e.type != q.edge_types[1]) continue;
        if (hops[e.src] == round) hops[e.dst] = std::min(hops[e.dst], round + 1);
        if (hops[e.dst] == round) hops[e.src] = std::min(hops[e.src], round + 1);
      }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reached;
    for (std::uint32_t depth = 1; depth <= 3; ++depth)
      for (std::uint32_t i = 0; i < hops.size(); ++i)
        if (hops[i] == depth) reached.emplace_back(i, depth);
    reached.resize(std::min<std::size_t>(20, reached.size()));
    CHECK(within_three_hops(d, q) == reached);
  }
}

TEST_CASE("what a benchmark's query wants in reach is there") {
  const auto& d = tiny();
  for (std::size_t k = 0; k < 100; ++k) {
    const auto found = tagged_in_reach(d, d.queries[k]);
    CHECK(!found.empty());
    for (const auto i : found) CHECK(has_tag(i, d.queries[k].tag_in_reach));
  }
}

TEST_CASE("the benchmark's search scores as the engine's formula does") {
  const auto& d = tiny();
  const inverted_file file(d);
  std::vector<std::vector<std::string>> terms;
  double length = 0;
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    const auto r = request_of(d, i);
    terms.push_back(mneme::text_terms(mneme::full_text(r.type, r.data)));
    length += static_cast<double>(terms.back().size());
  }
  const double mean = length / static_cast<double>(d.rows.size());
  for (std::size_t q = 0; q < 20; ++q) {
    std::vector<double> scores(d.rows.size());
    for (const auto& word : d.queries[q].words) {
      const auto term = mneme::text_terms(word).at(0);
      const auto with = std::ranges::count_if(
          terms, [&](const auto& t) { return std::ranges::count(t, term) > 0; });
      const auto share =
          mneme::term_share({}, term, "english", d.rows.size(), static_cast<std::uint64_t>(with));
      const auto idf =
          share
          * mneme::inverse_document_frequency(d.rows.size(), static_cast<std::uint64_t>(with));
      const mneme::bm25_term by(1.2, 0.75, idf, mean);
      for (std::size_t i = 0; i < terms.size(); ++i)
        scores[i] += by.score(static_cast<std::uint32_t>(std::ranges::count(terms[i], term)),
                              static_cast<std::uint32_t>(terms[i].size()));
    }
    const auto found = file.scores(d.queries[q].words);
    for (std::size_t i = 0; i < scores.size(); ++i)
      CHECK(found[i] == Approx(scores[i]).margin(1e-5));
    const auto best = file.best(d.queries[q].words, 10);
    CHECK(best.size() == 10);
    CHECK(std::ranges::is_sorted(best, std::ranges::greater(), [&](auto i) { return found[i]; }));
    CHECK(std::ranges::count_if(found, [&](float s) { return s > found[best.back()]; }) < 10);
  }
}
