#pragma once
/// What a session wants to be told of: resources that it subscribed to, and that the list of them
/// has changed. Made of the change feed, read on from when the session first asked.

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/server/access/door.hpp"

namespace mneme::server {

/// Thread-safe: requests come while somebody polls.
class resource_feed {
public:
  /// The session has asked what there is, or for a resource: from now on it is told.
  void begin(door& to, const client& who);
  /// False: there are as many as may be.
  bool subscribe(const std::string& uri);
  void unsubscribe(const std::string& uri);
  /// Waits for changes and says what they come to, as notifications; none where there are none, or
  /// the session has not begun. Of one thread at a time.
  std::vector<json> poll(door& to, const client& who, std::int64_t wait_ms);

  [[nodiscard]] bool has_begun() const;
  static constexpr std::size_t most_uris = 1'000;

private:
  std::vector<json> notes_of(const json& changes) const;

  mutable std::mutex guard_;
  std::set<std::string> uris_;
  std::optional<std::uint64_t> since_; ///< none: it has not begun
};

} // namespace mneme::server
