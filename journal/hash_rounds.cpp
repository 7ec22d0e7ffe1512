#include "journal/hash_rounds.hpp"

namespace mneme {

hash_rounds::slot hash_rounds::known(const digest& hash) {
  hashes_.push_back(hash);
  return static_cast<slot>(hashes_.size() - 1);
}

hash_rounds::slot hash_rounds::leaf(const tree_leaf& leaf) {
  const slot path = known(leaf.path);
  const slot value = known(leaf.value_hash);
  const slot result = known({});
  jobs_.push_back({true, path, value, result});
  return result;
}

hash_rounds::slot hash_rounds::node(slot left, slot right) {
  const slot result = known({});
  jobs_.push_back({false, left, right, result});
  return result;
}

void hash_rounds::run() {
  for (const auto& [is_leaf, first, second, result] : jobs_)
    hashes_[result] = is_leaf ? tree_leaf_hash({hashes_[first], hashes_[second]})
                              : tree_node_hash(hashes_[first], hashes_[second]);
  jobs_.clear();
}

void hash_rounds::clear() {
  hashes_.clear();
  jobs_.clear();
}

void hash_rounds::reserve(std::size_t hashes) {
  hashes_.reserve(hashes);
  jobs_.reserve(hashes);
}

} // namespace mneme
