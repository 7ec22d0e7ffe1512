// The ledger against roots computed from scratch: at every entry, however entries are grouped; at
// every retained earlier seq; after save, load and rebuild; and unchanged when a source fails.
// Of: journal/ledger_image.cpp, journal/undo_list.cpp

#include "journal/ledger.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "journal/merkle_log.hpp"
#include "journal/proof.hpp"
#include "journal/roots.hpp"
#include "tests/journal/naive_log.hpp"
#include "tests/journal/sample_world.hpp"

using namespace mneme;
using samples::dice;
using samples::sample_world;

namespace {

std::vector<entry> random_entries(dice& random, std::uint64_t count, std::uint64_t keys) {
  std::vector<entry> entries;
  for (std::uint64_t seq = 1; seq <= count; ++seq)
    entries.push_back(samples::sample_entry({seq}, samples::random_leaves(random, keys)));
  return entries;
}

/// Roots after 0, 1, … entries.
std::vector<root_set> recorded_roots(std::span<const entry> entries) {
  std::vector<root_set> roots;
  for (std::size_t count = 0; count <= entries.size(); ++count)
    roots.push_back(
        samples::roots_from_scratch(sample_world::default_world(), entries.first(count)));
  return roots;
}

/// Commits `entries` in groups of random sizes.
void commit_grouped(sample_world& world, dice& random, std::span<const entry> entries,
                    std::uint64_t group_max) {
  while (!entries.empty()) {
    const auto size = std::min<std::size_t>(1 + random.below(group_max), entries.size());
    const auto group = entries.first(size);
    RC_ASSERT(world.commit({group.begin(), group.end()}).has_value());
    entries = entries.subspan(size);
  }
}

/// Every key of every namespace, asked of `world` at `seq`, agrees with the entries up to there.
void check_proofs(const sample_world& world, std::span<const entry> entries, seq_no seq,
                  std::uint64_t keys, const root_set& roots) {
  ledger::proof_request request;
  for (std::size_t ns = 0; ns < state_namespace_count; ++ns)
    for (std::uint64_t key = 0; key < keys; ++key) {
      const auto name = static_cast<state_namespace>(ns);
      request.keys.emplace_back(name, samples::sample_key(name, key));
    }
  for (std::uint64_t i = 1; i <= seq.value; i += 7) request.seqs.push_back({i});
  const auto bundle = world.ledger.prove(request, seq);
  RC_ASSERT(bundle.has_value());
  RC_ASSERT(bundle->roots == roots);
  RC_ASSERT(verify(*bundle).has_value());
  for (const auto& item : bundle->states) {
    digest value;
    for (const auto& e : entries.first(seq.value))
      for (const auto& leaf : e.header.leaves)
        if (leaf.ns == item.ns && leaf.path == item.proof.path) value = leaf.value_hash;
    RC_ASSERT(item.proof.value_hash.value_or(digest{}) == value);
  }
  for (const auto& item : bundle->entries)
    RC_ASSERT(item.header == entries[item.seq.value - 1].header_bytes);
}

} // namespace

TEST_CASE("roots never depend on how entries are grouped") {
  rc::prop("grouping", [](std::uint64_t seed) {
    dice random(seed);
    const auto entries = random_entries(random, 1 + random.below(60), 1 + random.below(60));
    const auto recorded = recorded_roots(entries);
    sample_world one_by_one;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto roots = one_by_one.commit({entries[i]});
      RC_ASSERT(roots.has_value());
      RC_ASSERT(*roots == recorded[i + 1]);
    }
    sample_world grouped;
    commit_grouped(grouped, random, entries, 20);
    RC_ASSERT(grouped.ledger.roots() == recorded.back());
    for (std::size_t seq = 0; seq <= entries.size(); ++seq)
      RC_ASSERT(grouped.ledger.roots_at({seq}).value() == recorded[seq]);
  });
}

TEST_CASE("roots and proofs of every retained seq are those that it had") {
  rc::prop("retained", [](std::uint64_t seed) {
    dice random(seed);
    const auto count = 20 + random.below(60);
    const auto keys = 5 + random.below(60);
    const auto entries = random_entries(random, count, keys);
    const auto recorded = recorded_roots(entries);
    sample_world world;
    const auto kept = random.below(count + 10);
    world.ledger.retain(kept);
    commit_grouped(world, random, entries, 9);
    const auto earliest = count - std::min(kept, count);
    RC_ASSERT(world.ledger.earliest().value == earliest);
    for (std::size_t seq = 0; seq <= count; ++seq) {
      const auto roots = world.ledger.roots_at({seq});
      if (seq >= earliest)
        RC_ASSERT(roots.value() == recorded[seq]);
      else
        RC_ASSERT(roots.error().code == errc::seq_unavailable);
    }
    for (int i = 0; i < 4; ++i) {
      const seq_no seq{earliest + random.below(count - earliest + 1)};
      check_proofs(world, entries, seq, keys, recorded[seq.value]);
    }
    RC_ASSERT(world.ledger.roots_at({count + 1}).error().code == errc::seq_unavailable);
    RC_ASSERT(world.ledger.prove({}, {count + 1}).error().code == errc::seq_unavailable);
  });
}

