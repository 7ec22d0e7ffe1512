#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <wiredtiger.h>

#include "messages/ensure.hpp"
#include "storage/kv_store.hpp"

// Two things in WiredTiger shape this file. Standing timestamps make it keep every change since in
// memory, until it crawls: so oldest and stable move on together, whenever somebody says how far
// they may, and readers are reset after each call, so that none pins anything. And what it knows of
// timestamps is a window, gone after a restart: so they serve checkpoints only, and history is in
// the keys.

namespace mneme {

namespace {

/// Readers beyond these are refused with io; each costs a few KB in WiredTiger.
constexpr int sessions_max = 1200;

constexpr std::array<const char*, kv_table_count> table_uris = {
    "table:heads",     "table:versions", "table:edges",   "table:fields",  "table:state_leaves",
    "table:manifests", "table:entries",  "table:weights", "table:compacts"};

/// A file beside WiredTiger's that says that a panic ended the store.
constexpr std::string_view damage_mark = "/DAMAGED";

/// Timestamps are never zero, seqs may be.
std::uint64_t timestamp_of(seq_no seq) {
  return seq.value + 1;
}

#ifdef MNEME_WIREDTIGER_SNAPPY
constexpr const char* snappy_library = MNEME_WIREDTIGER_SNAPPY;
#else
constexpr const char* snappy_library = "";
#endif

bool have_snappy() {
  std::error_code ignored;
  return *snappy_library != '\0' && std::filesystem::exists(snappy_library, ignored);
}

WT_ITEM item_of(std::string_view bytes) {
  WT_ITEM item{};
  item.data = bytes.data();
  item.size = bytes.size();
  return item;
}

std::string_view view_of(const WT_ITEM& item) {
  return {static_cast<const char*>(item.data), item.size};
}

/// WiredTiger reports through callbacks; the text goes into our error. Outlives the connection.
class event_log : private WT_EVENT_HANDLER {
public:
  event_log() : WT_EVENT_HANDLER{} {
    handle_error = on_error;
    handle_message = [](WT_EVENT_HANDLER*, WT_SESSION*, const char*) { return 0; };
  }
  event_log(const event_log&) = delete;
  event_log& operator=(const event_log&) = delete;

  WT_EVENT_HANDLER* handler() { return this; }
  std::string take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(last_, {});
  }

private:
  static int on_error(WT_EVENT_HANDLER* handler, WT_SESSION*, int, const char* text) {
    auto* self = static_cast<event_log*>(handler);
    const std::lock_guard guard(self->mutex_);
    // The first text of a failure names the cause; what follows is its consequence.
    if (self->last_.empty()) self->last_ = text;
    return 0;
  }

  std::mutex mutex_;
  std::string last_;
};

/// A session and one cursor per table, opened on first use. One user at a time.
class session_cursors {
public:
  explicit session_cursors(WT_SESSION* session) : session_(session) {}
  ~session_cursors() { session_->close(session_, nullptr); }
  session_cursors(const session_cursors&) = delete;
  session_cursors& operator=(const session_cursors&) = delete;

  [[nodiscard]] WT_SESSION* session() const { return session_; }

  int cursor(kv_table table, WT_CURSOR*& out) {
    const auto index = static_cast<std::size_t>(table);
    ensure(index < kv_table_count, "a table of the enum");
    if (cursors_[index] == nullptr) {
      const int ret =
          session_->open_cursor(session_, table_uris[index], nullptr, nullptr, &cursors_[index]);
      if (ret != 0) return ret;
    }
    out = cursors_[index];
    return 0;
  }

  /// Cursors keep a table from being verified.
  void close_cursors() {
    for (auto*& c : cursors_) {
      if (c != nullptr) c->close(c);
      c = nullptr;
    }
  }

private:
  WT_SESSION* session_;
  std::array<WT_CURSOR*, kv_table_count> cursors_{};
};

using session_pointer = std::unique_ptr<session_cursors>;

class wiredtiger_store final : public kv_store {
public:
  wiredtiger_store() = default;
  ~wiredtiger_store() override { close(); }

