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
constexpr std::uint32_t sealed_rows_min = 4096;

} // namespace

struct posting::sealed_part {
  Roaring rows;
  std::uint64_t cardinality = 0;
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
           std::shared_ptr<const posting::tail_part> tail)
      : sealed_(std::move(sealed)),
        tail_(std::move(tail)),
        tail_size_(tail_->size.load(std::memory_order_acquire)) {}

  [[nodiscard]] std::uint64_t cardinality() const override {
    return tail_size_ + (sealed_ ? sealed_->cardinality : 0);
  }

  [[nodiscard]] bool contains(row_no row) const override {
    if (sealed_ && row.value <= sealed_->last_added) return sealed_->rows.contains(row.value);
    const std::uint32_t* const tail = tail_->rows.get();
    return std::binary_search(tail, tail + tail_size_, row.value);
  }

  void for_each(const std::function<bool(row_no)>& visit) const override {
    if (sealed_) {
      for (const std::uint32_t row : sealed_->rows)
        if (!visit(row_no{row})) return;
    }
    for (std::uint32_t i = 0; i < tail_size_; ++i)
      if (!visit(row_no{tail_->rows[i]})) return;
  }

  void append_to(std::vector<std::uint32_t>& rows) const override {
    if (sealed_) {
      const std::size_t before = rows.size();
      rows.resize(before + sealed_->cardinality);
      sealed_->rows.toUint32Array(rows.data() + before);
    }
    rows.insert(rows.end(), tail_->rows.get(), tail_->rows.get() + tail_size_);
  }

private:
  std::shared_ptr<const posting::sealed_part> sealed_;
  std::shared_ptr<const posting::tail_part> tail_;
  std::uint32_t tail_size_;
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

void posting::add(std::uint32_t row, const row_is_gone& is_gone) {
  const std::uint32_t size = tail_->size.load(std::memory_order_relaxed);
  if (size == tail_->capacity) {
    const std::uint64_t sealed = sealed_ ? sealed_->cardinality : 0;
    if (size >= std::max<std::uint64_t>(sealed_rows_min, sealed / 4)) {
      seal(is_gone);
    } else {
      replace_tail(2 * size, size);
    }
    return add(row, is_gone);
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

void posting::seal(const row_is_gone& is_gone) {
  std::vector<std::uint32_t> rows;
  view()->append_to(rows);
  ensure(!rows.empty(), "a full tail is sealed");
  const std::uint32_t last_added = rows.back();
  std::erase_if(rows, is_gone);
  auto sealed = std::make_shared<sealed_part>();
  sealed->rows.addMany(rows.size(), rows.data());
  sealed->rows.runOptimize();
  sealed->rows.shrinkToFit();
  sealed->cardinality = rows.size();
  sealed->last_added = last_added;
  ensure(sealed->rows.cardinality() == rows.size(), "a row is in a posting once");
  auto tail = std::make_shared<tail_part>(first_tail_rows);
  const std::scoped_lock lock(mutex_);
  sealed_ = std::move(sealed);
  tail_ = std::move(tail);
}

std::shared_ptr<const posting_view> posting::view() const {
  std::shared_ptr<const sealed_part> sealed;
  std::shared_ptr<const tail_part> tail;
  {
    const std::scoped_lock lock(mutex_);
    sealed = sealed_;
    tail = tail_;
  }
  return std::make_shared<snapshot>(std::move(sealed), std::move(tail));
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

std::shared_ptr<const posting_view> posting_set::view(std::uint32_t term) const {
  if (term == no_number) return empty_posting();
  posting* const* p = by_term_.find(term);
  if (p == nullptr) return empty_posting();
  const posting* found = load_acquire(*p);
  return found == nullptr ? empty_posting() : found->view();
}

void posting::save(image_writer& out) const {
  std::string sealed(sealed_ ? sealed_->rows.getSizeInBytes(true) : 0, '\0');
  if (sealed_) sealed_->rows.write(sealed.data(), true);
  out.put_text(sealed);
  out.put(sealed_ ? sealed_->last_added : std::uint32_t{0});
  const std::uint32_t size = tail_->size.load(std::memory_order_relaxed);
  out.put(size);
  out.put_raw({reinterpret_cast<const char*>(tail_->rows.get()), size * sizeof(std::uint32_t)});
}

bool posting::load(image_reader& in) {
  const std::string_view sealed = in.get_text();
  const auto last_added = in.get<std::uint32_t>();
  const auto size = in.get<std::uint32_t>();
  const std::string_view tail = in.get_raw(size * sizeof(std::uint32_t));
  if (!in.ok()) return false;
  if (!sealed.empty()) {
    auto part = std::make_shared<sealed_part>();
    try {
      part->rows = Roaring::readSafe(sealed.data(), sealed.size());
    } catch (const std::runtime_error&) {
      return false;
    }
    part->cardinality = part->rows.cardinality();
    part->last_added = last_added;
    sealed_ = std::move(part);
  }
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
