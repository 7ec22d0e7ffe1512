#include "actors/embedder_actor.hpp"

#include <chrono>

#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "state/embedding/unembedded.hpp"

namespace mneme {

embedder_actor::embedder_actor(caf::actor_config& config, std::shared_ptr<world> w,
                               caf::actor committer, std::shared_ptr<random_source> random)
    : caf::event_based_actor(config),
      world_(std::move(w)),
      committer_(std::move(committer)),
      random_(std::move(random)) {
  ensure(world_->embedder != nullptr && world_->embedder->remote() != nullptr,
         "an embedder asks a remote one");
  ensure(random_ != nullptr, "delays are drawn");
}

caf::behavior embedder_actor::make_behavior() {
  busy_ = !world_->follows(); // who leads the log embeds
  if (busy_) {
    scan();
    send(this, embed_next{});
  }
  return {
      [this](const contents_to_embed& m) {
        if (m.ids == nullptr)
          scan();
        else
          for (const auto& id : *m.ids) queue_.add(id);
        if (!busy_) begin();
      },
      [this](const embed_next&) {
        ensure(busy_, "one batch is under way or delayed at a time");
        busy_ = false;
        begin();
      },
      [this](const outcome& o) { stored(o); },
  };
}

void embedder_actor::on_exit() {
  world_->embedding.set({.refused = queue_.refused_count(), .problem = "the engine was closed"});
  committer_ = nullptr;
  world_ = nullptr; // a delayed message may keep this actor for a while, but not the world
}

/// What an earlier session left without a vector, and what did not fit the queue.
void embedder_actor::scan() {
  each_unembedded(world_->views(), world_->published_seq(), [this](const memory_id& id) {
    queue_.add_found(id);
    return true;
  });
}

void embedder_actor::begin() {
  ensure(!busy_, "a batch begins when the one before has ended");
  if (world_->follows()) return; // it comes from the log
  if (queue_.is_empty() && queue_.take_overflow()) scan();
  const auto jobs = queue_.take();
  if (jobs.empty()) {
    queue_.succeeded();
    const std::uint64_t given_up = queue_.refused_count();
    return world_->embedding.set(
        {.refused = given_up, .problem = given_up == 0 ? std::string() : refusal_});
  }
  busy_ = true;
  auto read = read_waiting_texts(*world_, jobs);
  if (!read) {
    queue_.failed();
    return go_on(read.error().message);
  }
  if (read->texts.empty()) {
    queue_.succeeded();
    return go_on({});
  }
  ask_embedder(std::move(*read));
}

void embedder_actor::ask_embedder(waiting_texts b) {
  ensure(b.items.size() == b.texts.size(), "each text is that of an item");
  auto vectors = embedded_by(*world_->embedder->remote(), b.texts);
  if (!vectors) {
    const errc code = vectors.error().code;
    if (code == errc::bad_value || code == errc::bad_vector)
      return refused(std::move(vectors.error().message));
    queue_.failed();
    return go_on(vectors.error().message);
  }
  ensure(vectors->size() == b.items.size(), "each text has its vector");
  for (std::size_t i = 0; i < b.items.size(); ++i) b.items[i].values = std::move((*vectors)[i]);
  hand_over(std::move(b.items));
}

void embedder_actor::hand_over(std::vector<late_vector> items) {
  ensure(!items.empty(), "an embed entry has vectors");
  auto reply = [self = caf::actor_cast<caf::actor>(this)](const result<seq_no>& r) {
    caf::anon_send(self, r ? outcome{} : outcome{r.error()});
  };
  send(committer_, commit_request{std::make_shared<commit_command>(
                       embed_command{.items = std::move(items), .reply = std::move(reply)})});
}

void embedder_actor::stored(const outcome& o) {
  ensure(busy_, "only a batch that is under way is stored");
  if (!o.problem) {
    queue_.succeeded();
    return go_on({});
  }
  if (o.problem->code == errc::bad_vector) return refused(o.problem->message);
  queue_.failed();
  go_on(o.problem->message);
}

/// No problem while the texts are tried again, each alone and then shorter.
void embedder_actor::refused(std::string why) {
  refusal_ = std::move(why);
  queue_.refused();
  go_on(queue_.is_empty() ? refusal_ : std::string());
}

void embedder_actor::go_on(std::string problem) {
  world_->embedding.set({.refused = queue_.refused_count(), .problem = std::move(problem)});
  const std::int64_t delay = queue_.delay_ms(*random_);
  if (delay == 0)
    send(this, embed_next{});
  else
    delayed_send(this, std::chrono::milliseconds(delay), embed_next{});
}

} // namespace mneme
