// Attacks on Merkle logs and sparse Merkle trees that are on record elsewhere, one test each: the
// honest proof holds, the forged one does not.
// Of: journal/proof.cpp, journal/roots.cpp, journal/hash_rules.cpp

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

#include "journal/proof.hpp"
#include "journal/roots.hpp"
#include "journal/state_tree.hpp"
#include "journal/tree_shape.hpp"
#include "messages/hash.hpp"
#include "tests/journal/naive_log.hpp"
#include "tests/journal/sample_world.hpp"

using namespace mneme;
using samples::dice;
using samples::leaf_rows;
using samples::sample_world;

namespace {

/// A tree over `leaves`.
struct grown_tree {
  leaf_rows rows;
  state_tree tree{rows.source(), samples::kept_leaves()};

  explicit grown_tree(const std::vector<tree_leaf>& leaves) { change(leaves); }
  void change(const std::vector<tree_leaf>& leaves) {
    REQUIRE(tree.apply(leaves));
    rows.write(leaves);
  }
  [[nodiscard]] tree_proof prove(const digest& path) const { return tree.prove(path).value(); }
};

std::vector<tree_leaf> random_tree_leaves(std::size_t count, std::uint64_t seed) {
  dice random(seed);
  std::vector<tree_leaf> leaves;
  for (std::size_t i = 0; i < count; ++i)
    leaves.push_back({samples::random_hash(random), samples::random_hash(random)});
  return leaves;
}

/// A path of zeros but for these bits.
digest path_with(std::initializer_list<std::size_t> bits) {
  digest path;
  for (const auto bit : bits) path = with_path_bit(path, bit);
  return path;
}

digest value(int i) {
  return samples::hash_of_text("value " + std::to_string(i));
}

const std::vector<digest>& log_leaves() {
  static const auto leaves = [] {
    std::vector<digest> made;
    for (int i = 0; i < 8; ++i) made.push_back(log_leaf_hash("header " + std::to_string(i)));
    return made;
  }();
  return leaves;
}

} // namespace

TEST_CASE("attack 1: an inner node is not taken for a leaf") {
  // State tree: the children of the root presented as path and value of a lone leaf.
  const grown_tree two({{path_with({}), value(1)}, {path_with({0}), value(2)}});
  const auto left = tree_leaf_hash({path_with({}), value(1)});
  const auto right = tree_leaf_hash({path_with({0}), value(2)});
  REQUIRE(tree_node_hash(left, right) == two.tree.root());
  CHECK_FALSE(verify_tree_proof({.path = left, .value_hash = right, .other = {}, .siblings = {}},
                                two.tree.root()));
  CHECK_FALSE(verify_tree_proof(
      {.path = right, .value_hash = {}, .other = tree_leaf{left, right}, .siblings = {}},
      two.tree.root()));

  // Log: two leaf hashes presented as the header of a log of half the size.
  const auto root = naive_log::root(log_leaves());
  std::vector<digest> nodes;
  for (std::size_t i = 0; i < 8; i += 2)
    nodes.push_back(naive_log::node(log_leaves()[i], log_leaves()[i + 1]));
  const auto proof = naive_log::path(1, nodes);
  REQUIRE(verify_inclusion(nodes[1], 1, 4, proof, root)); // as a hash it would fold …
  std::string header(log_leaves()[2].raw());
  header += log_leaves()[3].raw();
  CHECK_FALSE(verify_inclusion(log_leaf_hash(header), 1, 4, proof, root)); // … but not as a leaf
}

TEST_CASE("attack 2: no field of a proof goes unhashed") {
  // A proof that claims presence and absence at once has a field that no hash covers.
  const grown_tree grown(random_tree_leaves(20, 1));
  const auto leaf = grown.rows.all()[3];
  auto both = grown.prove(leaf.path);
  REQUIRE(verify_tree_proof(both, grown.tree.root()));
  both.other = grown.rows.all()[4];
  CHECK_FALSE(verify_tree_proof(both, grown.tree.root()));
  both.other = leaf;
  CHECK_FALSE(verify_tree_proof(both, grown.tree.root()));
}

