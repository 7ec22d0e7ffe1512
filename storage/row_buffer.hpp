#pragma once
/// Rows in memory, in key order: what a store has been given and its files do not have yet. One
/// writer and any number of readers at once, without locks: a skip list for each table, whose nodes
/// never move and never go before the buffer does.
///
/// Each key keeps every value that it was given, newest first, with the commit that gave it:
///
///     heads   "a" ── "b" ── "d"          a reader as of commit 2 finds
///              │      │      │             a = 1, b = nothing (deleted), and no d
///            3: 7   2: −   3: 5
///              │      │
///            1: 1   1: 4
///
/// so that a reader sees whole commits only, however far the writer is.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "storage/kv_store.hpp"

namespace mneme {

class row_buffer {
public:
  row_buffer();
  ~row_buffer();
  row_buffer(const row_buffer&) = delete;
  row_buffer& operator=(const row_buffer&) = delete;

  /// Writer. Commits do not descend; of two values of one commit the later counts.
  void put(const kv_write& row, seq_no commit);

  // Readers. What they get points into the buffer.
  /// A value, or that there is none.
  struct value {
    std::string_view bytes;
    bool is_deleted = false;
    seq_no commit;
  };
  /// The newest value of `key` as of `commit`; nullopt if the buffer knows of none.
  [[nodiscard]] std::optional<value> find(kv_table table, std::string_view key,
                                          seq_no commit) const;

private:
  struct node;
  struct entry;

public:
  /// A way through one table, in key order. Rows that come meanwhile may be met or not.
  class cursor {
  public:
    /// At the first key >= `lower`.
    cursor(const row_buffer& rows, kv_table table, std::string_view lower);
    [[nodiscard]] bool at_end() const { return at_ == nullptr; }
    [[nodiscard]] std::string_view key() const;
    /// nullopt: the key is newer than `commit`.
    [[nodiscard]] std::optional<value> as_of(seq_no commit) const;
    void next();

  private:
    const node* at_;
  };

  /// Keys, of all tables. While nobody writes.
  [[nodiscard]] std::uint64_t key_count() const { return nodes_; }
  /// What it takes in memory.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

private:
  static constexpr int most_levels = 12; ///< one in four nodes is in the next level: 16M rows
  using links = std::array<std::atomic<node*>, most_levels>;

  [[nodiscard]] static std::uint64_t prefix_of(std::string_view key);
  void* allocate(std::size_t bytes);
  [[nodiscard]] const links& heads_of(kv_table table) const;
  /// The first node with a key >= `key`; `before`, if not null: where a node of it would be linked.
  [[nodiscard]] static node* seek(const links& heads, std::string_view key,
                                  std::array<std::atomic<node*>*, most_levels>* before);
  [[nodiscard]] static std::optional<value> newest(const node& of, seq_no commit);
  int draw_level();

  std::array<links, kv_table_count> heads_{};
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* free_ = nullptr;
  std::size_t free_bytes_ = 0;
  std::uint64_t nodes_ = 0;
  std::atomic<std::uint64_t> bytes_{0};
};

} // namespace mneme
