#pragma once
/// The blocking facade: open a world, write, ask, prove, close. Every call may be made from any
/// thread. Reads run in the caller's thread over the engine's read views; writes go through the
/// committer and return when they are durable. For use inside a CAF actor system: mneme/caf.hpp.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mneme/agents.hpp"
#include "mneme/branch.hpp"
#include "mneme/changes.hpp"
#include "mneme/chroma.hpp"
#include "mneme/diff.hpp"
#include "mneme/erasure.hpp"
#include "mneme/following.hpp"
#include "mneme/listing.hpp"
#include "mneme/load.hpp"
#include "mneme/log.hpp"
#include "mneme/proof.hpp"
#include "mneme/query.hpp"
#include "mneme/recovery.hpp"
#include "mneme/requests.hpp"
#include "mneme/retention.hpp"
#include "mneme/seams.hpp"
#include "mneme/search.hpp"
#include "mneme/selection.hpp"
#include "mneme/topics.hpp"

namespace mneme {

/// How requests become journal frames.
enum class commit_mode : std::uint8_t {
  grouped,     ///< what has queued up becomes one frame (one fsync)
  per_request, ///< one request is one frame: journal bytes repeat with the same requests
};

/// Who runs the stages of a facade's query. Both give the same answers.
enum class query_driver : std::uint8_t {
  caller,      ///< the calling thread: fastest for one query
  coordinator, ///< the coordinator and its readers, as for a CAF host
};

/// A read that takes a while goes on as of the seq that it began with.
inline constexpr std::uint64_t least_retained_seqs = 1'000;

struct engine_options {
  std::string directory{};  ///< of the world; empty = in memory
  bool create = true;       ///< make a world in a missing or empty directory
  bool read_only = false;   ///< no lock, no writes; beside a writer for verify and replay
  std::string world_name{}; ///< of a new world: at most 256 bytes, no control characters
  std::optional<std::uint64_t> seed{};        ///< fixes the new world's id and the random stream
  std::optional<std::string> embedder_spec{}; ///< of a new world: see make_embedder(); "hash:384"
  /// Makes the embedder of a world whose spec is "http:…"; without one opening it is no_embedder.
  remote_embedder_factory remote_embedders{};
  std::string embedder_key{}; ///< for its endpoint; never stored in the world
  /// Where the journal is kept, if not in the directory alone (docs/SCALE.md): a log's address. The
  /// world of the log is opened, or made where it has none, and the directory is a copy; it keeps
  /// the address, so that this may be left out where there is a world.
  std::optional<std::string> log{};
  /// Makes connections to logs; without one, opening a world that is on one is unsupported.
  log_factory logs{};
  /// Erases in a branch that another process has open, by asking that process; `busy` where it
  /// takes no questions. Without one such branches are left (branch_outcome::busy).
  branch_eraser erase_elsewhere{};
  /// Of a world that is on a log: follow who leads it. Reads are answered as of what has come from
  /// the log so far; writes are read_only, which names the leader, and reads reinforce nothing. The
  /// log needs to be read only. The world is made from the log where the directory has none.
  bool follow = false;
  /// With `follow`: take the lead when nobody's lease runs, and follow again when it is lost. Where
  /// the log has no world yet it is founded.
  bool may_lead = false;
  /// Where this process can be asked once it leads, for those whose writes others refuse: a URL.
  std::string advertised{};
  /// Of a new world: search weights as "name=number,…" over the embedder's default ones. One that
  /// is there was made with the same (bad_value).
  std::optional<std::string> search_spec{};
  /// Of a new world: what its texts are written in, so that search finds words by their stems
  /// ("german"; "none" leaves words as they are). Default: "english".
  std::optional<std::string> language{};
  std::optional<lifecycle_audience> audience{}; ///< of searches that name none
  std::shared_ptr<mneme::clock> clock{};        ///< default: the system clock
  std::shared_ptr<random_source> random{};      ///< default: the system's, or seeded by `seed`
  std::shared_ptr<mneme::embedder> embedder{};  ///< a host's own; its space must be the world's
  std::shared_ptr<token_counter> tokens{};
  std::shared_ptr<const key_resolver> keys{}; ///< of granters; null: no scope is taken
  commit_mode commit = commit_mode::grouped;
  query_driver queries = query_driver::caller;
  bool exact_near = false; ///< deterministic mode: never answer from HNSW
  /// How many of the last entries reads may ask for as of (`at_seq`), and proofs without a look at
  /// the journal: beyond, seq_unavailable. What an overwritten state takes in memory, about 5 KB
  /// with a text and a vector, it takes for so long. At least least_retained_seqs.
  /// Default: 100,000, and all of a world in memory.
  std::optional<std::uint64_t> retained_seqs{};
  std::uint64_t cache_bytes = 256ULL << 20;       ///< of the store
  std::uint64_t record_cache_bytes = 64ULL << 20; ///< memories that are asked for again and again
  std::uint64_t leaf_cache_bytes = 64ULL << 20;   ///< leaves of the state trees, in memory
  /// Rows in memory that the store's files do not have yet; beyond, they are given to them in the
  /// background. Four times as many make writes wait for that.
  std::uint64_t row_buffer_bytes = 32ULL << 20;
  /// A checkpoint is made after so much journal, or after a quarter of what the one before wrote if
  /// that is more, but no more than 1 GiB then; 0 = never by itself. What lies behind it is read
  /// again by an open after a crash, and takes memory until then: 64 bytes a memory, edge or field
  /// that was written.
  std::uint64_t checkpoint_journal_bytes = 256ULL << 20;
  /// What waits for the committer: requests, and their bytes. Of a host's actors also what they
  /// have not been answered yet: writes, and apart from them messages that read. Beyond: busy.
  std::uint64_t max_in_flight = 4096;
  std::uint64_t max_in_flight_bytes = 256ULL << 20;
  /// About what one answer may hold in memory, and all answers of a list or a tick together.
  /// Beyond: limit_exceeded, with a word on how to ask for less.
  std::uint64_t max_answer_bytes = 64ULL << 20;
  /// Actors that run the stages of queries, and threads of a facade's own system for them; 0 = as
  /// many as the machine has cores. In a host's system they share the host's threads.
  std::size_t readers = 0;
  chroma_defaults chroma{}; ///< of chroma requests
  /// What of its history a world keeps: whether to trim it is looked at when one on disk is opened
  /// for writing, and again whenever its journal has grown by half; it is done where that makes the
  /// journal a quarter smaller.
  kept_history retention{};
};

/// Who is asking, and as of when.
struct read_options {
  std::optional<std::string> actor; ///< absent or "" = the host, sees all
  std::optional<seq_no> at_seq;
  /// Shows what it opens; asking for one memory that it does not open is scope_violation.
  std::shared_ptr<const mneme::scope> scope{};
};

struct edge_filter {
  std::vector<edge_type> types; ///< empty = any
  bool include_tombstoned = false;
  /// A page: of the edges that the asker may see, in their order, so many behind the first
  /// `offset`.
  std::optional<std::int64_t> limit{}; ///< at least 1
  std::int64_t offset = 0;             ///< at least 0
};

struct journal_item {
  seq_no seq;
  std::string kind;
  timestamp created_at;
  std::string created_by;
  struct leaf {
    state_namespace ns{};
    digest path;
    digest value_hash;
  };
  std::vector<leaf> leaves;
  digest payload_hash;
  std::string header; ///< canonical bytes
};

struct snapshot_result {
  mneme::manifest manifest;
  seq_no seq; ///< of the snapshot entry
};

struct batch_result {
  std::vector<mutation_result> results;
  seq_no seq;
};

/// At most 10,000 things together (limit_exceeded names the key that goes beyond). What is asked
/// again is proved once, where it was asked first.
struct prove_request {
  std::vector<memory_id> ids;
  std::vector<edge_key> edges;
  std::vector<std::pair<memory_id, std::string>> fields; ///< topic and name
  std::vector<seq_no> seqs;
  std::optional<digest> root;       ///< of a snapshot, or the current one; default: current
  std::optional<std::string> actor; ///< ids it cannot see are not_found
  /// Proves what it opens; asking for anything else is scope_violation, and so are `seqs`: entries
  /// of the journal are open to no scope.
  std::shared_ptr<const mneme::scope> scope{};
  /// Counts from the call on: proofs wait for their turn among the writes.
  std::optional<std::int64_t> deadline_ms{};
};

/// A field of a topic whole.
struct field_record {
  topic_field field;
  std::vector<field_revision> revisions; ///< ascending
};

/// A memory whole.
struct memory_record {
  mneme::head head;
  std::vector<mneme::version> versions; ///< ascending
  std::vector<float> vector;            ///< of the current version; empty if it has none
  std::vector<field_record> fields;     ///< of a topic, by name
};

struct world_stats {
  world_id world;
  std::string world_name;
  std::string embedder;
  std::string language; ///< of its texts
  vector_space space;
  seq_no seq;
  seq_no checkpoint_seq;
  std::uint64_t queued = 0;   ///< writes, checkpoints and proofs that wait for their turn
  std::uint64_t memories = 0; ///< live
  std::uint64_t rows = 0;
  std::uint64_t edges = 0; ///< live
  std::uint64_t vectors = 0;
  /// Graphs over vectors that could not be built since the world was opened, for lack of memory or
  /// of a thread. Answers stay right; `near` is slower until one succeeds.
  std::uint64_t vector_builds_failed = 0;
  std::uint64_t fields = 0; ///< of topics
  std::uint64_t journal_bytes = 0;
  std::uint64_t journal_segments = 0;
  std::uint64_t embeddings_pending = 0; ///< live memories that a remote embedder has yet to embed
  std::uint64_t embeddings_refused =
      0; ///< of these: not tried again until they change or reopening
  /// Why the last try failed, or open_report::vectors_problem; empty = neither.
  std::string embedder_problem;
  std::vector<std::pair<memory_type, std::uint64_t>> memories_by_type; ///< types with any
  /// Why the engine takes no more writes until it is opened again; empty = it takes them. What was
  /// acknowledged is not lost.
  std::string stopped;
  /// Why the newest write was refused for lack of room; empty once one was taken, or 1 MiB more is
  /// free than then.
  std::string disk_full;
  std::optional<log_status> log; ///< absent: the world is on none
};

struct tick_request; // mneme/tick.hpp
struct tick_result;
struct get_read;
struct resolve_read;
struct edges_read;
struct stale_read;
struct memory_reading;

/// An open world, which it has for itself: one that another process has open is `busy`, for what it
/// is given and gives are objects of this process. A host that wants to join that process's world,
/// as commands, `mneme mcp` and Python do, takes mneme/shared_world.hpp.
class engine {
public:
  static result<engine> open(engine_options options);
  /// What open() would refuse of the world in the options' directory since it was made with
  /// something else (bad_value), whoever has it open; nothing where there is none.
  static result<void> check_made_with(const engine_options& options);
  /// Where this process stands on the world's log: of what can be read now, so of every write that
  /// was answered before. Absent: the world is on none.
  [[nodiscard]] std::optional<log_position> position() const;
  /// Waits until what is read here has the entry `at_least`, for `deadline_ms` (10 s without one).
  /// behind: it has not come by then, or nobody is followed; corrupt: it never will.
  result<void> reach(seq_no at_least, std::optional<std::int64_t> deadline_ms = {});
  ~engine(); ///< closes; nobody calls any more
  /// What was moved from answers as behind close(): shutdown.
  engine(engine&&) noexcept;
  engine& operator=(engine&&) noexcept;

