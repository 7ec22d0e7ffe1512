// A state tree after any history of batches: its root is that of its contents, what it says was
// there before is true, its proofs hold, earlier states can be seen through their undo, and image
// and rebuild give the same tree. Paths crowd so that buckets split and collapse and share up to
// 255 bits.
// Of: journal/bucket_reader.cpp, journal/tree_overlay.cpp, journal/undo_list.cpp

#include "journal/state_tree.hpp"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "journal/proof.hpp"
#include "journal/tree_shape.hpp"
#include "tests/journal/sample_world.hpp"

using namespace mneme;
using samples::dice;
using samples::kept_leaves;
using samples::leaf_rows;

namespace {

using changes = std::vector<tree_leaf>;

/// Mostly insertions while the tree grows, mostly deletions while it shrinks.
changes random_changes(dice& random, const std::vector<digest>& paths, bool growing) {
  changes made(1 + random.below(random.one_in(4) ? 60 : 4));
  for (auto& change : made) {
    change.path = paths[random.below(paths.size())];
    const bool deletes = growing ? random.one_in(5) : !random.one_in(5);
    if (!deletes) change.value_hash = samples::random_hash(random);
  }
  return made;
}

std::vector<digest> some_paths(dice& random) {
  std::vector<digest> paths;
  const auto count = 20 + random.below(300);
  const bool crowded = !random.one_in(3);
  for (std::uint64_t i = 0; i < count; ++i)
    paths.push_back(crowded ? samples::crowded_path(random) : samples::random_hash(random));
  return paths;
}

/// For no bucket, for few, for all.
std::uint64_t random_room(dice& random) {
  return std::array<std::uint64_t, 3>{0, 8'000, UINT64_MAX}[random.below(3)];
}

/// Checks a proof of `path` against the rows that it should speak of.
void check_proof(const result<tree_proof>& proof, const digest& path, const leaf_rows& rows,
                 const digest& root) {
  RC_ASSERT(proof.has_value());
  RC_ASSERT(proof->path == path);
  const digest value = rows.value(path);
  RC_ASSERT(proof->value_hash.has_value() != value.is_zero());
  if (proof->value_hash) RC_ASSERT(*proof->value_hash == value);
  RC_ASSERT(verify_tree_proof(*proof, root));
}

/// One history: the tree, the rows, and everything needed to look back.
struct history {
  explicit history(std::uint64_t room) : kept(kept_leaves(room)) {}

  std::shared_ptr<leaf_cache> kept;
  leaf_rows rows;
  state_tree tree{rows.source(), kept};
  std::vector<leaf_rows> past;  ///< rows before each batch
  std::vector<changes> undoing; ///< values before each batch

  void batch(const changes& made) {
    past.push_back(rows);
    auto before = tree.apply(made);
    RC_ASSERT(before.has_value());
    rows.write(made);

    changes expected;
    for (const auto& change : made)
      expected.push_back({change.path, past.back().value(change.path)});
    std::ranges::sort(expected, {}, &tree_leaf::path);
    const auto doubles = std::ranges::unique(expected, {}, &tree_leaf::path);
    expected.erase(doubles.begin(), doubles.end());
    RC_ASSERT(*before == expected);
    undoing.push_back(expected);
    RC_ASSERT(tree.root() == tree_root_of(rows.all()));
    RC_ASSERT(tree.leaf_count() == rows.size());
  }

  void look_back(dice& random, const std::vector<digest>& paths) const {
    const auto steps = 1 + random.below(std::min<std::uint64_t>(undoing.size(), 40));
    changes undo;
    for (std::uint64_t i = 0; i < steps; ++i) {
      const auto& one = undoing[undoing.size() - 1 - i];
      undo.insert(undo.end(), one.begin(), one.end());
    }
    const auto& then = past[past.size() - steps];
    const digest root = tree_root_of(then.all());
    const auto looked = tree.root_with(undo);
    RC_ASSERT(looked.has_value());
    RC_ASSERT(*looked == root);
    auto view = tree.with(undo);
    for (int i = 0; i < 5; ++i) {
      const auto& path = paths[random.below(paths.size())];
      check_proof(view.prove(path), path, then, root);
    }
    const auto stranger = samples::crowded_path(random);
    check_proof(tree.prove(stranger, undo), stranger, then, root);
    RC_ASSERT(tree.root() == tree_root_of(rows.all()));
  }

  void restore(dice& random) {
    state_tree other(rows.source(), kept);
    if (random.one_in(2)) {
      RC_ASSERT(other.load(tree.save()).has_value());
      RC_ASSERT(other.save() == tree.save());
    } else {
      RC_ASSERT(other.rebuild().has_value());
    }
    RC_ASSERT(other.root() == tree.root());
    RC_ASSERT(other.leaf_count() == tree.leaf_count());
    tree = std::move(other);
  }
};

} // namespace

TEST_CASE("any history of batches leaves the root of the contents, its proofs and its past") {
  rc::prop("history", [](std::uint64_t seed) {
    const auto batches = *rc::gen::inRange(1, 90);
    dice random(seed);
    const auto paths = some_paths(random);
    history h(random_room(random));
    for (int i = 0; i < batches; ++i) {
      h.batch(random_changes(random, paths, i % 40 < 25));
      const auto& path = paths[random.below(paths.size())];
      check_proof(h.tree.prove(path), path, h.rows, h.tree.root());
      if (random.one_in(6)) h.look_back(random, paths);
      if (random.one_in(12)) h.restore(random);
    }
    changes all;
    for (const auto& leaf : h.rows.all()) all.push_back({leaf.path, {}});
    h.batch(all);
    RC_ASSERT(h.tree.root() == digest{});
    RC_ASSERT(h.tree.leaf_count() == 0);
    h.look_back(random, paths);
  });
}

TEST_CASE("the order and grouping of changes do not show in the root") {
  rc::prop("grouping", [](std::uint64_t seed) {
    dice random(seed);
    const auto paths = some_paths(random);
    changes made;
    for (int i = 0; i < 20; ++i) {
      const auto more = random_changes(random, paths, true);
      made.insert(made.end(), more.begin(), more.end());
    }
    leaf_rows rows_at_once;
    state_tree at_once(rows_at_once.source(), kept_leaves());
    RC_ASSERT(at_once.apply(made).has_value());
    leaf_rows rows_in_parts;
    state_tree in_parts(rows_in_parts.source(), kept_leaves());
    for (std::size_t i = 0; i < made.size();) {
      const auto size = std::min<std::size_t>(1 + random.below(9), made.size() - i);
      const auto part = std::span(made).subspan(i, size);
      RC_ASSERT(in_parts.apply(part).has_value());
      rows_in_parts.write(part);
      i += size;
    }
    RC_ASSERT(at_once.root() == in_parts.root());
  });
}

TEST_CASE("a bucket that wavers around its limits keeps the root of its contents") {
  dice random(7);
  leaf_rows rows;
  state_tree tree(rows.source(), kept_leaves());
  std::vector<digest> paths;
  for (int i = 0; i < 64; ++i) paths.push_back(samples::random_hash(random));
  const auto set = [&](std::size_t index, bool there) {
    const std::array change{
        tree_leaf{paths[index], there ? samples::random_hash(random) : digest{}}};
    REQUIRE(tree.apply(change));
    rows.write(change);
    REQUIRE(tree.root() == tree_root_of(rows.all()));
  };
  for (std::size_t i = 0; i < 33; ++i) set(i, true);
  const auto split_size = tree.save().size();
  for (std::size_t i = 33; i-- > 16;) set(i, false);
  CHECK(tree.save().size() > 40); // still interior nodes at 16 leaves
  set(15, false);
  CHECK(tree.save().size() == 33); // one bucket below 16
  for (std::size_t i = 15; i < 32; ++i) set(i, true);
  CHECK(tree.save().size() == 33); // and it stays one up to 32
  set(32, true);
  CHECK(tree.save().size() == split_size);
}

TEST_CASE("a source that fails changes nothing") {
  dice random(11);
  leaf_rows rows;
  std::uint64_t reads_left = UINT64_MAX;
  const bool keeps = GENERATE(false, true); // else every attempt reads all again
  state_tree tree(
      [&](const digest& first, const digest& last) -> result<std::vector<tree_leaf>> {
        if (reads_left == 0) return fail(errc::io, "unreadable");
        --reads_left;
        return rows.range(first, last);
      },
      kept_leaves(keeps ? UINT64_MAX : 0));
  changes made;
  for (int i = 0; i < 300; ++i)
    made.push_back({samples::random_hash(random), samples::random_hash(random)});
  REQUIRE(tree.apply(made));
  rows.write(made);
  const auto image = tree.save();
  REQUIRE(tree.load(image)); // what was kept is forgotten

  changes more;
  for (int i = 0; i < 60; ++i)
    more.push_back({made[static_cast<std::size_t>(i) * 5].path,
                    random.one_in(2) ? digest{} : samples::random_hash(random)});
  std::uint64_t failures = 0;
  for (std::uint64_t allowed = 0;; ++allowed) {
    reads_left = allowed;
    const auto before = tree.apply(more);
    if (before) break;
    CHECK(before.error().code == errc::io);
    CHECK(tree.save() == image);
    ++failures;
  }
  CHECK(failures > (keeps ? 2 : 5));
  rows.write(more);
  CHECK(tree.root() == tree_root_of(rows.all()));

  const auto later = tree.save();
  REQUIRE(tree.load(later));
  reads_left = 0;
  CHECK(tree.rebuild().error().code == errc::io);
  CHECK(tree.prove(made[0].path).error().code == errc::io);
  CHECK(tree.root_with(made).error().code == errc::io);
  reads_left = 100;
  CHECK(tree.rebuild().error().code == errc::io);
  CHECK(tree.save() == later);
}

TEST_CASE("leaves that were read once are not read again, and those that were written never") {
  dice random(29);
  leaf_rows rows;
  std::uint64_t reads = 0;
  state_tree tree(
      [&](const digest& first, const digest& last) -> result<std::vector<tree_leaf>> {
        ++reads;
        return rows.range(first, last);
      },
      kept_leaves());
  const auto change = [&](const changes& made) {
    REQUIRE(tree.apply(made));
    rows.write(made);
    REQUIRE(tree.root() == tree_root_of(rows.all()));
  };
  for (int i = 0; i < 300; ++i)
    change({{samples::random_hash(random), samples::random_hash(random)}});
  CHECK(reads == 1); // of the empty tree; buckets that split took theirs along
  REQUIRE(tree.load(tree.save()));
  reads = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto& leaf : rows.all()) change({{leaf.path, samples::random_hash(random)}});
    CHECK(reads > 5);
    CHECK(reads < 20); // once a bucket
  }
}

