// Durable writes, beside raw fdatasync of as many bytes and a raw WiredTiger transaction.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>
#include <wiredtiger.h>

#include "bench/dataset.hpp"

namespace mneme::bench {

namespace {

engine open_fresh(const std::string& name) {
  engine_options o;
  o.directory = scratch_directory(name);
  std::filesystem::remove_all(o.directory);
  o.embedder_spec = "none";
  auto e = engine::open(o);
  if (!e) std::abort();
  return std::move(*e);
}

/// One memory with three tags and a vector, and one edge, in one durable request.
void write_durable(benchmark::State& state) {
  engine e = open_fresh("write");
  const dataset& d = dataset_of(10'000);
  std::size_t i = 0;
  for (auto _ : state) {
    write_request w = request_of(d, i % d.rows.size());
    w.id = id_of(1'000'000 + i);
    add_edge_request edge;
    edge.src = *w.id;
    edge.dst = id_of(999'999 + i);
    edge.type = 3;
    auto done = e.write_batch({w, edge});
    if (!done) return state.SkipWithError(done.error().message.c_str());
    ++i;
  }
  state.counters["journal_bytes_per_write"] =
      static_cast<double>(e.stats()->journal_bytes) / static_cast<double>(i);
}

void write_batch_of_64(benchmark::State& state) {
  engine e = open_fresh("batch");
  const dataset& d = dataset_of(10'000);
  std::size_t i = 0;
  for (auto _ : state) {
    std::vector<mutation> items;
    for (int k = 0; k < 64; ++k, ++i) {
      write_request w = request_of(d, i % d.rows.size());
      w.id = id_of(1'000'000 + i);
      items.emplace_back(std::move(w));
    }
    auto done = e.write_batch(std::move(items));
    if (!done) return state.SkipWithError(done.error().message.c_str());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(i));
}

void floor_fdatasync(benchmark::State& state) {
  const std::string path = scratch_directory("floor.bin");
  const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0644);
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const std::string block(bytes, 'x');
  // Written ahead, as the journal does, so that a sync moves no metadata.
  const std::string zeros(1 << 20, '\0');
  off_t at = 0;
  off_t end = 0;
  for (auto _ : state) {
    if (at + static_cast<off_t>(bytes) > end) {
      end += pwrite(fd, zeros.data(), zeros.size(), end);
      end += pwrite(fd, zeros.data(), zeros.size(), end);
    }
    at += pwrite(fd, block.data(), block.size(), at);
    if (fdatasync(fd) != 0) return state.SkipWithError("fdatasync failed");
  }
  ::close(fd);
}

/// As many rows as a write with an edge puts into the tables, in one unlogged transaction.
void floor_wiredtiger(benchmark::State& state) {
  const std::string dir = scratch_directory("floor-wt");
  std::filesystem::create_directories(dir);
  WT_CONNECTION* connection = nullptr;
  WT_SESSION* session = nullptr;
  if (wiredtiger_open(dir.c_str(), nullptr, "create,cache_size=256M", &connection) != 0
      || connection->open_session(connection, nullptr, "isolation=snapshot", &session) != 0)
    return state.SkipWithError("wiredtiger_open failed");
  constexpr int tables = 5;
  WT_CURSOR* cursors[tables];
  for (int t = 0; t < tables; ++t) {
    const std::string name = "table:t" + std::to_string(t);
    session->create(session, name.c_str(), "key_format=u,value_format=u,log=(enabled=false)");
    session->open_cursor(session, name.c_str(), nullptr, nullptr, &cursors[t]);
  }
  const std::string value(200, 'v');
  generator g(1);
  for (auto _ : state) {
    session->begin_transaction(session, nullptr);
    for (auto* cursor : cursors) {
      std::uint64_t key[2] = {g.next(), g.next()};
      WT_ITEM k{};
      WT_ITEM v{};
      k.data = key;
      k.size = sizeof key;
      v.data = value.data();
      v.size = value.size();
      cursor->set_key(cursor, &k);
      cursor->set_value(cursor, &v);
      cursor->insert(cursor);
    }
    session->commit_transaction(session, nullptr);
  }
  connection->close(connection, nullptr);
}

BENCHMARK(write_durable)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(write_batch_of_64)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(floor_fdatasync)->Arg(1'800)->Arg(80'000)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(floor_wiredtiger)->Unit(benchmark::kMicrosecond)->UseRealTime();

} // namespace

} // namespace mneme::bench
