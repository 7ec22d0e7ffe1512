// The blocking facade. Reads run in the caller's thread over the read views; writes are handed to
// the committer with a promise, which costs less than an actor of one's own per call.

#include "mneme/engine.hpp"

#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include <caf/all.hpp>

#include "actors/call_gate.hpp"
#include "actors/engine_actor.hpp"
#include "actors/inline_query.hpp"
#include "actors/query_vectors_actor.hpp"
#include "actors/sure_reply.hpp"
#include "messages/codec/records.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/seams/unasked_embedder.hpp"
#include "messages/validate/validate.hpp"
#include "query/chroma/chroma.hpp"
#include "query/context/compact_record.hpp"
#include "query/context/context.hpp"
#include "query/find/find.hpp"
#include "query/list_deadline.hpp"
#include "query/records/edge_reads.hpp"
#include "query/records/point_reads.hpp"
#include "query/records/topic_parts.hpp"
#include "query/records/whole_world.hpp"
#include "query/retrieve/retrieve.hpp"
#include "query/search/search.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/inspection/journal_items.hpp"
#include "state/inspection/proofs.hpp"
#include "state/inspection/stats.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "storage/memory_file_system.hpp"
#include "views/manifests.hpp"
#include "views/scope_check.hpp"
#include "views/unembedded.hpp"

namespace mneme {

namespace {

/// The configuration of an actor system of our own.
struct own_config : caf::actor_system_config {
  own_config() {
    configure(*this);
    // The committer's owners and two readers; more threads only contend on small machines.
    set("scheduler.max-threads",
        std::max<std::size_t>(2, std::min<std::size_t>(4, std::thread::hardware_concurrency())));
  }
};

template <class T>
struct waiting {
  std::shared_ptr<std::promise<result<T>>> promise = std::make_shared<std::promise<result<T>>>();

  std::function<void(result<T>)> reply() {
    return sure_reply<T>([p = promise](result<T> r) { p->set_value(std::move(r)); });
  }
  result<T> get() { return promise->get_future().get(); }
};

} // namespace

struct engine::impl {
  own_config config;
  caf::actor_system system{config};
  std::shared_ptr<running_engine> running;
  open_report report;
  timestamp opened_last_entry_at;
  query_driver queries = query_driver::caller;
  call_gate gate; ///< every call but close() holds a pass
  std::mutex closing;
  bool closed = false;

  ~impl() { (void)close(); }

  template <class T>
  result<T> commit(commit_command command, waiting<T> answer) {
    hand_over(*running, std::move(command));
    return answer.get();
  }

  /// What a single read answered; going outside its scope is journaled.
  template <class T>
  result<T> guarded(result<T> answer, const read_options& options, std::string target) {
    if (answer || answer.error().code != errc::scope_violation || options.scope == nullptr)
      return answer;
    waiting<seq_no> journaled;
    (void)commit<seq_no>(
        touch_command{violation_of(*options.scope, std::move(target)), journaled.reply()},
        journaled);
    return answer;
  }

  /// One query of a door.
  template <class Run>
  result<typename Run::answer_type> ask(typename Run::request_type request,
                                        std::optional<seq_no> pinned = {}) {
    waiting<typename Run::answer_type> answer;
    auto job = std::make_shared<door_job<Run>>(std::move(request), answer.reply());
    embed_text_of(*job, *running->state, running->options, pinned);
    if (queries == query_driver::caller)
      run_in_caller(job, *running, pinned);
    else
      caf::anon_send(running->actors.coordinator, ask_query{std::move(job), pinned});
    return answer.get();
  }

  /// Many queries of a door, in order; those that name no seq read one and the same.
  template <class Run>
  std::vector<result<typename Run::answer_type>>
  ask_many(std::vector<typename Run::request_type> requests) {
    std::vector<result<typename Run::answer_type>> results;
    results.reserve(requests.size());
    const auto inside = gate.enter();
    if (!inside) {
      results.assign(requests.size(), std::unexpected(was_closed));
      return results;
    }
    const seq_no at = running->state->published_seq();
    const auto& time = running->options.queries.stopwatch;
    const std::int64_t began = time ? time() : 0;
    for (auto& r : requests) {
      auto in_time = shorten_deadline(r, time ? time() - began : 0);
      if (in_time)
        results.push_back(ask<Run>(std::move(r), at));
      else
        results.push_back(propagate(in_time));
    }
    return results;
  }