TEST_CASE("a loaded and a rebuilt ledger are the saved one, its past included") {
  rc::prop("restored", [](std::uint64_t seed) {
    dice random(seed);
    const auto count = 1 + random.below(60);
    const auto keys = 1 + random.below(50);
    const auto entries = random_entries(random, count + 10, keys);
    const auto recorded = recorded_roots(entries);
    const auto kept = random.below(count + 5);
    sample_world world;
    world.ledger.retain(kept);
    commit_grouped(world, random, std::span(entries).first(count), 7);

    for (const bool from_image : {true, false}) {
      sample_world other;
      other.ledger.retain(kept);
      other.headers = world.headers;
      other.rows = world.rows;
      if (from_image) {
        RC_ASSERT(other.ledger.load(world.ledger.save()).has_value());
        RC_ASSERT(other.ledger.save() == world.ledger.save());
      } else {
        RC_ASSERT(other.ledger.rebuild({count}).has_value());
      }
      RC_ASSERT(other.ledger.roots() == recorded[count]);
      RC_ASSERT(other.ledger.earliest() == world.ledger.earliest());
      for (auto seq = other.ledger.earliest().value; seq <= count; ++seq)
        RC_ASSERT(other.ledger.roots_at({seq}).value() == recorded[seq]);
      check_proofs(other, entries, other.ledger.earliest(), keys,
                   recorded[other.ledger.earliest().value]);
      commit_grouped(other, random, std::span(entries).subspan(count), 4);
      RC_ASSERT(other.ledger.roots() == recorded[count + 10]);
    }
  });
}

TEST_CASE("roots and proofs do not depend on how many leaves are kept") {
  rc::prop("kept", [](std::uint64_t seed) {
    dice random(seed);
    const auto count = 20 + random.below(60);
    const std::uint64_t keys = 300;
    const auto entries = random_entries(random, count, keys);
    const auto recorded = recorded_roots(entries);
    for (const std::uint64_t bytes : {0UL, 8'000UL, 40'000UL}) {
      sample_world world(sample_world::default_world(), bytes);
      commit_grouped(world, random, entries, 9);
      RC_ASSERT(world.ledger.roots() == recorded.back());
      const seq_no seq{random.below(count + 1)};
      RC_ASSERT(world.ledger.roots_at(seq).value() == recorded[seq.value]);
      check_proofs(world, entries, seq, keys, recorded[seq.value]);
    }
  });
}

TEST_CASE("proofs reach across tiles of the journal") {
  dice random(37);
  sample_world world;
  std::vector<entry> entries;
  for (std::uint64_t seq = 1; seq <= 1500; ++seq)
    entries.push_back(samples::sample_entry({seq}, samples::random_leaves(random, 30)));
  REQUIRE(world.commit(entries));
  std::vector<digest> log;
  for (const auto& e : entries) log.push_back(log_leaf_hash(e.header_bytes));
  for (const std::uint64_t at : {1U, 255U, 256U, 257U, 700U, 1024U, 1499U, 1500U}) {
    ledger::proof_request request;
    for (int i = 0; i < 10; ++i) request.seqs.push_back({1 + random.below(at)});
    request.seqs.push_back({at});
    const auto bundle = world.ledger.prove(request, {at});
    REQUIRE(bundle);
    CHECK(bundle->roots.journal_root == naive_log::root(std::span(log).first(at)));
    CHECK(verify(*bundle));
  }
}

TEST_CASE("proofs of many entries put one question to the journal, and read each header once") {
  sample_world world;
  std::vector<entry> entries;
  for (std::uint64_t seq = 1; seq <= 1500; ++seq)
    entries.push_back(samples::sample_entry({seq}, {}));
  REQUIRE(world.commit(entries));
  for (const std::uint64_t at : {1500U, 1300U}) {
    ledger::proof_request request;
    for (std::uint64_t seq = at; seq > 0; --seq) request.seqs.push_back({seq});
    world.headers_read = 0;
    world.header_readers = 0;
    const auto bundle = world.ledger.prove(request, {at});
    REQUIRE(bundle);
    CHECK(verify(*bundle));
    REQUIRE(bundle->entries.size() == at);
    CHECK(bundle->entries.front().seq.value == at);
    CHECK(bundle->entries.back().seq.value == 1);
    // The roots of an earlier seq, and the tile that it ends in, cost reads of their own.
    CHECK(world.header_readers <= 2);
    CHECK(world.headers_read <= 1500 + 2 * merkle_log::tile_leaves);
  }
}

