// activation_chain: every retained seq reads as it was, older ones give nothing, memory is bounded.
#include "index/columns/activation_chain.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <rapidcheck.h>

#include "tests/index/dice.hpp"

namespace mneme {

namespace {

activation values_at(std::uint64_t seq) {
  return {.last_used = {static_cast<std::int64_t>(seq * 3)},
          .access_count = static_cast<std::int64_t>(seq),
          .citations = -static_cast<std::int64_t>(seq),
          .importance = static_cast<std::uint8_t>(seq % 11)};
}

/// Naive: all records by node and seq.
struct chain_model {
  std::map<std::uint32_t, std::map<std::uint64_t, activation>> records;

  [[nodiscard]] std::optional<activation> find(std::uint32_t node, std::uint64_t at) const {
    const auto of_node = records.find(node);
    if (of_node == records.end()) return {};
    const auto after = of_node->second.upper_bound(at);
    if (after == of_node->second.begin()) return {};
    return std::prev(after)->second;
  }
};

} // namespace

TEST_CASE("reads at any retained seq equal a naive model") {
  REQUIRE(rc::check([](std::uint64_t seed) {
    dice d(seed);
    activation_chain chain;
    chain_model model;
    std::uint64_t seq = 0;
    std::uint64_t retained = 0;
    const std::uint32_t nodes = 1 + d.below(8);
    for (int i = 0; i < 600; ++i) {
      if (!d.one_in(4)) ++seq; // else another record at the same seq
      const std::uint32_t node = d.below(nodes) * 700;
      const activation values = values_at(seq * 1000 + d.below(1000));
      chain.set({node}, {seq}, values);
      model.records[node][seq] = values;
      if (d.one_in(10)) {
        retained += d.below(seq - retained + 1);
        chain.retain_from({retained});
      }
      for (int read = 0; read < 3; ++read) {
        const std::uint32_t at_node = d.below(nodes + 1) * 700;
        const std::uint64_t at = retained + d.below(seq - retained + 2);
        RC_ASSERT(chain.find({at_node}, {at}) == model.find(at_node, at));
      }
    }
    RC_ASSERT(chain.node_limit() <= nodes * 700);
  }));
}

TEST_CASE("the records of a window are what reads in it need") {
  activation_chain chain;
  for (std::uint64_t seq = 1; seq <= 50; ++seq)
    chain.set({seq % 2 == 0 ? 4U : 5U}, {seq}, values_at(seq));
  std::vector<activation_record> records;
  chain.append_records({4}, {21}, {30}, records);
  REQUIRE(records.size() == 6); // 20, 22, 24, 26, 28, 30
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(records[i].node.value == 4);
    CHECK(records[i].seq == 20 + 2 * i);
    CHECK(records[i].values == values_at(20 + 2 * i));
  }
  chain.append_records({4}, {0}, {1}, records);
  chain.append_records({7}, {0}, {50}, records);
  CHECK(records.size() == 6);
}

TEST_CASE("a read behind the retained window gives nothing rather than something later") {
  activation_chain chain;
  for (std::uint64_t seq = 10; seq <= 1000; seq += 10) chain.set({0}, {seq}, values_at(seq));
  chain.retain_from({900});
  for (std::uint64_t seq = 1010; seq <= 1800; seq += 10) chain.set({0}, {seq}, values_at(seq));
  for (std::uint64_t at = 0; at < 900; ++at) {
    const auto found = chain.find({0}, {at});
    if (found) REQUIRE(*found == values_at(at / 10 * 10));
  }
  for (std::uint64_t at = 900; at <= 1800; ++at)
    REQUIRE(chain.find({0}, {at}) == values_at(at / 10 * 10));
}

TEST_CASE("a million touches of one node stay within the retained window") {
  activation_chain chain;
  constexpr std::uint64_t window = 1000;
  for (std::uint64_t seq = 1; seq <= 1'000'000; ++seq) {
    chain.set({3}, {seq}, values_at(seq));
    if (seq > window) chain.retain_from({seq - window});
  }
  CHECK(chain.history_capacity() <= window + 2);
  CHECK(chain.find({3}, {1'000'000 - window}) == values_at(1'000'000 - window));
  CHECK(chain.find({3}, {1'000'000}) == values_at(1'000'000));
}

} // namespace mneme
