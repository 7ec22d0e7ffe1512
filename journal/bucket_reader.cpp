#include "journal/bucket_reader.hpp"

#include <utility>

namespace mneme {

namespace {

/// The last path below `prefix`: all bits from `depth` on are set.
digest last_path(digest prefix, std::size_t depth) {
  for (std::size_t bit = depth; bit < path_bits && bit % 8 != 0; ++bit)
    prefix = with_path_bit(prefix, bit);
  for (std::size_t byte = (depth + 7) / 8; byte < prefix.bytes.size(); ++byte)
    prefix.bytes[byte] = 0xFF;
  return prefix;
}

/// Has the processor load what will be looked at here and there.
template <class T>
void fetch_ahead(const std::vector<T>& items) {
  constexpr std::size_t line = 64;
  const auto* bytes = reinterpret_cast<const char*>(items.data());
  for (std::size_t at = 0; at < items.size() * sizeof(T); at += line)
    __builtin_prefetch(bytes + at);
}

} // namespace

std::unexpected<error> stale_source() {
  return fail(
      errc::corrupt,
      "the state leaves do not fit the state tree: make a checkpoint, which takes them away "
      "if they are damaged, and open the world again");
}

result<std::vector<tree_leaf>> read_subtree(const tree_leaf_source& source, const digest& prefix,
                                            std::size_t depth) {
  const digest last = last_path(prefix, depth);
  auto leaves = source(prefix, last);
  if (!leaves) return leaves;
  for (std::size_t i = 0; i < leaves->size(); ++i) {
    const auto& [path, value_hash] = (*leaves)[i];
    const bool in_order = i == 0 ? prefix <= path : (*leaves)[i - 1].path < path;
    if (!in_order || last < path || value_hash.is_zero()) return stale_source();
  }
  return leaves;
}

result<bucket_view> bucket_reader::read(node_index bucket, const digest& prefix,
                                        std::size_t depth) {
  if (const auto* kept = kept_.find(nodes_[bucket].page)) {
    fetch_ahead(kept->leaves);
    fetch_ahead(kept->forks);
    return bucket_view(*kept);
  }
  auto leaves = read_subtree(source_, prefix, depth);
  if (!leaves) return propagate(leaves);
  const subtree hashed = hash_bucket(std::move(*leaves), depth, found_);
  if (hashed != nodes_[bucket].whole) return stale_source();
  tree_node& node = nodes_.change(bucket);
  node.page = kept_.put(node.page, found_);
  return bucket_view(found_);
}

} // namespace mneme