TEST_CASE("attack 3: absence of a present key is not forged") {
  const auto leaves = random_tree_leaves(200, 2);
  const grown_tree grown(leaves);
  std::size_t attempts = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    const auto& victim = leaves[i];
    const auto honest = grown.prove(victim.path);
    REQUIRE(verify_tree_proof(honest, grown.tree.root()));
    // The leaf is left out, or named as "another" one.
    CHECK_FALSE(verify_tree_proof(
        {.path = victim.path, .value_hash = {}, .other = {}, .siblings = honest.siblings},
        grown.tree.root()));
    CHECK_FALSE(verify_tree_proof(
        {.path = victim.path, .value_hash = {}, .other = victim, .siblings = honest.siblings},
        grown.tree.root()));
    // Every other leaf with its own honest siblings, as if it lay on the victim's way down.
    for (const auto& stranger : leaves) {
      if (stranger.path == victim.path) continue;
      const auto siblings = grown.prove(stranger.path).siblings;
      CHECK_FALSE(verify_tree_proof(
          {.path = victim.path, .value_hash = {}, .other = stranger, .siblings = siblings},
          grown.tree.root()));
      ++attempts;
    }
    // The proof cut short, with the siblings above as they are.
    for (std::size_t cut = 1; cut <= honest.siblings.size(); ++cut)
      CHECK_FALSE(verify_tree_proof(
          {.path = victim.path,
           .value_hash = {},
           .other = {},
           .siblings = {honest.siblings.begin() + static_cast<std::ptrdiff_t>(cut),
                        honest.siblings.end()}},
          grown.tree.root()));
  }
  CHECK(attempts == 20 * 199);
}

TEST_CASE("attack 3: another leaf that is not on the way down is refused before it is hashed") {
  // Under a root made for the purpose the fold would agree; the shared bits do not.
  const tree_leaf other{path_with({0}), value(1)};
  const digest absent = path_with({});
  const digest sibling = value(2);
  const digest root = tree_node_hash(tree_leaf_hash(other), sibling);
  CHECK_FALSE(verify_tree_proof(
      {.path = absent, .value_hash = {}, .other = other, .siblings = {sibling}}, root));
}

TEST_CASE("attack 4: a rewritten journal has no consistency proof") {
  const auto honest = log_leaves();
  for (std::size_t old_size = 1; old_size <= 8; ++old_size)
    for (std::size_t rewritten = 0; rewritten < old_size; ++rewritten) {
      auto forged = honest;
      forged[rewritten] = log_leaf_hash("forged");
      const auto old_root = naive_log::root(std::span(honest).first(old_size));
      const auto new_root = naive_log::root(forged);
      REQUIRE(verify_consistency(old_size, 8, naive_log::subproof(old_size, honest, true), old_root,
                                 naive_log::root(honest)));
      CHECK_FALSE(verify_consistency(old_size, 8, naive_log::subproof(old_size, forged, true),
                                     old_root, new_root));
      CHECK_FALSE(verify_consistency(old_size, 8, naive_log::subproof(old_size, honest, true),
                                     old_root, new_root));
    }
}

TEST_CASE("attack 5: an empty value is not absence") {
  const digest empty_value = sha256_of("");
  const digest path = path_with({3});
  const grown_tree grown({{path, empty_value}, {path_with({0}), value(1)}});
  CHECK(grown.tree.leaf_count() == 2);
  const auto proof = grown.prove(path);
  CHECK(proof.value_hash == empty_value);
  CHECK(verify_tree_proof(proof, grown.tree.root()));

  // And an absent key is not a member with the value of a deletion.
  const grown_tree none({});
  CHECK_FALSE(verify_tree_proof({.path = path, .value_hash = digest{}, .other = {}, .siblings = {}},
                                none.tree.root()));
  const auto zero_leaf = tree_leaf_hash({path, {}});
  CHECK_FALSE(verify_tree_proof({.path = path, .value_hash = digest{}, .other = {}, .siblings = {}},
                                zero_leaf));
}

