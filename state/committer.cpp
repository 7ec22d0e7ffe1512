#include "state/committer.hpp"

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Answers a command that will not be executed.
void refuse(commit_command& command, const error& e) {
  std::visit(
      [&](auto& c) {
        if (c.reply) c.reply(std::unexpected(e));
      },
      command);
}

bool stands_alone(const commit_command& c) {
  return std::holds_alternative<snapshot_command>(c)
         || std::holds_alternative<checkpoint_command>(c)
         || std::holds_alternative<inspect_command>(c);
}

bool is_write(const commit_command& c) {
  return std::holds_alternative<mutate_command>(c) || std::holds_alternative<touch_command>(c);
}

} // namespace

committer::committer(world& w, std::shared_ptr<clock> clock, std::shared_ptr<random_source> random,
                     const committer_options& options)
    : world_(w),
      clock_(std::move(clock)),
      ids_(std::move(random), w.last_drawn_id),
      options_(options) {
}

committer::~committer() {
  const error gone{errc::shutdown, "the engine was closed", {}};
  for (auto& reply : replies_) reply(&gone);
  for (auto& command : queue_) refuse(command, gone);
}

void committer::enqueue(commit_command command) {
  if (options_.read_only && !std::holds_alternative<inspect_command>(command))
    return refuse(command, {errc::read_only, "the engine was opened read-only", {}});
  if (stopped_) return refuse(command, *stopped_);
  // Barriers are few, and whoever waits for one must not lose it to a burst of writes.
  if (is_write(command) && queue_.size() >= options_.max_queued)
    return refuse(command, {errc::busy,
                            std::to_string(options_.max_queued)
                                + " requests are waiting; retry when some have been answered",
                            {}});
  queue_.push_back(std::move(command));
}

result<kv_reader*> committer::reader() {
  if (reader_ == nullptr) {
    auto opened = world_.store->reader();
    if (!opened) return propagate(opened);
    reader_ = std::move(*opened);
  }
  return reader_.get();
}

committer::round committer::next_round() {
  ensure(!in_round_, "one round at a time");
  while (!queue_.empty()) {
    if (std::holds_alternative<checkpoint_command>(queue_.front())) {
      barrier_ = std::get<checkpoint_command>(std::move(queue_.front()));
      queue_.pop_front();
      in_round_ = true;
      return {.batch = nullptr, .barrier = true, .sync = false};
    }
    if (auto* inspect = std::get_if<inspect_command>(&queue_.front())) {
      const auto run = std::move(inspect->run);
      queue_.pop_front();
      run(world_);
      continue;
    }
    auto session = reader();
    if (!session) {
      refuse(queue_.front(), session.error());
      queue_.pop_front();
      continue;
    }
    const read_views views = world_.views();
    overlay state(views, **session, world_.published_seq(), world_.vectors.space());
    std::vector<entry> entries;
    bool durable = false;
    const bool alone = stands_alone(queue_.front());
    do {
      execute_next(state, entries, durable);
    } while (!alone && options_.mode == commit_mode::grouped && !queue_.empty()
             && !stands_alone(queue_.front()) && entries.size() < options_.max_entries);
    if (!entries.empty()) {
      batch_ = make_batch(std::move(entries), world_.numbers, durable);
      in_round_ = true;
      return {.batch = batch_, .barrier = false, .sync = false};
    }
    if (durable && world_.journal->durable_through() < world_.published_seq()) {
      // A durable answer must not rest on a relaxed write that a crash could still take.
      in_round_ = true;
      return {.batch = nullptr, .barrier = false, .sync = true};
    }
    // Nothing was written: what was read is published and durable already.
    auto replies = std::move(replies_);
    replies_.clear();
    for (auto& reply : replies) reply(nullptr);
  }
  return {};
}

void committer::execute_next(overlay& state, std::vector<entry>& entries, bool& durable) {
  commit_command command = std::move(queue_.front());
  queue_.pop_front();
  std::visit(
      [&](auto& c) {
        using kind = std::decay_t<decltype(c)>;
        if constexpr (!std::is_same_v<kind, checkpoint_command>
                      && !std::is_same_v<kind, inspect_command>)
          execute_one(c, state, entries, durable);
      },
      command);
}

void committer::execute_one(mutate_command& c, overlay& state, std::vector<entry>& entries,
                            bool& durable) {
  const seq_no current{world_.published_seq().value + entries.size()};
  const execution_seams seams{world_.embedder.get(), world_.tokens.get()};
  auto done = execute(c.items, c.is_batch, state, ids_, seams, clock_->now(), current);
  if (!done) {
    // The refusal may rest on an earlier command of this batch, which must be published first.
    replies_.push_back([reply = std::move(c.reply), own = done.error()](const error* e) {
      reply(std::unexpected(e != nullptr ? *e : own));
    });
    return;
  }
  for (auto& e : done->entries) entries.push_back(std::move(e));
  if (c.durability == durability::durable) durable = true;
  batch_result answer{.results = std::move(done->results),
                      .seq = {current.value + done->entries.size()}};
  replies_.push_back([reply = std::move(c.reply), answer = std::move(answer)](const error* e) {
    if (e != nullptr)
      reply(std::unexpected(*e));
    else
      reply(answer);
  });
}

