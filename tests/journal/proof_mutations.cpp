#include "tests/journal/proof_mutations.hpp"

#include <utility>

namespace mneme::samples {

namespace {

using visitor = std::function<void(const std::string&)>;

/// Flips each bit of `bytes` in turn, calls, and flips it back.
template <class Bytes>
void flip_each_bit(Bytes& bytes, const std::string& what, const visitor& changed) {
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto& byte = bytes[bit / 8];
    const auto old = byte;
    byte = static_cast<std::remove_reference_t<decltype(byte)>>(static_cast<unsigned char>(byte)
                                                                ^ (1U << (bit % 8)));
    changed(what + " bit " + std::to_string(bit));
    byte = old;
  }
}

/// Sets `place` to `value`, calls, and sets it back.
template <class T, class U>
void with(T& place, U value, const std::string& what, const visitor& changed) {
  const T old = place;
  place = std::move(value);
  if (!(place == old)) changed(what);
  place = old;
}

void each_sibling_mutation(std::vector<digest>& siblings, const std::string& what,
                           const visitor& changed) {
  for (std::size_t i = 0; i < siblings.size(); ++i) {
    const std::string one = what + " sibling " + std::to_string(i);
    flip_each_bit(siblings[i].bytes, one, changed);
    with(siblings[i], digest{}, one + " zeroed", changed);
    auto dropped = siblings;
    dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(i));
    with(siblings, dropped, one + " dropped", changed);
    auto doubled = siblings;
    doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(i), siblings[i]);
    with(siblings, doubled, one + " doubled", changed);
    for (std::size_t j = 0; j < i; ++j) {
      auto swapped = siblings;
      std::swap(swapped[i], swapped[j]);
      with(siblings, swapped, one + " swapped with " + std::to_string(j), changed);
    }
  }
  digest some;
  some.bytes.fill(7);
  for (std::size_t i = 0; i <= siblings.size(); ++i)
    for (const auto& hash : {digest{}, some}) {
      auto added = siblings;
      added.insert(added.begin() + static_cast<std::ptrdiff_t>(i), hash);
      with(siblings, added, what + " sibling added at " + std::to_string(i), changed);
    }
  with(siblings, std::vector<digest>{}, what + " without siblings", changed);
  with(siblings, std::vector<digest>(257), what + " with 257 siblings", changed);
}

void each_state_mutation(state_proof& item, const std::string& what, const visitor& changed) {
  for (std::uint8_t ns = 0; ns < 5; ++ns)
    with(item.ns, static_cast<state_namespace>(ns), what + " in namespace " + std::to_string(ns),
         changed);
  flip_each_bit(item.key, what + " key", changed);
  with(item.key, item.key + '\0', what + " key longer", changed);
  with(item.key, item.key.substr(1), what + " key shorter", changed);
  tree_proof& proof = item.proof;
  flip_each_bit(proof.path.bytes, what + " path", changed);
  each_sibling_mutation(proof.siblings, what, changed);
  if (proof.value_hash) {
    flip_each_bit(proof.value_hash->bytes, what + " value", changed);
    const tree_leaf own{proof.path, *proof.value_hash};
    with(proof.other, own, what + " also with another leaf", changed);
    with(proof.value_hash, digest{}, what + " as deletion", changed);
    with(proof.value_hash, std::nullopt, what + " as absent", changed);
    proof.other = own;
    with(proof.value_hash, std::nullopt, what + " absent beside its own leaf", changed);
    proof.other.reset();
  } else {
    digest value;
    value.bytes.fill(1);
    with(proof.value_hash, value, what + " as present", changed);
    if (proof.other) {
      const auto other = *proof.other;
      with(proof.value_hash, other.value_hash, what + " with the other's value", changed);
      flip_each_bit(proof.other->path.bytes, what + " other path", changed);
      flip_each_bit(proof.other->value_hash.bytes, what + " other value", changed);
      with(proof.other->path, proof.path, what + " other is itself", changed);
      with(proof.other, std::nullopt, what + " other removed", changed);
    } else {
      with(proof.other, tree_leaf{item.proof.path, value}, what + " other is itself", changed);
      with(proof.other, tree_leaf{value, value}, what + " other invented", changed);
    }
  }
}

void each_entry_mutation(entry_proof& item, const std::string& what, const visitor& changed) {
  const std::uint64_t own = item.seq.value;
  for (const std::uint64_t seq :
       std::initializer_list<std::uint64_t>{own - 1, own + 1, 0, own ^ (1ULL << 63), UINT64_MAX})
    with(item.seq, seq_no{seq}, what + " as seq " + std::to_string(seq), changed);
  flip_each_bit(item.header, what + " header", changed);
  with(item.header, item.header + '\0', what + " header longer", changed);
  with(item.header, item.header.substr(0, item.header.size() - 1), what + " header shorter",
       changed);
  with(item.header, std::string(), what + " header empty", changed);
  each_sibling_mutation(item.siblings, what, changed);
}

} // namespace

void each_mutation(const proof_bundle& bundle,
                   const std::function<void(const proof_bundle&, const std::string&)>& wrong) {
  proof_bundle copy = bundle;
  const visitor changed = [&](const std::string& what) { wrong(copy, what); };
  root_set& roots = copy.roots;
  flip_each_bit(roots.world.bytes, "world", changed);
  flip_each_bit(roots.journal_root.bytes, "journal root", changed);
  for (auto& root : roots.state_roots) flip_each_bit(root.bytes, "state root", changed);
  flip_each_bit(roots.overall.bytes, "overall root", changed);
  for (int bit = 0; bit < 64; ++bit)
    with(roots.seq, seq_no{roots.seq.value ^ (1ULL << bit)}, "seq", changed);
  for (std::size_t i = 0; i < copy.states.size(); ++i)
    each_state_mutation(copy.states[i], "state " + std::to_string(i), changed);
  for (std::size_t i = 0; i < copy.entries.size(); ++i)
    each_entry_mutation(copy.entries[i], "entry " + std::to_string(i), changed);
}

} // namespace mneme::samples
