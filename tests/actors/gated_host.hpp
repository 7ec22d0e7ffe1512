#pragma once
/// A host whose embedder keeps a text waiting until it is let go on.

#include <atomic>
#include <memory>
#include <string>

#include <caf/all.hpp>

#include "actors/engine_actor.hpp"
#include "tests/actors/engine_site.hpp"

namespace mneme::testing {

inline constexpr const char* slow_text = "wait for it";

/// Holds up whoever asks for the slow text.
class gated_embedder final : public embedder {
public:
  [[nodiscard]] vector_space space() const override { return {.model = "gated", .dim = 2}; }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    ++calls;
    if (text == slow_text) is_open_.wait(false);
    return std::vector<float>{1.0F, static_cast<float>(text.size())};
  }
  void open() {
    is_open_ = true;
    is_open_.notify_all();
  }
  mutable std::atomic<int> calls = 0;

private:
  std::atomic<bool> is_open_ = false;
};

inline find_request near_text(std::string text) {
  find_request r;
  r.near = std::move(text);
  r.limit = 1;
  return r;
}

inline write_request note_of(std::string text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(text);
  return r;
}

inline const auto not_expected = [](const caf::error& e) { FAIL(to_error(e).message); };

/// With two readers, and threads to spare.
struct gated_host {
  explicit gated_host(std::uint64_t max_in_flight = 4096,
                      std::uint64_t max_in_flight_bytes = 256ULL << 20) {
    engine_options options;
    options.embedder = embedder;
    options.readers = 2;
    options.max_in_flight = max_in_flight;
    options.max_in_flight_bytes = max_in_flight_bytes;
    auto started = start_engine(system, options);
    REQUIRE(started);
    engine = *started;
    memory = system.spawn(engine_behavior, engine);
  }
  /// A test that has failed still ends.
  ~gated_host() {
    embedder->open();
    caf::anon_send_exit(memory, caf::exit_reason::user_shutdown);
  }
  gated_host(const gated_host&) = delete;
  gated_host& operator=(const gated_host&) = delete;

  /// What it is answered, or refused with.
  template <class Reply, class Message>
  result<Reply> ask(Message message) {
    result<Reply> answer;
    self->request(memory, caf::infinite, std::move(message))
        .receive([&](const Reply& r) { answer = r; },
                 [&](const caf::error& e) { answer = std::unexpected(to_error(e)); });
    return answer;
  }
  void close() { REQUIRE(ask<closed_reply>(close_message{})); }

  host_config config{6};
  caf::actor_system system{config};
  std::shared_ptr<gated_embedder> embedder = std::make_shared<gated_embedder>();
  std::shared_ptr<running_engine> engine;
  engine_actor memory;
  caf::scoped_actor self{system};
};

} // namespace mneme::testing
