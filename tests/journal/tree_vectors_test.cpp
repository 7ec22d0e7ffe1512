// The shape and the hash rules of the state trees against other systems' published constants, and
// against our own from an independent model.
// Of: journal/hash_rules.cpp, journal/roots.cpp, journal/state_tree.cpp

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

#include "journal/merkle_log.hpp"
#include "journal/proof.hpp"
#include "journal/roots.hpp"
#include "journal/state_tree.hpp"
#include "journal/tree_shape.hpp"
#include "messages/codec/entry.hpp"
#include "messages/hash.hpp"
#include "tests/journal/sample_world.hpp"
#include "tests/vectors/ics23_smt.hpp"
#include "tests/vectors/jmt_sha256.hpp"
#include "tests/vectors/mneme_roots.hpp"

using namespace mneme;
using samples::hash_from_hex;

namespace {

/// The same shape under the tags of another system.
struct jmt_rule {
  static digest leaf(const tree_leaf& l) {
    sha256 hasher;
    return hasher.update(vectors::jmt_leaf_tag)
        .update(l.path.raw())
        .update(l.value_hash.raw())
        .finish();
  }
  static digest node(const digest& left, const digest& right) {
    sha256 hasher;
    return hasher.update(vectors::jmt_node_tag).update(left.raw()).update(right.raw()).finish();
  }
  static digest empty() {
    digest hash;
    std::ranges::copy(vectors::jmt_empty, hash.bytes.begin());
    return hash;
  }
};

std::string model_key(unsigned char byte) {
  return std::string(16, static_cast<char>(byte));
}

tree_leaf model_leaf(unsigned char i) {
  return {state_path(state_namespace::memories, model_key(i)),
          sha256_of(std::string("value") + static_cast<char>(i))};
}

template <class Hexes>
std::vector<digest> hashes(const Hexes& hexes) {
  std::vector<digest> all;
  for (const auto& hex : hexes) all.push_back(hash_from_hex(hex));
  return all;
}

} // namespace

TEST_CASE("the tree's shape gives the published JMT roots under JMT's tags") {
  for (const auto& tree : vectors::jmt_trees) {
    std::vector<tree_leaf> leaves;
    for (const auto& [key, value] : tree.contents)
      leaves.push_back({sha256_of(key), sha256_of(value)});
    std::ranges::sort(leaves, {}, &tree_leaf::path);
    CHECK(to_hex(tree_shape<jmt_rule>::of(leaves, 0).hash) == tree.root);
    for (const auto& leaf : leaves) {
      std::vector<subtree> beside;
      const auto end = tree_shape<jmt_rule>::descend(leaves, 0, leaf.path, beside);
      REQUIRE(end.size() == 1);
      std::vector<digest> siblings;
      for (auto step = beside.rbegin(); step != beside.rend(); ++step)
        siblings.push_back(step->hash);
      CHECK(to_hex(tree_shape<jmt_rule>::fold(jmt_rule::leaf(end[0]), leaf.path, siblings))
            == tree.root);
    }
  }
}

TEST_CASE("the verifier accepts the published ICS23 memberships and no changed one") {
  for (const auto& known : vectors::ics23_inclusions) {
    const digest root = hash_from_hex(known.root);
    tree_proof proof{.path = sha256_of(samples::bytes_from_hex(known.key)),
                     .value_hash = sha256_of(samples::bytes_from_hex(known.value)),
                     .other = {},
                     .siblings = hashes(known.siblings)};
    CHECK(verify_tree_proof(proof, root));
    for (auto& sibling : proof.siblings) {
      sibling.bytes[3] ^= 4;
      CHECK_FALSE(verify_tree_proof(proof, root));
      sibling.bytes[3] ^= 4;
    }
    proof.value_hash = sha256_of("another value");
    CHECK_FALSE(verify_tree_proof(proof, root));
  }
}

TEST_CASE("roots of 0 to 16 keys and back to none are those of the model") {
  samples::leaf_rows rows;
  state_tree tree(rows.source(), samples::kept_leaves());
  CHECK(to_hex(tree.root()) == vectors::memories_roots[0]);
  for (unsigned char i = 0; i < 16; ++i) {
    const std::array change{model_leaf(i)};
    REQUIRE(tree.apply(change));
    rows.write(change);
    CHECK(to_hex(tree.root()) == vectors::memories_roots[i + 1U]);
  }
  for (unsigned char i = 16; i-- > 0;) {
    const std::array change{tree_leaf{model_leaf(i).path, {}}};
    REQUIRE(tree.apply(change));
    rows.write(change);
    CHECK(to_hex(tree.root()) == vectors::memories_roots[i]);
  }
}

TEST_CASE("absence of each kind is proved as by the model") {
  samples::leaf_rows rows;
  state_tree tree(rows.source(), samples::kept_leaves());
  std::vector<tree_leaf> leaves;
  for (unsigned char i = 0; i < 16; ++i) leaves.push_back(model_leaf(i));
  REQUIRE(tree.apply(leaves));
  rows.write(leaves);

  const auto empty =
      tree.prove(state_path(state_namespace::memories, model_key(vectors::absent_empty_key)));
  REQUIRE(empty);
  CHECK_FALSE(empty->value_hash);
  CHECK_FALSE(empty->other);
  CHECK(empty->siblings == hashes(vectors::absent_empty_siblings));
  CHECK(verify_tree_proof(*empty, hash_from_hex(vectors::memories_roots[16])));

  const auto other =
      tree.prove(state_path(state_namespace::memories, model_key(vectors::absent_other_key)));
  REQUIRE(other);
  CHECK_FALSE(other->value_hash);
  REQUIRE(other->other);
  CHECK(to_hex(other->other->path) == vectors::absent_other_leaf_path);
  CHECK(to_hex(other->other->value_hash) == vectors::absent_other_leaf_value);
  CHECK(other->siblings == hashes(vectors::absent_other_siblings));
  CHECK(verify_tree_proof(*other, hash_from_hex(vectors::memories_roots[16])));
}

TEST_CASE("the journal root and the overall root are those of the model") {
  merkle_log log;
  for (int i = 0; i < 16; ++i) log.append(log_leaf_hash("header " + std::to_string(i)));
  CHECK(to_hex(log.root()) == vectors::journal_root_16);
  const state_root_array state_roots{hash_from_hex(vectors::memories_roots[0]),
                                     hash_from_hex(vectors::memories_roots[1]),
                                     hash_from_hex(vectors::memories_roots[16])};
  CHECK(
      to_hex(overall_root_of(samples::sample_world::default_world(), {16}, log.root(), state_roots))
      == vectors::overall_root_16);
}

TEST_CASE("an empty world has the roots of nothing") {
  const auto world = samples::sample_world::default_world();
  const auto roots = empty_roots(world);
  CHECK(roots.seq.value == 0);
  CHECK(roots.journal_root == sha256_of(""));
  CHECK(roots.state_roots == state_root_array{});
  CHECK(roots.overall == overall_root_of(world, {}, roots.journal_root, {}));
  CHECK(roots.overall != empty_roots(world_id{}).overall);
}
