#include "journal/hash_rounds.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace mneme {

hash_rounds::slot hash_rounds::add(const digest& hash, std::uint32_t round) {
  places_.push_back({hash, round});
  return static_cast<slot>(places_.size() - 1);
}

hash_rounds::slot hash_rounds::wait(bool is_leaf, slot first, slot second) {
  const std::uint32_t round = 1 + std::max(places_[first].round, places_[second].round);
  if (ends_.size() <= round) ends_.resize(round + 1);
  ++ends_[round];
  const slot result = add({}, round);
  jobs_.push_back({is_leaf, first, second, result});
  return result;
}

hash_rounds::slot hash_rounds::known(const digest& hash) {
  return add(hash, 0);
}

hash_rounds::slot hash_rounds::leaf(const tree_leaf& leaf) {
  const slot path = known(leaf.path);
  return wait(true, path, known(leaf.value_hash));
}

hash_rounds::slot hash_rounds::node(slot left, slot right) {
  return wait(false, left, right);
}

void hash_rounds::run() {
  if (jobs_.empty()) return;
  // How many each round has becomes where its pairs begin, and then, as they are put, where they
  // end.
  std::uint32_t before = 0;
  for (auto& end : ends_) before += std::exchange(end, before);
  pairs_.resize(jobs_.size());
  for (const auto& [is_leaf, first, second, result] : jobs_) {
    const digest& a = places_[first].hash;
    const digest& b = places_[second].hash;
    auto& [hash, round] = places_[result];
    pairs_[ends_[round]++] = is_leaf ? tree_leaf_pair(a, b, hash) : tree_node_pair(a, b, hash);
  }
  before = 0;
  for (const std::uint32_t end : ends_) {
    sha256_of_pairs(std::span(pairs_).subspan(before, end - before));
    before = end;
  }
  jobs_.clear();
  ends_.clear();
  for (auto& at : places_) at.round = 0;
}

void hash_rounds::clear() {
  places_.clear();
  jobs_.clear();
  ends_.clear();
}

void hash_rounds::give_back(std::size_t most) {
  if (places_.capacity() > most) *this = {};
}

} // namespace mneme
