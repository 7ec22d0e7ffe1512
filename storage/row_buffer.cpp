#include "storage/row_buffer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Small rows share blocks of this size; what is larger than a quarter of it has one of its own.
constexpr std::size_t chunk_bytes = 256 << 10;

std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t unit = alignof(std::max_align_t);
  return (bytes + unit - 1) / unit * unit;
}

} // namespace

/// A value of a key; its bytes stand behind it.
struct row_buffer::entry {
  seq_no commit;
  const entry* older;
  std::size_t size;
  bool is_deleted;

  [[nodiscard]] std::string_view bytes() const {
    return {reinterpret_cast<const char*>(this + 1), size};
  }
};

/// The first bytes of a key as a number: of two keys the one with the lesser number comes first.
/// Most keys differ there, and a look at a node is then one at the line of its links.
std::uint64_t row_buffer::prefix_of(std::string_view key) {
  std::uint64_t prefix = 0;
  if (!key.empty()) std::memcpy(&prefix, key.data(), std::min(key.size(), sizeof(prefix)));
  if constexpr (std::endian::native == std::endian::little) prefix = std::byteswap(prefix);
  return prefix;
}

/// A key; behind it its links, one a level, and then its bytes.
struct row_buffer::node {
  std::atomic<const entry*> newest;
  std::uint64_t prefix;
  std::uint32_t key_size;
  std::uint32_t levels;

  [[nodiscard]] std::atomic<node*>* next() {
    return reinterpret_cast<std::atomic<node*>*>(this + 1);
  }
  [[nodiscard]] const std::atomic<node*>* next() const {
    return reinterpret_cast<const std::atomic<node*>*>(this + 1);
  }
  [[nodiscard]] char* key_bytes() { return reinterpret_cast<char*>(next() + levels); }
  [[nodiscard]] std::string_view key() const {
    return {reinterpret_cast<const char*>(next() + levels), key_size};
  }
  [[nodiscard]] bool is_before(std::uint64_t other_prefix, std::string_view other) const {
    return prefix != other_prefix ? prefix < other_prefix : key() < other;
  }
};

row_buffer::row_buffer() = default;
row_buffer::~row_buffer() = default;

void* row_buffer::allocate(std::size_t bytes) {
  bytes = aligned(bytes);
  const bool is_large = bytes > chunk_bytes / 4;
  if (is_large || bytes > free_bytes_) {
    const std::size_t size = is_large ? bytes : chunk_bytes;
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    bytes_.fetch_add(size, std::memory_order_relaxed);
    if (is_large) return chunks_.back().get();
    free_ = chunks_.back().get();
    free_bytes_ = size;
  }
  std::byte* const place = free_;
  free_ += bytes;
  free_bytes_ -= bytes;
  return place;
}

const row_buffer::links& row_buffer::heads_of(kv_table table) const {
  const auto index = static_cast<std::size_t>(table);
  ensure(index < kv_table_count, "a table of the enum");
  return heads_[index];
}

/// A function of how many nodes there are: the same rows give the same list.
int row_buffer::draw_level() {
  std::uint64_t bits = ++nodes_ * 0x9E3779B97F4A7C15ULL;
  bits ^= bits >> 29;
  bits *= 0xBF58476D1CE4E5B9ULL;
  bits ^= bits >> 32;
  int levels = 1;
  for (; levels < most_levels && bits % 4 == 0; bits /= 4) ++levels;
  return levels;
}

row_buffer::node* row_buffer::seek(const links& heads, std::string_view key,
                                   std::array<std::atomic<node*>*, most_levels>* before) {
  const std::uint64_t prefix = prefix_of(key);
  // `from` is the links of the last node before the key, or the heads.
  const std::atomic<node*>* from = heads.data();
  node* next = nullptr;
  const node* known_behind = nullptr; // met one level up: not before the key
  for (int level = most_levels; level-- > 0;) {
    for (;;) {
      // Most nodes are a wait for memory: that to be met one level down is on its way meanwhile.
      if (level > 0) __builtin_prefetch(from[level - 1].load(std::memory_order_relaxed));
      next = from[level].load(std::memory_order_acquire);
      if (next == nullptr || next == known_behind || !next->is_before(prefix, key)) break;
      from = next->next();
    }
    known_behind = next;
    // The caller is the writer, to whom no node is const.
    if (before != nullptr)
      (*before)[static_cast<std::size_t>(level)] = const_cast<std::atomic<node*>*>(&from[level]);
  }
  return next;
}

void row_buffer::put(const kv_write& row, seq_no commit) {
  ensure(!row.key.empty(), "a row has a key");
  const std::string_view bytes = row.value ? std::string_view(*row.value) : std::string_view();
  auto* const added = new (allocate(sizeof(entry) + bytes.size()))
      entry{.commit = commit, .older = nullptr, .size = bytes.size(), .is_deleted = !row.value};
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(added + 1));

  std::array<std::atomic<node*>*, most_levels> before;
  const links& heads = heads_of(row.table);
  node* const there = seek(heads, row.key, &before);
  if (there != nullptr && there->key() == row.key) {
    added->older = there->newest.load(std::memory_order_relaxed);
    ensure(added->older->commit <= commit, "commits do not descend");
    there->newest.store(added, std::memory_order_release);
    return;
  }
  const auto levels = static_cast<std::size_t>(draw_level());
  void* const place = allocate(sizeof(node) + levels * sizeof(std::atomic<node*>) + row.key.size());
  auto* const fresh = new (place) node{.newest = added,
                                       .prefix = prefix_of(row.key),
                                       .key_size = static_cast<std::uint32_t>(row.key.size()),
                                       .levels = static_cast<std::uint32_t>(levels)};
  for (std::size_t level = 0; level < levels; ++level)
    new (fresh->next() + level) std::atomic<node*>(before[level]->load(std::memory_order_relaxed));
  std::copy(row.key.begin(), row.key.end(), fresh->key_bytes());
  // From below, so that who meets it above finds it there too.
  for (std::size_t level = 0; level < levels; ++level)
    before[level]->store(fresh, std::memory_order_release);
}

std::optional<row_buffer::value> row_buffer::newest(const node& of, seq_no commit) {
  const entry* e = of.newest.load(std::memory_order_acquire);
  while (e != nullptr && e->commit > commit) e = e->older;
  if (e == nullptr) return {};
  return value{.bytes = e->bytes(), .is_deleted = e->is_deleted, .commit = e->commit};
}

std::optional<row_buffer::value> row_buffer::find(kv_table table, std::string_view key,
                                                  seq_no commit) const {
  const node* const there = seek(heads_of(table), key, nullptr);
  if (there == nullptr || there->key() != key) return {};
  return newest(*there, commit);
}

row_buffer::cursor::cursor(const row_buffer& rows, kv_table table, std::string_view lower)
    : at_(seek(rows.heads_of(table), lower, nullptr)) {
}

std::string_view row_buffer::cursor::key() const {
  ensure(at_ != nullptr, "a cursor at the end has no key");
  return at_->key();
}

std::optional<row_buffer::value> row_buffer::cursor::as_of(seq_no commit) const {
  ensure(at_ != nullptr, "a cursor at the end has no value");
  return newest(*at_, commit);
}

void row_buffer::cursor::next() {
  ensure(at_ != nullptr, "a cursor does not go beyond the end");
  at_ = at_->next()[0].load(std::memory_order_acquire);
  // Rows lie in the order in which they came, so that each is a wait for memory: while this one is
  // looked at, the next is on its way.
  if (at_ != nullptr) __builtin_prefetch(at_->next()[0].load(std::memory_order_relaxed));
}

} // namespace mneme
