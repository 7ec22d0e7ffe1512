#pragma once
/// The paths of Mem0's clients: of the hosted service, which end in a slash, and of its
/// self-hosted server, which do not.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mneme::server::mem0 {

enum class mem0_page : std::uint8_t {
  ping,
  add,
  search,
  list,     ///< hosted: by POST
  all,      ///< hosted: DELETE of all of an owner
  memories, ///< self-hosted: POST adds, GET lists, DELETE of all of an owner
  memory,
  history,
  entities,
  entity,
  batch,
};

struct mem0_route {
  mem0_page page{};
  std::string id{};   ///< of a memory; the name of an entity
  std::string kind{}; ///< of an entity
};

/// Nothing: there is no such path.
std::optional<mem0_route> mem0_route_of(std::string_view path);
std::string_view methods_of(mem0_page page);

} // namespace mneme::server::mem0