TEST_CASE("attack 6: a proof is not carried to another tree, position, seq or world") {
  sample_world world;
  const auto key = samples::sample_key(state_namespace::memories, 1);
  // The same key and value in two namespaces, so that only the path tells them apart.
  REQUIRE(world.commit_one(
      {{state_namespace::memories, state_path(state_namespace::memories, key), value(1)},
       {state_namespace::edges, state_path(state_namespace::edges, key), value(1)}}));
  REQUIRE(world.commit_one({}));
  REQUIRE(world.commit_one({}));
  const ledger::proof_request request{.keys = {{state_namespace::memories, key}}, .seqs = {{2}}};
  const auto bundle = world.ledger.prove(request, {3}).value();
  REQUIRE(verify(bundle));

  auto moved = bundle;
  moved.states[0].ns = state_namespace::edges;
  CHECK_FALSE(verify(moved));
  moved.states[0].proof.path = state_path(state_namespace::edges, key);
  CHECK(verify(moved)); // a lone leaf under its own path is what the edges tree holds
  moved.roots.state_roots[0] = bundle.roots.state_roots[2];
  CHECK_FALSE(verify(moved));

  moved = bundle;
  moved.entries[0].seq = {1};
  CHECK_FALSE(verify(moved));
  moved = bundle;
  moved.roots = world.ledger.roots_at({2}).value();
  CHECK_FALSE(verify(moved));
  moved = bundle;
  moved.roots.world = {};
  CHECK_FALSE(verify(moved));
  moved.roots.overall = overall_root_of({}, {3}, moved.roots.journal_root, moved.roots.state_roots);
  CHECK(moved.roots.overall != bundle.roots.overall);
}

TEST_CASE("attack 7: left and right are not exchanged") {
  const tree_leaf left{path_with({}), value(1)};
  const tree_leaf right{path_with({0}), value(2)};
  const grown_tree grown({left, right});
  const auto a = tree_leaf_hash(left);
  const auto b = tree_leaf_hash(right);
  CHECK(grown.tree.root() == tree_node_hash(a, b));
  CHECK(grown.tree.root() != tree_node_hash(b, a));
  // The left leaf's proof under a path that lies on the right.
  auto proof = grown.prove(left.path);
  proof.path = path_with({0, 1});
  CHECK_FALSE(verify_tree_proof(proof, grown.tree.root()));
}

TEST_CASE("attack 8: an empty left and an empty right subtree do not look alike") {
  // Two leaves that part at the second bit, in the left and in the right half.
  const grown_tree left({{path_with({}), value(1)}, {path_with({1}), value(2)}});
  const grown_tree right({{path_with({0}), value(1)}, {path_with({0, 1}), value(2)}});
  const auto below_left = tree_node_hash(tree_leaf_hash({path_with({}), value(1)}),
                                         tree_leaf_hash({path_with({1}), value(2)}));
  const auto below_right = tree_node_hash(tree_leaf_hash({path_with({0}), value(1)}),
                                          tree_leaf_hash({path_with({0, 1}), value(2)}));
  CHECK(left.tree.root() == tree_node_hash(below_left, {}));
  CHECK(right.tree.root() == tree_node_hash({}, below_right));
  CHECK(tree_node_hash(below_left, {}) != tree_node_hash({}, below_left));
  CHECK(tree_node_hash(below_left, {}) != below_left);
}

TEST_CASE("attack 9: a deletion lifts a lone leaf, but never a subtree of two") {
  const tree_leaf one{path_with({}), value(1)};
  const tree_leaf two{path_with({1}), value(2)};
  const tree_leaf three{path_with({0}), value(3)};
  grown_tree grown({one, two, three});
  grown.change({{three.path, {}}});
  const auto pair = tree_node_hash(tree_leaf_hash(one), tree_leaf_hash(two));
  CHECK(grown.tree.root() == tree_node_hash(pair, {}));
  grown.change({{two.path, {}}});
  CHECK(grown.tree.root() == tree_leaf_hash(one));
  CHECK(grown.prove(one.path).siblings.empty());
}

