#include "storage/buffered_store.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "messages/ensure.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

namespace {

/// So many rows go to the files in one transaction, which holds them all in memory once more.
constexpr std::size_t rows_at_once = 4096;

/// A way through one table of several buffers, in key order; of a key in several the newest value.
class merged_cursor {
public:
  using value = row_buffer::value;

  /// `newest_first`: each as of `commit`.
  merged_cursor(const std::vector<const row_buffer*>& newest_first, kv_table table,
                std::string_view lower, seq_no commit)
      : commit_(commit) {
    ways_.reserve(newest_first.size());
    for (const row_buffer* rows : newest_first) ways_.emplace_back(*rows, table, lower);
    find_next();
  }

  [[nodiscard]] bool at_end() const { return !current_; }
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] const value& row() const { return *current_; }
  void next() {
    if (ways_.size() == 1)
      ways_.front().next();
    else
      pass(key_);
    find_next();
  }

private:
  void pass(std::string_view key) {
    for (auto& way : ways_)
      if (!way.at_end() && way.key() == key) way.next();
  }
  void find_next() {
    current_.reset();
    if (ways_.size() == 1) return find_next_of_one(ways_.front());
    while (!current_) {
      const row_buffer::cursor* least = nullptr;
      for (const auto& way : ways_)
        if (!way.at_end() && (least == nullptr || way.key() < least->key())) least = &way;
      if (least == nullptr) return;
      key_ = least->key();
      for (const auto& way : ways_)
        if (!current_ && !way.at_end() && way.key() == key_) current_ = way.as_of(commit_);
      if (!current_) pass(key_); // newer than what is read
    }
  }

  void find_next_of_one(row_buffer::cursor& way) {
    for (; !way.at_end(); way.next())
      if ((current_ = way.as_of(commit_))) {
        key_ = way.key();
        return;
      }
  }

  seq_no commit_;
  std::vector<row_buffer::cursor> ways_; ///< newest buffer first
  std::string_view key_;
  std::optional<value> current_;
};

} // namespace

class buffered_reader final : public kv_reader {
public:
  explicit buffered_reader(buffered_store& store)
      : store_(store), renewals_(store.renewals_.load(std::memory_order_acquire)) {}

  result<std::optional<std::string>> get(kv_table table, std::string_view key) override {
    if (auto ok = look(); !ok) return propagate(ok);
    for (const row_buffer* rows : buffers_)
      if (const auto found = rows->find(table, key, commit_)) return value_of(*found);
    if (places_->files_are_empty) return std::nullopt;
    auto files = files_reader();
    if (!files) return propagate(files);
    auto found = (*files)->get(table, key);
    // What was flushed meanwhile may be newer than the buffers that were looked through.
    return is_current() ? found : get(table, key);
  }

  result<std::optional<row>> first(kv_table table, std::string_view lower,
                                   std::string_view upper) override {
    std::optional<row> found;
    auto ok = scan(table, lower, upper, [&](std::string_view key, std::string_view value) {
      found.emplace(key, value);
      return false;
    });
    if (!ok) return propagate(ok);
    return found;
  }

  // Rows in memory are newer than those of the files, of equal prefix too: their seq is greater.
  result<std::optional<row>> newest(kv_table table, std::string_view prefix, seq_no at) override {
    if (auto ok = look(); !ok) return propagate(ok);
    const std::string lower = std::string(prefix) + keys::u64be(~at.value);
    for (const row_buffer* rows : buffers_) {
      row_buffer::cursor way(*rows, table, lower);
      for (; !way.at_end() && way.key().starts_with(prefix); way.next()) {
        const auto found = way.as_of(commit_);
        if (found && !found->is_deleted) return row(way.key(), found->bytes);
      }
    }
    if (places_->files_are_empty) return std::optional<row>{};
    auto files = files_reader();
    if (!files) return propagate(files);
    auto found = (*files)->newest(table, prefix, at);
    return is_current() ? found : newest(table, prefix, at);
  }

