#pragma once
/// A host actor that asks the engine for something and goes on with its life: one request at a
/// time, collected when the answer lies in its mailbox. It never blocks, since there is one thread.

#include <functional>
#include <optional>

#include <caf/scoped_actor.hpp>

#include "sim/operation.hpp"

namespace mneme::sim {

class client {
public:
  explicit client(caf::actor_system& system) : self_(system) {}

  /// Sends. Precondition: is_idle().
  void ask(const engine_actor& engine, const request_message& request);
  void ask_to_close(const engine_actor& engine);
  void ask_to_erase(const engine_actor& engine, const erase_request& r);

  [[nodiscard]] bool is_idle() const { return !collect_; }
  /// Its answer has come.
  [[nodiscard]] bool has_answer() { return collect_ && self_->has_next_message(); }
  /// A message that answers nothing has come.
  [[nodiscard]] bool has_stray_message() { return !collect_ && self_->has_next_message(); }
  /// Takes the answer. Precondition: has_answer(). The answer to close is a checkpoint_reply.
  result<reply_message> collect();

private:
  template <class Reply, class Message>
  void send(const engine_actor& engine, const Message& message);

  caf::scoped_actor self_;
  std::function<result<reply_message>()> collect_;
};

} // namespace mneme::sim
