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

} // namespace

template <class Reply, class Message>
void client::send(const engine_actor& engine, const Message& message) {
  ensure(is_idle(), "a client has one request at a time");
  using handle_type = decltype(self_->request(engine, caf::infinite, message));
  auto handle = std::make_shared<handle_type>(self_->request(engine, caf::infinite, message));
  collect_ = [handle] {
    result<reply_message> answer = fail(errc::shutdown, "nothing came");
    handle->receive([&](const Reply& reply) { answer = as_reply(reply); },
                    [&](const caf::error& e) { answer = std::unexpected(to_error(e)); });
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
  } const sender{*this, engine};
  std::visit(sender, request);
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
