// The verifier of log proofs: it accepts every honest proof of every small log and nothing else.
// Of: journal/proof.cpp, journal/hash_rules.cpp

#include <functional>

#include <catch2/catch.hpp>

#include "journal/hash_rules.hpp"
#include "journal/proof.hpp"
#include "tests/journal/naive_log.hpp"
#include "tests/journal/sample_world.hpp"
#include "tests/vectors/rfc6962.hpp"

using namespace mneme;
using samples::hash_from_hex;

namespace {

constexpr std::size_t largest = 40;

const std::vector<digest>& leaves() {
  static const auto all = [] {
    std::vector<digest> made;
    for (std::size_t i = 0; i < largest; ++i)
      made.push_back(log_leaf_hash("header " + std::to_string(i)));
    return made;
  }();
  return all;
}

std::span<const digest> first(std::size_t size) {
  return std::span(leaves()).first(size);
}

/// Every bit flipped, every hash dropped, doubled, zeroed or swapped with its neighbour, and a hash
/// added at every place. `wrong(proof)` must be refused.
void each_broken(const std::vector<digest>& proof,
                 const std::function<void(const std::vector<digest>&)>& wrong) {
  for (std::size_t i = 0; i < proof.size(); ++i) {
    for (std::size_t bit = 0; bit < 256; ++bit) {
      auto flipped = proof;
      flipped[i].bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
      wrong(flipped);
    }
    const auto at = static_cast<std::ptrdiff_t>(i);
    auto dropped = proof;
    dropped.erase(dropped.begin() + at);
    wrong(dropped);
    auto doubled = proof;
    doubled.insert(doubled.begin() + at, proof[i]);
    wrong(doubled);
    auto zeroed = proof;
    zeroed[i] = {};
    wrong(zeroed);
    if (i + 1 < proof.size() && proof[i] != proof[i + 1]) {
      auto swapped = proof;
      std::swap(swapped[i], swapped[i + 1]);
      wrong(swapped);
    }
  }
  for (std::size_t i = 0; i <= proof.size(); ++i) {
    auto added = proof;
    added.insert(added.begin() + static_cast<std::ptrdiff_t>(i), leaves()[0]);
    wrong(added);
  }
}

digest flipped(digest hash) {
  hash.bytes[31] ^= 1;
  return hash;
}

} // namespace

TEST_CASE("published audit paths and consistency proofs are accepted") {
  for (const auto& known : vectors::log_inclusions) {
    std::vector<digest> proof;
    for (const auto& hex : known.proof) proof.push_back(hash_from_hex(hex));
    CHECK(verify_inclusion(
        log_leaf_hash(samples::bytes_from_hex(vectors::log_leaf_inputs[known.index])), known.index,
        known.size, proof, hash_from_hex(vectors::log_roots[known.size])));
  }
  for (const auto& known : vectors::log_consistencies) {
    std::vector<digest> proof;
    for (const auto& hex : known.proof) proof.push_back(hash_from_hex(hex));
    CHECK(verify_consistency(known.old_size, known.new_size, proof,
                             hash_from_hex(vectors::log_roots[known.old_size]),
                             hash_from_hex(vectors::log_roots[known.new_size])));
  }
}

TEST_CASE("every audit path of every log to 40 leaves is accepted, every broken one refused") {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (std::size_t size = 1; size <= largest; ++size) {
    const auto root = naive_log::root(first(size));
    for (std::size_t index = 0; index < size; ++index) {
      const auto& leaf = leaves()[index];
      const auto proof = naive_log::path(index, first(size));
      const auto holds = [&](const std::vector<digest>& changed) {
        return verify_inclusion(leaf, index, size, changed, root);
      };
      REQUIRE(holds(proof));
      ++accepted;
      bool any = false;
      each_broken(proof, [&](const auto& broken) {
        any = any || holds(broken);
        ++refused;
      });
      REQUIRE_FALSE(any);
      CHECK_FALSE(verify_inclusion(flipped(leaf), index, size, proof, root));
      CHECK_FALSE(verify_inclusion(leaf, index, size, proof, flipped(root)));
      for (std::size_t other = 0; other <= size; ++other)
        if (other != index) REQUIRE_FALSE(verify_inclusion(leaf, other, size, proof, root));
    }
  }
  CHECK(accepted == largest * (largest + 1) / 2);
  CHECK(refused > 900'000);
}

TEST_CASE("every consistency proof to 40 leaves is accepted, every broken one refused") {
  for (std::size_t size = 0; size <= largest; ++size) {
    const auto root = naive_log::root(first(size));
    CHECK(verify_consistency(0, size, {}, empty_log_root(), root));
    CHECK_FALSE(verify_consistency(0, size, {}, flipped(empty_log_root()), root));
    CHECK_FALSE(verify_consistency(0, size, std::vector{root}, empty_log_root(), root));
    for (std::size_t old_size = 1; old_size <= size; ++old_size) {
      const auto old_root = naive_log::root(first(old_size));
      const auto proof = naive_log::subproof(old_size, first(size), true);
      const auto holds = [&](const std::vector<digest>& changed) {
        return verify_consistency(old_size, size, changed, old_root, root);
      };
      REQUIRE(holds(proof));
      bool any = false;
      each_broken(proof, [&](const auto& broken) { any = any || holds(broken); });
      REQUIRE_FALSE(any);
      CHECK_FALSE(verify_consistency(old_size, size, proof, flipped(old_root), root));
      CHECK_FALSE(verify_consistency(old_size, size, proof, old_root, flipped(root)));
      if (old_size != size) {
        CHECK_FALSE(verify_consistency(size, old_size, proof, root, old_root));
        CHECK_FALSE(verify_consistency(old_size, size, proof, root, old_root));
        CHECK_FALSE(verify_consistency(old_size + 1, size, proof, old_root, root));
      }
    }
  }
}

TEST_CASE("indexes and sizes at the end of their range are refused without harm") {
  const auto root = naive_log::root(first(8));
  const auto proof = naive_log::path(5, first(8));
  constexpr auto most = UINT64_MAX;
  CHECK_FALSE(verify_inclusion(leaves()[5], most, most, proof, root));
  CHECK_FALSE(verify_inclusion(leaves()[5], most - 1, most, proof, root));
  CHECK_FALSE(verify_inclusion(leaves()[5], 0, most, proof, root));
  CHECK_FALSE(verify_inclusion(leaves()[5], 0, 0, {}, root));
  CHECK_FALSE(verify_consistency(1, most, proof, leaves()[0], root));
  CHECK_FALSE(verify_consistency(most - 1, most, proof, leaves()[0], root));
  CHECK_FALSE(verify_consistency(1ULL << 63, most, proof, leaves()[0], root));
}
