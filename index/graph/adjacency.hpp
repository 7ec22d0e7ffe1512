#pragma once
/// The edges of one node in one direction, sorted by (edge type, other id), every state of an edge
/// being an entry of its own, alive over [begin, end). A short list is one block; a long one is a
/// directory of blocks, so that adding to a hub copies one block at most. Readers may iterate while
/// the writer adds: blocks are replaced, never changed, except that an entry may be appended behind
/// the last one and an `end` may be set.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "index/columns/paged_column.hpp"
#include "index/numbers.hpp"
#include "index/reclamation.hpp"
#include "index/rows/node_table.hpp"
#include "mneme/types.hpp"

namespace mneme {

struct edge_entry {
  std::uint64_t id_prefix; ///< the first 8 bytes of the other id, big-endian: compares as they do
  std::uint64_t begin;
  std::uint64_t end; ///< atomic
  std::uint32_t node;
  edge_type type;
  std::uint8_t tombstoned; ///< 0 or 1; a byte, for what an image holds may be any
};

/// The prefix by which entries of this id sort.
std::uint64_t prefix_of(const memory_id& id);

/// Orders by (type, other id).
inline bool sorts_before(const node_table& nodes, const edge_entry& a, const edge_entry& b) {
  if (a.type != b.type) return a.type < b.type;
  if (a.id_prefix != b.id_prefix) return a.id_prefix < b.id_prefix;
  return a.node != b.node && nodes.id({a.node}) < nodes.id({b.node});
}

struct edge_block {
  std::uint32_t capacity;
  std::uint32_t size; ///< atomic; entries below it are readable

  [[nodiscard]] edge_entry* entries() { return reinterpret_cast<edge_entry*>(this + 1); }
  [[nodiscard]] const edge_entry* entries() const {
    return reinterpret_cast<const edge_entry*>(this + 1);
  }
};

struct edge_directory {
  std::uint32_t capacity;
  std::uint32_t size; ///< atomic

  /// Each is atomic; blocks are never empty.
  [[nodiscard]] edge_block** blocks() { return reinterpret_cast<edge_block**>(this + 1); }
  [[nodiscard]] edge_block* const* blocks() const {
    return reinterpret_cast<edge_block* const*>(this + 1);
  }
};

/// A list as its owner holds it: atomic; a block, or a directory with the lowest bit set; 0 =
/// empty.
using edge_list = std::uintptr_t;

/// The lists of an image, which stay there until they are changed: a list then is where its block
/// begins within `blocks`, in eights of bytes, with a mark that no pointer has. A block that is
/// replaced is left where it is.
struct saved_lists {
  static constexpr std::uintptr_t mark = 2;
  static constexpr unsigned mark_bits = 2;

  std::span<std::uint64_t> blocks{};

  static edge_list saved_at(std::size_t word) { return (std::uintptr_t{word} << mark_bits) | mark; }
  [[nodiscard]] static bool is_saved(edge_list list) { return (list & mark) != 0; }
  /// Such a word, of a place that is there.
  [[nodiscard]] bool may_be(edge_list list) const {
    return (list & ((1U << mark_bits) - 1)) == mark && (list >> mark_bits) < blocks.size();
  }
  /// Where it lies, for who does not look.
  [[nodiscard]] edge_list place_of(edge_list list) const {
    if (!is_saved(list)) return list;
    return reinterpret_cast<edge_list>(blocks.data() + (list >> mark_bits));
  }
  /// As whoever reads or writes it needs it; empty if its block does not lie within the others.
  [[nodiscard]] edge_list found(edge_list list) const {
    const edge_list place = place_of(list);
    if (!is_saved(list)) return place;
    const auto& block = *reinterpret_cast<const edge_block*>(place);
    const std::size_t room = (blocks.size() - (list >> mark_bits) - 1) * sizeof(blocks[0]);
    const std::uint32_t size = load_relaxed(block.size);
    return size <= block.capacity && block.capacity <= room / sizeof(edge_entry) ? place : 0;
  }
  [[nodiscard]] bool has(const edge_block* block) const {
    const auto* const at = reinterpret_cast<const std::uint64_t*>(block);
    return !std::less<>()(at, blocks.data()) && std::less<>()(at, blocks.data() + blocks.size());
  }
};

/// Reads the entries of a list in order. Its reader stands in a reclaimer::guard.
class edge_cursor {
public:
  explicit edge_cursor(edge_list list);
  /// The next entry, or nullptr.
  const edge_entry* next() {
    if (position_ == size_ && !enter_next_block()) return nullptr;
    return entries_ + position_++;
  }

private:
  bool enter_next_block();
  void enter(const edge_block& block);

  const edge_entry* entries_ = nullptr;
  std::uint32_t position_ = 0;
  std::uint32_t size_ = 0;
  edge_block* const* next_block_ = nullptr;
  edge_block* const* last_block_ = nullptr;
};

/// Adds to lists; the one writer of a graph has one.
class edge_list_writer {
public:
  edge_list_writer(const node_table& nodes, reclaimer& retired)
      : nodes_(nodes), retired_(retired) {}

  /// Before the first put: lists that are given to it may have blocks of these.
  void set_saved(const saved_lists& saved) { saved_ = saved; }

  /// What put() replaced.
  enum class edge_before : std::uint8_t { none, live, tombstoned };

  /// The edge's state from `entry.begin` on; the state before it ends there. Does nothing if it is
  /// the same state. Entries that ended at or before `retained` may be dropped on the way.
  edge_before put(edge_list& list, const edge_entry& entry, std::uint64_t retained);

  /// Every state of this edge becomes one of no seq at all; whether it was live.
  [[nodiscard]] bool forget(edge_list list, const edge_entry& edge) const;

  /// Appends the blocks of a list, whose entries are sorted already, to those of an image.
  static void save(std::span<const edge_entry> entries, std::vector<std::uint64_t>& blocks);
  /// The list whose blocks stand one behind the other from `block` on; 0 if they are not `count`.
  [[nodiscard]] edge_list adopt(std::size_t block, std::uint32_t count) const;
  /// Entries that one block holds.
  static constexpr std::uint32_t block_entries_max = 128;
  /// Frees a list that no reader can hold.
  void destroy(edge_list list) const;

private:
  struct place {
    edge_block* block;
    std::uint32_t block_index; ///< in the directory
    std::uint32_t position;    ///< behind the last entry that does not sort after
  };

  [[nodiscard]] place locate(edge_list list, const edge_entry& entry) const;
  void insert(edge_list& list, const place& at, const edge_entry& entry, std::uint64_t retained);
  void replace_block(edge_list& list, const place& at, edge_block* first, edge_block* second);
  [[nodiscard]] bool is_same_edge(const edge_entry& a, const edge_entry& b) const {
    return a.type == b.type && a.node == b.node;
  }

  void retire(edge_block* block);

  const node_table& nodes_;
  reclaimer& retired_;
  saved_lists saved_;
};

} // namespace mneme
