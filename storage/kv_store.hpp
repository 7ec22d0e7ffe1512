#pragma once
/// The KvStore seam: ordered byte keys in a few tables, atomic batches stamped with a commit seq,
/// and checkpoints at a stable seq. Nothing here is durable by itself: after a crash the store is
/// at its last checkpoint, and the journal's tail is applied again.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mneme/error.hpp"
#include "mneme/ids.hpp"

namespace mneme {

/// Stored names; append-only.
enum class kv_table : std::uint8_t {
  heads,        ///< key_layout.hpp: id ‖ ~seq → canonical head
  versions,     ///< id ‖ version → canonical version
  edges,        ///< src ‖ type ‖ dst ‖ ~seq → canonical edge record
  fields,       ///< topic ‖ kind ‖ …: fields, their revisions, events of topics
  state_leaves, ///< of builds that had them here; nothing is put in it any more
  manifests,    ///< seq → canonical manifest
  entries,      ///< reserved: every world has the table, and nothing is in it
  weights,      ///< actor ‖ ~seq → canonical learn_weights payload
  compacts,     ///< intent ‖ step ‖ ~seq → canonical compact payload
};
inline constexpr std::size_t kv_table_count = 9;

struct kv_write {
  kv_table table{};
  std::string key;
  std::optional<std::string> value; ///< absent = delete
};

/// A read session. Not thread-safe; take one per thread of work and give it back soon: it must not
/// outlive its store. Each call sees the newest committed state.
class kv_reader {
public:
  using row = std::pair<std::string, std::string>; ///< key and value
  using row_visitor = std::function<bool(std::string_view key, std::string_view value)>;

  virtual ~kv_reader() = default;
  virtual result<std::optional<std::string>> get(kv_table table, std::string_view key) = 0;
  /// First pair with lower <= key < upper (upper empty = no bound), or nullopt.
  virtual result<std::optional<row>> first(kv_table table, std::string_view lower,
                                           std::string_view upper) = 0;
  /// Of a table whose keys are prefix ‖ ~seq, with the seq of the commit that wrote the row: the
  /// newest row of `prefix` as of `at`.
  virtual result<std::optional<row>> newest(kv_table table, std::string_view prefix, seq_no at);
  /// Pairs with lower <= key < upper in key order, all of one committed state; `visit` returns
  /// false to stop. `visit` runs inside the read: it must not call the store.
  virtual result<void> scan(kv_table table, std::string_view lower, std::string_view upper,
                            const row_visitor& visit) = 0;
  /// Asked before what was read already is taken instead of a read: a reader that may refuse reads
  /// refuses that, too.
  [[nodiscard]] virtual result<void> may_go_on() { return {}; }
};

class kv_store {
public:
  virtual ~kv_store() = default;
  /// Thread-safe. Readers are pooled: destroying one returns its session.
  virtual result<std::unique_ptr<kv_reader>> reader() = 0;
  /// Applies all writes in order, atomically, as of `commit`; a batch without writes counts too.
  /// One writer; commits ascend. Keys are not empty. On failure nothing was applied.
  virtual result<void> apply(const std::vector<kv_write>& writes, seq_no commit) = 0;
  /// States up to `stable` may be checkpointed: they are durable in the journal. Costs as much as a
  /// small commit where there are files. A seq before the last one is ignored; one that is not
  /// applied yet counts as far as what is.
  virtual result<void> set_stable(seq_no stable) = 0;
  /// Persists the state as of the last set_stable(). Runs beside readers and apply().
  virtual result<void> checkpoint() = 0;
  /// The seq that the opened files hold: everything after it must be applied again.
  [[nodiscard]] virtual seq_no recovered() const = 0;
  /// Why it has stopped for good (damage in its files, a checkpoint that failed half way), the same
  /// for all who ask; nullopt while it goes on. Once it has, every further call fails, and only a
  /// store that is made anew is of use. From any thread.
  [[nodiscard]] virtual std::optional<error> stopped() const { return {}; }
  /// Lets go of its files, for good, as its destructor does; nobody reads or writes any more.
  /// stopped() can still be asked. What has no files does nothing.
  virtual void close() {}
  /// The files of its last checkpoint, by their names in a directory. They stay as they are of it
  /// while `visit` runs, which copies them; readers and the writer go on. unsupported where there
  /// are no files.
  using file_visitor =
      std::function<result<void>(const std::string& directory, const std::vector<std::string>&)>;
  virtual result<void> visit_checkpoint(const file_visitor& visit);
  /// Reads and checks all tables (slow). Blocks apply(), not readers.
  virtual result<void> verify() = 0;
};

/// What a reader or writer of a store that has stopped is told.
std::unexpected<error> store_stopped(const error& cause);

struct wiredtiger_options {
  std::uint64_t cache_bytes = 256ULL << 20;
  bool read_only = false;
};
/// Opens or creates the WiredTiger store in directory `dir`. busy while it is open anywhere, also
/// for reading; not_found if read_only and there is none; corrupt if it was found damaged, now or
/// when it was last used.
result<std::unique_ptr<kv_store>> open_wiredtiger_store(const std::string& dir,
                                                        const wiredtiger_options& options);
/// Whether `dir` has anything of a store.
bool wiredtiger_store_is_there(const std::string& dir);
/// Removes the store's files from `dir`; nobody has it open.
result<void> remove_wiredtiger_store(const std::string& dir);

/// What survives a crash of an in-memory store; hand the same disk to the next store to "reopen".
class memory_disk;
std::shared_ptr<memory_disk> make_memory_disk();
bool has_checkpoint(const memory_disk& disk);
std::unique_ptr<kv_store> make_memory_store(std::shared_ptr<memory_disk> disk);

} // namespace mneme
