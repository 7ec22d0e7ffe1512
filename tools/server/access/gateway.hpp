#pragma once
/// The one way from a server to the engine: a request of the line protocol is narrowed to what the
/// client may do, run, answered and counted. Thread-safe.

#include <cstdint>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "mneme/engine.hpp"
#include "tools/protocol/session.hpp"
#include "tools/server/access/door.hpp"
#include "tools/server/access/kept_fresh.hpp"
#include "tools/server/http/metrics.hpp"

namespace mneme::server {

class gateway final : public door {
public:
  /// Borrows the engine. `directory` is the world's, empty in memory. No request may ask for more
  /// than `most_ms` of time, and one that names no deadline has that; 0: no bound.
  gateway(engine& target, std::string directory, std::int64_t most_ms = 0)
      : target_(target), directory_(std::move(directory)), most_ms_(most_ms) {}
  /// Before the first request; as session::bound_answers().
  void bound_answers(protocol::session::room_check has_room) { has_room_ = std::move(has_room); }

  /// Likewise. Nobody may write then. Borrows it.
  void keep_fresh(kept_fresh& how) { fresh_ = &how; }

  using door::run;
  answer run(const client& who, std::string_view op, json request,
             const std::optional<error>& oversized) override;
  /// The same from its text, which is parsed strictly. An empty text is an empty request where the
  /// op is known.
  answer run_text(const client& who, std::string_view op, std::string_view text);

  result<world_stats> stats();
  [[nodiscard]] metrics& counts() { return counts_; }
  result<std::string> metrics_text();

private:
  /// The engine stays what it is while this is held.
  std::shared_lock<std::shared_timed_mutex> hold();
  answer answer_to(const client& who, std::string_view op, json request,
                   const std::optional<error>& oversized);

  engine& target_;
  std::string directory_;
  std::int64_t most_ms_;
  protocol::session::room_check has_room_;
  kept_fresh* fresh_ = nullptr; ///< null: the engine stays what it is
  metrics counts_;
};

} // namespace mneme::server