  result<void> open(const std::string& dir, const wiredtiger_options& options);

  result<std::unique_ptr<kv_reader>> reader() override;
  result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override;
  result<void> set_stable(seq_no stable) override;
  result<void> checkpoint() override;
  result<void> visit_checkpoint(const file_visitor& visit) override;
  [[nodiscard]] seq_no recovered() const override { return recovered_; }
  void close() final;
  result<void> verify() override;
  [[nodiscard]] std::optional<error> stopped() const override;

  /// What a failed call becomes; a panic ends all further use.
  std::unexpected<error> failure(std::string_view action, int ret);
  /// The first panic is the cause that all are told of from then on.
  void stop(const error& cause);
  result<void> usable() const;
  void put_back(session_pointer session);
  /// Of a transaction that has failed or only read.
  void roll_back(WT_SESSION* session);

private:
  result<session_pointer> open_session();
  result<void> create_tables(bool compress);
  /// Finds a table whose file is missing or cut off before anybody relies on it.
  result<void> touch_tables();
  result<void> read_recovered();
  result<void> push_stable();
  int write_all(const std::vector<kv_write>& writes);
  result<void> verify_table(WT_SESSION* session, const char* uri);

  event_log log_;
  std::string dir_;
  bool read_only_ = false;
  WT_CONNECTION* connection_ = nullptr;
  std::atomic<bool> panicked_ = false; ///< set after stopped_by_
  mutable std::mutex panic_mutex_;
  std::optional<error> stopped_by_;
  std::atomic<bool> transaction_stuck_ = false; ///< neither committed nor rolled back
  seq_no recovered_;

  std::mutex write_mutex_; ///< the write session; apply() and verify()
  session_pointer writer_;
  std::atomic<std::uint64_t> last_commit_ = 0;

  std::mutex stable_mutex_; ///< what follows, and set_timestamp
  seq_no stable_;
  seq_no pushed_;

  std::mutex checkpoint_mutex_; ///< its session
  session_pointer checkpointer_;

  std::mutex pool_mutex_;
  std::vector<session_pointer> idle_;
};

class wiredtiger_reader final : public kv_reader {
public:
  wiredtiger_reader(wiredtiger_store& store, session_pointer session)
      : store_(store), session_(std::move(session)) {}
  ~wiredtiger_reader() override { store_.put_back(std::move(session_)); }

  result<std::optional<std::string>> get(kv_table table, std::string_view key) override {
    auto cursor = open(table);
    if (!cursor) return propagate(cursor);
    WT_CURSOR* c = *cursor;
    const WT_ITEM wanted = item_of(key);
    c->set_key(c, &wanted);
    int ret = c->search(c);
    if (ret == WT_NOTFOUND) {
      c->reset(c);
      return std::nullopt;
    }
    WT_ITEM value{};
    if (ret == 0) ret = c->get_value(c, &value);
    if (ret != 0) {
      c->reset(c);
      return failure("read", ret);
    }
    std::string found(view_of(value));
    c->reset(c);
    return found;
  }

  // One row needs no transaction: a cursor that stands is of one snapshot until it is reset.
  result<std::optional<row>> first(kv_table table, std::string_view lower,
                                   std::string_view upper) override {
    std::optional<row> found;
    if (!upper.empty() && lower >= upper) return found;
    auto cursor = open(table);
    if (!cursor) return propagate(cursor);
    const int ret = walk(*cursor, lower, upper, [&](std::string_view key, std::string_view value) {
      found.emplace(key, value);
      return false;
    });
    (*cursor)->reset(*cursor);
    if (ret != 0 && ret != WT_NOTFOUND) return failure("read", ret);
    return found;
  }