  result<void> scan(kv_table table, std::string_view lower, std::string_view upper,
                    const row_visitor& visit) override {
    if (!upper.empty() && lower >= upper) return {};
    for (;;) {
      if (auto ok = look(); !ok) return ok;
      bool is_done = true;
      auto ok = scan_once(table, lower, upper, visit, is_done);
      if (!ok || is_done) return ok;
    }
  }

private:
  /// Looks where the rows are now. Held from one call to the next, so that nothing is locked while
  /// nothing moves.
  result<void> look() {
    if (auto ok = store_.usable(); !ok) return ok;
    if (places_ == nullptr || !is_current()) {
      const std::uint32_t renewals = store_.renewals_.load(std::memory_order_acquire);
      if (std::exchange(renewals_, renewals) != renewals) {
        files_ = nullptr;
        held_ = nullptr;
      }
      version_ = store_.version_.load(std::memory_order_acquire);
      places_ = store_.now();
      buffers_.clear();
      buffers_.push_back(places_->active.get());
      for (const auto& resting : std::views::reverse(places_->resting))
        buffers_.push_back(resting.rows.get());
    }
    commit_ = {store_.last_commit_.load(std::memory_order_acquire)};
    return {};
  }
  [[nodiscard]] bool is_current() const {
    return store_.version_.load(std::memory_order_acquire) == version_;
  }
  result<kv_reader*> files_reader() {
    if (files_ == nullptr) {
      auto files = store_.hold_files();
      if (!files) return propagate(files);
      auto opened = (*files)->store->reader();
      if (!opened) return propagate(opened);
      held_ = std::move(*files);
      files_ = std::move(*opened);
    }
    return files_.get();
  }
  static std::optional<std::string> value_of(const row_buffer::value& found) {
    if (found.is_deleted) return std::nullopt;
    return std::string(found.bytes);
  }

  /// `is_done` false: rows moved before the first was visited; look again.
  result<void> scan_once(kv_table table, std::string_view lower, std::string_view upper,
                         const row_visitor& visit, bool& is_done) {
    merged_cursor memory(buffers_, table, lower, commit_);
    const auto is_within = [&] {
      return !memory.at_end() && (upper.empty() || memory.key() < upper);
    };
    bool goes_on = true;
    const auto visit_memory = [&] {
      if (!memory.row().is_deleted) goes_on = visit(memory.key(), memory.row().bytes);
      memory.next();
    };
    if (!places_->files_are_empty) {
      auto files = files_reader();
      if (!files) return propagate(files);
      bool is_first = true;
      auto ok = (*files)->scan(table, lower, upper,
                               [&](std::string_view key, std::string_view value) -> bool {
                                 if (std::exchange(is_first, false) && !(is_done = is_current()))
                                   return false;
                                 while (goes_on && is_within() && memory.key() < key)
                                   visit_memory();
                                 if (!goes_on) return false;
                                 if (is_within() && memory.key() == key)
                                   visit_memory(); // in the place of the files' row
                                 else
                                   goes_on = visit(key, value);
                                 return goes_on;
                               });
      if (!ok || !is_done) return ok;
      if (is_first && !(is_done = is_current())) return {};
    }
    while (goes_on && is_within()) visit_memory();
    return {};
  }

  buffered_store& store_;
  std::uint32_t renewals_; ///< before files_ was opened
  std::shared_ptr<const buffered_store::places> places_;
  std::uint64_t version_ = 0;
  std::vector<const row_buffer*> buffers_; ///< of places_, newest first
  seq_no commit_;
  std::shared_ptr<buffered_store::held_files> held_; ///< those of files_, which goes first
  std::unique_ptr<kv_reader> files_;                 ///< opened when they are needed
};

buffered_store::buffered_store(opener open_files, known_files known)
    : open_files_(std::move(open_files)),
      recovered_(known.at),
      last_commit_(known.at.value),
      flushed_(known.at),
      stable_(known.at.value) {
  ensure(!known.is_empty || known.at.value == 0, "files that hold nothing are at no seq");
  auto first = std::make_shared<places>();
  first->active = std::make_shared<row_buffer>();
  first->files_are_empty = known.is_empty;
  places_ = std::move(first);
}

