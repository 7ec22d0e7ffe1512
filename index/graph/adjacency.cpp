#include "index/graph/adjacency.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::uint32_t block_entries_min = 2;
constexpr std::uintptr_t directory_bit = 1;

edge_block* new_block(std::uint32_t capacity) {
  void* memory = std::malloc(sizeof(edge_block) + capacity * sizeof(edge_entry));
  ensure(memory != nullptr, "out of memory for edges");
  return new (memory) edge_block{.capacity = capacity, .size = 0};
}

edge_directory* new_directory(std::uint32_t capacity) {
  void* memory = std::malloc(sizeof(edge_directory) + capacity * sizeof(edge_block*));
  ensure(memory != nullptr, "out of memory for edges");
  return new (memory) edge_directory{.capacity = capacity, .size = 0};
}

edge_directory* directory_of(edge_list list) {
  return (list & directory_bit) != 0 ? reinterpret_cast<edge_directory*>(list - directory_bit)
                                     : nullptr;
}
edge_block* block_of(edge_list list) {
  return reinterpret_cast<edge_block*>(list);
}
edge_list list_of(edge_block* block) {
  return reinterpret_cast<edge_list>(block);
}
edge_list list_of(edge_directory* directory) {
  return reinterpret_cast<edge_list>(directory) | directory_bit;
}

/// Writer: a block that holds `entries[0..count)`, not yet reachable.
edge_block* filled_block(const edge_entry* entries, std::uint32_t count, std::uint32_t capacity) {
  ensure(count >= 1 && count <= capacity, "a block is never empty and holds its entries");
  edge_block* block = new_block(capacity);
  std::copy_n(entries, count, block->entries());
  block->size = count;
  return block;
}

} // namespace

std::uint64_t prefix_of(const memory_id& id) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof prefix; ++i) prefix = prefix << 8 | id.bytes[i];
  return prefix;
}

edge_cursor::edge_cursor(edge_list list) {
  if (list == 0) return;
  if (const edge_directory* directory = directory_of(list)) {
    next_block_ = directory->blocks();
    last_block_ = next_block_ + load_acquire(directory->size);
    return;
  }
  enter(*block_of(list));
}

void edge_cursor::enter(const edge_block& block) {
  entries_ = block.entries();
  position_ = 0;
  size_ = load_acquire(block.size);
}

bool edge_cursor::enter_next_block() {
  if (next_block_ == last_block_) return false;
  enter(*load_acquire(*next_block_++));
  return true;
}

edge_list_writer::place edge_list_writer::locate(edge_list list, const edge_entry& entry) const {
  place at{.block = nullptr, .block_index = 0, .position = 0};
  const auto before = [this](const edge_entry& a, const edge_entry& b) {
    return sorts_before(nodes_, a, b);
  };
  if (edge_directory* directory = directory_of(list)) {
    ensure(directory->size > 0, "a directory has blocks");
    edge_block** const first = directory->blocks();
    edge_block** const behind = std::upper_bound(first, first + directory->size, entry,
                                                 [&](const edge_entry& e, const edge_block* block) {
                                                   return before(e, block->entries()[0]);
                                                 });
    at.block_index = behind == first ? 0 : static_cast<std::uint32_t>(behind - first) - 1;
    at.block = first[at.block_index];
  } else {
    at.block = block_of(list);
  }
  const edge_entry* const entries = at.block->entries();
  at.position = static_cast<std::uint32_t>(
      std::upper_bound(entries, entries + at.block->size, entry, before) - entries);
  return at;
}

edge_list_writer::edge_before edge_list_writer::put(edge_list& list, const edge_entry& entry,
                                                    std::uint64_t retained) {
  if (list == 0) {
    store_release(list, list_of(filled_block(&entry, 1, block_entries_min)));
    return edge_before::none;
  }
  const place at = locate(list, entry);
  edge_before replaced = edge_before::none;
  if (at.position != 0) {
    edge_entry& last = at.block->entries()[at.position - 1];
    if (is_same_edge(last, entry) && last.end == forever) {
      replaced = last.tombstoned != 0 ? edge_before::tombstoned : edge_before::live;
      if (last.tombstoned == entry.tombstoned) return replaced;
      ensure(last.begin <= entry.begin, "edges are put in seq order");
      store_release(last.end, entry.begin);
    }
  }
  insert(list, at, entry, retained);
  return replaced;
}

bool edge_list_writer::forget(edge_list list, const edge_entry& edge) const {
  bool was_live = false;
  const auto look_through = [&](edge_block& block) {
    for (edge_entry& e : std::span(block.entries(), block.size)) {
      if (!is_same_edge(e, edge)) continue;
      was_live = was_live || (e.end == forever && e.tombstoned == 0);
      store_release(e.end, e.begin);
    }
  };
  if (edge_directory* directory = directory_of(list)) {
    for (edge_block* block : std::span(directory->blocks(), directory->size)) look_through(*block);
  } else if (list != 0) {
    look_through(*block_of(list));
  }
  return was_live;
}