  // Writes.
  /// With a scope, which must be writable, what is written must be open to it and stays so. What
  /// has not been executed `deadline_ms` after the call is refused with deadline_exceeded and
  /// leaves nothing; what has is answered with its outcome, whenever that is.
  ///
  /// `in_sight_of` is an actor (absent or "": nobody) who must see every memory that the request
  /// names when its turn comes, else not_found: for hosts that write for somebody whom they trust
  /// no further than that. An edge `supersedes` must then lead from a memory of the actor's own,
  /// and what a write or tombstone says to be superseded be one, else actor_mismatch; with a scope
  /// that was granted to the actor it sees, and owns, what that opens. What restores or goes
  /// through all topics is unsupported.
  result<mutation_result> apply(mutation request, durability d = durability::durable,
                                std::shared_ptr<const mneme::scope> scope = {},
                                std::optional<std::int64_t> deadline_ms = {},
                                const std::optional<std::string>& in_sight_of = {});
  /// All or none, one root step. An error's `at` starts with items[i]. An item may name what an
  /// earlier one has made.
  result<batch_result> write_batch(std::vector<mutation> items, durability d = durability::durable,
                                   std::shared_ptr<const mneme::scope> scope = {},
                                   std::optional<std::int64_t> deadline_ms = {},
                                   const std::optional<std::string>& in_sight_of = {});
  /// Writes what `next` gives, in its order, in batches, each of which is prepared while the one
  /// before is committed; durable when it returns. The first batch that is refused, also as busy
  /// where others write at once, ends it: what the batches before it wrote stays, and is durable
  /// too. The error's `at` counts all items of the load: items[i]. A close meanwhile ends it with
  /// shutdown; what was under way is done, and said to `written`.
  result<load_result> load(const load_source& next, const load_options& options = {});
  /// apply() of a put_request: the memory that has the key is written, or made.
  result<mutation_result> put(memory_key key, write_request content);
  /// apply() of a delete_by_request.
  result<mutation_result> delete_by(memory_key key, std::string actor = {},
                                    std::string reason = {});
  /// Says of a chunk which memory it became; searches find the memory from then on. A deadline here
  /// and below is that of apply().
  result<mutation_result> promote(const promote_request& request,
                                  std::optional<std::int64_t> deadline_ms = {},
                                  const std::optional<std::string>& in_sight_of = {});
  /// Forgets what the words mean, all or nothing: selects, and tombstones each in the version that
  /// was selected. Where somebody changed one of them meanwhile it selects again, and after some
  /// tries answers version_conflict. A deadline, in the selection's request, is of the whole.
  result<forget_matching_result>
  forget_matching(forget_matching_request request,
                  const std::optional<std::string>& in_sight_of = {});
  /// Writes a memory in place of what the words mean, likewise. Where nothing matches it is written
  /// all the same, and supersedes nothing.
  result<supersede_matching_result>
  supersede_matching(supersede_matching_request request,
                     const std::optional<std::string>& in_sight_of = {});
  result<snapshot_result> snapshot(std::string reason, std::string actor = {},
                                   std::optional<std::int64_t> deadline_ms = {});
  /// One decay cycle of the colour space; always one entry. Nothing else runs cycles: a host calls
  /// it as often as it likes, since two cycles decay as much as one over the same days.
  result<decay_result> decay(std::string actor = {}, std::optional<std::int64_t> deadline_ms = {});
  /// What memories said is overwritten everywhere, for good; what was is what roots and proofs
  /// still say (mneme/erasure.hpp). Answered when it is nowhere any more: other writes wait
  /// meanwhile, for as long as a checkpoint and reading the journal takes. Host only: whoever may
  /// ask this is the host's to say.
  result<erase_result> erase(erase_request request, std::optional<std::int64_t> deadline_ms = {});
  /// trim_world() of this world, which goes on meanwhile: the plan is made in the caller's thread,
  /// and all that takes time is done beside writes and reads. Reads of before the point are
  /// seq_unavailable when it is done. busy while another one goes on; unsupported of an arm, and of
  /// a world on a log. By the deadline it has to be planned; what has begun is finished.
  result<trim_report> trim(const trim_options& options,
                           std::optional<std::int64_t> deadline_ms = {});

