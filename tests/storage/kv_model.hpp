#pragma once
/// Seeded batches, and what the tables must hold after each: the oracle of the store tests.

#include <array>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "storage/kv_store.hpp"

namespace mneme::testing {

/// splitmix64.
class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  std::string bytes(std::size_t size) {
    std::string out;
    while (out.size() < size) out.push_back(static_cast<char>(next()));
    return out;
  }

private:
  std::uint64_t state_;
};

/// The batch of `seq`: a function of both numbers, so that a killed process need not tell what it
/// wrote. Few keys, so that they are overwritten and deleted often.
inline std::vector<kv_write> batch_of(std::uint64_t seed, seq_no seq) {
  dice roll(seed * 0x10001 + seq.value);
  std::vector<kv_write> writes;
  const auto count = roll.below(8);
  for (std::uint64_t i = 0; i < count; ++i) {
    kv_write w;
    w.table = static_cast<kv_table>(roll.below(kv_table_count));
    const auto number = roll.below(200);
    w.key = {'k', static_cast<char>(number), static_cast<char>(number * 7)};
    if (roll.below(4) != 0) w.value = roll.bytes(roll.below(300));
    writes.push_back(std::move(w));
  }
  return writes;
}

using table_contents = std::map<std::string, std::string>;
using store_contents = std::array<table_contents, kv_table_count>;

inline void apply_to(store_contents& contents, const std::vector<kv_write>& writes) {
  for (const auto& w : writes) {
    auto& in = contents[static_cast<std::size_t>(w.table)];
    if (w.value)
      in[w.key] = *w.value;
    else
      in.erase(w.key);
  }
}

/// Contents after the batches 1..seq.
inline store_contents contents_at(std::uint64_t seed, seq_no seq) {
  store_contents contents;
  for (std::uint64_t s = 1; s <= seq.value; ++s) apply_to(contents, batch_of(seed, seq_no{s}));
  return contents;
}

inline table_contents contents_of(kv_reader& reader, kv_table table, std::string_view lower = {},
                                  std::string_view upper = {}) {
  table_contents found;
  auto ok = reader.scan(table, lower, upper, [&](std::string_view key, std::string_view value) {
    if (!found.empty()) CHECK(found.rbegin()->first < key);
    found.emplace(key, value);
    return true;
  });
  REQUIRE(ok);
  return found;
}

inline store_contents contents_of(kv_store& store) {
  auto reader = store.reader();
  REQUIRE(reader);
  store_contents found;
  for (std::size_t t = 0; t < kv_table_count; ++t)
    found[t] = contents_of(**reader, static_cast<kv_table>(t));
  return found;
}

} // namespace mneme::testing