TEST_CASE("rows that could not be written leave the state before them in sight") {
  dice random(23);
  leaf_rows rows;
  state_tree tree(rows.source(), kept_leaves());
  changes made;
  for (int i = 0; i < 200; ++i)
    made.push_back({samples::random_hash(random), samples::random_hash(random)});
  REQUIRE(tree.apply(made));
  rows.write(made);
  const auto root = tree.root();
  changes lost;
  for (std::size_t i = 0; i < 30; ++i) {
    lost.push_back({samples::random_hash(random), samples::random_hash(random)});
    lost.push_back({made[i].path, i % 2 == 0 ? digest{} : samples::random_hash(random)});
  }
  const auto undo = tree.apply(lost);
  REQUIRE(undo);
  auto view = tree.with(*undo);
  CHECK(view.root().value() == root);
  for (const auto& change : lost) {
    const auto proof = view.prove(change.path);
    REQUIRE(proof);
    CHECK(proof->value_hash.value_or(digest{}) == rows.value(change.path));
    CHECK(verify_tree_proof(*proof, root));
  }
}

TEST_CASE("a leaf that is another than the tree says is refused, whatever is asked beside it") {
  dice random(37);
  leaf_rows rows;
  state_tree tree(rows.source(), kept_leaves(0));
  const changes made = {{samples::random_hash(random), samples::random_hash(random)},
                        {samples::random_hash(random), samples::random_hash(random)},
                        {samples::random_hash(random), samples::random_hash(random)}};
  REQUIRE(tree.apply(made));
  rows.write(made);
  const digest root = tree.root();
  rows.write(std::array{tree_leaf{made[0].path, samples::random_hash(random)}});
  const auto is_refused = [&](const tree_leaf& change) {
    const std::array one{change};
    const auto looked_at = tree.root_with(one);
    const auto applied = tree.apply(one);
    return !looked_at && looked_at.error().code == errc::corrupt && !applied
           && applied.error().code == errc::corrupt && tree.root() == root;
  };
  CHECK(is_refused({made[1].path, samples::random_hash(random)})); // beside it
  CHECK(is_refused(made[1]));                                      // to the value that it has
  CHECK(is_refused(made[0]));                                      // to what it should have been
  CHECK(is_refused({made[0].path, rows.value(made[0].path)}));     // to what it is on the disk
  CHECK(is_refused({made[0].path, {}}));                           // which takes it away
  rows.write(made);
  CHECK(tree.root_with(std::array{made[1]}).value() == root);
}

