#include "index/lexical/posting.hpp"

#include <algorithm>
#include <cstring>
#include <roaring/roaring.hh>
#include <stdexcept>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::uint32_t first_tail_rows = 4;
/// Up to here a posting is an array only; beyond, a tail of a quarter of the rows is sealed, so
/// that each row is copied a bounded number of times.
constexpr std::uint32_t sealed_rows_min = 1024;
/// Those of the past are copied as the containers that they are in, not one by one.
constexpr std::uint64_t past_share = 64;

} // namespace

struct posting::sealed_part {
  Roaring rows; ///< but for the past
  Roaring past;
  std::uint64_t past_until = 0; ///< no row of the past is alive there, nor later
  std::uint64_t cardinality = 0;
  std::uint64_t past_cardinality = 0;
  std::uint32_t last_added = 0; ///< before it was sealed, gone or not
};

struct posting::tail_part {
  explicit tail_part(std::uint32_t rows_max)
      : capacity(rows_max), rows(std::make_unique_for_overwrite<std::uint32_t[]>(rows_max)) {}

  std::uint32_t capacity;
  std::atomic<std::uint32_t> size{0};
  std::unique_ptr<std::uint32_t[]> rows;
};

namespace {

class snapshot final : public posting_view {
public:
  snapshot(std::shared_ptr<const posting::sealed_part> sealed,
           std::shared_ptr<const posting::tail_part> tail, seq_no at)
      : sealed_(std::move(sealed)),
        tail_(std::move(tail)),
        tail_size_(tail_->size.load(std::memory_order_acquire)),
        has_past_(sealed_ && at.value < sealed_->past_until) {}

  [[nodiscard]] std::uint64_t cardinality() const override {
    return tail_size_ + sealed_cardinality();
  }

  [[nodiscard]] bool contains(row_no row) const override {
    if (sealed_ && row.value <= sealed_->last_added)
      return sealed_->rows.contains(row.value) || (has_past_ && sealed_->past.contains(row.value));
    const std::uint32_t* const tail = tail_->rows.get();
    return std::binary_search(tail, tail + tail_size_, row.value);
  }

  void for_each(const std::function<bool(row_no)>& visit) const override {
    if (sealed_ && !each_sealed(visit)) return;
    for (std::uint32_t i = 0; i < tail_size_; ++i)
      if (!visit(row_no{tail_->rows[i]})) return;
  }

  void append_to(std::vector<std::uint32_t>& rows) const override {
    if (sealed_) {
      const std::size_t before = rows.size();
      rows.resize(before + sealed_cardinality());
      if (has_past_)
        (sealed_->rows | sealed_->past).toUint32Array(rows.data() + before);
      else
        sealed_->rows.toUint32Array(rows.data() + before);
    }
    rows.insert(rows.end(), tail_->rows.get(), tail_->rows.get() + tail_size_);
  }

private:
  [[nodiscard]] std::uint64_t sealed_cardinality() const {
    if (!sealed_) return 0;
    return sealed_->cardinality + (has_past_ ? sealed_->past_cardinality : 0);
  }
  /// False if it was stopped.
  [[nodiscard]] bool each_sealed(const std::function<bool(row_no)>& visit) const {
    const auto all_of = [&](const Roaring& rows) {
      return std::all_of(rows.begin(), rows.end(),
                         [&](std::uint32_t row) { return visit(row_no{row}); });
    };
    return has_past_ ? all_of(sealed_->rows | sealed_->past) : all_of(sealed_->rows);
  }

  std::shared_ptr<const posting::sealed_part> sealed_;
  std::shared_ptr<const posting::tail_part> tail_;
  std::uint32_t tail_size_;
  bool has_past_; ///< some of it may be alive at the seq read
};

class nothing final : public posting_view {
public:
  [[nodiscard]] std::uint64_t cardinality() const override { return 0; }
  [[nodiscard]] bool contains(row_no) const override { return false; }
  void for_each(const std::function<bool(row_no)>&) const override {}
  void append_to(std::vector<std::uint32_t>&) const override {}
};

} // namespace

posting::posting() : tail_(std::make_shared<tail_part>(first_tail_rows)) {
}
posting::~posting() = default;

void posting::add(std::uint32_t row, const row_lives& lives) {
  const std::uint32_t size = tail_->size.load(std::memory_order_relaxed);
  if (size == tail_->capacity) {
    const std::uint64_t rows = sealed_ ? sealed_->cardinality : 0;
    const std::uint64_t past = sealed_ ? sealed_->past_cardinality : 0;
    if (size >= std::max<std::uint64_t>({sealed_rows_min, rows / 4, past / past_share})) {
      seal(lives);
    } else {
      replace_tail(2 * size, size);
    }
    return add(row, lives);
  }
  ensure(size != 0 ? tail_->rows[size - 1] < row : !sealed_ || sealed_->last_added < row,
         "rows are added in order");
  tail_->rows[size] = row;
  tail_->size.store(size + 1, std::memory_order_release);
}

