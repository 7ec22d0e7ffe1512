#pragma once
/// Stores and journals in memory, and seeded samples, for the tests of the ledger and its parts.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/leaf_cache.hpp"
#include "journal/ledger.hpp"
#include "journal/state_tree.hpp"

namespace mneme::samples {

/// Precondition: well-formed hex.
digest hash_from_hex(std::string_view hex);
std::string bytes_from_hex(std::string_view hex);
digest hash_of_text(std::string_view text);

/// splitmix64: the same numbers everywhere.
class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// 0 .. limit - 1
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

private:
  std::uint64_t state_;
};

/// Paths that crowd: a few stems, each varied in a few bits near its front, middle or end, so that
/// subtrees fill up and many paths share all but their last bits.
digest crowded_path(dice& random);
digest random_hash(dice& random);

/// Rows of one state tree in memory.
class leaf_rows {
public:
  void write(std::span<const tree_leaf> changes);
  [[nodiscard]] std::vector<tree_leaf> range(const digest& first, const digest& last) const;
  [[nodiscard]] std::vector<tree_leaf> all() const;
  [[nodiscard]] digest value(const digest& path) const;
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// A source over these rows, which must outlive it.
  [[nodiscard]] tree_leaf_source source() const;

private:
  std::map<digest, digest> rows_;
};

/// A cache of so many bytes for one tree; a bucket takes 0.1 to 3 KiB.
std::shared_ptr<leaf_cache> kept_leaves(std::uint64_t most_bytes = 1 << 20);

entry sample_entry(seq_no seq, std::vector<state_leaf> leaves);
/// Leaves of random keys out of few, a third of them deletions, in all namespaces.
std::vector<state_leaf> random_leaves(dice& random, std::uint64_t keys);
/// Key `number` of a namespace, of the length that its keys have.
std::string sample_key(state_namespace ns, std::uint64_t number);

/// A ledger with the store and the journal that it reads.
class sample_world {
public:
  sample_world();
  explicit sample_world(const world_id& world,
                        std::uint64_t leaf_cache_bytes = default_leaf_cache_bytes);
  sample_world(const sample_world&) = delete;
  sample_world& operator=(const sample_world&) = delete;

  static world_id default_world();

  /// Journal, ledger, then rows, as the engine does.
  result<root_set> commit(std::vector<entry> entries);
  result<root_set> commit_one(std::vector<state_leaf> leaves);
  /// The next entry's number.
  [[nodiscard]] seq_no next_seq() const { return {headers.size() + 1}; }

  std::vector<std::string> headers; ///< the journal: header bytes of entry i + 1
  std::array<leaf_rows, state_namespace_count> rows;
  std::uint64_t failing_reads = 0; ///< so many of the next reads of leaves fail
  bool journal_fails = false;
  std::uint64_t header_readers = 0; ///< so many questions were put to the journal
  std::uint64_t headers_read = 0;
  mneme::ledger ledger;

private:
  ledger_sources sources();
};

/// Roots computed the slow way from nothing but header leaves.
root_set roots_from_scratch(const world_id& world, std::span<const entry> entries);

} // namespace mneme::samples
