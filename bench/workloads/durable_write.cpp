/// W2: one memory with an edge, durable.

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

std::vector<mutation> memory_and_edge(const dataset& d, std::size_t like) {
  auto w = request_of(d, like);
  w.id = id_of(d.rows.size());
  w.created_at.reset();
  add_edge_request e;
  e.src = *w.id;
  e.dst = id_of(like);
  e.type = static_cast<std::uint8_t>(edge_type::references);
  return {std::move(w), std::move(e)};
}

} // namespace

result<void> durable_write(bench_run& run) {
  auto& d = run.data;
  synced_file file(run.options.directory + "/written.bin");
  journal_growth growth(*run.world);
  if (auto now = growth.take(); !now) return propagate(now);
  std::size_t bytes = 0;
  double bytes_in_all = 0;
  run.nearest.clear();
  contest c{.about = {.name = "W2",
                      .what = "a durable memory and edge",
                      .floor = {.name = "fdatasync of the journal's bytes"},
                      .peer = {.name = "SQLite"}},
            .warm = 0,
            .block = 1,
            .most = 300};
  c.engine = single_turn([&](std::size_t i) { return memory_and_edge(d, i % run.options.size); },
                         [&](std::size_t, std::vector<mutation> items) {
                           return run.world->write_batch(std::move(items));
                         },
                         [&](std::size_t i, const batch_result&) -> result<double> {
                           const auto added = add_row(d, i % run.options.size);
                           auto read = run.world->get(id_of(added));
                           if (!read) return std::unexpected(read.error());
                           if (std::get<std::string>(read->version->data.at("statement"))
                               != d.texts[added])
                             return std::unexpected(wrong("W2", i, "the engine", {added}, {}));
                           const auto grown = growth.take();
                           if (!grown) return std::unexpected(grown.error());
                           bytes = *grown;
                           bytes_in_all += static_cast<double>(bytes);
                           if (auto ready = file.write_ahead(bytes); !ready)
                             return std::unexpected(ready.error());
                           return 1.0;
                         });
  c.floor = timed_turn(
      [&](std::size_t) -> result<rows> {
        if (auto synced = file.append(bytes); !synced) return std::unexpected(synced.error());
        return rows{};
      },
      [](std::size_t, const rows&) -> result<double> { return 1.0; });
  c.peer = timed_turn(
      [&](std::size_t i) -> result<rows> {
        const auto row = static_cast<std::uint32_t>(d.rows.size() - 1);
        const edge e{.src = row,
                     .dst = static_cast<std::uint32_t>(i % run.options.size),
                     .type = static_cast<std::uint8_t>(edge_type::references)};
        if (auto ok = run.sqlite->begin(); !ok) return std::unexpected(ok.error());
        if (auto ok = run.sqlite->write(d, row); !ok) return std::unexpected(ok.error());
        if (auto ok = run.sqlite->link(e); !ok) return std::unexpected(ok.error());
        if (auto ok = run.sqlite->commit(); !ok) return std::unexpected(ok.error());
        return rows{row};
      },
      [](std::size_t, const rows&) -> result<double> { return 1.0; });
  if (auto held = hold(run, c); !held) return held;
  auto& m = run.done.back();
  m.facts = {{"each_bytes", bytes_in_all / static_cast<double>(m.engine.repetitions)}};
  return {};
}

} // namespace mneme::workloads