TEST_CASE("deleting everything returns each state root to that of nothing") {
  dice random(41);
  sample_world world;
  for (int i = 0; i < 200; ++i) REQUIRE(world.commit_one(samples::random_leaves(random, 80)));
  CHECK(world.ledger.roots().state_roots != state_root_array{});
  std::vector<state_leaf> deletions;
  for (std::size_t ns = 0; ns < state_namespace_count; ++ns)
    for (const auto& leaf : world.rows[ns].all())
      deletions.push_back({static_cast<state_namespace>(ns), leaf.path, {}});
  const auto before = world.ledger.roots();
  REQUIRE(world.commit_one(deletions));
  CHECK(world.ledger.roots().state_roots == state_root_array{});
  CHECK(world.ledger.roots().journal_root != empty_log_root());
  CHECK(world.ledger.roots_at(before.seq).value() == before);
}

TEST_CASE("of two changes of a path in one entry the last one holds, and both are undone") {
  const auto path = state_path(state_namespace::memories, samples::sample_key({}, 1));
  const auto one = samples::hash_of_text("one");
  const auto two = samples::hash_of_text("two");
  sample_world world;
  REQUIRE(world.commit_one({{state_namespace::memories, path, one}}));
  const auto before = world.ledger.roots();
  REQUIRE(world.commit_one(
      {{state_namespace::memories, path, {}}, {state_namespace::memories, path, two}}));
  CHECK(world.ledger.roots().state_roots[2] == tree_leaf_hash({path, two}));
  CHECK(world.ledger.roots_at(before.seq).value() == before);
}

TEST_CASE("an entry out of order is refused") {
  sample_world world;
  REQUIRE(world.commit_one({}));
  const auto before = world.ledger.save();
  for (const std::uint64_t seq : {0U, 1U, 3U})
    CHECK(world.ledger.apply(std::vector{samples::sample_entry({seq}, {})}).error().code
          == errc::corrupt);
  const std::vector gap{samples::sample_entry({2}, {}), samples::sample_entry({4}, {})};
  CHECK(world.ledger.apply(gap).error().code == errc::corrupt);
  CHECK(world.ledger.save() == before);
  CHECK(world.ledger.apply({}).value() == world.ledger.roots());
}

TEST_CASE("a frozen ledger stays as it was, whatever becomes of the ledger") {
  rc::prop("frozen", [](std::uint64_t seed) {
    dice random(seed);
    const auto count = 300 + random.below(900);
    const auto entries = random_entries(random, count, 1 + random.below(3000));
    auto world = std::make_unique<sample_world>();
    world->ledger.retain(random.below(count + 10));
    std::vector<std::pair<frozen_ledger, std::string>> all;
    for (std::size_t from = 0; from < count;) {
      const auto size = std::min<std::size_t>(1 + random.below(400), count - from);
      commit_grouped(*world, random, std::span(entries).subspan(from, size), 60);
      from += size;
      all.emplace_back(world->ledger.freeze(), world->ledger.save());
      if (random.one_in(3)) { // what is frozen has parts of an image that only it keeps
        auto image = std::make_shared<const std::string>(all.back().second);
        RC_ASSERT(world->ledger.load(*image, image).has_value());
        all.emplace_back(world->ledger.freeze(), *image);
      }
    }
    world.reset();
    const bool all_stayed =
        std::ranges::all_of(all, [](const auto& one) { return one.first.save() == one.second; });
    RC_ASSERT(all_stayed);
  });
}

