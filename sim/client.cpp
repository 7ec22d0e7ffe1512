#include "sim/client.hpp"

#include <memory>
#include <utility>

#include <caf/all.hpp>

#include "messages/ensure.hpp"

namespace mneme::sim {

namespace {

reply_message as_reply(const closed_reply&) {
  return checkpoint_reply{};
}
template <class Reply>
reply_message as_reply(const Reply& reply) {
  return reply;
}

using untyped_response = decltype(std::declval<caf::scoped_actor&>()->request(
    std::declval<const caf::actor&>(), caf::infinite, std::declval<caf::message>()));

void receive_any(untyped_response& pending, result<reply_message>& answer,
                 const std::function<std::optional<reply_message>(const caf::message&)>& read) {
  pending.receive([&](const caf::error& e) { answer = std::unexpected(to_error(e)); },
                  caf::others >> [&](caf::message_view& m) -> caf::result<caf::message> {
                    auto reply = read(m.move_content_to_message());
                    ensure(reply.has_value(),
                           "the engine answers with what the request's type promises");
                    answer = std::move(*reply);
                    return caf::message{};
                  });
}

} // namespace

/// To the engine as an actor of any type, and received by one handler: CAF's templates are
/// instantiated once for all messages, not for each pair of message and reply.
template <class Reply, class Message>
void client::send(const engine_actor& engine, const Message& message) {
  ensure(is_idle(), "a client has one request at a time");
  auto pending = std::make_shared<untyped_response>(self_->request(
      caf::actor_cast<caf::actor>(engine), caf::infinite, caf::make_message(message)));
  collect_ = [pending] {
    result<reply_message> answer = fail(errc::shutdown, "nothing came");
    receive_any(*pending, answer, [](const caf::message& m) -> std::optional<reply_message> {
      if (!m.match_elements<Reply>()) return std::nullopt;
      return as_reply(m.get_as<Reply>(0));
    });
    return answer;
  };
}

void client::ask(const engine_actor& engine, const request_message& request) {
  struct {
    client& self;
    const engine_actor& to;
    void operator()(const apply_message& m) const { self.send<mutation_result>(to, m); }
    void operator()(const batch_message& m) const { self.send<batch_result>(to, m); }
    void operator()(const find_message& m) const { self.send<find_reply>(to, m); }
    void operator()(const find_many_message& m) const { self.send<find_many_reply>(to, m); }
    void operator()(const get_message& m) const { self.send<memory_reply>(to, m); }
    void operator()(const resolve_message& m) const { self.send<memory_reply>(to, m); }
    void operator()(const edges_message& m) const { self.send<edges_reply>(to, m); }
    void operator()(const stale_message& m) const { self.send<stale_reply>(to, m); }
    void operator()(const list_message& m) const { self.send<list_reply>(to, m); }
    void operator()(const history_message& m) const { self.send<history_reply>(to, m); }
    void operator()(const root_message& m) const { self.send<root_set>(to, m); }
    void operator()(const prove_message& m) const { self.send<proof_reply>(to, m); }
    void operator()(const snapshot_message& m) const { self.send<snapshot_result>(to, m); }
    void operator()(const checkpoint_message& m) const { self.send<checkpoint_reply>(to, m); }
    void operator()(const retrieve_message& m) const { self.send<retrieve_reply>(to, m); }
    void operator()(const retrieve_many_message& m) const { self.send<retrieve_many_reply>(to, m); }
    void operator()(const fields_message& m) const { self.send<fields_reply>(to, m); }
    void operator()(const events_message& m) const { self.send<events_reply>(to, m); }
    void operator()(const chroma_message& m) const { self.send<chroma_reply>(to, m); }
    void operator()(const chroma_many_message& m) const { self.send<chroma_many_reply>(to, m); }
    void operator()(const decay_message& m) const { self.send<decay_result>(to, m); }
    void operator()(const search_message& m) const { self.send<search_reply>(to, m); }
    void operator()(const search_many_message& m) const { self.send<search_many_reply>(to, m); }
    void operator()(const context_message& m) const { self.send<context_reply>(to, m); }
    void operator()(const attest_message& m) const { self.send<attest_result>(to, m); }
    void operator()(const compact_message& m) const { self.send<compact_reply>(to, m); }
    void operator()(const load_compact_message& m) const { self.send<compact_reply>(to, m); }
    void operator()(const tick_message& m) const { self.send<tick_reply>(to, m); }
    void operator()(const select_message& m) const { self.send<select_reply>(to, m); }
  } const sender{*this, engine};
  std::visit(sender, request);
}

void client::ask_to_erase(const engine_actor& engine, const erase_request& r) {
  send<erase_result>(engine, erase_message{r, {}});
}

void client::ask_to_close(const engine_actor& engine) {
  send<closed_reply>(engine, close_message{});
}

result<reply_message> client::collect() {
  ensure(has_answer(), "the answer is there");
  const auto take = std::exchange(collect_, nullptr);
  return take();
}

} // namespace mneme::sim
