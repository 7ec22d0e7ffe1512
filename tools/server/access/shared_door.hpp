#pragma once
/// A world that processes of one user have together. Who comes first opens it and answers the
/// others through a socket in its directory; when that one ends, whoever asks next opens it and
/// answers from then on. What was acknowledged is in the journal, so that nothing of it is lost.
/// Whoever takes over makes no world, and goes on with none but the one that there was.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "tools/server/access/gateway.hpp"
#include "tools/sharing/world_socket.hpp"

namespace mneme::server {

struct sharing_options {
  std::string directory;
  std::int64_t most_ms = 0; ///< as gateway's
  /// How long somebody may have the world open who answers nobody, before it is busy.
  std::int64_t patience_ms = 5'000;
  bool beside_writer = false; ///< what is opened here has no lock: others are not answered
};

class shared_door final : public door {
public:
  /// `may_make`: a world where there is none.
  using opener = std::function<result<engine>(bool may_make)>;

  /// `open` is called where nobody answers, in any thread that asks; it may make the world now, and
  /// not later. busy where somebody has the world and answers nobody.
  static result<std::unique_ptr<shared_door>> make(opener open, sharing_options options);
  ~shared_door() override;
  shared_door(const shared_door&) = delete;
  shared_door& operator=(const shared_door&) = delete;

  using door::run;
  answer run(const client& who, std::string_view op, json request,
             const std::optional<error>& oversized) override;

  /// The world, where it is open in this process now; else null. It stays until close().
  [[nodiscard]] engine* here() const;
  /// Who waits for changes is answered soon, from now on.
  void stop_waiting();
  /// Answers what was sent, and closes the world if it is open here. Nothing is run any more. A
  /// second time is `shutdown`.
  result<void> close();

private:
  struct hosted;
  enum class fate : std::uint8_t { answered, not_sent, stopped, unknown };

  shared_door(opener open, sharing_options options);
  answer run_once(const client& who, std::string_view op, json request,
                  const std::optional<error>& oversized);
  fate ask_host(const std::string& request, std::string& answered);
  result<sharing::frame_stream> stream_to_host();
  /// Finds out who answers, unless that was done after the move `since`.
  result<void> settle(std::uint64_t since);
  /// busy: somebody has it open, and does not answer yet or any more.
  result<void> try_to_settle();
  /// Which world somebody has open; busy where he does not say.
  static result<std::string> world_told_by(sharing::frame_stream& host);
  /// not_found if it is another one than at first.
  result<void> settle_on(const std::string& world_id);

  opener open_;
  sharing_options options_;
  mutable std::shared_mutex moving_; ///< shared while a request runs
  std::unique_ptr<hosted> here_;     ///< null: another process is asked
  std::atomic<bool> stops_waiting_{false};
  std::uint64_t moves_ = 0; ///< how often it was settled who answers
  std::string world_id_;    ///< of the first time
  bool is_closed_ = false;
  std::mutex resting_;
  std::vector<sharing::frame_stream> streams_; ///< to the host, that nobody uses now
};

} // namespace mneme::server