  /// Reinforces what an intent rested on; the actor's salience weights learn. rate_limited beyond
  /// one a second and five at once for each (actor, intent).
  result<attest_result> attest(attest_request request,
                               std::optional<std::int64_t> deadline_ms = {});
  /// budget_unreachable if even the short forms do not fit: nothing is ever truncated.
  result<compact_result> compact(compact_request request,
                                 std::optional<std::int64_t> deadline_ms = {});
  result<compact_result> load_compact(const load_compact_request& request,
                                      std::optional<std::int64_t> deadline_ms = {});

  /// Reads and writes of many agents in one message, committed as one frame (mneme/tick.hpp).
  result<tick_result> tick(tick_request request);

  // Reads. A deadline_ms here and below counts from the call on; what is not read by then is
  // deadline_exceeded.
  result<find_result> find(find_request request);
  std::vector<result<find_result>> find_many(std::vector<find_request> requests);
  result<context_result> context(context_request request);
  result<search_result> search(search_request request);
  /// Every one at the same seq, unless it names its own.
  std::vector<result<search_result>> search_many(std::vector<search_request> requests);
  /// What they weigh by, unless they say otherwise.
  result<world_weights> weights(std::optional<seq_no> at_seq = {});
  /// What words mean, for whoever forgets or supersedes it.
  result<select_result> select(select_request request);
  result<chroma_result> chroma(chroma_request request);
  /// Every request reads the same seq.
  std::vector<result<chroma_result>> chroma_many(std::vector<chroma_request> requests);
  /// The point of a set of hashtags, as writes and queries compute it.
  result<colour_point> point(const std::vector<std::string>& hashtags,
                             std::optional<seq_no> at_seq = {});
  /// Assigned hashtags in a text, in the order of their first occurrence. Never applied by itself.
  result<std::vector<std::string>> suggest_hashtags(std::string_view text,
                                                    std::optional<seq_no> at_seq = {});
  /// Every assigned hashtag, in the order of assignment.
  result<std::vector<tag_assignment>> tags(std::optional<seq_no> at_seq = {});
  /// The bundles of the topics nearest to a question (or named), with their fields.
  result<retrieve_result> retrieve(retrieve_request request);
  std::vector<result<retrieve_result>> retrieve_many(std::vector<retrieve_request> requests);
  /// The fields of a topic, by name.
  result<std::vector<topic_field_view>> fields(const memory_id& topic,
                                               const field_options& fields = {},
                                               const read_options& options = {},
                                               std::optional<std::int64_t> deadline_ms = {});
  /// The audit log of a topic, in journal order.
  result<std::vector<topic_event>> events(const memory_id& topic, const read_options& options = {},
                                          std::optional<std::int64_t> deadline_ms = {});
  /// Newest version of a memory. With a deadline: read().
  result<memory> get(const memory_id& id, const read_options& options = {});
  /// The memory that has the key; one that was tombstoned is `tombstoned`.
  result<memory> get_by(const memory_key& key, const read_options& options = {});
  /// Exactly that version.
  result<memory> resolve(const memory_uri& uri, const read_options& options = {});
  /// get() and resolve() with what is asked for beside the memory, as of one seq; what a tick
  /// answers to the same (mneme/tick.hpp).
  result<memory_reading> read(const get_read& request);
  result<memory_reading> read(const resolve_read& request);
  /// Live memories in the order of their ids; archived ones only if asked for.
  result<std::vector<memory>> list_by_type(memory_type type, std::size_t limit,
                                           const read_options& options = {},
                                           bool include_archived = false,
                                           std::optional<std::int64_t> deadline_ms = {});
  /// A page of what there is, newest first.
  result<list_result> list(list_request request);
  /// All versions of a memory.
  result<history_result> history(const history_request& request);
  /// Namespaces with any live memory that was put into them, by name.
  result<std::vector<name_count>> namespaces(const read_options& options = {},
                                             std::optional<std::int64_t> deadline_ms = {});
  /// Actors with any live memory, by name; "" is the host.
  result<std::vector<name_count>> actors(const read_options& options = {},
                                         std::optional<std::int64_t> deadline_ms = {});
  /// The last entry that was made at or before that time, 0 if there was none: what `at_seq` takes.
  /// seq_unavailable before what the engine keeps the past of.
  result<seq_no> seq_at(timestamp time);
  /// Canonical head bytes: SHA-256 of them is the value hash in the `memories` tree.
  result<std::string> raw_head(const memory_id& id, const read_options& options = {});
  /// Also a tombstoned edge; not_found only if it was never created.
  result<edge_record> get_edge(const edge_key& key, const read_options& options = {},
                               std::optional<std::int64_t> deadline_ms = {});
  /// In (type byte, other id) order; the callback returns false to stop.
  result<void> for_each_edge(const memory_id& id, edge_direction direction,
                             const edge_filter& filter, const read_options& options,
                             const std::function<bool(const edge_record&)>& visit);

