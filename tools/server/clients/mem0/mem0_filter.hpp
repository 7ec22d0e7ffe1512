#pragma once
/// Filters of Mem0: {"AND": […]}, {"OR": […]}, {"NOT": […]}, {key: value}, {key: {operator:
/// value}}. A key is one of a memory as clients see it, or one of its metadata.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/server/clients/engine_call.hpp"

namespace mneme::server::mem0 {

enum class mem0_test : std::uint8_t {
  eq,
  ne,
  in,
  nin,
  gt,
  gte,
  lt,
  lte,
  contains,
  icontains,
  is_there, ///< "*"
};

struct mem0_filter {
  enum class node : std::uint8_t { all, any, none, test };

  node is = node::all; ///< `all` of nothing passes everything
  std::vector<mem0_filter> parts{};
  std::string key{};
  bool of_metadata = false;
  mem0_test test{};
  json value = nullptr;
};

/// 400 with the reason: an operator or a shape that is not known.
outcome<mem0_filter> parse_mem0_filter(const json& filter);
/// Both of them.
mem0_filter both(mem0_filter a, mem0_filter b);
/// Does a memory, as clients see it, pass?
bool passes(const mem0_filter& f, const json& memory);

/// What the engine can be asked in a filter's stead. It passes at least what the filter passes, and
/// if `is_exact` nothing else.
struct mem0_where {
  json where;
  bool is_exact = false;
};
mem0_where where_of(const mem0_filter& f);
/// A tag that all memories that pass have.
std::string tag_of(const mem0_filter& f);

} // namespace mneme::server::mem0
