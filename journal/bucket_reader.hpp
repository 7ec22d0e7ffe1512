#pragma once
/// The leaves of a state tree's buckets: those that are kept, or else the source's, which are kept
/// from then on.

#include "journal/leaf_cache.hpp"
#include "journal/state_tree.hpp"
#include "journal/tree_nodes.hpp"

namespace mneme {

/// Leaves below `prefix` (zero behind `depth` bits); corrupt unless in path order, within the
/// subtree and without zero values.
result<std::vector<tree_leaf>> read_subtree(const tree_leaf_source& source, const digest& prefix,
                                            std::size_t depth);

/// What leaves of the source are refused with.
std::unexpected<error> stale_source();

/// Borrows all that it is given.
class bucket_reader {
public:
  bucket_reader(node_arena& nodes, const tree_leaf_source& source, leaf_cache& kept)
      : nodes_(nodes), source_(source), kept_(kept) {}

  /// Good until the next read. Leaves that do not hash to what the tree says are refused as
  /// corrupt.
  result<bucket_view> read(node_index bucket, const digest& prefix, std::size_t depth);

private:
  node_arena& nodes_;
  const tree_leaf_source& source_;
  leaf_cache& kept_;
  leaf_bucket found_;
};

} // namespace mneme