  /// The same as a list; what a tick answers to it.
  result<std::vector<edge_record>> edges(const edges_read& request);
  /// What rests on a memory that was tombstoned, superseded or contradicted, and was not affirmed
  /// since.
  result<std::vector<memory>> stale_of(const stale_read& request);

  /// Every memory in id order, with all its versions, and every edge in key order (tombstoned ones
  /// too), as of one seq: what an export writes and put_record_request takes back. Of edges
  /// seq_unavailable if more was written meanwhile than the engine keeps the past of.
  result<void> for_each_memory(const std::function<bool(const memory_record&)>& visit);
  result<void> for_each_edge_record(const std::function<bool(const edge_record&)>& visit);

  // State.
  /// An earlier seq's may have to be folded from the whole journal.
  result<root_set> root(std::optional<seq_no> at_seq = {},
                        std::optional<std::int64_t> deadline_ms = {});
  result<proof_bundle> prove(const prove_request& request);
  /// verify_world() of this world, beside its writers; reads the whole journal, which close() waits
  /// for.
  result<verify_report> verify(std::optional<std::int64_t> deadline_ms = {});
  result<std::optional<manifest>> find_snapshot(const digest& overall_root);
  result<std::vector<journal_item>> journal(seq_no from, std::size_t limit,
                                            std::optional<std::int64_t> deadline_ms = {});
  /// What was committed behind a seq, in order; waits for it where the request says so. How a host
  /// keeps up with a world: docs/CHANGES.md.
  result<changes_result> changes(changes_request request);
  /// Calls `on_change` with each change behind `request.since`, in order and each once, in a thread
  /// of the subscription's own: it holds no writer up, however slow it is, and nothing but a seq is
  /// kept for it. `wait_ms` means nothing here. It may ask the engine, but not close it, and
  /// throws nothing. close() waits for the call under way; none begins after it.
  result<subscription> subscribe(changes_request request,
                                 std::function<void(const change&)> on_change);
  /// Who waits for changes is answered at once, from now on: for a host that winds up.
  void stop_waiting();
  result<world_stats> stats();
  /// Waits until a remote embedder has embedded every memory that it does not refuse, it fails, or
  /// the time is over. Answers embeddings_pending; shutdown if the engine is closed meanwhile. A
  /// read-only engine embeds nothing: it answers at once.
  result<std::uint64_t> wait_for_embeddings(std::int64_t timeout_ms);
  [[nodiscard]] open_report opened() const;
  [[nodiscard]] seq_no published() const;
  [[nodiscard]] timestamp now() const; ///< of the engine's clock
  /// created_at of the last entry when the world was opened; zero in an empty world. Where a manual
  /// clock goes on.
  [[nodiscard]] timestamp last_entry_at() const;

