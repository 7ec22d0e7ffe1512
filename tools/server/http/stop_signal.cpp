#include "tools/server/http/stop_signal.hpp"

#include <csignal>

#include <pthread.h>

namespace mneme::server {

namespace {

/// SIGUSR2 ends the waiting when there is nothing left to stop.
sigset_t set_of(bool with_end) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  if (with_end) sigaddset(&set, SIGUSR2);
  return set;
}

} // namespace

stop_signal::stop_signal() {
  const sigset_t set = set_of(true);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

stop_signal::~stop_signal() {
  forget();
}

void stop_signal::forget() {
  if (!waiter_.joinable()) return;
  pthread_kill(waiter_.native_handle(), SIGUSR2);
  waiter_.join();
}

void stop_signal::on_stop(std::function<void()> stop) {
  waiter_ = std::thread([stop = std::move(stop)] {
    const sigset_t all = set_of(true);
    int signal = 0;
    if (sigwait(&all, &signal) != 0 || signal == SIGUSR2) return;
    const sigset_t ends = set_of(false);
    pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
    stop();
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGUSR2);
    sigwait(&end, &signal);
  });
}

} // namespace mneme::server