  result<void> scan(kv_table table, std::string_view lower, std::string_view upper,
                    const std::function<bool(std::string_view, std::string_view)>& visit) override {
    if (!upper.empty() && lower >= upper) return {};
    auto cursor = open(table);
    if (!cursor) return propagate(cursor);
    // One snapshot from the first row to the last.
    auto* s = session_->session();
    if (const int ret = s->begin_transaction(s, "isolation=snapshot"); ret != 0)
      return failure("begin a read", ret);
    const int ret = walk(*cursor, lower, upper, visit);
    (*cursor)->reset(*cursor);
    store_.roll_back(s);
    if (ret != 0 && ret != WT_NOTFOUND) return failure("scan", ret);
    return {};
  }

private:
  result<WT_CURSOR*> open(kv_table table) {
    if (auto ok = store_.usable(); !ok) return propagate(ok);
    WT_CURSOR* cursor = nullptr;
    if (const int ret = session_->cursor(table, cursor); ret != 0)
      return failure("open a cursor", ret);
    return cursor;
  }

  /// Of a read that stops the store: what every read after it gets, which says what to do.
  std::unexpected<error> failure(std::string_view action, int ret) {
    auto failed = store_.failure(action, ret);
    if (auto ok = store_.usable(); !ok) return propagate(ok);
    return failed;
  }

  /// 0 or WT_NOTFOUND at the end of the range.
  static int walk(WT_CURSOR* c, std::string_view lower, std::string_view upper,
                  const std::function<bool(std::string_view, std::string_view)>& visit) {
    int ret = 0;
    if (lower.empty()) {
      // An empty key cannot be searched for.
      ret = c->next(c);
    } else {
      const WT_ITEM from = item_of(lower);
      c->set_key(c, &from);
      int exact = 0;
      ret = c->search_near(c, &exact);
      if (ret == 0 && exact < 0) ret = c->next(c);
    }
    for (; ret == 0; ret = c->next(c)) {
      WT_ITEM key{};
      WT_ITEM value{};
      if (ret = c->get_key(c, &key); ret != 0) return ret;
      if (!upper.empty() && view_of(key) >= upper) return 0;
      if (ret = c->get_value(c, &value); ret != 0) return ret;
      if (!visit(view_of(key), view_of(value))) return 0;
    }
    return ret;
  }