  /// fork_world() of this world, as of what is published unless said otherwise; writes go on
  /// meanwhile. An arm is written out so, and shares no file with anybody. unsupported of
  /// another world in memory, and of one that is read beside its writer: that has a directory.
  result<branch_report> fork_to(const std::string& into, const fork_options& options = {});

  /// What this world and another branch of it have differently, as diff_worlds() says it; `at` is
  /// of each side, as of what is published unless said otherwise. Arms are compared in memory.
  result<diff_report> diff(engine& other, const std::function<bool(const difference&)>& visit,
                           const diff_options& options = {}, std::optional<seq_no> at = {},
                           std::optional<seq_no> at_of_other = {});

  /// Makes the next open fast. Returns the seq it holds. A deadline is that of apply(): for its
  /// turn, not for the images that it then writes.
  result<seq_no> checkpoint(std::optional<std::int64_t> deadline_ms = {});
  /// Waits for the calls under way in other threads (one that asks a remote embedder may take as
  /// long as that), seals the journal, checkpoints, stops. Further calls answer shutdown. Never
  /// from inside a call: not from a visitor.
  result<void> close();

private:
  friend class arm_base; // mneme/arms.hpp
  friend class subscription;
  struct impl;
  explicit engine(std::unique_ptr<impl> impl);
  std::unique_ptr<impl> impl_;
};

/// open() with a directory, and with nothing on disk.
result<engine> open(std::string directory);
result<engine> open_in_memory(engine_options options = {});

} // namespace mneme
