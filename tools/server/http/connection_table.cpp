#include "tools/server/http/connection_table.hpp"

#include <sys/socket.h>

namespace mneme::server {

std::uint64_t connection_table::arrive() {
  const std::scoped_lock lock(mutex_);
  return ++turn_;
}

bool connection_table::admit(int socket, std::uint64_t arrived, handle& at) {
  const std::scoped_lock lock(mutex_);
  if (closing_) return false;
  if (entries_.size() - evicted_ >= most_) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it)
      if (it->is_awaited && !it->was_evicted
          && (oldest == entries_.end() || it->since < oldest->since))
        oldest = it;
    if (oldest == entries_.end() || arrived < oldest->since) return false;
    oldest->was_evicted = true;
    ++evicted_;
    ::shutdown(oldest->socket, SHUT_RDWR);
  }
  at = entries_.insert(entries_.end(), {.socket = socket, .since = arrived});
  return true;
}

void connection_table::remove(handle at) {
  const std::scoped_lock lock(mutex_);
  if (at->was_evicted) --evicted_;
  entries_.erase(at);
}

bool connection_table::await(handle at) {
  const std::scoped_lock lock(mutex_);
  if (!at->is_awaited) at->since = ++turn_;
  at->is_awaited = true;
  return !closing_;
}

void connection_table::run(handle at) {
  const std::scoped_lock lock(mutex_);
  at->is_awaited = false;
}

void connection_table::close() {
  const std::scoped_lock lock(mutex_);
  closing_ = true;
  for (const auto& e : entries_)
    if (e.is_awaited) ::shutdown(e.socket, SHUT_RD);
}

bool connection_table::is_closing() {
  const std::scoped_lock lock(mutex_);
  return closing_;
}

bool connection_table::was_evicted(handle at) {
  const std::scoped_lock lock(mutex_);
  return at->was_evicted;
}

} // namespace mneme::server