buffered_store::buffered_store(std::unique_ptr<kv_store> files)
    : buffered_store(opener{}, known_files{.at = files->recovered(),
                                           .is_empty = files->recovered().value == 0}) {
  owned_.push_back(std::move(files));
  files_ = std::make_shared<held_files>(owned_.back());
  opened_files_ = files_->store.get();
}

buffered_store::~buffered_store() = default;

result<kv_store*> buffered_store::files() {
  if (kv_store* there = opened_files_.load(std::memory_order_acquire)) return there;
  auto held = hold_files();
  if (!held) return propagate(held);
  return (*held)->store.get();
}

result<std::shared_ptr<buffered_store::held_files>> buffered_store::hold_files() {
  const std::lock_guard guard(files_mutex_);
  if (auto ok = usable(); !ok) return propagate(ok);
  if (files_ == nullptr) {
    auto opened = open_files_();
    if (!opened) {
      const std::lock_guard problem_guard(problem_mutex_);
      problem_ = opened.error();
      has_problem_ = true;
      return propagate(opened);
    }
    owned_.push_back(std::move(*opened));
    files_ = std::make_shared<held_files>(owned_.back());
    open_files_ = {};
    opened_files_.store(files_->store.get(), std::memory_order_release);
  }
  return files_;
}

std::shared_ptr<void> buffered_store::renew(opener open_files, std::function<void()> when_closed) {
  ensure(open_files != nullptr, "there are files in their place");
  std::shared_ptr<held_files> before;
  const std::lock_guard flush_guard(flush_mutex_);
  const std::lock_guard write_guard(write_mutex_);
  {
    const std::lock_guard guard(files_mutex_);
    opened_files_.store(nullptr, std::memory_order_release);
    open_files_ = std::move(open_files);
    before = std::exchange(files_, nullptr);
    renewals_.fetch_add(1, std::memory_order_acq_rel);
  }
  if (before != nullptr)
    before->when_closed = std::move(when_closed);
  else if (when_closed)
    when_closed();
  flushed_ = {last_commit_};
  stable_ = last_commit_.load();
  auto next = std::make_shared<places>();
  next->active = std::make_shared<row_buffer>();
  replace(std::move(next));
  return before;
}

std::optional<error> buffered_store::stopped() const {
  if (has_problem_) {
    const std::lock_guard guard(problem_mutex_);
    return problem_;
  }
  const kv_store* there = opened_files_.load(std::memory_order_acquire);
  return there == nullptr ? std::nullopt : there->stopped();
}

result<void> buffered_store::usable() const {
  const auto cause = stopped();
  if (!cause) return {};
  return store_stopped(*cause);
}

result<std::unique_ptr<kv_reader>> buffered_store::reader() {
  if (auto ok = usable(); !ok) return propagate(ok);
  return std::make_unique<buffered_reader>(*this);
}

std::shared_ptr<const buffered_store::places> buffered_store::now() const {
  const std::lock_guard guard(places_mutex_);
  return places_;
}

void buffered_store::replace(std::shared_ptr<const places> next) {
  {
    const std::lock_guard guard(places_mutex_);
    places_.swap(next);
  }
  version_.fetch_add(1, std::memory_order_acq_rel);
}

result<void> buffered_store::apply(const std::vector<kv_write>& writes, seq_no commit) {
  if (auto ok = usable(); !ok) return ok;
  const std::lock_guard guard(write_mutex_);
  ensure(commit.value > last_commit_, "commits ascend");
  row_buffer& active = *now()->active;
  for (const auto& row : writes) active.put(row, commit);
  last_commit_.store(commit.value, std::memory_order_release); // readers have all of it now
  return {};
}

result<void> buffered_store::set_stable(seq_no stable) {
  if (auto ok = usable(); !ok) return ok;
  std::uint64_t before = stable_;
  while (stable.value > before && !stable_.compare_exchange_weak(before, stable.value)) {
  }
  return {};
}

std::uint64_t buffered_store::buffered_bytes() const {
  const auto all = now();
  std::uint64_t sum = all->active->bytes();
  for (const auto& resting : all->resting) sum += resting.rows->bytes();
  return sum;
}

