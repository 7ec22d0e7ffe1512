/// W11: what an actor asks of its own 100 or 1,000 memories, whoever else lives in the world.

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

/// Actors of one size.
struct own_size {
  const char* name;
  std::uint32_t query::* actor;
};
constexpr own_size own_sizes[] = {{"100", &query::small_actor}, {"1000", &query::large_actor}};

/// What differs between the three questions.
struct own_question {
  std::string name;
  std::string what;
  std::string floor;
  std::function<find_request(std::size_t)> request;
  truth_function truth;
  row_score score;
  std::function<result<rows>(std::size_t)> peer;
};

result<void> ask_own(bench_run& run, const own_question& asked) {
  std::vector<find_request> requests;
  requests.reserve(query_count);
  for (std::size_t q = 0; q < query_count; ++q) requests.push_back(asked.request(q));
  contest c{.about = {.name = asked.name,
                      .what = asked.what,
                      .floor = {.name = asked.floor},
                      .peer = {.name = "SQLite, floats in memory"}}};
  c.engine = timed_turn([&](std::size_t q) { return run.world->find(requests[q]); },
                        judge{asked.name, "the engine", asked.truth, asked.score});
  c.floor = floor_turn(asked.truth);
  c.peer = timed_turn(asked.peer, judge{asked.name, "SQLite", asked.truth, asked.score});
  return hold(run, c);
}

own_question own_near(bench_run& run, const own_size& size) {
  const auto& d = run.data;
  const auto actor = [&d, size](std::size_t q) { return d.queries[q].*size.actor; };
  return {
      .name = std::string("W11 near ") + size.name,
      .what = std::string("near among an actor's own ") + size.name + ", 10",
      .floor = "exact distances of the actor's list",
      .request = [=, &d](std::size_t q) { return as_actor(near_request(d, q), actor(q)); },
      .truth =
          [=, &d](std::size_t q) { return nearest_of(d, d.query_vector(q), d.own[actor(q)], 10); },
      .score = nearness(d),
      .peer =
          [=, &d, &run](std::size_t q) {
            return run.sqlite->own_near(d, actor(q), d.query_vector(q), 10);
          }};
}

own_question own_salient(bench_run& run, const own_size& size) {
  const auto& d = run.data;
  const auto actor = [&d, size](std::size_t q) { return d.queries[q].*size.actor; };
  return {.name = std::string("W11 find ") + size.name,
          .what = std::string("W5 among an actor's own ") + size.name,
          .floor = "the actor's list",
          .request =
              [=, &d](std::size_t q) { return as_actor(salient_request(d.queries[q]), actor(q)); },
          .truth =
              [=, &d](std::size_t q) {
                return most_salient(d, own_in_tag_type_time(d, actor(q), d.queries[q]), 20);
              },
          .score = [&d](std::size_t, std::uint32_t i) { return salience_of(d.rows[i]); },
          .peer = [=, &d, &run](
                      std::size_t q) { return run.sqlite->own_salient(actor(q), d.queries[q]); }};
}

/// The score of generative agents: recency, importance and relevance of all that one remembers.
own_question own_relevant(bench_run& run, const own_size& size) {
  const auto& d = run.data;
  const auto actor = [&d, size](std::size_t q) { return d.queries[q].*size.actor; };
  return {.name = std::string("W11 score ") + size.name,
          .what = std::string("an actor's own ") + size.name
                  + " by recency, importance and relevance, 20",
          .floor = "the actor's list",
          .request =
              [=, &d](std::size_t q) {
                auto f = as_actor(near_request(d, q), actor(q));
                f.rank = rank_kind::salience;
                f.near_k = static_cast<std::int64_t>(d.own[actor(q)].size());
                f.limit = 20;
                return f;
              },
          .truth =
              [=, &d](std::size_t q) {
                return most_relevant(d, d.query_vector(q), d.own[actor(q)], 20);
              },
          .score =
              [&d](std::size_t q, std::uint32_t i) {
                return salience_of(d.rows[i], cosine_of(d, d.query_vector(q), i));
              },
          .peer =
              [=, &d, &run](std::size_t q) {
                return run.sqlite->own_relevant(d, actor(q), d.query_vector(q), 20);
              }};
}

} // namespace

result<void> own_memories(bench_run& run) {
  for (const auto& size : own_sizes)
    for (const auto& make : {own_near, own_salient, own_relevant})
      if (auto asked = ask_own(run, make(run, size)); !asked) return asked;
  return {};
}

} // namespace mneme::workloads