TEST_CASE("what was loaded and what was appended behind it is undone") {
  rc::prop("undone", [](std::uint64_t seed) {
    dice random(seed);
    const auto loaded = 300 + random.below(400);
    const auto count = loaded + 300 + random.below(400);
    const auto entries = random_entries(random, count, 300);
    const auto kept = random.below(count + 10);
    sample_world world;
    world.ledger.retain(kept);
    commit_grouped(world, random, std::span(entries).first(loaded), 60);
    sample_world other;
    other.ledger.retain(kept);
    other.headers = world.headers;
    other.rows = world.rows;
    RC_ASSERT(other.ledger.load(world.ledger.save()).has_value());
    // In the same groups: which buckets are split, but no root, depends on them.
    for (sample_world* one : {&world, &other}) {
      dice groups(seed);
      commit_grouped(*one, groups, std::span(entries).subspan(loaded), 60);
    }
    RC_ASSERT(other.ledger.earliest() == world.ledger.earliest());
    const bool is_saved_alike = other.ledger.freeze().save() == world.ledger.save();
    RC_ASSERT(is_saved_alike);
    for (int i = 0; i < 20; ++i) {
      const auto earliest = world.ledger.earliest().value;
      const auto seq = earliest + random.below(count - earliest + 1);
      RC_ASSERT(other.ledger.roots_at({seq}).value()
                == samples::roots_from_scratch(sample_world::default_world(),
                                               std::span(entries).first(seq)));
    }
  });
}

TEST_CASE("a frozen ledger is saved while its owner goes on", "[concurrent]") {
  dice random(47);
  const auto entries = random_entries(random, 3000, 2000);
  sample_world world;
  commit_grouped(world, random, std::span(entries).first(1000), 60);
  const std::string image = world.ledger.save();
  std::atomic<bool> done{false};
  std::uint64_t changed = 0; // the framework's checks belong to one thread
  std::thread saver([&, frozen = world.ledger.freeze()] {
    do changed += frozen.save() != image;
    while (!done);
  });
  for (std::size_t from = 1000; from < entries.size(); from += 50) {
    REQUIRE(world.commit({entries.begin() + static_cast<std::ptrdiff_t>(from),
                          entries.begin() + static_cast<std::ptrdiff_t>(from) + 50}));
    REQUIRE(world.ledger.prove({.keys = {}, .seqs = {seq_no{from}}}, {from + 50}));
  }
  done = true;
  saver.join();
  CHECK(changed == 0);
}

TEST_CASE("a store that fails at any read leaves the ledger as it was") {
  dice random(43);
  sample_world world;
  std::vector<entry> entries;
  for (std::uint64_t seq = 1; seq <= 300; ++seq)
    entries.push_back(samples::sample_entry({seq}, samples::random_leaves(random, 200)));
  REQUIRE(world.commit(entries));
  const auto image = world.ledger.save();
  std::vector<entry> more;
  for (std::uint64_t seq = 301; seq <= 320; ++seq)
    more.push_back(samples::sample_entry({seq}, samples::random_leaves(random, 200)));

  // Reads fail from the n-th on: the source counts down what it may still give.
  std::uint64_t allowed = 0;
  std::uint64_t left = 0;
  ledger counted(sample_world::default_world(),
                 {.leaves = [&](state_namespace ns, const digest& first,
                                const digest& last) -> result<std::vector<tree_leaf>> {
                    if (left == 0) return fail(errc::io, "unreadable");
                    --left;
                    return world.rows[static_cast<std::size_t>(ns)].range(first, last);
                  },
                  .headers = []() -> header_reader {
                    return [](seq_no, std::uint64_t) { return fail(errc::io, "unreadable"); };
                  }},
                 0);
  REQUIRE(counted.load(image));
  for (;; ++allowed) {
    left = allowed;
    const auto roots = counted.apply(more);
    if (roots) break;
    REQUIRE(roots.error().code == errc::io);
    REQUIRE(counted.save() == image);
  }
  CHECK(allowed > 10);
  REQUIRE(world.commit(more));
  CHECK(counted.roots() == world.ledger.roots());

  left = 0;
  CHECK(counted.rebuild({320}).error().code == errc::io);
  left = UINT64_MAX;
  CHECK(counted.rebuild({320}).error().code == errc::io); // the journal's side
  CHECK(counted.prove({.keys = {}, .seqs = {{5}}}, {320}).error().code == errc::io);
  CHECK(counted.roots() == world.ledger.roots());
}

TEST_CASE("rows or headers that do not fit yield an error, never a bundle") {
  dice random(47);
  sample_world world(sample_world::default_world(), 0);
  for (int i = 0; i < 40; ++i) REQUIRE(world.commit_one(samples::random_leaves(random, 20)));
  const auto rows = world.rows;
  const tree_leaf leaf = world.rows[2].all().at(0);
  const ledger::proof_request request{.keys = {}, .seqs = {{3}}};

  world.headers[2][10] ^= 1;
  CHECK(world.ledger.prove(request, {40}).error().code == errc::corrupt);
  CHECK(world.ledger.rebuild({40}).has_value()); // other headers make another log …
  CHECK(world.ledger.prove(request, {40}).has_value());

  const auto key = [&] {
    for (std::uint64_t i = 0;; ++i)
      if (auto name = samples::sample_key(state_namespace::memories, i);
          state_path(state_namespace::memories, name) == leaf.path)
        return name;
  }();
  world.rows[2].write(std::vector{tree_leaf{leaf.path, samples::hash_of_text("else")}});
  CHECK(world.ledger.prove({.keys = {{state_namespace::memories, key}}, .seqs = {}}, {40})
            .error()
            .code
        == errc::corrupt);
}