void buffered_store::rotate() {
  const std::lock_guard guard(write_mutex_);
  const auto before = now();
  if (before->active->bytes() == 0) return;
  auto next = std::make_shared<places>(*before);
  next->resting.push_back({next->active, {last_commit_}});
  next->active = std::make_shared<row_buffer>();
  replace(std::move(next));
}

result<void> buffered_store::write_rows(kv_store& files, const places& from, seq_no through) {
  std::vector<const row_buffer*> buffers;
  std::uint64_t row_count = 0; // at most
  for (const auto& resting : std::views::reverse(from.resting)) {
    buffers.push_back(resting.rows.get());
    row_count += resting.rows->key_count();
  }
  // Commits of the files ascend: all portions but the last are of the seqs just before it.
  const std::uint64_t span = through.value - std::max(flushed_, portion_).value;
  std::uint64_t portions = std::clamp<std::uint64_t>(row_count / rows_at_once, 1, span);
  const std::uint64_t rows_each = row_count / portions + 1;
  std::vector<kv_write> rows; // the strings of one portion serve the next
  std::size_t taken = 0;
  const auto take = [&](kv_table table, std::string_view key, const row_buffer::value& value) {
    if (taken == rows.size()) rows.emplace_back();
    kv_write& row = rows[taken++];
    row.table = table;
    row.key = key;
    if (value.is_deleted)
      row.value.reset();
    else if (row.value)
      row.value->assign(value.bytes);
    else
      row.value.emplace(value.bytes);
  };
  for (std::size_t t = 0; t < kv_table_count; ++t) {
    const auto table = static_cast<kv_table>(t);
    for (merged_cursor at(buffers, table, {}, through); !at.at_end(); at.next()) {
      if (at.row().commit <= flushed_) continue;
      take(table, at.key(), at.row());
      if (taken < rows_each || portions == 1) continue;
      const seq_no portion{through.value - --portions};
      if (auto ok = files.apply(rows, portion); !ok) return ok;
      portion_ = portion;
      taken = 0;
    }
  }
  rows.resize(taken);
  return files.apply(rows, through);
}

result<void> buffered_store::flush() {
  const std::lock_guard guard(flush_mutex_);
  if (flush_failure_) return std::unexpected(*flush_failure_);
  auto flushed = flush_locked();
  // For lack of room nothing of the last portion is there: what waits is tried again.
  if (!flushed && flushed.error().code != errc::disk_full) flush_failure_ = flushed.error();
  return flushed;
}

result<void> buffered_store::flush_locked() {
  // What is not applied yet does not count as stable.
  const seq_no through{std::min(stable_.load(), last_commit_.load())};
  if (through <= flushed_) return {};
  auto to = files();
  if (!to) return propagate(to);
  flushed_ = std::max(flushed_, (*to)->recovered());
  if (through <= flushed_) return {};
  rotate();
  const auto from = now();
  if (from->files_are_empty) {
    // From here on readers look there, too.
    auto next = std::make_shared<places>(*from);
    next->files_are_empty = false;
    replace(std::move(next));
  }
  if (auto ok = write_rows(**to, *from, through); !ok) return ok;
  flushed_ = through;
  if (auto ok = (*to)->set_stable(through); !ok) return ok;
  const std::lock_guard write_guard(write_mutex_);
  auto next = std::make_shared<places>(*now());
  std::erase_if(next->resting, [&](const resting_buffer& r) { return r.last <= through; });
  replace(std::move(next));
  return {};
}

result<void> buffered_store::checkpoint() {
  if (auto ok = usable(); !ok) return ok;
  if (auto ok = flush(); !ok) return ok;
  auto to = files();
  if (!to) return propagate(to);
  return (*to)->checkpoint();
}

result<void> buffered_store::visit_checkpoint(const file_visitor& visit) {
  const std::lock_guard guard(flush_mutex_);
  auto there = files();
  if (!there) return propagate(there);
  return (*there)->visit_checkpoint(visit);
}

result<void> buffered_store::verify() {
  auto there = files();
  if (!there) return propagate(there);
  return (*there)->verify();
}

} // namespace mneme
