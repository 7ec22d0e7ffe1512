#include "bench/workloads/run.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

struct workload {
  const char* name;
  result<void> (*run)(bench_run&);
};

/// On the world that W1 has loaded: first what reads,
constexpr std::array reads = {
    workload{"W3", near},
    workload{"W4a", near_in_common_tag},
    workload{"W4b", near_in_rare_tag},
    workload{"W5", salient},
    workload{"W6", three_hops},
    workload{"W7", near_in_reach},
    workload{"W11", own_memories},
    workload{"search", word_search},
    workload{"clients", two_clients},
    workload{"lists", in_lists},
};
/// then what opens it itself,
constexpr std::array on_closed = {
    workload{"W9", room_taken},
    workload{"W10", reopened},
    workload{"actor", by_actor},
};
/// then what changes it.
constexpr std::array writes = {
    workload{"W8", salient_touched},
    workload{"W2", durable_write},
    workload{"writers", other_writes},
    workload{"tick", ticks},
};
/// Each on a world of its own.
constexpr std::array apart = {
    workload{"retrieve", topics_retrieved},
    workload{"chroma", colours_found},
    workload{"updates", many_updates},
};

bool is_asked(const run_options& o, std::string_view name) {
  return o.names.empty() || std::ranges::count(o.names, name) > 0;
}

using progress_function = std::function<void(const std::string&)>;

template <class Workloads>
result<void> run_asked(bench_run& r, const Workloads& all, const progress_function& progress) {
  for (const auto& w : all) {
    if (!is_asked(r.options, w.name)) continue;
    progress(w.name);
    if (auto ran = w.run(r); !ran) {
      auto failed = ran.error();
      if (failed.at.empty()) failed.at = w.name;
      return std::unexpected(std::move(failed));
    }
  }
  return {};
}

template <class Workloads>
bool any_asked(const run_options& o, const Workloads& all) {
  return std::ranges::any_of(all, [&](const workload& w) { return is_asked(o, w.name); });
}

result<void> run_on_closed(bench_run& r, const progress_function& progress) {
  if (!any_asked(r.options, on_closed)) return {};
  if (auto closed = close_worlds(r); !closed) return closed;
  if (auto ran = run_asked(r, on_closed, progress); !ran) return ran;
  return any_asked(r.options, writes) ? reopen_worlds(r) : result<void>();
}

result<void> run_on_loaded(bench_run& r, const progress_function& progress) {
  const bool is_load_asked = is_asked(r.options, "W1");
  if (!is_load_asked && !any_asked(r.options, reads) && !any_asked(r.options, on_closed)
      && !any_asked(r.options, writes))
    return {};
  progress("W1");
  if (auto loaded = load(r); !loaded) return loaded;
  if (!is_load_asked) r.done.clear();
  if (auto ran = run_asked(r, reads, progress); !ran) return ran;
  if (auto ran = run_on_closed(r, progress); !ran) return ran;
  if (auto ran = run_asked(r, writes, progress); !ran) return ran;
  return close_worlds(r);
}

} // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names{"W1"};
  for (const auto& w : reads) names.emplace_back(w.name);
  for (const auto& w : on_closed) names.emplace_back(w.name);
  for (const auto& w : writes) names.emplace_back(w.name);
  for (const auto& w : apart) names.emplace_back(w.name);
  return names;
}

result<std::vector<measured>> run(const run_options& options, const progress_function& progress) {
  progress("making the data");
  bench_run r{.options = options, .data = make_dataset(options.size, options.seed)};
  std::error_code failed;
  std::filesystem::create_directories(options.directory + "/sqlite", failed);
  if (failed) return fail(errc::io, options.directory + ": " + failed.message());
  r.processes = std::make_unique<fresh_process>(std::vector<std::function<errand_answer()>>{
      [&r] { return open_world_errand(r); },
      [&r] { return open_sqlite_errand(r); },
      [&r] { return update_errand(r); },
  });
  if (auto ran = run_on_loaded(r, progress); !ran) return propagate(ran);
  if (auto ran = run_asked(r, apart, progress); !ran) return propagate(ran);
  return std::move(r.done);
}

} // namespace mneme::workloads
