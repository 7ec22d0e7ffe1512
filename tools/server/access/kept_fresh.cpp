#include "tools/server/access/kept_fresh.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

namespace mneme::server {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds between_looks{500};
/// A request that goes on for longer keeps the others from something newer, but not from answers.
constexpr milliseconds most_waited{300};
/// Reading the journal takes as long as it is: most of the time is for requests.
constexpr int rest_per_reading = 4;

} // namespace

kept_fresh::kept_fresh(engine& target, std::string directory, opener open)
    : target_(target),
      directory_(std::move(directory)),
      open_(std::move(open)),
      next_look_(steady_clock::now() + between_looks) {
  // `target` was read before this: what is written in between looks new, at worst.
}

std::shared_lock<std::shared_timed_mutex> kept_fresh::hold() {
  refresh();
  return std::shared_lock(replacing_);
}

kept_fresh::journal_mark kept_fresh::mark() const {
  namespace fs = std::filesystem;
  journal_mark now;
  std::error_code problem;
  for (fs::directory_iterator i(directory_ + "/journal", problem), end; !problem && i != end;
       i.increment(problem)) {
    ++now.segments;
    now.bytes += i->file_size(problem);
    const auto at = i->last_write_time(problem).time_since_epoch().count();
    now.written_at = std::max<std::int64_t>(now.written_at, at);
  }
  return now;
}

void kept_fresh::refresh() {
  const std::unique_lock alone(looking_, std::try_to_lock);
  const auto began = steady_clock::now();
  if (!alone || began < next_look_) return;
  next_look_ = began + between_looks;
  const journal_mark now = mark();
  if (now == seen_) return;
  auto opened = open_();
  if (!opened) return; // it is trimmed just now, say: what is known still answers
  std::unique_lock replacing(replacing_, most_waited);
  if (!replacing) return;
  seen_ = now;
  std::swap(target_, *opened);
  replacing.unlock();
  static_cast<void>(opened->close());
  const auto done = steady_clock::now();
  next_look_ =
      done + std::max<steady_clock::duration>(between_looks, rest_per_reading * (done - began));
}

} // namespace mneme::server