TEST_CASE("a rebuild refuses a journal whose headers are not its entries") {
  sample_world world;
  for (int i = 0; i < 5; ++i) REQUIRE(world.commit_one({}));
  const auto before = world.ledger.roots();
  auto headers = world.headers;
  std::swap(world.headers[1], world.headers[2]);
  CHECK(world.ledger.rebuild({5}).error().code == errc::corrupt);
  world.headers = headers;
  world.headers[4] += '\0';
  CHECK(world.ledger.rebuild({5}).error().code == errc::corrupt);
  world.headers.pop_back();
  CHECK(world.ledger.rebuild({5}).error().code == errc::io);
  CHECK(world.ledger.roots() == before);
  CHECK(world.ledger.rebuild({4}).has_value());
  CHECK(world.ledger.roots().seq.value == 4);
}

TEST_CASE("questions about seqs that are not there are refused") {
  sample_world world;
  for (int i = 0; i < 5; ++i) REQUIRE(world.commit_one({}));
  const auto code = [&](std::uint64_t entry_seq, std::uint64_t at) {
    return world.ledger.prove({.keys = {}, .seqs = {{entry_seq}}}, {at}).error().code;
  };
  CHECK(code(0, 5) == errc::seq_unavailable);
  CHECK(code(6, 5) == errc::seq_unavailable);
  CHECK(code(4, 3) == errc::seq_unavailable);
  CHECK(code(1, 6) == errc::seq_unavailable);
  CHECK(world.ledger.prove_consistency({2}, {6}).error().code == errc::seq_unavailable);
  CHECK(world.ledger.prove_consistency({3}, {2}).error().code == errc::seq_unavailable);
}

TEST_CASE("a journal root is shown to continue an earlier one") {
  sample_world world;
  std::vector<root_set> roots{world.ledger.roots()};
  for (int i = 0; i < 40; ++i) roots.push_back(world.commit_one({}).value());
  for (std::uint64_t now = 0; now <= 40; ++now)
    for (std::uint64_t then = 0; then <= now; ++then) {
      const auto proof = world.ledger.prove_consistency({then}, {now});
      REQUIRE(proof);
      CHECK(
          verify_consistency(then, now, *proof, roots[then].journal_root, roots[now].journal_root));
    }
}

TEST_CASE("an image that is damaged, cut, of another world or newer is refused") {
  dice random(53);
  sample_world world;
  for (int i = 0; i < 30; ++i) REQUIRE(world.commit_one(samples::random_leaves(random, 20)));
  const auto image = world.ledger.save();
  const auto refuses = [&](std::string_view wrong) {
    sample_world other;
    const auto before = other.ledger.roots();
    const auto loaded = other.ledger.load(wrong);
    return !loaded && other.ledger.roots() == before ? loaded.error().code : errc{};
  };
  for (std::size_t cut = 0; cut < image.size(); ++cut)
    REQUIRE(refuses(std::string_view(image).substr(0, cut)) == errc::corrupt);
  CHECK(refuses(image + '\0') == errc::corrupt);
  auto newer = image;
  newer[1] = 2;
  CHECK(refuses(newer) == errc::format_unsupported);
  sample_world stranger(world_id{});
  CHECK(stranger.ledger.load(image).error().code == errc::corrupt);

  // A flipped bit is refused, or it is in the undo alone, whose values no root of now covers.
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    auto flipped = image;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    sample_world other;
    if (!other.ledger.load(flipped)) continue;
    CHECK(other.ledger.roots() == world.ledger.roots());
    ++accepted;
  }
  CHECK(accepted < image.size());
}

TEST_CASE("a ledger is as of its own world") {
  sample_world one;
  sample_world two(world_id{});
  CHECK(one.ledger.roots() == empty_roots(sample_world::default_world()));
  CHECK(one.ledger.roots().overall != two.ledger.roots().overall);
  const auto a = one.commit_one({}).value();
  const auto b = two.commit_one({}).value();
  CHECK(a.journal_root == b.journal_root);
  CHECK(a.overall != b.overall);
}
