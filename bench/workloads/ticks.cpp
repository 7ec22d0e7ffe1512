/// A tick of a simulator: each of 1,000 agents asks for what is near and writes two memories.

#include "bench/workloads/bench_run.hpp"
#include "bench/workloads/dot.hpp"
#include "mneme/tick.hpp"

namespace mneme::workloads {

namespace {

constexpr std::size_t writes_each = 2;
constexpr std::size_t near_count = 10;

/// The agents of one tick and what they ask.
class agents {
public:
  agents(bench_run& run, bool own) : run_(run), own_(own) {}

  [[nodiscard]] std::size_t count() const { return std::min<std::size_t>(1000, run_.options.size); }
  [[nodiscard]] std::uint32_t actor(std::size_t n) const {
    return static_cast<std::uint32_t>(n % run_.data.own.size());
  }
  [[nodiscard]] std::size_t question(std::size_t tick, std::size_t n) const {
    return (tick * count() + n) % query_count;
  }
  [[nodiscard]] tick_request request(std::size_t tick) {
    const auto& d = run_.data;
    tick_request t;
    written_.clear();
    for (std::size_t n = 0; n < count(); ++n) {
      auto f = near_request(d, question(tick, n));
      if (own_) f.actor = actor_name(actor(n));
      t.reads.emplace_back(std::move(f));
      for (std::size_t k = 0; k < writes_each; ++k) {
        const auto& own = d.own[actor(n)];
        auto w = request_of(d, own[(n + k) % own.size()]);
        written_.push_back(row_of(*w.id));
        w.id = id_of(d.rows.size() + n * writes_each + k);
        w.created_at.reset();
        t.writes.emplace_back(scoped_mutation{.request = std::move(w)});
      }
    }
    return t;
  }
  [[nodiscard]] rows truth(std::size_t tick, std::size_t n) const {
    const auto& d = run_.data;
    const float* vector = d.query_vector(question(tick, n));
    return own_ ? nearest_of(d, vector, d.own[actor(n)], near_count)
                : nearest_of_all(d, vector, near_count);
  }
  /// Into the data, what the last request has written.
  void remember() {
    for (const auto like : written_) add_row(run_.data, like);
  }

private:
  bench_run& run_;
  bool own_;
  std::vector<std::size_t> written_{}; ///< rows of which the last tick has written others like them
};

result<double> judge_tick(bench_run& run, const agents& who, const std::string& name,
                          std::size_t tick, const tick_result& done) {
  for (const auto& written : done.writes)
    if (!written) return std::unexpected(written.error());
  // Of many agents' answers, some.
  constexpr std::size_t judged_answers = 20;
  const std::size_t step = std::max<std::size_t>(1, who.count() / judged_answers);
  double right = 0;
  std::size_t judged_count = 0;
  for (std::size_t n = 0; n < who.count(); n += step) {
    const auto& read = done.reads[n];
    if (!read) return std::unexpected(read.error());
    const judge judged{name, "the engine of agent " + std::to_string(n),
                       [&](std::size_t) { return who.truth(tick, n); },
                       [&](std::size_t, std::uint32_t i) {
                         return exact_dot(run.data.query_vector(who.question(tick, n)),
                                          run.data.vector_of(i));
                       }};
    auto share = judged(tick, std::get<find_result>(*read));
    if (!share) return share;
    right += *share;
    ++judged_count;
  }
  return right / static_cast<double>(judged_count);
}

result<rows> peer_tick(bench_run& run, const agents& who, std::size_t tick, bool own) {
  const auto& d = run.data;
  if (auto ok = run.sqlite->begin(); !ok) return propagate(ok);
  // The engine's turn has added its rows to the data: the peer writes the same.
  auto row = static_cast<std::uint32_t>(d.rows.size() - who.count() * writes_each);
  for (std::size_t n = 0; n < who.count(); ++n) {
    const float* vector = d.query_vector(who.question(tick, n));
    auto found = own ? run.sqlite->own_near(d, who.actor(n), vector, near_count)
                     : result<rows>(nearest_of_all(d, vector, near_count));
    if (!found) return found;
    for (std::size_t k = 0; k < writes_each; ++k)
      if (auto ok = run.sqlite->write(d, row++); !ok) return propagate(ok);
  }
  if (auto ok = run.sqlite->commit(); !ok) return propagate(ok);
  return rows{};
}

result<void> tick_of(bench_run& run, const std::string& name, const std::string& what, bool own) {
  auto& d = run.data;
  agents who(run, own);
  auto* const graph = own ? nullptr : &tuned_graph(run);
  synced_file file(run.options.directory + (own ? "/ticks_own.bin" : "/ticks_all.bin"));
  journal_growth growth(*run.world);
  if (auto now = growth.take(); !now) return propagate(now);
  std::size_t bytes = 0;
  double bytes_in_all = 0;
  contest c{.about = {.name = name,
                      .what = what,
                      .floor = {.name = own ? "exact distances, one fdatasync"
                                            : "hnswlib, one fdatasync"},
                      .peer = {.name = "SQLite, floats in memory, one transaction"}},
            .warm = 0,
            .block = 1,
            .most = 20};
  c.engine = single_turn([&](std::size_t t) { return who.request(t); },
                         [&](std::size_t, tick_request t) { return run.world->tick(std::move(t)); },
                         [&](std::size_t t, const tick_result& done) -> result<double> {
                           auto right = judge_tick(run, who, name, t, done);
                           if (!right) return right;
                           who.remember();
                           run.nearest.clear();
                           const auto grown = growth.take();
                           if (!grown) return std::unexpected(grown.error());
                           bytes = *grown;
                           bytes_in_all += static_cast<double>(bytes);
                           if (auto ready = file.write_ahead(bytes); !ready)
                             return std::unexpected(ready.error());
                           return right;
                         });
  c.floor = timed_turn(
      [&](std::size_t t) -> result<rows> {
        rows last;
        for (std::size_t n = 0; n < who.count(); ++n) {
          const float* vector = d.query_vector(who.question(t, n));
          last = own ? nearest_of(d, vector, d.own[who.actor(n)], near_count)
                     : graph->nearest(vector, near_count);
        }
        if (auto synced = file.append(bytes); !synced) return std::unexpected(synced.error());
        return last;
      },
      [](std::size_t, const rows&) -> result<double> { return 1.0; });
  c.peer = timed_turn([&](std::size_t t) { return peer_tick(run, who, t, own); },
                      [](std::size_t, const rows&) -> result<double> { return 1.0; });
  if (auto held = hold(run, c); !held) return held;
  auto& m = run.done.back();
  m.facts = {{"each_bytes", bytes_in_all / static_cast<double>(m.engine.repetitions)},
             {"agents", static_cast<double>(who.count())}};
  return {};
}

} // namespace

result<void> ticks(bench_run& run) {
  if (auto ran = tick_of(run, "tick own", "1,000 agents: near of their own, 2 writes", true); !ran)
    return ran;
  return tick_of(run, "tick all", "1,000 agents: near of all, 2 writes", false);
}

} // namespace mneme::workloads
