#include "tools/protocol/near_name.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "mneme/types.hpp"

namespace mneme::protocol {

namespace {

/// Levenshtein distance of two short names.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// What others call the same, each row of one meaning, the names of this protocol among them.
constexpr std::array<std::string_view, 8> same_meaning[] = {
    {"query", "q", "text", "words", "question", "near", "prompt", "statement"},
    {"limit", "k", "top_k", "n", "count", "max_results", "page_size", "size"},
    {"vector", "near_vector", "embedding", "embeddings", "vec", "emb", "query_vector", ""},
    {"find", "query", "select", "where", "filter", "", "", ""},
    {"search", "recall", "ask", "lookup", "similar", "", "", ""},
    {"write", "remember", "add", "create", "save", "store", "insert", "note"},
    {"put", "upsert", "set", "", "", "", "", ""},
    {"tombstone", "delete", "remove", "archive", "", "", "", ""},
    {"get", "read", "fetch", "load", "show", "", "", ""},
    {"retrieve", "topics", "topic", "", "", "", "", ""},
    {"add_edge", "relate", "link", "edge", "connect", "", "", ""},
};

/// The first of `known` that means the same as `name`; empty: none does.
std::string_view synonym(std::string_view name, std::span<const std::string_view> known) {
  if (name.empty()) return {};
  for (const auto& row : same_meaning) {
    if (std::ranges::find(row, name) == row.end()) continue;
    for (const auto other : row)
      if (!other.empty() && std::ranges::find(known, other) != known.end()) return other;
  }
  return {};
}

} // namespace

std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  constexpr std::size_t longest_name = 64; // the work is bounded, whatever was sent
  if (name.size() > longest_name) return {};
  std::string_view nearest;
  std::size_t distance = name.size() / 3 + 2; // one more than is still called near
  for (const auto candidate : known) {
    const std::size_t d = edit_distance(name, candidate);
    if (d < distance) {
      distance = d;
      nearest = candidate;
    }
  }
  if (nearest.empty()) nearest = synonym(name, known);
  if (nearest.empty()) return {};
  return "; did you mean \"" + std::string(nearest) + "\"?";
}

std::string not_a_memory_type(std::string_view name) {
  std::vector<std::string_view> types;
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte)
    types.push_back(to_string(static_cast<memory_type>(byte)));
  std::string near = suggestion(name, types);
  if (near.empty()) near = fmt::format("; the types are {}", fmt::join(types, ", "));
  return fmt::format("\"{}\" is not a memory type{}", name, near);
}

std::string not_an_edge_type(std::string_view name) {
  std::vector<std::string_view> types;
  for (std::uint8_t byte = 1; byte <= edge_type_count; ++byte)
    types.push_back(to_string(static_cast<edge_type>(byte)));
  return fmt::format("\"{}\" is not an edge type; the types are {}", name, fmt::join(types, ", "));
}

} // namespace mneme::protocol
