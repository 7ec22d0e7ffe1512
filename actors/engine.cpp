// The blocking facade: its life, its writes, and what it says of the world.

#include "mneme/engine.hpp"

#include <fmt/format.h>

#include "actors/engine_impl.hpp"
#include "messages/seams/checked_seams.hpp"
#include "mneme/caf.hpp"
#include "query/records/similar_topics.hpp"
#include "state/branch/diff.hpp"
#include "state/branch/fork.hpp"
#include "state/branch/open_store.hpp"
#include "state/inspection/journal_items.hpp"
#include "state/inspection/stats.hpp"
#include "state/recovery/verify.hpp"
#include "storage/memory_file_system.hpp"
#include "views/manifests.hpp"

namespace mneme {

std::unique_ptr<engine::impl> engine::impl::gone() {
  auto left = std::make_unique<impl>(nullptr);
  left->closed = true;
  left->gate.close();
  return left;
}

result<void> engine::impl::close() {
  // Whoever comes second waits for the first: the world is closed when any close() returns.
  const std::lock_guard one_at_a_time(closing);
  if (std::exchange(closed, true)) return std::unexpected(was_closed);
  listed.reset(); // what it was told of is done while it can be
  feed.is_over = true;
  if (arm != nullptr) {
    gate.close();
    arm->end();
    return {};
  }
  running->state->embedding.end();
  running->state->feed.end();
  gate.close();
  feed.join();
  running->member.reset();
  // A barrier behind everything queued; what comes later is refused. Not in this thread: an engine
  // that is a static of the program ends when what the thread had for itself is gone.
  waiting<seq_no> passed;
  hand_over(*running, checkpoint_command{.reply = passed.reply(), .last = true});
  running->last_barrier = passed.get();
  stop_actors(running->actors);
  running->actors = {};
  home->system.await_all_actors_done();
  return end_world(*running);
}

result<batch_result> engine::impl::mutate(std::vector<mutation> items, bool is_batch, durability d,
                                          std::shared_ptr<const mneme::scope> scope,
                                          std::optional<std::int64_t> deadline_ms,
                                          const std::optional<std::string>& in_sight_of) {
  return inside_to_write([&](running_engine& to) -> result<batch_result> {
    world& w = *to.state;
    auto deadline = deadline_in(to, deadline_ms);
    if (!deadline) return propagate(deadline);
    auto ahead = prepare_ahead(items, scope != nullptr, w.embedder.get(), *w.tokens);
    const auto similar = similar_asked_by(items, scope, in_sight_of);
    const seq_no before = w.published_seq();
    auto done = commit<batch_result>(to, [&](auto reply) {
      return mneme::mutate(std::move(items), is_batch, d, std::move(scope), *deadline, in_sight_of,
                           std::move(ahead), std::move(reply));
    });
    if (done)
      for (const auto& asked : similar)
        add_similar(done->results[asked.item], asked, before, w.views());
    return done;
  });
}

engine::engine(std::unique_ptr<impl> state) : impl_(std::move(state)) {
}
engine::engine(engine&& other) noexcept : impl_(std::exchange(other.impl_, impl::gone())) {
}
engine& engine::operator=(engine&& other) noexcept {
  if (this != &other) impl_ = std::exchange(other.impl_, impl::gone());
  return *this;
}
engine::~engine() = default;

result<engine> engine::open(engine_options options) {
  auto opened = open_engine(std::move(options));
  if (!opened) return propagate(opened);
  auto i = std::make_unique<impl>(std::make_shared<engine_home>(reader_count(opened->options)));
  i->report = opened->state->report;
  i->opened_last_entry_at = opened->state->last_entry_at;
  i->opened_with = std::move(opened->options);
  i->queries = i->opened_with.queries;
  opened->actors.threads = thread_use::lent_threads; // the actor system is the engine's own
  i->running = i->home->start(std::move(*opened));
  if (const auto& o = i->opened_with; !o.directory.empty() && !o.read_only)
    i->listed = std::make_unique<open_world_entry>(
        o.directory, [own = i.get()](const erase_request& r) { return own->erase(r); });
  return engine(std::move(i));
}

result<void> engine::check_made_with(const engine_options& options) {
  return mneme::check_made_with(options);
}

result<void> engine::close() {
  return impl_->close();
}

result<mutation_result> engine::apply(mutation request, durability d,
                                      std::shared_ptr<const mneme::scope> scope,
                                      std::optional<std::int64_t> deadline_ms,
                                      const std::optional<std::string>& in_sight_of) {
  std::vector<mutation> items;
  items.push_back(std::move(request));
  auto done = impl_->mutate(std::move(items), false, d, std::move(scope), deadline_ms, in_sight_of);
  if (!done) return propagate(done);
  return std::move(done->results.front());
}

result<batch_result> engine::write_batch(std::vector<mutation> items, durability d,
                                         std::shared_ptr<const mneme::scope> scope,
                                         std::optional<std::int64_t> deadline_ms,
                                         const std::optional<std::string>& in_sight_of) {
  return impl_->mutate(std::move(items), true, d, std::move(scope), deadline_ms, in_sight_of);
}

result<mutation_result> engine::put(memory_key key, write_request content) {
  return apply(put_request{.key = std::move(key), .content = std::move(content)});
}

result<mutation_result> engine::delete_by(memory_key key, std::string actor, std::string reason) {
  return apply(delete_by_request{
      .key = std::move(key), .actor = std::move(actor), .reason = std::move(reason)});
}

result<mutation_result> engine::promote(const promote_request& request,
                                        std::optional<std::int64_t> deadline_ms,
                                        const std::optional<std::string>& in_sight_of) {
  return impl_->write<mutation_result>(
      [&](auto reply) { return promote_command{request, std::move(reply), {}, in_sight_of}; },
      deadline_ms);
}

result<snapshot_result> engine::snapshot(std::string reason, std::string actor,
                                         std::optional<std::int64_t> deadline_ms) {
  return impl_->write<snapshot_result>(
      [&](auto reply) {
        return snapshot_command{std::move(reason), std::move(actor), std::move(reply)};
      },
      deadline_ms);
}

result<decay_result> engine::decay(std::string actor, std::optional<std::int64_t> deadline_ms) {
  return impl_->write<decay_result>(
      [&](auto reply) { return decay_command{std::move(actor), std::move(reply)}; }, deadline_ms);
}

result<attest_result> engine::attest(attest_request request,
                                     std::optional<std::int64_t> deadline_ms) {
  return impl_->write<attest_result>(
      [&](auto reply) { return attest_command{std::move(request), std::move(reply)}; },
      deadline_ms);
}

result<compact_result> engine::compact(compact_request request,
                                       std::optional<std::int64_t> deadline_ms) {
  return impl_->write<compact_result>(
      [&](auto reply) { return compact_command{std::move(request), std::move(reply)}; },
      deadline_ms);
}

result<tick_result> engine::tick(tick_request request) {
  return impl_->inside_to_write([&](running_engine& to) -> result<tick_result> {
    world& w = *to.state;
    auto deadline = deadline_in(to, request.deadline_ms);
    if (!deadline) return propagate(deadline);
    waiting<tick_result> answer;
    auto ahead = prepare_ahead(request.writes, w.embedder.get(), *w.tokens);
    hand_over_tick(to, std::make_shared<const tick_request>(std::move(request)), *deadline,
                   std::move(ahead), answer.reply());
    return answer.get();
  });
}

result<seq_no> engine::checkpoint(std::optional<std::int64_t> deadline_ms) {
  if (impl_->arm != nullptr)
    return fail(errc::unsupported, "an arm is in memory: nothing of it is opened again");
  return impl_->write<seq_no>([](auto reply) { return checkpoint_command{std::move(reply)}; },
                              deadline_ms);
}

result<root_set> engine::root(std::optional<seq_no> at_seq,
                              std::optional<std::int64_t> deadline_ms) {
  return impl_->inside_in_time(
      deadline_ms, [&](world& w, const deadline& time) -> result<root_set> {
        if (!at_seq) return w.published_roots();
        auto recorded = impl_->commit<recorded_roots>(
            *impl_->now(), [&](auto reply) { return inspect_roots(*at_seq, std::move(reply)); });
        if (!recorded) return propagate(recorded);
        if (auto ok = time.check(); !ok) return propagate(ok);
        if (recorded->roots) return *recorded->roots;
        return fold_roots(*w.files, w.directory, *at_seq, [&] { return time.check(); });
      });
}

result<branch_report> engine::fork_to(const std::string& into, const fork_options& options) {
  return impl_->inside([&](world& w) -> result<branch_report> {
    if (impl_->arm == nullptr && dynamic_cast<memory_file_system*>(w.files.get()) != nullptr)
      return fail(errc::unsupported,
                  "the world is in memory; one that is read beside its writer is "
                  "forked by its directory");
    const root_set now = w.published_roots();
    fork_options own = options;
    if (!own.at_seq && !own.at) own.at_seq = now.seq;
    auto made = impl_->arm != nullptr ? fork_onto_disk(*w.files, w.directory, into, own)
                                      : fork_world(w.directory, into, own);
    if (made && made->at == now.seq) made->root = now.overall;
    if (made && made->checkpoint && impl_->arm == nullptr)
      if (auto ok = place_open_store(w, into, *made->checkpoint); !ok && made->note.empty())
        made->note = "the tables did not come along: " + ok.error().message;
    return made;
  });
}

result<diff_report> engine::diff(engine& other, const std::function<bool(const difference&)>& visit,
                                 const diff_options& options, std::optional<seq_no> at,
                                 std::optional<seq_no> at_of_other) {
  return impl_->inside([&](world& a) {
    return other.impl_->inside([&](world& b) {
      const diff_side own{a.directory, at.value_or(a.published_seq()), {}};
      const diff_side its{b.directory, at_of_other.value_or(b.published_seq()), {}};
      return diff_files({*a.files, own}, {*b.files, its}, options, visit);
    });
  });
}

result<proof_bundle> engine::prove(const prove_request& request) {
  return impl_->inside([&](world&) {
    auto made = impl_->commit<proof_bundle>(*impl_->now(), [&](auto reply) {
      return inspect_proofs(request, impl_->stopwatch(), std::move(reply));
    });
    return impl_->guarded(
        std::move(made), {.actor = request.actor, .at_seq = {}, .scope = request.scope}, "a proof");
  });
}

result<verify_report> engine::verify(std::optional<std::int64_t> deadline_ms) {
  return impl_->inside_in_time(deadline_ms, [&](world& w, const deadline& time) {
    return verify_journal(*w.files, w.directory, {}, [&] { return time.check(); });
  });
}

result<std::optional<manifest>> engine::find_snapshot(const digest& overall_root) {
  return impl_->inside(
      [&](world& w) { return find_manifest(*w.store, overall_root, w.published_seq()); });
}

result<std::vector<journal_item>> engine::journal(seq_no from, std::size_t limit,
                                                  std::optional<std::int64_t> deadline_ms) {
  return impl_->inside_in_time(deadline_ms, [&](world& w, const deadline& time) {
    return read_journal_items(w, from, limit, [&] { return time.check(); });
  });
}

result<world_stats> engine::stats() {
  return impl_->inside([](world& w) { return result<world_stats>(read_stats(w)); });
}

result<std::uint64_t> engine::wait_for_embeddings(std::int64_t timeout_ms) {
  return impl_->inside([&](world& w) -> result<std::uint64_t> {
    if (w.embedder == nullptr || w.embedder->remote() == nullptr) return 0;
    const auto pending = [&] { return w.published_counts().live.unembedded; };
    if (impl_->now()->options.commits.read_only || w.follows())
      return pending(); // nobody embeds here
    const bool goes_on = w.embedding.wait(timeout_ms, [&](const embed_status::report& r) {
      return !r.problem.empty() || pending() <= r.refused;
    });
    if (!goes_on) return std::unexpected(was_closed);
    return pending();
  });
}

std::optional<log_position> engine::position() const {
  const auto pass = impl_->gate.enter();
  if (!pass) return std::nullopt;
  world& w = *impl_->now()->state;
  if (w.standing == nullptr) return std::nullopt;
  const root_set now = w.published_roots();
  return log_position{.epoch = w.standing->epoch().value, .seq = now.seq, .root = now.overall};
}

result<void> engine::reach(seq_no at_least, std::optional<std::int64_t> deadline_ms) {
  constexpr std::int64_t patience_ms = 10'000;
  return impl_->inside([&](world& w) -> result<void> {
    if (auto ok = check_positive(deadline_ms, "deadline_ms"); !ok) return ok;
    const auto published = [&w] { return w.published_seq(); };
    if (w.standing != nullptr)
      return w.standing->wait_for(at_least, published, deadline_ms.value_or(patience_ms));
    if (published() >= at_least) return {};
    return fail(errc::behind,
                fmt::format("the world is at seq {}, and follows nobody", published().value),
                "at_least");
  });
}

open_report engine::opened() const {
  const auto pass = impl_->gate.enter();
  return pass ? impl_->now()->state->opened() : impl_->report;
}

seq_no engine::published() const {
  const auto pass = impl_->gate.enter();
  return pass ? impl_->now()->state->published_seq() : seq_no{};
}

timestamp engine::now() const {
  if (impl_->running == nullptr) return {};
  return now_of(*impl_->running->options.queries.time).value_or(timestamp{});
}

timestamp engine::last_entry_at() const {
  return impl_->opened_last_entry_at;
}

result<engine> open(std::string directory) {
  engine_options options;
  options.directory = std::move(directory);
  return engine::open(std::move(options));
}

result<engine> open_in_memory(engine_options options) {
  options.directory.clear();
  return engine::open(std::move(options));
}

} // namespace mneme
