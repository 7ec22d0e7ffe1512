#include "tests/journal/sample_world.hpp"

#include <algorithm>

#include "journal/roots.hpp"
#include "messages/hash.hpp"
#include "tests/journal/naive_log.hpp"

namespace mneme::samples {

digest hash_from_hex(std::string_view hex) {
  return parse_digest(hex).value();
}

std::string bytes_from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

digest hash_of_text(std::string_view text) {
  return sha256_of(text);
}

std::uint64_t dice::next() {
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

digest random_hash(dice& random) {
  digest hash;
  for (auto& byte : hash.bytes) byte = static_cast<std::uint8_t>(random.next());
  return hash;
}

digest crowded_path(dice& random) {
  digest path;
  path.bytes.fill(std::array<std::uint8_t, 3>{0x00, 0xFF, 0x5A}[random.below(3)]);
  constexpr std::array<std::size_t, 3> places = {0, 15, 31};
  path.bytes[places[random.below(3)]] ^= static_cast<std::uint8_t>(random.next());
  if (random.one_in(2)) path.bytes[31] ^= static_cast<std::uint8_t>(random.below(8));
  return path;
}

void leaf_rows::write(std::span<const tree_leaf> changes) {
  for (const auto& [path, value] : changes) {
    if (value.is_zero())
      rows_.erase(path);
    else
      rows_.insert_or_assign(path, value);
  }
}

std::vector<tree_leaf> leaf_rows::range(const digest& first, const digest& last) const {
  std::vector<tree_leaf> leaves;
  for (auto row = rows_.lower_bound(first); row != rows_.end() && row->first <= last; ++row)
    leaves.push_back({row->first, row->second});
  return leaves;
}

std::vector<tree_leaf> leaf_rows::all() const {
  digest last;
  last.bytes.fill(0xFF);
  return range({}, last);
}

digest leaf_rows::value(const digest& path) const {
  const auto row = rows_.find(path);
  return row == rows_.end() ? digest{} : row->second;
}

tree_leaf_source leaf_rows::source() const {
  return [this](const digest& first, const digest& last) -> result<std::vector<tree_leaf>> {
    return range(first, last);
  };
}

std::shared_ptr<leaf_cache> kept_leaves(std::uint64_t most_bytes) {
  return std::make_shared<leaf_cache>(most_bytes);
}

entry sample_entry(seq_no seq, std::vector<state_leaf> leaves) {
  entry e;
  e.header = {.seq = seq,
              .kind = entry_kind::write,
              .created_at = {static_cast<std::int64_t>(seq.value) * 1'000'000'000},
              .created_by = "ana",
              .leaves = std::move(leaves),
              .payload_hash = hash_of_text("payload " + std::to_string(seq.value))};
  e.header_bytes = encode(e.header);
  return e;
}

std::string sample_key(state_namespace ns, std::uint64_t number) {
  const auto seed = hash_of_text("key " + std::to_string(number));
  const std::string id(seed.raw().substr(0, 16));
  switch (ns) {
  case state_namespace::edges:
    return id + '\x01' + std::string(seed.raw().substr(16, 16));
  case state_namespace::fields:
    return id + "budget";
  case state_namespace::memories:
    break;
  }
  return id;
}

std::vector<state_leaf> random_leaves(dice& random, std::uint64_t keys) {
  std::vector<state_leaf> leaves(random.below(5));
  for (auto& leaf : leaves) {
    leaf.ns = static_cast<state_namespace>(random.below(state_namespace_count));
    leaf.path = state_path(leaf.ns, sample_key(leaf.ns, random.below(keys)));
    if (!random.one_in(3)) leaf.value_hash = random_hash(random);
  }
  return leaves;
}

world_id sample_world::default_world() {
  world_id world;
  for (std::size_t i = 0; i < world.bytes.size(); ++i)
    world.bytes[i] = static_cast<std::uint8_t>(i);
  return world;
}

sample_world::sample_world() : sample_world(default_world()) {
}
sample_world::sample_world(const world_id& world, std::uint64_t leaf_cache_bytes)
    : ledger(world, sources(), leaf_cache_bytes) {
}

ledger_sources sample_world::sources() {
  return {.leaves = [this](state_namespace ns, const digest& first,
                           const digest& last) -> result<std::vector<tree_leaf>> {
            if (failing_reads > 0) {
              --failing_reads;
              return fail(errc::io, "the store cannot be read");
            }
            return rows[static_cast<std::size_t>(ns)].range(first, last);
          },
          .headers = [this]() -> header_reader {
            ++header_readers;
            return [this](seq_no first, std::uint64_t count) -> result<std::vector<std::string>> {
              if (journal_fails || first.value + count - 1 > headers.size())
                return fail(errc::io, "the journal cannot be read");
              headers_read += count;
              const auto begin = headers.begin() + static_cast<std::ptrdiff_t>(first.value - 1);
              return std::vector(begin, begin + static_cast<std::ptrdiff_t>(count));
            };
          }};
}

result<root_set> sample_world::commit(std::vector<entry> entries) {
  auto roots = ledger.apply(entries);
  if (!roots) return roots;
  for (const auto& e : entries) {
    headers.push_back(e.header_bytes);
    for (const auto& leaf : e.header.leaves) {
      const std::array<tree_leaf, 1> change{tree_leaf{leaf.path, leaf.value_hash}};
      rows[static_cast<std::size_t>(leaf.ns)].write(change);
    }
  }
  return roots;
}

result<root_set> sample_world::commit_one(std::vector<state_leaf> leaves) {
  return commit({sample_entry(next_seq(), std::move(leaves))});
}

root_set roots_from_scratch(const world_id& world, std::span<const entry> entries) {
  root_set roots{.seq = {entries.size()},
                 .world = world,
                 .journal_root = {},
                 .state_roots = {},
                 .overall = {}};
  std::array<leaf_rows, state_namespace_count> trees;
  std::vector<digest> log;
  for (const auto& e : entries) {
    log.push_back(log_leaf_hash(e.header_bytes));
    for (const auto& leaf : e.header.leaves) {
      const std::array<tree_leaf, 1> change{tree_leaf{leaf.path, leaf.value_hash}};
      trees[static_cast<std::size_t>(leaf.ns)].write(change);
    }
  }
  roots.journal_root = naive_log::root(log);
  for (std::size_t i = 0; i < state_namespace_count; ++i)
    roots.state_roots[i] = tree_root_of(trees[i].all());
  roots.overall = overall_root_of(world, roots.seq, roots.journal_root, roots.state_roots);
  return roots;
}

} // namespace mneme::samples