void posting::replace_tail(std::uint32_t capacity, std::uint32_t keep) {
  ensure(keep <= capacity && keep <= tail_->capacity, "a wider tail holds what the old one did");
  auto wider = std::make_shared<tail_part>(capacity);
  std::copy_n(tail_->rows.get(), keep, wider->rows.get());
  wider->size.store(keep, std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  tail_ = std::move(wider);
}

// What is in the past stays there: it may be gone by now, and goes when the index is made anew.
void posting::seal(const row_lives& lives) {
  const std::uint32_t size = tail_->size.load(std::memory_order_relaxed);
  ensure(size != 0, "a full tail is sealed");
  auto sealed = std::make_shared<sealed_part>();
  sealed->last_added = tail_->rows[size - 1];
  std::vector<std::uint32_t> rows(sealed_ ? sealed_->cardinality : 0);
  if (sealed_) {
    sealed_->rows.toUint32Array(rows.data());
    sealed->past = sealed_->past;
    sealed->past_until = sealed_->past_until;
    sealed->past_cardinality = sealed_->past_cardinality;
  }
  rows.insert(rows.end(), tail_->rows.get(), tail_->rows.get() + size);
  std::vector<std::uint32_t> ended;
  std::erase_if(rows, [&](std::uint32_t row) {
    if (lives.is_gone(row)) return true;
    const std::uint64_t end = lives.end(row);
    if (end == forever) return false;
    ended.push_back(row);
    sealed->past_until = std::max(sealed->past_until, end);
    return true;
  });
  sealed->past.addMany(ended.size(), ended.data());
  sealed->past_cardinality += ended.size();
  sealed->rows.addMany(rows.size(), rows.data());
  sealed->rows.runOptimize();
  sealed->rows.shrinkToFit();
  sealed->cardinality = rows.size();
  ensure(sealed->rows.cardinality() == rows.size(), "a row is in a posting once");
  ensure(sealed->past.cardinality() == sealed->past_cardinality, "and once in its past");
  auto tail = std::make_shared<tail_part>(first_tail_rows);
  const std::scoped_lock lock(mutex_);
  sealed_ = std::move(sealed);
  tail_ = std::move(tail);
}

std::shared_ptr<const posting_view> posting::view(seq_no at) const {
  std::shared_ptr<const sealed_part> sealed;
  std::shared_ptr<const tail_part> tail;
  {
    const std::scoped_lock lock(mutex_);
    sealed = sealed_;
    tail = tail_;
  }
  return std::make_shared<snapshot>(std::move(sealed), std::move(tail), at);
}

std::uint64_t cardinality(const posting_list& list) {
  std::uint64_t rows = 0;
  for (const auto& view : list) rows += view->cardinality();
  return rows;
}

std::shared_ptr<const posting_view> empty_posting() {
  static const auto none = std::make_shared<nothing>();
  return none;
}

posting& posting_set::grow(std::uint32_t term) {
  ensure(term != no_number, "a posting is of a term");
  posting*& p = by_term_.grow(term);
  if (p == nullptr) {
    owned_.push_back(std::make_unique<posting>());
    store_release(p, owned_.back().get());
  }
  return *p;
}

std::shared_ptr<const posting_view> posting_set::view(std::uint32_t term, seq_no at) const {
  if (term == no_number) return empty_posting();
  posting* const* p = by_term_.find(term);
  if (p == nullptr) return empty_posting();
  const posting* found = load_acquire(*p);
  return found == nullptr ? empty_posting() : found->view(at);
}

void posting::save(image_writer& out) const {
  const auto put = [&](const Roaring& rows) {
    std::string bytes(rows.getSizeInBytes(true), '\0');
    rows.write(bytes.data(), true);
    out.put_text(bytes);
  };
  out.put(static_cast<std::uint32_t>(sealed_ ? 1 : 0));
  if (sealed_) {
    put(sealed_->rows);
    put(sealed_->past);
    out.put(sealed_->past_until);
    out.put(sealed_->last_added);
  }
  const std::uint32_t size = tail_->size.load(std::memory_order_relaxed);
  out.put(size);
  out.put_raw({reinterpret_cast<const char*>(tail_->rows.get()), size * sizeof(std::uint32_t)});
}

namespace {

bool get_rows(image_reader& in, Roaring& rows) {
  const std::string_view bytes = in.get_text();
  if (!in.ok()) return false;
  try {
    rows = Roaring::readSafe(bytes.data(), bytes.size());
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

} // namespace

bool posting::load(image_reader& in) {
  std::shared_ptr<sealed_part> sealed;
  if (in.get<std::uint32_t>() != 0 && in.ok()) {
    sealed = std::make_shared<sealed_part>();
    if (!get_rows(in, sealed->rows) || !get_rows(in, sealed->past)) return false;
    sealed->cardinality = sealed->rows.cardinality();
    sealed->past_cardinality = sealed->past.cardinality();
    sealed->past_until = in.get<std::uint64_t>();
    sealed->last_added = in.get<std::uint32_t>();
  }
  const auto size = in.get<std::uint32_t>();
  const std::string_view tail = in.get_raw(size * sizeof(std::uint32_t));
  if (!in.ok()) return false;
  sealed_ = std::move(sealed);
  auto rows = std::make_shared<tail_part>(std::max(size, first_tail_rows));
  std::memcpy(rows->rows.get(), tail.data(), tail.size());
  rows->size.store(size, std::memory_order_relaxed);
  tail_ = std::move(rows);
  return true;
}

void posting_set::save(image_writer& out, std::uint32_t limit) const {
  out.put(static_cast<std::uint32_t>(owned_.size()));
  for (std::uint32_t term = 0; term < limit; ++term) {
    posting* const* const p = by_term_.find(term);
    if (p == nullptr || *p == nullptr) continue;
    out.put(term);
    (*p)->save(out);
  }
}

bool posting_set::load(image_reader& in) {
  const auto count = in.get<std::uint32_t>();
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto term = in.get<std::uint32_t>();
    if (!in.ok() || term < next || term == no_number || !grow(term).load(in)) return false;
    next = std::uint64_t{term} + 1;
  }
  return in.ok();
}

} // namespace mneme