  wiredtiger_store& store_;
  session_pointer session_;
};

std::unexpected<error> wiredtiger_store::failure(std::string_view action, int ret) {
  const std::string detail = log_.take();
  error e{ret == ENOSPC || ret == EDQUOT ? errc::disk_full : errc::io,
          fmt::format("cannot {} in the store {}: {}{}{}", action, dir_, wiredtiger_strerror(ret),
                      detail.empty() ? "" : ": ", detail),
          {}};
  if (ret != WT_PANIC) return std::unexpected(std::move(e));
  e.message = fmt::format(
      "the files of the store {} took no more while it was to {} ({}), most often because the disk "
      "was full or broke; what was acknowledged is in the journal, from which they are made anew",
      dir_, action, detail.empty() ? wiredtiger_strerror(ret) : detail);
  stop(e);
  return std::unexpected(*stopped());
}

void wiredtiger_store::stop(const error& cause) {
  const std::lock_guard guard(panic_mutex_);
  if (stopped_by_) return;
  stopped_by_ = cause;
  panicked_ = true;
  // So that the next open does not go on with it; if this cannot be written, it panics again.
  if (!read_only_) std::ofstream(dir_ + std::string(damage_mark)) << "found damaged\n";
}

std::optional<error> wiredtiger_store::stopped() const {
  if (!panicked_) return {};
  const std::lock_guard guard(panic_mutex_);
  return stopped_by_;
}

result<void> wiredtiger_store::usable() const {
  const auto cause = stopped();
  if (!cause) return {};
  return store_stopped(*cause);
}

void wiredtiger_store::roll_back(WT_SESSION* session) {
  if (session->rollback_transaction(session, nullptr) != 0) transaction_stuck_ = true;
}

void wiredtiger_store::close() {
  // Sessions end with the connection; closing them one by one first keeps it from waiting on them.
  idle_.clear();
  checkpointer_.reset();
  writer_.reset();
  // Closing waits for every transaction, and for ever for one that a panic keeps from ending. The
  // directory then stays open in this process: only another one can open it.
  if (connection_ == nullptr || transaction_stuck_) return;
  // Closing takes a last checkpoint, at the last stable seq that WiredTiger has heard of.
  if (!panicked_ && !read_only_) (void)push_stable();
  WT_CONNECTION* const open = std::exchange(connection_, nullptr);
  open->close(open, nullptr);
}

result<void> wiredtiger_store::open(const std::string& dir, const wiredtiger_options& options) {
  dir_ = dir;
  read_only_ = options.read_only;
  std::error_code cause;
  // One alone: a world's directory that was moved away is not made anew.
  if (!read_only_ && !std::filesystem::create_directory(dir, cause) && cause)
    return fail(errc::io, fmt::format("cannot create directory {}: {}", dir, cause.message()));
  if (read_only_ && !std::filesystem::exists(dir + "/WiredTiger", cause))
    return fail(errc::not_found, fmt::format("there is no store in {}", dir));
  if (std::filesystem::exists(dir + std::string(damage_mark), cause))
    return fail(errc::corrupt, fmt::format("the store {} was found damaged", dir));
  const bool compress = have_snappy();
  // Blocks of a mapped file are read without a look at their checksums.
  std::string config = fmt::format(
      "{},cache_size={},session_max={},log=(enabled=false),mmap=false,eviction=(threads_max=2)",
      read_only_ ? "readonly=true" : "create", options.cache_bytes, sessions_max);
  if (compress) config += fmt::format(",extensions=[{}]", snappy_library);
  const int ret = wiredtiger_open(dir.c_str(), log_.handler(), config.c_str(), &connection_);
  if (ret == EBUSY) {
    connection_ = nullptr;
    return fail(errc::busy, fmt::format("the store {} is open elsewhere", dir));
  }
  if (ret != 0) {
    connection_ = nullptr;
    return failure("open", ret);
  }
  auto writer = open_session();
  if (!writer) return propagate(writer);
  writer_ = std::move(*writer);
  auto checkpointer = open_session();
  if (!checkpointer) return propagate(checkpointer);
  checkpointer_ = std::move(*checkpointer);
  if (!read_only_)
    if (auto ok = create_tables(compress); !ok) return ok;
  if (auto ok = touch_tables(); !ok) return ok;
  return read_recovered();
}

result<void> wiredtiger_store::touch_tables() {
  for (std::size_t t = 0; t < kv_table_count; ++t) {
    WT_CURSOR* c = nullptr;
    int ret = writer_->cursor(static_cast<kv_table>(t), c);
    if (ret == 0) {
      ret = c->next(c);
      c->reset(c);
    }
    if (ret != 0 && ret != WT_NOTFOUND) return failure(fmt::format("read {}", table_uris[t]), ret);
  }
  return {};
}

result<session_pointer> wiredtiger_store::open_session() {
  WT_SESSION* session = nullptr;
  const int ret = connection_->open_session(connection_, nullptr, "isolation=snapshot", &session);
  if (ret != 0) return failure("open a session", ret);
  return std::make_unique<session_cursors>(session);
}

result<void> wiredtiger_store::create_tables(bool compress) {
  // A table that is there keeps the compressor it was made with. Without checksum=on blocks that
  // were compressed have no checksum, and one flipped bit in them is another text.
  const std::string config =
      fmt::format("key_format=u,value_format=u,checksum=on,log=(enabled=false){}",
                  compress ? ",block_compressor=snappy" : "");
  auto* s = writer_->session();
  for (const char* uri : table_uris)
    if (const int ret = s->create(s, uri, config.c_str()); ret != 0)
      return failure("create a table", ret);
  return {};
}

result<void> wiredtiger_store::read_recovered() {
  std::array<char, 17> hex{};
  const int ret = connection_->query_timestamp(connection_, hex.data(), "get=recovery");
  if (ret != 0 && ret != WT_NOTFOUND) return failure("read the recovered seq", ret);
  const std::uint64_t timestamp = ret == 0 ? std::strtoull(hex.data(), nullptr, 16) : 0;
  recovered_ = {timestamp == 0 ? 0 : timestamp - 1};
  last_commit_ = recovered_.value;
  stable_ = recovered_;
  if (read_only_) return {};
  // WiredTiger starts without timestamps after every open; a commit or a checkpoint before they
  // are set would not be bound to a seq.
  const std::string config =
      fmt::format("oldest_timestamp={0:x},stable_timestamp={0:x}", timestamp_of(recovered_));
  if (const int set = connection_->set_timestamp(connection_, config.c_str()); set != 0)
    return failure("set the recovered seq", set);
  pushed_ = recovered_;
  return {};
}

result<std::unique_ptr<kv_reader>> wiredtiger_store::reader() {
  if (auto ok = usable(); !ok) return propagate(ok);
  session_pointer session;
  {
    const std::lock_guard guard(pool_mutex_);
    if (!idle_.empty()) {
      session = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!session) {
    auto opened = open_session();
    if (!opened) return propagate(opened);
    session = std::move(*opened);
  }
  return std::make_unique<wiredtiger_reader>(*this, std::move(session));
}

void wiredtiger_store::put_back(session_pointer session) {
  ensure(session != nullptr, "a reader gives its session back once");
  const std::lock_guard guard(pool_mutex_);
  idle_.push_back(std::move(session));
}

namespace {

/// By update(), which leaves the cursor where it is: of rows in key order the next is looked for on
/// the same page first.
int write_row(WT_CURSOR* c, const kv_write& row) {
  const WT_ITEM key = item_of(row.key);
  c->set_key(c, &key);
  if (!row.value) {
    const int ret = c->remove(c);
    return ret == WT_NOTFOUND ? 0 : ret;
  }
  const WT_ITEM value = item_of(*row.value);
  c->set_value(c, &value);
  return c->update(c);
}

} // namespace

int wiredtiger_store::write_all(const std::vector<kv_write>& writes) {
  WT_CURSOR* c = nullptr;
  int ret = 0;
  for (std::size_t i = 0; i < writes.size() && ret == 0; ++i) {
    const kv_write& row = writes[i];
    ensure(!row.key.empty(), "a row has a key");
    if (c == nullptr || row.table != writes[i - 1].table) {
      if (c != nullptr) c->reset(c); // it would hold its page
      c = nullptr;
      ret = writer_->cursor(row.table, c);
      if (ret != 0) break;
    }
    ret = write_row(c, row);
  }
  if (c != nullptr) c->reset(c);
  return ret;
}

result<void> wiredtiger_store::apply(const std::vector<kv_write>& writes, seq_no commit) {
  if (auto ok = usable(); !ok) return ok;
  if (read_only_) return fail(errc::read_only, fmt::format("the store {} is read-only", dir_));
  const std::lock_guard guard(write_mutex_);
  ensure(commit.value > last_commit_, "commits ascend");
  if (!writes.empty()) {
    auto* s = writer_->session();
    if (const int ret = s->begin_transaction(s, "isolation=snapshot"); ret != 0)
      return failure("begin a batch", ret);
    if (const int ret = write_all(writes); ret != 0) {
      auto failed = failure("write a batch", ret);
      roll_back(s);
      return failed;
    }
    const std::string config = fmt::format("commit_timestamp={:x}", timestamp_of(commit));
    // A commit that fails has rolled back, unless it panicked on the way.
    if (const int ret = s->commit_transaction(s, config.c_str()); ret != 0) {
      if (ret == WT_PANIC) transaction_stuck_ = true;
      return failure("commit a batch", ret);
    }
  }
  last_commit_ = commit.value;
  return {};
}

result<void> wiredtiger_store::push_stable() {
  // A seq that is not applied yet must not count as checkpointed, nor stand before its commit.
  const seq_no target = std::min(stable_, seq_no{last_commit_});
  if (target <= pushed_) return {};
  const std::string config =
      fmt::format("oldest_timestamp={0:x},stable_timestamp={0:x}", timestamp_of(target));
  if (const int ret = connection_->set_timestamp(connection_, config.c_str()); ret != 0)
    return failure("set the stable seq", ret);
  pushed_ = target;
  return {};
}

result<void> wiredtiger_store::set_stable(seq_no stable) {
  if (auto ok = usable(); !ok) return ok;
  const std::lock_guard guard(stable_mutex_);
  stable_ = std::max(stable_, stable);
  return read_only_ ? result<void>() : push_stable();
}

result<void> wiredtiger_store::checkpoint() {
  if (auto ok = usable(); !ok) return ok;
  if (read_only_) return fail(errc::read_only, fmt::format("the store {} is read-only", dir_));
  const std::lock_guard guard(checkpoint_mutex_);
  {
    const std::lock_guard stable_guard(stable_mutex_);
    if (auto ok = push_stable(); !ok) return ok;
  }
  auto* s = checkpointer_->session();
  if (const int ret = s->checkpoint(s, "use_timestamp=true"); ret != 0)
    return failure("checkpoint", ret);
  return {};
}

result<void> wiredtiger_store::visit_checkpoint(const file_visitor& visit) {
  if (auto ok = usable(); !ok) return ok;
  const std::lock_guard guard(checkpoint_mutex_);
  auto session = open_session();
  if (!session) return propagate(session);
  auto* s = (*session)->session();
  WT_CURSOR* c = nullptr;
  if (const int ret = s->open_cursor(s, "backup:", nullptr, nullptr, &c); ret != 0)
    return failure("begin a copy", ret);
  std::vector<std::string> names;
  int ret = 0;
  while ((ret = c->next(c)) == 0) {
    const char* name = nullptr;
    if ((ret = c->get_key(c, &name)) != 0) break;
    names.emplace_back(name);
  }
  auto visited = ret == WT_NOTFOUND ? visit(dir_, names) : failure("list what is copied", ret);
  c->close(c);
  return visited;
}

result<void> wiredtiger_store::verify_table(WT_SESSION* session, const char* uri) {
  // Reading everything checks every page's checksum; the order of keys is the index's promise.
  WT_CURSOR* c = nullptr;
  if (const int ret = session->open_cursor(session, uri, nullptr, nullptr, &c); ret != 0)
    return failure(fmt::format("open {}", uri), ret);
  std::string previous;
  bool any = false;
  int ret = 0;
  while ((ret = c->next(c)) == 0) {
    WT_ITEM key{};
    WT_ITEM value{};
    if ((ret = c->get_key(c, &key)) != 0 || (ret = c->get_value(c, &value)) != 0) break;
    if (any && view_of(key) <= previous) {
      c->close(c);
      return fail(errc::corrupt, fmt::format("{} in the store {}: keys out of order", uri, dir_));
    }
    previous = view_of(key);
    any = true;
  }
  c->close(c);
  if (ret != WT_NOTFOUND) return failure(fmt::format("read {}", uri), ret);
  // The file's own structure can be checked only while nobody uses it and all of it is on disk.
  ret = session->verify(session, uri, nullptr);
  if (ret != 0 && ret != EBUSY) return failure(fmt::format("verify {}", uri), ret);
  (void)log_.take();
  return {};
}

result<void> wiredtiger_store::verify() {
  if (auto ok = usable(); !ok) return ok;
  const std::lock_guard guard(write_mutex_);
  writer_->close_cursors();
  {
    const std::lock_guard pool_guard(pool_mutex_);
    idle_.clear();
  }
  auto session = open_session();
  if (!session) return propagate(session);
  for (const char* uri : table_uris)
    if (auto ok = verify_table((*session)->session(), uri); !ok) return ok;
  return {};
}

} // namespace

result<std::unique_ptr<kv_store>> open_wiredtiger_store(const std::string& dir,
                                                        const wiredtiger_options& options) {
  auto store = std::make_unique<wiredtiger_store>();
  if (auto ok = store->open(dir, options); !ok) return propagate(ok);
  return store;
}

bool wiredtiger_store_is_there(const std::string& dir) {
  std::error_code cause;
  const bool is_there = std::filesystem::exists(dir, cause);
  return is_there || cause; // who cannot tell must look
}

result<void> remove_wiredtiger_store(const std::string& dir) {
  std::error_code cause;
  std::filesystem::remove_all(dir, cause);
  if (cause) return fail(errc::io, fmt::format("cannot remove {}: {}", dir, cause.message()));
  return {};
}

} // namespace mneme