void edge_list_writer::insert(edge_list& list, const place& at, const edge_entry& entry,
                              std::uint64_t retained) {
  edge_block& block = *at.block;
  if (at.position == block.size && block.size < block.capacity) {
    block.entries()[at.position] = entry;
    store_release(block.size, block.size + 1);
    return;
  }
  std::vector<edge_entry> all;
  all.reserve(block.size + 1);
  const edge_entry* const old = block.entries();
  const auto keep = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i)
      if (old[i].end > retained) all.push_back(old[i]);
  };
  keep(0, at.position);
  const bool is_last = at.position == block.size;
  all.push_back(entry);
  keep(at.position, block.size);
  const auto count = static_cast<std::uint32_t>(all.size());
  if (count <= block_entries_max) {
    const std::uint32_t capacity = std::min(
        block_entries_max, std::max(count + (count < 8 ? 0 : count / 2), block_entries_min));
    replace_block(list, at, filled_block(all.data(), count, std::max(capacity, count)), nullptr);
    return;
  }
  // Ids mostly ascend, so a full block at the end stays full and a new one begins.
  const edge_directory* directory = directory_of(list);
  const bool at_end = is_last && (directory == nullptr || at.block_index + 1 == directory->size);
  const std::uint32_t left = at_end ? count - 1 : count / 2;
  ensure(left <= block_entries_max && count - left <= block_entries_max, "two blocks hold a list");
  edge_block* const second = filled_block(all.data() + left, count - left, block_entries_max);
  if (at_end && left == block.size)
    replace_block(list, at, at.block, second);
  else
    replace_block(list, at, filled_block(all.data(), left, block_entries_max), second);
}

/// Puts one block, or two, where one was.
void edge_list_writer::replace_block(edge_list& list, const place& at, edge_block* first,
                                     edge_block* second) {
  edge_directory* directory = directory_of(list);
  if (second == nullptr) {
    if (directory != nullptr)
      store_release(directory->blocks()[at.block_index], first);
    else
      store_release(list, list_of(first));
  } else if (directory != nullptr && at.block_index + 1 == directory->size && second->size == 1
             && directory->size < directory->capacity) {
    // Readers that hold the old size miss nothing but the new entry, which is behind all others.
    directory->blocks()[directory->size] = second;
    store_release(directory->blocks()[at.block_index], first);
    store_release(directory->size, directory->size + 1);
  } else {
    const std::uint32_t count = directory == nullptr ? 1 : directory->size;
    ensure(at.block_index < count, "a block that is replaced is in its directory");
    edge_directory* wider = new_directory(count + 1 + count / 2);
    edge_block** const to = wider->blocks();
    if (directory != nullptr) std::copy_n(directory->blocks(), at.block_index, to);
    to[at.block_index] = first;
    to[at.block_index + 1] = second;
    if (directory != nullptr)
      std::copy_n(directory->blocks() + at.block_index + 1, count - at.block_index - 1,
                  to + at.block_index + 2);
    wider->size = count + 1;
    store_release(list, list_of(wider));
    if (directory != nullptr) retired_.retire(directory, std::free);
  }
  if (first != at.block) retire(at.block);
}

void edge_list_writer::retire(edge_block* block) {
  if (!saved_.has(block)) retired_.retire(block, std::free);
}

void edge_list_writer::save(std::span<const edge_entry> entries,
                            std::vector<std::uint64_t>& blocks) {
  static_assert(sizeof(edge_block) == 8 && sizeof(edge_entry) % 8 == 0 && alignof(edge_entry) == 8);
  constexpr std::size_t entry_words = sizeof(edge_entry) / sizeof(std::uint64_t);
  while (!entries.empty()) {
    const auto part = entries.first(std::min<std::size_t>(block_entries_max, entries.size()));
    const auto size = static_cast<std::uint32_t>(part.size());
    const std::size_t at = blocks.size();
    blocks.resize(at + 1 + part.size() * entry_words);
    const edge_block head{.capacity = size, .size = size};
    std::memcpy(&blocks[at], &head, sizeof head);
    std::memcpy(&blocks[at + 1], part.data(), part.size_bytes());
    entries = entries.subspan(part.size());
  }
}

edge_list edge_list_writer::adopt(std::size_t block, std::uint32_t count) const {
  constexpr std::size_t entry_words = sizeof(edge_entry) / sizeof(std::uint64_t);
  const std::uint64_t most = saved_.blocks.size() / entry_words;
  if (count == 0 || count > most || block >= saved_.blocks.size()) return 0;
  const std::uint32_t block_count = (count + block_entries_max - 1) / block_entries_max;
  edge_directory* directory = new_directory(block_count + block_count / 2);
  std::uint32_t found = 0;
  while (found < count && block < saved_.blocks.size()) {
    auto* const there = reinterpret_cast<edge_block*>(&saved_.blocks[block]);
    if (there->size == 0 || there->size > std::min(block_entries_max, count - found)) break;
    if (directory->size == block_count) break;
    directory->blocks()[directory->size++] = there;
    found += there->size;
    block += 1 + there->size * entry_words;
  }
  if (found == count && block <= saved_.blocks.size()) return list_of(directory);
  std::free(directory);
  return 0;
}

void edge_list_writer::destroy(edge_list list) const {
  const auto free_own = [this](edge_block* block) {
    if (!saved_.has(block)) std::free(block);
  };
  if (saved_lists::is_saved(list)) return;
  if (edge_directory* directory = directory_of(list)) {
    for (std::uint32_t i = 0; i < directory->size; ++i) free_own(directory->blocks()[i]);
    std::free(directory);
  } else {
    free_own(block_of(list));
  }
}

} // namespace mneme