TEST_CASE("rows that do not fit the tree are refused as corrupt") {
  dice random(13);
  leaf_rows rows;
  state_tree tree(rows.source(), kept_leaves(0));
  changes made;
  for (int i = 0; i < 100; ++i)
    made.push_back({samples::random_hash(random), samples::random_hash(random)});
  REQUIRE(tree.apply(made));
  rows.write(made);
  const auto root = tree.root();
  const std::array change{tree_leaf{made[1].path, samples::random_hash(random)}};

  SECTION("a row is missing") {
    rows.write(std::array{tree_leaf{made[0].path, {}}});
    CHECK(tree.prove(made[0].path).error().code == errc::corrupt);
    CHECK(tree.root_with(std::array{tree_leaf{made[0].path, made[5].value_hash}}).error().code
          == errc::corrupt);
  }
  SECTION("a row has another value") {
    rows.write(std::array{tree_leaf{made[0].path, made[5].value_hash}});
    CHECK(tree.prove(made[0].path).error().code == errc::corrupt);
  }
  SECTION("another row of the bucket has another value") {
    std::size_t refused = 0;
    for (const auto& leaf : rows.all()) {
      const std::array wrong{tree_leaf{leaf.path, root}};
      rows.write(wrong);
      const auto changed = tree.apply(change);
      rows.write(std::array{leaf});
      if (changed) { // it was in another one
        rows.write(change);
        REQUIRE(tree.apply(std::array{made[1]}));
        rows.write(std::array{made[1]});
      } else {
        CHECK(changed.error().code == errc::corrupt);
        ++refused;
      }
    }
    CHECK(refused > 10);
  }
  SECTION("rows stand out of order, or outside what was asked") {
    std::vector<tree_leaf> answer;
    state_tree other(
        [&](const digest&, const digest&) -> result<std::vector<tree_leaf>> { return answer; },
        kept_leaves());
    answer = {{made[0].path, root}, {made[0].path, root}};
    CHECK(other.apply(change).error().code == errc::corrupt);
    answer = {tree_leaf{made[0].path, {}}};
    CHECK(other.apply(change).error().code == errc::corrupt);
    answer = {tree_leaf{made[0].path, root}};
    CHECK(other.rebuild().error().code == errc::corrupt);
  }
  CHECK(tree.root() == root);
}