  result<void> close() {
    // Whoever comes second waits for the first: the world is closed when any close() returns.
    const std::lock_guard one_at_a_time(closing);
    if (std::exchange(closed, true)) return std::unexpected(was_closed);
    running->state->embedding.end();
    gate.close();
    // A barrier behind everything queued; what comes later is refused.
    waiting<seq_no> barrier;
    hand_over(*running, checkpoint_command{.reply = barrier.reply(), .last = true});
    running->last_barrier = barrier.get();
    stop_actors(running->actors);
    running->actors = {};
    system.await_all_actors_done();
    return end_world(*running);
  }
};

engine::engine(std::unique_ptr<impl> state) : impl_(std::move(state)) {
}
engine::engine(engine&&) noexcept = default;
engine& engine::operator=(engine&&) noexcept = default;
engine::~engine() = default;

result<engine> engine::open(engine_options options) {
  auto opened = open_engine(options);
  if (!opened) return propagate(opened);
  auto i = std::make_unique<impl>();
  i->report = opened->state->report;
  i->opened_last_entry_at = opened->state->last_entry_at;
  i->queries = options.queries;
  i->running = start_engine(i->system, std::move(*opened));
  // This thread would keep a reference to the system's logger, for which the system's end waits:
  // for ever in another thread, and in freed memory where the engine is a static of the program.
  caf::logger::set_current_actor_system(nullptr);
  return engine(std::move(i));
}

result<mutation_result> engine::apply(mutation request, durability d,
                                      std::shared_ptr<const mneme::scope> scope) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<batch_result> answer;
  std::vector<mutation> items;
  items.push_back(std::move(request));
  auto done = impl_->commit<batch_result>(
      mutate(std::move(items), false, d, answer.reply(), std::move(scope)), answer);
  if (!done) return propagate(done);
  return std::move(done->results.front());
}

result<batch_result> engine::write_batch(std::vector<mutation> items, durability d,
                                         std::shared_ptr<const mneme::scope> scope) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<batch_result> answer;
  return impl_->commit<batch_result>(
      mutate(std::move(items), true, d, answer.reply(), std::move(scope)), answer);
}

result<mutation_result> engine::promote(const promote_request& request) {
  const auto at = [](error e, const char* key) {
    e.at = key;
    return std::unexpected<error>(std::move(e));
  };
  auto chunk = get(request.chunk);
  if (!chunk) return at(chunk.error(), "chunk");
  if (chunk->head.type != memory_type::chunk)
    return fail(errc::type_data_mismatch, "only a Chunk is promoted", "chunk");
  auto target = get(request.memory);
  if (!target) return at(target.error(), "memory");
  if (target->head.type == memory_type::chunk)
    return fail(errc::type_data_mismatch, "a Chunk is promoted to a memory of another type",
                "memory");
  if (target->head.tombstone)
    return fail(errc::tombstoned, "memory " + to_string(request.memory) + " was tombstoned",
                "memory");
  const version& v = chunk->version;
  update_request update{.uri = {memory_type::chunk, request.chunk, v.number},
                        .type = {},
                        .data = v.data,
                        .actor = request.actor,
                        .forms = {},
                        .valid_from = v.valid_from,
                        .valid_until = v.valid_until,
                        .expires_at = v.expires_at,
                        .confidence = v.confidence,
                        .provenance = v.provenance,
                        .vector = {},
                        .created_by = {},
                        .expect_version = v.number,
                        .created_at = {}};
  if (v.short_overridden) update.forms.short_form = v.forms.short_form;
  if (v.medium_overridden) update.forms.medium_form = v.forms.medium_form;
  update.data.insert_or_assign("promoted_to", request.memory);
  return apply(std::move(update));
}

result<snapshot_result> engine::snapshot(std::string reason, std::string actor) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<snapshot_result> answer;
  return impl_->commit<snapshot_result>(
      snapshot_command{std::move(reason), std::move(actor), answer.reply()}, answer);
}

result<find_result> engine::find(find_request request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->ask<find_run>(std::move(request));
}

std::vector<result<find_result>> engine::find_many(std::vector<find_request> requests) {
  return impl_->ask_many<find_run>(std::move(requests));
}

result<attest_result> engine::attest(attest_request request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<attest_result> answer;
  return impl_->commit<attest_result>(attest_command{std::move(request), answer.reply()}, answer);
}

