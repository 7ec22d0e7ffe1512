#pragma once
/// A world in memory and its committer, all in the calling thread: what an operation costs without
/// actors, locks that others hold, disk or clock.

#include <memory>
#include <utility>
#include <vector>

#include "mneme/seams.hpp"
#include "query/query_run.hpp"
#include "state/commit/committer.hpp"
#include "storage/memory_file_system.hpp"

namespace mneme::counted {

/// Ends the process with the error's text: there is nothing to count then.
[[noreturn]] void give_up(const error& why);

template <class T>
T sure(result<T> r) {
  if (!r) give_up(r.error());
  return std::move(*r);
}
inline void sure(result<void> r) {
  if (!r) give_up(r.error());
}

class counted_world {
public:
  counted_world();

  /// All of them or none, journaled, synced and published.
  void write(std::vector<mutation> items);
  void touch(find_late_payload payload);
  /// With a checkpoint. Nothing else may be called until open().
  void close();
  void open();

  template <class Run>
  typename Run::answer_type ask(typename Run::request_type request) {
    const read_views views = world_->views();
    auto run = sure(Run::compile(std::move(request), sure(context_of(seams_, views, {})), views));
    sure(run_inline(*run, views));
    return run->take();
  }

private:
  void commit_all();

  std::shared_ptr<memory_file_system> files_ = std::make_shared<memory_file_system>();
  std::shared_ptr<memory_disk> disk_ = make_memory_disk();
  std::shared_ptr<manual_clock> time_;
  query_seams seams_;
  std::unique_ptr<world> world_;
  std::unique_ptr<committer> committer_;
};

} // namespace mneme::counted
