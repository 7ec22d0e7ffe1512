#include "journal/proof.hpp"

#include <bit>
#include <utility>

#include "journal/hash_rules.hpp"
#include "journal/roots.hpp"
#include "journal/tree_shape.hpp"
#include "messages/codec/entry.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// An audit path is `inner` nodes that stand left or right as the bits of the index say, then
/// `border` nodes along the right edge of the log, which all stand left.
struct path_lengths {
  std::size_t inner = 0;
  std::size_t border = 0;
};
path_lengths audit_path_lengths(std::uint64_t index, std::uint64_t size) {
  ensure(index < size, "an audit path is that of a leaf of the log");
  const auto inner = static_cast<int>(std::bit_width(index ^ (size - 1)));
  const std::uint64_t above = inner == 64 ? 0 : index >> inner;
  return {static_cast<std::size_t>(inner), static_cast<std::size_t>(std::popcount(above))};
}

digest fold_border(digest hash, std::span<const digest> border) {
  for (const auto& left : border) hash = log_node_hash(left, hash);
  return hash;
}

/// True if the path ends where the proof says and the terminal could stand there.
bool well_formed(const tree_proof& proof) {
  const std::size_t depth = proof.siblings.size();
  if (depth > path_bits) return false;
  // A lone leaf or an empty subtree stands as near to the root as it can: never beside an empty.
  if (depth > 0 && proof.siblings.front().is_zero()) return false;
  if (proof.value_hash) return !proof.other && !proof.value_hash->is_zero();
  if (!proof.other) return true;
  return proof.other->path != proof.path && !proof.other->value_hash.is_zero()
         && shared_path_bits(proof.other->path, proof.path) >= depth;
}

digest terminal_hash(const tree_proof& proof) {
  if (proof.value_hash) return tree_leaf_hash({proof.path, *proof.value_hash});
  return proof.other ? tree_leaf_hash(*proof.other) : digest{};
}

std::unexpected<error> mismatch(std::string message, std::size_t item) {
  return fail(errc::proof_mismatch, std::move(message), "proofs[" + std::to_string(item) + "]");
}

result<void> verify_state(const state_proof& item, const root_set& roots, std::size_t position) {
  const auto ns = static_cast<std::size_t>(item.ns);
  if (ns >= state_namespace_count) return mismatch("there is no such namespace", position);
  if (item.proof.siblings.size() > path_bits)
    return mismatch("there are more siblings than a path has bits", position);
  if (state_path(item.ns, item.key) != item.proof.path)
    return mismatch("the path is not that of the key", position);
  if (!verify_tree_proof(item.proof, roots.state_roots[ns]))
    return mismatch("the proof does not lead to the state root", position);
  return {};
}

result<void> verify_entry(const entry_proof& item, const root_set& roots, std::size_t position) {
  if (item.seq.value == 0 || item.seq > roots.seq)
    return mismatch("the root's journal has no entry of this seq", position);
  const std::uint64_t index = item.seq.value - 1;
  const auto lengths = audit_path_lengths(index, roots.seq.value);
  if (item.siblings.size() != lengths.inner + lengths.border)
    return mismatch("the number of siblings does not fit the seq", position);
  if (item.header.size() > max_proof_header_bytes)
    return mismatch("the header is longer than any entry's", position);
  if (!verify_inclusion(log_leaf_hash(item.header), index, roots.seq.value, item.siblings,
                        roots.journal_root))
    return mismatch("the proof does not lead to the journal root", position);
  const auto header = decode_entry_header(item.header);
  if (!header) return mismatch("the header is not canonical", position);
  if (header->seq != item.seq) return mismatch("the header is of another seq", position);
  return {};
}

} // namespace

bool verify_inclusion(const digest& leaf, std::uint64_t index, std::uint64_t size,
                      std::span<const digest> proof, const digest& root) {
  if (index >= size) return false;
  const auto [inner, border] = audit_path_lengths(index, size);
  if (proof.size() != inner + border) return false;
  digest hash = leaf;
  for (std::size_t i = 0; i < inner; ++i)
    hash = ((index >> i) & 1) != 0 ? log_node_hash(proof[i], hash) : log_node_hash(hash, proof[i]);
  return fold_border(hash, proof.subspan(inner)) == root;
}

bool verify_consistency(std::uint64_t old_size, std::uint64_t new_size,
                        std::span<const digest> proof, const digest& old_root,
                        const digest& new_root) {
  if (old_size > new_size) return false;
  if (old_size == 0 && old_root != empty_log_root()) return false;
  if (old_size == new_size) return proof.empty() && old_root == new_root;
  if (old_size == 0) return proof.empty();

  // The largest complete subtree at the old right edge: both folds start from it. If it is the
  // whole old log, the old root itself stands for it and the proof leaves it out.
  const int shift = std::countr_zero(old_size);
  const auto lengths = audit_path_lengths(old_size - 1, new_size);
  const std::size_t inner = lengths.inner - static_cast<std::size_t>(shift);
  const bool old_is_complete = std::has_single_bit(old_size);
  if (proof.size() != (old_is_complete ? 0 : 1) + inner + lengths.border) return false;
  const digest seed = old_is_complete ? old_root : proof.front();
  if (!old_is_complete) proof = proof.subspan(1);

  const std::uint64_t bits = (old_size - 1) >> shift;
  digest old_hash = seed;
  digest new_hash = seed;
  for (std::size_t i = 0; i < inner; ++i) {
    if (((bits >> i) & 1) != 0) {
      old_hash = log_node_hash(proof[i], old_hash);
      new_hash = log_node_hash(proof[i], new_hash);
    } else {
      new_hash = log_node_hash(new_hash, proof[i]);
    }
  }
  const auto border = proof.subspan(inner);
  return fold_border(old_hash, border) == old_root && fold_border(new_hash, border) == new_root;
}

bool verify_tree_proof(const tree_proof& proof, const digest& root) {
  return well_formed(proof)
         && state_tree_shape::fold(terminal_hash(proof), proof.path, proof.siblings) == root;
}

result<void> verify(const proof_bundle& bundle) {
  const root_set& roots = bundle.roots;
  if (overall_root_of(roots.world, roots.seq, roots.journal_root, roots.state_roots)
      != roots.overall)
    return fail(errc::proof_mismatch, "the parts do not hash to the overall root", "root");
  std::size_t position = 0;
  for (const auto& item : bundle.states)
    if (auto ok = verify_state(item, roots, position++); !ok) return ok;
  for (const auto& item : bundle.entries)
    if (auto ok = verify_entry(item, roots, position++); !ok) return ok;
  return {};
}

} // namespace mneme