result<compact_result> engine::compact(compact_request request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<compact_result> answer;
  return impl_->commit<compact_result>(compact_command{std::move(request), answer.reply()}, answer);
}

result<compact_result> engine::load_compact(const load_compact_request& request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return read_compact_record(impl_->running->state->views(), request);
}

result<context_result> engine::context(context_request request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->ask<context_run>(std::move(request));
}

result<tick_result> engine::tick(tick_request request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<tick_result> answer;
  hand_over_tick(*impl_->running, std::make_shared<const tick_request>(std::move(request)),
                 answer.reply());
  return answer.get();
}

result<search_result> engine::search(search_request request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->ask<search_run>(std::move(request));
}

std::vector<result<search_result>> engine::search_many(std::vector<search_request> requests) {
  return impl_->ask_many<search_run>(std::move(requests));
}

result<retrieve_result> engine::retrieve(retrieve_request request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->ask<retrieve_run>(std::move(request));
}

std::vector<result<retrieve_result>> engine::retrieve_many(std::vector<retrieve_request> requests) {
  return impl_->ask_many<retrieve_run>(std::move(requests));
}

result<decay_result> engine::decay(std::string actor) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<decay_result> answer;
  return impl_->commit<decay_result>(decay_command{std::move(actor), answer.reply()}, answer);
}

result<chroma_result> engine::chroma(chroma_request request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->ask<chroma_run>(std::move(request));
}

std::vector<result<chroma_result>> engine::chroma_many(std::vector<chroma_request> requests) {
  return impl_->ask_many<chroma_run>(std::move(requests));
}

result<colour_point> engine::point(const std::vector<std::string>& hashtags,
                                   std::optional<seq_no> at_seq) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  world& w = *impl_->running->state;
  auto at = w.readable(at_seq);
  if (!at) return propagate(at);
  return point_of(hashtags, w.views(), *at);
}

result<std::vector<std::string>> engine::suggest_hashtags(std::string_view text,
                                                          std::optional<seq_no> at_seq) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  world& w = *impl_->running->state;
  auto at = w.readable(at_seq);
  if (!at) return propagate(at);
  if (!is_utf8(text)) return fail(errc::bad_utf8, "the text is not UTF-8", "text");
  return mneme::suggest_hashtags(text, w.views(), *at);
}

result<std::vector<tag_assignment>> engine::tags(std::optional<seq_no> at_seq) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  world& w = *impl_->running->state;
  auto at = w.readable(at_seq);
  if (!at) return propagate(at);
  return w.attributes.colours().tags().all(*at);
}

result<std::vector<topic_field_view>>
engine::fields(const memory_id& topic, const field_options& fields, const read_options& options) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->guarded(read_topic_fields(impl_->running->state->views(), topic, fields, options),
                        options, to_string(topic));
}

result<std::vector<topic_event>> engine::events(const memory_id& topic,
                                                const read_options& options) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->guarded(read_topic_events(impl_->running->state->views(), topic, options), options,
                        to_string(topic));
}

result<memory> engine::get(const memory_id& id, const read_options& options) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->guarded(read_current(impl_->running->state->views(), id, options), options,
                        to_string(id));
}

result<memory> engine::resolve(const memory_uri& uri, const read_options& options) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->guarded(read_version_of(impl_->running->state->views(), uri, options), options,
                        to_string(uri));
}

result<memory_reading> engine::read(const get_read& request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->guarded(read_whole(impl_->running->state->views(), request), request.options,
                        to_string(request.id));
}

result<memory_reading> engine::read(const resolve_read& request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->guarded(read_whole(impl_->running->state->views(), request), request.options,
                        to_string(request.uri));
}

result<std::vector<memory>> engine::list_by_type(memory_type type, std::size_t limit,
                                                 const read_options& options,
                                                 bool include_archived) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return read_by_type(impl_->running->state->views(), type, limit, options, include_archived);
}

result<std::string> engine::raw_head(const memory_id& id, const read_options& options) {
  auto m = get(id, options);
  if (!m) return propagate(m);
  return encode(m->head);
}

result<edge_record> engine::get_edge(const edge_key& key, const read_options& options) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->guarded(read_one_edge(impl_->running->state->views(), key, options), options,
                        to_string(key.src) + " " + std::string(to_string(key.type)) + " "
                            + to_string(key.dst));
}

