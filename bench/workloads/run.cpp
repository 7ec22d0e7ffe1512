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

result<void> run_whole(bench_run& r, const progress_function& progress) {
  if (auto ran = run_on_loaded(r, progress); !ran) return ran;
  return run_asked(r, apart, progress);
}

/// With its data, and the process that forks its errands.
result<std::unique_ptr<bench_run>> prepare(const run_options& options) {
  auto r = std::make_unique<bench_run>(
      bench_run{.options = options, .data = make_dataset(options.size, options.seed)});
  std::error_code failed;
  std::filesystem::create_directories(options.directory + "/sqlite", failed);
  if (failed) return fail(errc::io, options.directory + ": " + failed.message());
  r->processes = std::make_unique<fresh_process>(std::vector<std::function<errand_answer()>>{
      [run = r.get()] { return open_world_errand(*run); },
      [run = r.get()] { return open_sqlite_errand(*run); },
      [run = r.get()] { return update_errand(*run); },
      [run = r.get()] { return update_few_retained_errand(*run); },
  });
  return r;
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

result<std::vector<measured>> run(const std::vector<run_options>& runs,
                                  const progress_function& progress) {
  std::vector<std::unique_ptr<bench_run>> prepared;
  for (const auto& options : runs) {
    progress(fmt::format("{} memories: making the data", options.size));
    auto r = prepare(options);
    if (!r) return propagate(r);
    prepared.push_back(std::move(*r));
  }
  std::vector<measured> done;
  for (auto& r : prepared) {
    auto ran = run_whole(*r, [&](const std::string& step) {
      progress(fmt::format("{} memories: {}", r->options.size, step));
    });
    if (!ran) return propagate(ran);
    done.insert(done.end(), r->done.begin(), r->done.end());
    std::error_code ignored;
    std::filesystem::remove_all(r->options.directory, ignored);
    r.reset();
  }
  return done;
}

} // namespace mneme::workloads
