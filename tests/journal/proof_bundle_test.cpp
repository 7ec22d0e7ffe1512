// mneme::verify over bundles that a ledger made: they hold, nothing that differs in one place does,
// and the error says where.

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "journal/hash_rules.hpp"
#include "journal/proof.hpp"
#include "journal/roots.hpp"
#include "tests/journal/proof_mutations.hpp"
#include "tests/journal/sample_world.hpp"

using namespace mneme;
using samples::dice;
using samples::sample_world;

namespace {

constexpr std::uint64_t keys = 40;

void grow(sample_world& world, dice& random, int entries) {
  for (int i = 0; i < entries; ++i) REQUIRE(world.commit_one(samples::random_leaves(random, keys)));
}

/// Present and absent keys of every namespace, and some entries.
ledger::proof_request mixed_request(dice& random, seq_no last, int items) {
  ledger::proof_request request;
  for (int i = 0; i < items; ++i) {
    const auto ns = static_cast<state_namespace>(random.below(state_namespace_count));
    request.keys.emplace_back(ns, samples::sample_key(ns, random.below(keys + 10)));
    request.seqs.push_back({1 + random.below(last.value)});
  }
  return request;
}

} // namespace

TEST_CASE("a bundle holds in the order it was asked, and no bundle that differs in one place") {
  dice random(23);
  sample_world world;
  grow(world, random, 150);
  const auto request = mixed_request(random, {150}, 12);
  const auto bundle = world.ledger.prove(request, {150});
  REQUIRE(bundle);
  REQUIRE(verify(*bundle));
  REQUIRE(bundle->states.size() == request.keys.size());
  std::size_t present = 0;
  std::size_t beside_empty = 0;
  std::size_t beside_leaf = 0;
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    const auto& item = bundle->states[i];
    CHECK(item.ns == request.keys[i].first);
    CHECK(item.key == request.keys[i].second);
    (item.proof.value_hash ? present : item.proof.other ? beside_leaf : beside_empty) += 1;
  }
  CHECK(present > 0);
  CHECK(beside_empty > 0);
  CHECK(beside_leaf > 0);
  for (std::size_t i = 0; i < request.seqs.size(); ++i)
    CHECK(bundle->entries[i].seq == request.seqs[i]);

  std::size_t refused = 0;
  samples::each_mutation(*bundle, [&](const proof_bundle& wrong, const std::string& what) {
    INFO(what);
    const auto verdict = verify(wrong);
    if (verdict || verdict.error().code != errc::proof_mismatch) FAIL("accepted");
    ++refused;
  });
  CHECK(refused > 30'000);
}

TEST_CASE("the error of a bundle names the first thing that is wrong") {
  dice random(29);
  sample_world world;
  grow(world, random, 20);
  auto bundle = world.ledger.prove(mixed_request(random, {20}, 3), {20}).value();
  const auto at = [](const proof_bundle& b) { return verify(b).error().at; };
  auto wrong = bundle;
  wrong.roots.seq.value = 21;
  CHECK(at(wrong) == "root");
  wrong = bundle;
  wrong.states[2].key += 'x';
  wrong.entries[1].header += 'x';
  CHECK(at(wrong) == "proofs[2]");
  wrong.states[2] = bundle.states[2];
  CHECK(at(wrong) == "proofs[4]");
}

TEST_CASE("bundles of any ledger at any seq hold, and broken ones do not") {
  rc::prop("bundles", [](std::uint64_t seed) {
    dice random(seed);
    sample_world world;
    const auto entries = 1 + random.below(60);
    for (std::uint64_t i = 0; i < entries; ++i)
      RC_ASSERT(
          world.commit_one(samples::random_leaves(random, 1 + random.below(keys))).has_value());
    const seq_no at{1 + random.below(entries)};
    const auto bundle = world.ledger.prove(mixed_request(random, at, 1), at);
    RC_ASSERT(bundle.has_value());
    RC_ASSERT(verify(*bundle).has_value());
    samples::each_mutation(*bundle, [&](const proof_bundle& wrong, const std::string& what) {
      if (verify(wrong)) RC_FAIL("accepted: " + what);
    });
  });
}

TEST_CASE("a bundle without items shows the roots alone") {
  const auto roots = empty_roots(sample_world::default_world());
  CHECK(verify({.roots = roots, .states = {}, .entries = {}}));
  auto wrong = roots;
  wrong.journal_root = {};
  CHECK_FALSE(verify({.roots = wrong, .states = {}, .entries = {}}));
}

TEST_CASE("a header that is hashed but not canonical, or of another seq, is refused") {
  dice random(31);
  const auto header = samples::sample_entry({2}, samples::random_leaves(random, keys)).header_bytes;
  // A log of one entry that an engine would never write: its root is honest, its header is not.
  const auto bundle_over = [&](const std::string& bytes) {
    proof_bundle bundle;
    bundle.roots = empty_roots(sample_world::default_world());
    bundle.roots.seq = {1};
    bundle.roots.journal_root = log_leaf_hash(bytes);
    bundle.roots.overall = overall_root_of(bundle.roots.world, {1}, bundle.roots.journal_root, {});
    bundle.entries.push_back({{1}, bytes, {}});
    return bundle;
  };
  CHECK(verify(bundle_over(samples::sample_entry({1}, {}).header_bytes)));
  CHECK(verify(bundle_over(header)).error().message == "the header is of another seq");
  CHECK(verify(bundle_over(header + '\0')).error().message == "the header is not canonical");
  CHECK(verify(bundle_over("")).error().message == "the header is not canonical");
}