void committer::execute_one(touch_command& c, overlay&, std::vector<entry>& entries,
                            bool& durable) {
  const seq_no current{world_.published_seq().value + entries.size()};
  std::get<find_late_payload>(c.payload).nonce = ids_.draw_nonce();
  entries.push_back(execute_touch(c.payload, clock_->now(), current));
  durable = true;
  replies_.push_back([reply = std::move(c.reply), seq = current.next()](const error* e) {
    if (e != nullptr)
      reply(std::unexpected(*e));
    else
      reply(seq);
  });
}

void committer::execute_one(embed_command& c, overlay& state, std::vector<entry>& entries, bool&) {
  // Not durable by itself: a vector that a crash takes is made again.
  const seq_no current{world_.published_seq().value + entries.size()};
  const vector_space space = world_.embedder != nullptr ? world_.embedder->space() : state.space();
  auto done = execute_embed(c.items, state, space, clock_->now(), current);
  const seq_no last{current.value + (done ? done->size() : 0)};
  if (done)
    for (auto& e : *done) entries.push_back(std::move(e));
  replies_.push_back([reply = std::move(c.reply), last,
                      own = done ? std::optional<error>() : done.error()](const error* e) {
    if (e != nullptr || own)
      reply(std::unexpected(e != nullptr ? *e : *own));
    else
      reply(last);
  });
}

void committer::execute_one(snapshot_command& c, overlay&, std::vector<entry>& entries,
                            bool& durable) {
  // A snapshot stands alone, so the ledger is exactly at the published seq.
  const root_set roots = world_.ledger->roots();
  ensure(roots.seq == world_.published_seq() && entries.empty(), "a snapshot stands alone");
  entries.push_back(execute_snapshot(roots, std::move(c.reason), c.actor,
                                     {{"edges", world_.graph.edge_count()},
                                      {"nodes", world_.nodes.size()},
                                      {"rows", world_.attributes.row_count()}},
                                     ids_.draw_nonce(), clock_->now()));
  durable = true;
  snapshot_result answer{.manifest = std::get<snapshot_payload>(entries.back().payload).manifest,
                         .seq = roots.seq.next()};
  replies_.push_back([reply = std::move(c.reply), answer = std::move(answer)](const error* e) {
    if (e != nullptr)
      reply(std::unexpected(*e));
    else
      reply(answer);
  });
}

void committer::complete() {
  ensure(in_round_ && !barrier_, "a batch or a sync is in progress");
  if (batch_ != nullptr) publish_batch();
  in_round_ = false;
  auto replies = std::move(replies_);
  replies_.clear();
  for (auto& reply : replies) reply(nullptr);
}

void committer::publish_batch() {
  world_.last_drawn_id = ids_.last_drawn();
  world_.last_entry_at = batch_->entries.back().header.created_at;
  // Published before any reply leaves, so that a caller always reads its own write.
  world_.publish(batch_->last_seq);
  // An image that is being written must hold its own window whole: after a crash it may be where
  // the world goes on from.
  world_.retain_before(std::min(batch_->last_seq, imaged_.value_or(batch_->last_seq)));
  batch_.reset();
}

void committer::testing_reply_early() {
  auto replies = std::move(replies_);
  replies_.clear();
  for (auto& reply : replies) reply(nullptr);
}

checkpoint_job committer::job_at_barrier(std::string ledger_image) {
  ensure(in_round_ && barrier_.has_value(), "a barrier is in progress");
  imaged_ = world_.published_seq();
  return {.file = {.seq = world_.published_seq(),
                   .node_count = world_.nodes.size(),
                   .next_slot = world_.numbers.next_slot,
                   .last_drawn_id = ids_.last_drawn(),
                   .last_entry_at = world_.last_entry_at,
                   .overall_root = world_.ledger->roots().overall},
          .ledger_image = std::move(ledger_image)};
}

std::function<void(result<seq_no>)> committer::passed_barrier() {
  ensure(in_round_ && barrier_.has_value(), "a barrier is in progress");
  auto reply = std::move(barrier_->reply);
  const bool last = barrier_->last;
  barrier_.reset();
  in_round_ = false;
  if (last) {
    const error closed{errc::shutdown, "the engine was closed", {}};
    fail(closed, closed);
  }
  if (!reply) return [](const result<seq_no>&) {};
  return reply;
}

checkpoint_command committer::defer_barrier() {
  ensure(in_round_ && barrier_.has_value(), "a barrier is in progress");
  checkpoint_command deferred = std::move(*barrier_);
  barrier_.reset();
  in_round_ = false;
  return deferred;
}

void committer::fail(const error& outcome, const error& stopped) {
  stopped_ = stopped;
  in_round_ = false;
  batch_.reset();
  auto replies = std::move(replies_);
  replies_.clear();
  for (auto& reply : replies) reply(&outcome);
  if (barrier_ && barrier_->reply) barrier_->reply(std::unexpected(outcome));
  barrier_.reset();
  auto queue = std::move(queue_);
  queue_.clear();
  for (auto& command : queue) refuse(command, stopped);
}

} // namespace mneme
