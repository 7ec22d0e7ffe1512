// The journal's log: roots and proofs equal a word-for-word RFC 6962 implementation at every size,
// with old leaves read back tile by tile, and an image restores it.

#include "journal/merkle_log.hpp"

#include <catch2/catch.hpp>

#include "tests/journal/naive_log.hpp"
#include "tests/journal/sample_world.hpp"
#include "tests/vectors/rfc6962.hpp"

using namespace mneme;
using samples::bytes_from_hex;
using samples::hash_from_hex;

namespace {

std::vector<digest> sample_leaves(std::size_t count) {
  std::vector<digest> leaves;
  for (std::size_t i = 0; i < count; ++i)
    leaves.push_back(log_leaf_hash("header " + std::to_string(i)));
  return leaves;
}

merkle_log log_of(std::span<const digest> leaves) {
  merkle_log log;
  for (const auto& leaf : leaves) log.append(leaf);
  return log;
}

/// A source over `leaves` that counts what is asked of it.
struct counting_source {
  std::vector<digest> leaves;
  std::uint64_t calls = 0;
  std::uint64_t read = 0;

  log_leaf_source source() {
    return [this](std::uint64_t first, std::uint64_t count) -> result<std::vector<digest>> {
      ++calls;
      read += count;
      const auto begin = leaves.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
  }
};

} // namespace

TEST_CASE("log roots of 0 to 8 leaves are the published ones") {
  merkle_log log;
  CHECK(to_hex(log.root()) == vectors::log_roots[0]);
  for (std::size_t i = 0; i < vectors::log_leaf_inputs.size(); ++i) {
    log.append(log_leaf_hash(bytes_from_hex(vectors::log_leaf_inputs[i])));
    CHECK(log.size() == i + 1);
    CHECK(to_hex(log.root()) == vectors::log_roots[i + 1]);
  }
}

TEST_CASE("audit paths and consistency proofs are the published ones") {
  std::vector<digest> leaves;
  for (const auto& input : vectors::log_leaf_inputs)
    leaves.push_back(log_leaf_hash(bytes_from_hex(input)));
  const auto log = log_of(leaves);
  const auto hex_of = [](const std::vector<digest>& proof) {
    std::vector<std::string> hex;
    for (const auto& hash : proof) hex.push_back(to_hex(hash));
    return hex;
  };
  for (const auto& known : vectors::log_inclusions)
    CHECK(hex_of(*log.inclusion(known.index, known.size, {}))
          == std::vector<std::string>(known.proof.begin(), known.proof.end()));
  for (const auto& known : vectors::log_consistencies)
    CHECK(hex_of(*log.consistency(known.old_size, known.new_size, {}))
          == std::vector<std::string>(known.proof.begin(), known.proof.end()));
}

TEST_CASE("root, audit path and consistency equal RFC 6962 word for word at all sizes to 40") {
  const auto leaves = sample_leaves(40);
  const auto log = log_of(leaves);
  for (std::size_t size = 0; size <= leaves.size(); ++size) {
    const auto present = std::span(leaves).first(size);
    CHECK(*log.root_at(size, {}) == naive_log::root(present));
    CHECK(log_of(present).root() == naive_log::root(present));
    for (std::size_t index = 0; index < size; ++index)
      CHECK(*log.inclusion(index, size, {}) == naive_log::path(index, present));
    for (std::size_t old_size = 1; old_size <= size; ++old_size)
      CHECK(*log.consistency(old_size, size, {}) == naive_log::subproof(old_size, present, true));
    CHECK(log.consistency(0, size, {})->empty());
  }
}

TEST_CASE("old leaves are read back from the tiles that are needed, each once") {
  const auto leaves = sample_leaves(256 * 5 + 77);
  const auto log = log_of(leaves);
  CHECK(log.root() == naive_log::root(leaves));
  samples::dice random(1);
  std::vector<std::uint64_t> sizes = {1,   2,   255,  256,  257,  511,  512,
                                      513, 768, 1024, 1280, 1281, 1300, leaves.size()};
  for (int i = 0; i < 60; ++i) sizes.push_back(1 + random.below(leaves.size()));
  for (const auto size : sizes) {
    const auto present = std::span(leaves).first(size);
    counting_source source{leaves};
    CHECK(*log.root_at(size, source.source()) == naive_log::root(present));
    CHECK(source.calls <= (size % 256 == 0 ? 0 : 1));

    const auto index = random.below(size);
    source = {leaves};
    CHECK(*log.inclusion(index, size, source.source()) == naive_log::path(index, present));
    CHECK(source.calls <= 2);
    CHECK(source.read == source.calls * 256);

    const auto old_size = 1 + random.below(size);
    source = {leaves};
    CHECK(*log.consistency(old_size, size, source.source())
          == naive_log::subproof(old_size, present, true));
    CHECK(source.calls <= 2);
  }
}

TEST_CASE("a source that fails or gives other leaves yields an error, never a proof") {
  const auto leaves = sample_leaves(600);
  const auto log = log_of(leaves);
  const auto failing = [](std::uint64_t, std::uint64_t) -> result<std::vector<digest>> {
    return fail(errc::io, "unreadable");
  };
  CHECK(log.inclusion(3, 600, failing).error().code == errc::io);
  CHECK(log.root_at(300, failing).error().code == errc::io);
  CHECK(log.consistency(300, 600, failing).error().code == errc::io);

  auto forged = leaves;
  forged[7].bytes[0] ^= 1;
  counting_source source{forged};
  CHECK(log.inclusion(3, 600, source.source()).error().code == errc::corrupt);
  const auto short_source = [&](std::uint64_t, std::uint64_t) -> result<std::vector<digest>> {
    return std::vector<digest>(255);
  };
  CHECK(log.inclusion(3, 600, short_source).error().code == errc::corrupt);
}

TEST_CASE("an image restores a log that goes on alike") {
  const auto leaves = sample_leaves(1100);
  for (const std::size_t size : {0U, 1U, 5U, 255U, 256U, 257U, 700U, 1024U}) {
    const auto before = log_of(std::span(leaves).first(size));
    auto loaded = merkle_log::load(before.save());
    REQUIRE(loaded);
    CHECK(loaded->size() == size);
    CHECK(loaded->root() == before.root());
    CHECK(loaded->save() == before.save());
    for (std::size_t i = size; i < leaves.size(); ++i) loaded->append(leaves[i]);
    CHECK(loaded->root() == naive_log::root(leaves));
    counting_source source{leaves};
    CHECK(*loaded->inclusion(3, leaves.size(), source.source()) == naive_log::path(3, leaves));
  }
}

TEST_CASE("an image of another length than its size says is refused") {
  const auto image = log_of(sample_leaves(300)).save();
  for (std::size_t cut = 0; cut < image.size(); ++cut)
    CHECK_FALSE(merkle_log::load(std::string_view(image).substr(0, cut)));
  CHECK_FALSE(merkle_log::load(image + '\0'));
  CHECK_FALSE(merkle_log::load(image + std::string(32, 'x')));
  auto huge = image;
  for (std::size_t i = 0; i < 8; ++i) huge[i] = '\xFF';
  CHECK(merkle_log::load(huge).error().code == errc::corrupt);
}