result<void> engine::for_each_edge(const memory_id& id, edge_direction direction,
                                   const edge_filter& filter, const read_options& options,
                                   const std::function<bool(const edge_record&)>& visit) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return impl_->guarded(
      read_edges(impl_->running->state->views(), id, direction, filter, options, visit), options,
      to_string(id));
}

result<void> engine::for_each_memory(const std::function<bool(const memory_record&)>& visit) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return read_all_memories(impl_->running->state->views(), visit);
}

result<void> engine::for_each_edge_record(const std::function<bool(const edge_record&)>& visit) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return read_all_edges(impl_->running->state->views(), visit);
}

result<root_set> engine::root(std::optional<seq_no> at_seq) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  if (!at_seq) return impl_->running->state->published_roots();
  waiting<root_set> answer;
  return impl_->commit<root_set>(inspect_roots(*at_seq, answer.reply()), answer);
}

result<proof_bundle> engine::prove(const prove_request& request) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<proof_bundle> answer;
  return impl_->guarded(
      impl_->commit<proof_bundle>(inspect_proofs(request, answer.reply()), answer),
      {.actor = request.actor, .at_seq = {}, .scope = request.scope}, "a proof");
}

result<std::optional<manifest>> engine::find_snapshot(const digest& overall_root) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  const world& w = *impl_->running->state;
  return find_manifest(*w.store, overall_root, w.published_seq());
}

result<std::vector<journal_item>> engine::journal(seq_no from, std::size_t limit) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return read_journal_items(*impl_->running->state, from, limit);
}

result<world_stats> engine::stats() {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  return read_stats(*impl_->running->state);
}

result<std::uint64_t> engine::wait_for_embeddings(std::int64_t timeout_ms) {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  world& w = *impl_->running->state;
  if (w.embedder == nullptr || w.embedder->remote() == nullptr) return 0;
  const auto pending = [&] { return count_unembedded(w.views(), w.published_seq()); };
  if (impl_->running->options.commits.read_only) return pending(); // nobody embeds here
  const bool goes_on = w.embedding.wait(timeout_ms, [&](const embed_status::report& r) {
    return !r.problem.empty() || pending() <= r.refused;
  });
  if (!goes_on) return std::unexpected(was_closed);
  return pending();
}

open_report engine::opened() const {
  return impl_->report;
}

seq_no engine::published() const {
  const auto inside = impl_->gate.enter();
  return inside ? impl_->running->state->published_seq() : seq_no{};
}

timestamp engine::now() const {
  return now_of(*impl_->running->options.queries.time).value_or(timestamp{});
}

timestamp engine::last_entry_at() const {
  return impl_->opened_last_entry_at;
}

result<seq_no> engine::checkpoint() {
  const auto inside = impl_->gate.enter();
  if (!inside) return std::unexpected(was_closed);
  waiting<seq_no> answer;
  return impl_->commit<seq_no>(checkpoint_command{answer.reply()}, answer);
}

result<void> engine::close() {
  return impl_->close();
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

result<verify_report> verify_world(const std::string& directory, const progress& on_progress) {
  const auto disk = make_posix_file_system();
  return verify_journal(*disk, directory, on_progress);
}

result<root_set> replay_world(const std::string& directory, const std::string& into,
                              std::optional<seq_no> up_to, const progress& on_progress) {
  const auto disk = make_posix_file_system();
  auto info = read_world_file(*disk, directory);
  if (!info) return propagate(info);
  auto taken = disk->exists(world_path(into));
  if (!taken) return propagate(taken);
  if (*taken) return fail(errc::already_exists, into + " already holds a world", "into");
  auto opened =
      open_world({.directory = into,
                  .files = disk,
                  .open_store = [into] { return open_wiredtiger_store(store_directory(into), {}); },
                  .create = true,
                  .fresh = *info,
                  .embedder = nullptr,
                  .remote_embedders = make_unasked_embedder,
                  .tokens = make_default_token_counter(),
                  .journal = {},
                  .vectors = {},
                  .audience = {},
                  .retained_seqs = 100'000});
  if (!opened) return propagate(opened);
  if (auto ok = replay_journal(*disk, directory, **opened, up_to, on_progress); !ok)
    return propagate(ok);
  const root_set roots = (*opened)->published_roots();
  if (auto ok = close_world(**opened); !ok) return propagate(ok);
  return roots;
}

} // namespace mneme
