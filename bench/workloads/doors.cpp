/// The same questions through other doors: a list of them in one call, and a host's actor that
/// sends messages.

#include <caf/all.hpp>

#include "bench/workloads/bench_run.hpp"
#include "mneme/caf.hpp"

namespace mneme::workloads {

namespace {

constexpr std::size_t list_size = 64;

std::size_t query_of(std::size_t list, std::size_t at) {
  return (list * list_size + at) % query_count;
}

truth_function salient_truth(const dataset& d) {
  return [&d](std::size_t q) { return most_salient(d, in_tag_type_time(d, d.queries[q]), 20); };
}
row_score salient_score(const dataset& d) {
  return [&d](std::size_t, std::uint32_t i) { return salience_of(d.rows[i]); };
}

/// A host with an actor system of its own, one thread of which asks.
class asking_host {
public:
  static result<std::unique_ptr<asking_host>> open(const std::string& directory) {
    auto host = std::make_unique<asking_host>();
    auto spawned = spawn(host->system_, bench_options(directory));
    if (!spawned) return propagate(spawned);
    host->memory_ = *spawned;
    host->is_open_ = true;
    return host;
  }
  asking_host() = default;
  /// The system ends when the engine's actors have.
  ~asking_host() {
    if (is_open_) (void)close();
  }
  asking_host(const asking_host&) = delete;
  asking_host& operator=(const asking_host&) = delete;

  result<find_reply> find(find_request request) {
    result<find_reply> answer;
    self_->request(memory_, caf::infinite, find_message{std::move(request)})
        .receive([&](find_reply found) { answer = std::move(found); },
                 [&](const caf::error& e) { answer = std::unexpected(to_error(e)); });
    return answer;
  }
  result<void> close() {
    result<void> closed;
    self_->request(memory_, caf::infinite, close_message{})
        .receive([](const closed_reply&) {},
                 [&](const caf::error& e) { closed = std::unexpected(to_error(e)); });
    is_open_ = false;
    memory_ = nullptr;
    return closed;
  }

private:
  struct configured : caf::actor_system_config {
    configured() { configure(*this); }
  };
  configured config_{};
  caf::actor_system system_{config_};
  caf::scoped_actor self_{system_};
  engine_actor memory_{};
  bool is_open_ = false;
};

result<void> ask_as_actor(bench_run& run, asking_host& host, contest c,
                          std::vector<find_request> requests, const judge& judged) {
  c.engine = timed_turn([&](std::size_t q) { return host.find(requests[q]); },
                        [&](std::size_t q, const find_reply& found) { return judged(q, *found); });
  return hold(run, c);
}

} // namespace

result<void> in_lists(bench_run& run) {
  const auto& d = run.data;
  const auto truth = salient_truth(d);
  const judge judged{"W5 list", "the engine", truth, salient_score(d)};
  contest c{.about = {.name = "W5 list",
                      .what = "64 of W5 in one call",
                      .floor = {.name = "posting list, exp() of all"},
                      .peer = {.name = "SQLite"}},
            .block = 4,
            .things_each = list_size};
  const auto requests_of = [&](std::size_t list) {
    std::vector<find_request> requests;
    requests.reserve(list_size);
    for (std::size_t at = 0; at < list_size; ++at)
      requests.push_back(salient_request(d.queries[query_of(list, at)]));
    return requests;
  };
  using answers = std::vector<result<find_result>>;
  c.engine = single_turn(
      requests_of,
      [&](std::size_t, std::vector<find_request> requests) -> result<answers> {
        return run.world->find_many(std::move(requests));
      },
      [&](std::size_t list, const answers& all) -> result<double> {
        for (std::size_t at = 0; at < all.size(); ++at) {
          if (!all[at]) return std::unexpected(all[at].error());
          if (auto right = judged(query_of(list, at), *all[at]); !right) return right;
        }
        return 1.0;
      });
  c.floor = floor_turn([&](std::size_t list) {
    rows last;
    for (std::size_t at = 0; at < list_size; ++at) last = truth(query_of(list, at));
    return last;
  });
  c.peer = timed_turn(
      [&](std::size_t list) {
        result<rows> last;
        for (std::size_t at = 0; at < list_size; ++at) {
          last = run.sqlite->salient(d.queries[query_of(list, at)]);
          if (!last) break;
        }
        return last;
      },
      [](std::size_t, const rows&) -> result<double> { return 1.0; });
  return hold(run, c);
}

result<void> by_actor(bench_run& run) {
  const auto& d = run.data;
  auto host = asking_host::open(run.world_directory());
  if (!host) return propagate(host);
  std::vector<find_request> near;
  std::vector<find_request> salient;
  for (std::size_t q = 0; q < query_count; ++q) {
    near.push_back(near_request(d, q));
    salient.push_back(salient_request(d.queries[q]));
  }
  contest of_near{
      .about = {.name = "W3 actor", .what = "near, by messages of a host's actor, just opened"}};
  auto asked =
      ask_as_actor(run, **host, of_near, std::move(near),
                   judge{"W3 actor", "the engine",
                         [&run](std::size_t q) { return nearest_of_query(run, q); }, nearness(d)});
  if (!asked) return asked;
  contest of_salient{.about = {.name = "W5 actor", .what = "W5, by messages of a host's actor"}};
  asked = ask_as_actor(run, **host, of_salient, std::move(salient),
                       judge{"W5 actor", "the engine", salient_truth(d), salient_score(d)});
  if (!asked) return asked;
  return (*host)->close();
}

} // namespace mneme::workloads
