#include "storage/kept_from_children.hpp"

#include <mutex>
#include <set>

#include <pthread.h>
#include <unistd.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Those of this process. Never destroyed: a child may be forked by what ends last.
struct kept_descriptors {
  std::mutex guard;
  std::set<int> all;
};

kept_descriptors& of_process() {
  static auto& kept = *new kept_descriptors;
  return kept;
}

void before_fork() {
  of_process().guard.lock();
}
void in_parent() {
  of_process().guard.unlock();
}
void in_child() {
  for (const int fd : of_process().all) ::close(fd);
  of_process().all.clear();
  of_process().guard.unlock();
}

} // namespace

kept_from_children::kept_from_children(int fd) : fd_(fd) {
  ensure(fd >= 0, "what is kept is open");
  static const int registered = ::pthread_atfork(before_fork, in_parent, in_child);
  ensure(registered == 0, "there is room for a handler");
  const std::lock_guard hold(of_process().guard);
  of_process().all.insert(fd);
}

kept_from_children::~kept_from_children() {
  const std::lock_guard hold(of_process().guard);
  of_process().all.erase(fd_);
}

} // namespace mneme