TEST_CASE("attack 10: oversized and odd-sized proofs are refused") {
  const grown_tree grown(random_tree_leaves(50, 3));
  const auto leaf = grown.rows.all()[7];
  for (const std::size_t count : {257U, 258U, 512U, 1'000'000U}) {
    auto proof = grown.prove(leaf.path);
    proof.siblings.resize(count, value(1));
    CHECK_FALSE(verify_tree_proof(proof, grown.tree.root()));
    CHECK_FALSE(
        verify_inclusion(log_leaves()[0], 0, 8, proof.siblings, naive_log::root(log_leaves())));
    CHECK_FALSE(
        verify_consistency(3, 8, proof.siblings, log_leaves()[0], naive_log::root(log_leaves())));
  }
  proof_bundle bundle;
  bundle.roots = empty_roots({});
  bundle.roots.seq = {1};
  bundle.roots.overall =
      overall_root_of({}, {1}, bundle.roots.journal_root, bundle.roots.state_roots);
  bundle.entries.push_back({{1}, std::string(max_proof_header_bytes + 1, 'x'), {}});
  CHECK(verify(bundle).error().message == "the header is longer than any entry's");
}

TEST_CASE(
    "attack 11: ground keys that share all but the last bit make the deepest tree, no worse") {
  dice random(4);
  const digest base = samples::random_hash(random);
  auto last = base;
  last.bytes[31] ^= 1;
  grown_tree grown({{base, value(1)}, {last, value(2)}});
  const auto proof = grown.prove(base);
  CHECK(proof.siblings.size() == path_bits);
  CHECK(verify_tree_proof(proof, grown.tree.root()));

  // More of them than a bucket holds, 240 bits deep, among others.
  std::vector<tree_leaf> ground;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    auto path = base;
    path.bytes[30] = static_cast<std::uint8_t>(i >> 8);
    path.bytes[31] = static_cast<std::uint8_t>(i);
    ground.push_back({path, value(static_cast<int>(i))});
  }
  grown.change(ground);
  grown.change(random_tree_leaves(100, 5));
  CHECK(grown.tree.root() == tree_root_of(grown.rows.all()));
  for (std::size_t i = 0; i < ground.size(); i += 97) {
    const auto deep = grown.prove(ground[i].path);
    CHECK(deep.value_hash == ground[i].value_hash);
    CHECK(deep.siblings.size() > 240);
  }
  std::vector<tree_leaf> deletions;
  for (const auto& leaf : grown.rows.all()) deletions.push_back({leaf.path, {}});
  grown.change(deletions);
  CHECK(grown.tree.root().is_zero());
}

TEST_CASE("attack 12: a state has one encoding") {
  // A lone leaf, or an emptiness, one level deeper than it stands.
  const tree_leaf lone{path_with({}), value(1)};
  const digest deeper = tree_node_hash(tree_leaf_hash(lone), {});
  CHECK_FALSE(verify_tree_proof(
      {.path = lone.path, .value_hash = lone.value_hash, .other = {}, .siblings = {digest{}}},
      deeper));
  CHECK_FALSE(
      verify_tree_proof({.path = lone.path, .value_hash = {}, .other = {}, .siblings = {digest{}}},
                        tree_node_hash({}, {})));

  // Whatever the way to a state, its root is that of the state built at once.
  dice random(6);
  const auto leaves = random_tree_leaves(120, 7);
  grown_tree wandering({});
  for (int i = 0; i < 400; ++i) {
    const auto& leaf = leaves[random.below(leaves.size())];
    wandering.change({{leaf.path, random.one_in(2) ? leaf.value_hash : digest{}}});
  }
  const grown_tree at_once(wandering.rows.all());
  CHECK(wandering.tree.root() == at_once.tree.root());
}
