// Prints proof bundles, one JSON object a line in the shape of `mneme prove`, for the test of the
// auditor's script. The records behind the memories' values are "record <key number>".

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tests/journal/sample_world.hpp"

using namespace mneme;
using samples::dice;
using samples::sample_key;
using samples::sample_world;

namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    const auto given = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j)
      group = (group << 8) | (j < given ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= given ? digits[(group >> (18 - 6 * j)) & 63U] : '=';
  }
  return text;
}

std::string hex_list(const std::vector<digest>& hashes) {
  std::string text;
  for (const auto& hash : hashes) text += (text.empty() ? "\"" : ",\"") + to_hex(hash) + '"';
  return '[' + text + ']';
}

std::string json_of(const state_proof& item) {
  const tree_proof& proof = item.proof;
  std::string text =
      fmt::format(R"({{"namespace":"{}","key":"{}","path":"{}","present":{})", to_string(item.ns),
                  hex(item.key), to_hex(proof.path), proof.value_hash.has_value());
  if (proof.value_hash) text += fmt::format(R"(,"value_hash":"{}")", to_hex(*proof.value_hash));
  text += R"(,"siblings":)" + hex_list(proof.siblings);
  if (proof.other)
    text += fmt::format(R"(,"other_leaf":{{"path":"{}","value_hash":"{}"}})",
                        to_hex(proof.other->path), to_hex(proof.other->value_hash));
  return text + '}';
}

std::string json_of(const entry_proof& item) {
  return fmt::format(R"({{"namespace":"journal","seq":{},"header":"{}","siblings":{}}})",
                     item.seq.value, base64(item.header), hex_list(item.siblings));
}

std::string json_of(const proof_bundle& bundle) {
  const root_set& roots = bundle.roots;
  std::string proofs;
  for (const auto& item : bundle.states) proofs += (proofs.empty() ? "" : ",") + json_of(item);
  for (const auto& item : bundle.entries) proofs += (proofs.empty() ? "" : ",") + json_of(item);
  return fmt::format(R"({{"root":"{}","seq":{},"world_id":"{}","journal_root":"{}",)"
                     R"("state_roots":{{"edges":"{}","fields":"{}","memories":"{}"}},)"
                     R"("proofs":[{}]}})",
                     to_hex(roots.overall), roots.seq.value, to_hex(roots.world),
                     to_hex(roots.journal_root), to_hex(roots.state_roots[0]),
                     to_hex(roots.state_roots[1]), to_hex(roots.state_roots[2]), proofs);
}

constexpr std::uint64_t key_count = 60;

bool fill(sample_world& world, std::uint64_t entries) {
  dice random(1);
  while (world.headers.size() < entries) {
    std::vector<state_leaf> leaves;
    for (int i = 0; i < 3; ++i) {
      const auto ns = static_cast<state_namespace>(random.below(state_namespace_count));
      const auto key = random.below(key_count);
      leaves.push_back(
          {ns, state_path(ns, sample_key(ns, key)),
           random.one_in(4) ? digest{} : samples::hash_of_text(fmt::format("record {}", key))});
    }
    if (!world.commit_one(leaves)) return false;
  }
  return true;
}

bool print(const sample_world& world, const ledger::proof_request& request, seq_no seq) {
  const auto bundle = world.ledger.prove(request, seq);
  if (!bundle) return false;
  fmt::print("{}\n", json_of(*bundle));
  return true;
}

} // namespace

int main() {
  sample_world empty;
  sample_world world;
  ledger::proof_request nothing_there;
  nothing_there.keys.emplace_back(state_namespace::memories,
                                  sample_key(state_namespace::memories, 0));
  if (!print(empty, nothing_there, {0}) || !fill(world, 300)) return 1;
  ledger::proof_request small;
  for (std::uint64_t key = 0; key < 6; ++key)
    small.keys.emplace_back(state_namespace::memories, sample_key(state_namespace::memories, key));
  small.keys.emplace_back(state_namespace::edges, sample_key(state_namespace::edges, 70));
  small.seqs = {{1}, {130}};
  ledger::proof_request large = small;
  for (std::uint64_t key = 0; key < key_count + 20; ++key)
    for (const auto ns : {state_namespace::edges, state_namespace::fields})
      large.keys.emplace_back(ns, sample_key(ns, key));
  for (std::uint64_t seq = 1; seq <= 300; seq += 13) large.seqs.push_back({seq});
  return print(world, small, {300}) && print(world, small, {130}) && print(world, large, {300}) ? 0
                                                                                                : 1;
}
