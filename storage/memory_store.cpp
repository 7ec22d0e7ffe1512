#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "messages/ensure.hpp"
#include "storage/kv_store.hpp"

namespace mneme {

namespace {

/// Values never change once written, so the live tables and the disk share them.
using value_pointer = std::shared_ptr<const std::string>;
using table = std::map<std::string, value_pointer, std::less<>>;
using table_set = std::array<table, kv_table_count>;

struct shared_write {
  kv_table table{};
  std::string key;
  value_pointer value; ///< null = delete
};

struct batch {
  seq_no commit;
  std::vector<shared_write> writes;
};

std::size_t index_of(kv_table t) {
  const auto index = static_cast<std::size_t>(t);
  ensure(index < kv_table_count, "a table of the enum");
  return index;
}

void apply_to(table_set& tables, const shared_write& write) {
  auto& in = tables[index_of(write.table)];
  if (write.value)
    in.insert_or_assign(write.key, write.value);
  else
    in.erase(write.key);
}

/// Only while a lock is held: iterators are into the live map.
table::const_iterator upper_end(const table& in, std::string_view upper) {
  return upper.empty() ? in.end() : in.lower_bound(upper);
}

} // namespace

/// The tables as of the last checkpoint.
class memory_disk {
public:
  mutable std::mutex mutex;
  table_set tables;
  seq_no checkpoint;
};

namespace {

class memory_store final : public kv_store {
public:
  explicit memory_store(std::shared_ptr<memory_disk> disk) : disk_(std::move(disk)) {
    const std::lock_guard guard(disk_->mutex);
    live_ = disk_->tables;
    recovered_ = disk_->checkpoint;
    last_commit_ = recovered_;
    stable_ = recovered_;
  }

  result<std::unique_ptr<kv_reader>> reader() override;

  result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override {
    batch made{commit, {}};
    for (const auto& w : writes) {
      ensure(!w.key.empty(), "a row has a key");
      made.writes.push_back(
          {w.table, w.key, w.value ? std::make_shared<const std::string>(*w.value) : nullptr});
    }
    const std::unique_lock guard(mutex_);
    ensure(commit > last_commit_, "commits ascend");
    for (const auto& w : made.writes) apply_to(live_, w);
    last_commit_ = commit;
    unstable_.push_back(std::move(made));
    return {};
  }

  result<void> set_stable(seq_no stable) override {
    const std::unique_lock guard(mutex_);
    stable_ = std::max(stable_, stable);
    fold_stable();
    return {};
  }

  result<void> checkpoint() override {
    const std::unique_lock guard(mutex_);
    fold_stable();
    const std::lock_guard disk_guard(disk_->mutex);
    for (std::size_t t = 0; t < kv_table_count; ++t)
      for (auto& [key, value] : changed_[t]) apply_to(disk_->tables, {kv_table(t), key, value});
    changed_ = {};
    disk_->checkpoint = std::max(disk_->checkpoint, std::min(stable_, last_commit_));
    return {};
  }

  [[nodiscard]] seq_no recovered() const override { return recovered_; }

  result<void> verify() override { return {}; }

  // For readers, under read_lock().
  [[nodiscard]] std::shared_lock<std::shared_mutex> read_lock() const {
    return std::shared_lock(mutex_);
  }
  [[nodiscard]] const table& live(kv_table t) const { return live_[index_of(t)]; }

private:
  /// Moves the batches that became stable into `changed_`, which grows with the distinct keys
  /// written since the last checkpoint and not with the number of batches.
  void fold_stable() {
    while (!unstable_.empty() && unstable_.front().commit <= stable_) {
      for (auto& w : unstable_.front().writes)
        changed_[index_of(w.table)].insert_or_assign(std::move(w.key), std::move(w.value));
      unstable_.pop_front();
    }
  }

  std::shared_ptr<memory_disk> disk_;
  mutable std::shared_mutex mutex_;
  table_set live_;
  table_set changed_; ///< stable changes since the last checkpoint; null value = deleted
  std::deque<batch> unstable_;
  seq_no recovered_;
  seq_no last_commit_;
  seq_no stable_;
};

class memory_reader final : public kv_reader {
public:
  explicit memory_reader(const memory_store& store) : store_(store) {}

  result<std::optional<std::string>> get(kv_table t, std::string_view key) override {
    const auto guard = store_.read_lock();
    const auto& in = store_.live(t);
    const auto it = in.find(key);
    return it == in.end() ? std::nullopt : std::optional(*it->second);
  }

  result<std::optional<std::pair<std::string, std::string>>>
  first(kv_table t, std::string_view lower, std::string_view upper) override {
    const auto guard = store_.read_lock();
    const auto& in = store_.live(t);
    const auto it = in.lower_bound(lower);
    if (it == in.end() || (!upper.empty() && it->first >= upper)) return std::nullopt;
    return std::pair(it->first, *it->second);
  }

  result<void> scan(kv_table t, std::string_view lower, std::string_view upper,
                    const std::function<bool(std::string_view, std::string_view)>& visit) override {
    if (!upper.empty() && lower >= upper) return {};
    const auto guard = store_.read_lock();
    const auto& in = store_.live(t);
    const auto end = upper_end(in, upper);
    for (auto it = in.lower_bound(lower); it != end; ++it)
      if (!visit(it->first, *it->second)) break;
    return {};
  }

private:
  const memory_store& store_;
};

result<std::unique_ptr<kv_reader>> memory_store::reader() {
  return std::make_unique<memory_reader>(*this);
}

} // namespace

std::shared_ptr<memory_disk> make_memory_disk() {
  return std::make_shared<memory_disk>();
}

bool has_checkpoint(const memory_disk& disk) {
  const std::lock_guard guard(disk.mutex);
  return disk.checkpoint.value != 0;
}

std::unique_ptr<kv_store> make_memory_store(std::shared_ptr<memory_disk> disk) {
  return std::make_unique<memory_store>(std::move(disk));
}

} // namespace mneme