TEST_CASE("a malformed image is refused and leaves the tree") {
  dice random(17);
  leaf_rows rows;
  state_tree tree(rows.source(), kept_leaves());
  changes made;
  for (int i = 0; i < 200; ++i)
    made.push_back({samples::crowded_path(random), samples::random_hash(random)});
  REQUIRE(tree.apply(made));
  rows.write(made);
  const auto image = tree.save();
  for (std::size_t cut = 0; cut < image.size(); ++cut)
    REQUIRE(tree.load(std::string_view(image).substr(0, cut)).error().code == errc::corrupt);
  CHECK_FALSE(tree.load(image + '\0'));
  CHECK_FALSE(tree.load(std::string(300, '\xFF')));
  CHECK_FALSE(tree.load("\x21" + std::string(32, 'x')));  // an over-full bucket
  CHECK_FALSE(tree.load("\x01" + std::string(32, '\0'))); // a leaf without a hash
  CHECK_FALSE(tree.load(std::string("\xFF\x00\x00", 3))); // an interior node over nothing
  CHECK(tree.save() == image);
  CHECK(tree.load(image));
}

TEST_CASE("an empty tree proves the absence of everything") {
  leaf_rows rows;
  const state_tree tree(rows.source(), kept_leaves());
  dice random(19);
  const auto path = samples::random_hash(random);
  const auto proof = tree.prove(path);
  REQUIRE(proof);
  CHECK(*proof == tree_proof{.path = path, .value_hash = {}, .other = {}, .siblings = {}});
  CHECK(verify_tree_proof(*proof, {}));
  CHECK_FALSE(verify_tree_proof(*proof, path));
}
